// Our schema room on the objects that the real server judged (crds.test.ts): it must say the same. Needs no server.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/index.ts';
import { compileRules, type CompiledRules } from '../../../src/schema/cel/index.ts';
import { compileSchema, type CompiledSchema } from '../../../src/schema/compiled-schema.ts';
import type { FieldError } from '../../../src/schema/field-error.ts';
import { parseJson } from '../../../src/schema/json.ts';
import { generatedDefinitions, samples, sortCauses, type Cause, type Manifest } from '../../fixtures.ts';

/** The schema and the rules of a kind. */
interface Checks {
  readonly schema: CompiledSchema;
  readonly rules: CompiledRules;
}

const kinds = new Map<string, Checks>();
for (const { source, definition } of await generatedDefinitions()) {
  if (source !== 'compute/decorators') continue;
  const schema = json(definition.spec.versions[0]?.schema.openAPIV3Schema);
  kinds.set(definition.spec.names.kind, { schema: compileSchema(schema), rules: compileRules(schema) });
}

function json(value: unknown): JsonObject {
  return parseJson(JSON.stringify(value)) as JsonObject;
}

function checksOf({ kind }: Manifest): Checks {
  const checks = kinds.get(kind);
  if (checks === undefined) throw new Error(`fixtures/compute has no ${kind}`);
  return checks;
}

/** Errors after which the server leaves rules alone, and says so (`hasBlockingErr` of the API server). */
const blocking = new Set<string>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const notChecked: Cause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** What creating an object comes to, or changing the old one into it: schema first, then rules. */
function judge(object: Manifest, old?: Manifest): Cause[] {
  const { schema, rules } = checksOf(object);
  const admitted = schema.admit(json(object));
  if ('problem' in admitted) throw new Error(admitted.problem);
  expect(admitted.unknownFields).toEqual([]);
  const stored = old === undefined ? undefined : schema.decode(json(old));
  if (stored !== undefined && 'problem' in stored) throw new Error(stored.problem);
  const errors = stored === undefined ? admitted.errors : schema.validate(admitted.object, { old: stored.object });
  if (!rules.hasRules) return sortCauses(errors.map(cause));
  if (errors.some(({ type }) => blocking.has(type))) return sortCauses([...errors.map(cause), notChecked]);
  const evaluated = rules.evaluate(admitted.object, stored?.object);
  return sortCauses([...errors, ...evaluated.errors].map(cause));
}

function cause({ type, field, message }: FieldError): Cause {
  return { reason: type, field, message: message.slice(`${field}: `.length) };
}

describe('the schema room on fixtures/compute', () => {
  it.each(samples('compute', 'valid'))('accepts $name', ({ objects: [object] }) => {
    if (object === undefined) throw new Error('the sample is empty');
    expect(judge(object)).toEqual([]);
  });

  it.each(samples('compute', 'refused'))('says of $name what the server says', ({ objects: [object], causes }) => {
    if (object === undefined) throw new Error('the sample is empty');
    expect(judge(object)).toEqual(causes);
  });

  it.each(samples('compute', 'refused-update'))('says of $name what the server says', ({ objects, causes }) => {
    const [old, object] = objects;
    if (old === undefined || object === undefined) throw new Error('the sample needs two objects');
    expect(judge(object, old)).toEqual(causes);
  });

  // On /status the server counts paths in messages from the status, and in fields from the root.
  it.each(samples('compute', 'refused-status'))('refuses $name at the same field', ({ objects: [object], causes }) => {
    if (object === undefined) throw new Error('the sample is empty');
    const place = ({ reason, field }: Cause): string => `${reason} ${field}`;
    expect(judge(object).map(place)).toEqual(causes.map(place));
  });
});
