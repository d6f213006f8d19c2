// Our schema room on the objects that the real server judged (crds.test.ts): it must say the same. Needs no server.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/index.ts';
import { compileSchema, type CompiledSchema } from '../../../src/schema/compiled-schema.ts';
import type { FieldError } from '../../../src/schema/field-error.ts';
import { parseJson } from '../../../src/schema/json.ts';
import { generatedDefinitions, samples, sortCauses, type Cause, type Manifest } from '../../fixtures.ts';

const schemas = new Map<string, CompiledSchema>();
const ruleMessages = new Set<string>();
for (const { source, definition } of await generatedDefinitions()) {
  if (source !== 'compute/decorators') continue;
  const schema = json(definition.spec.versions[0]?.schema.openAPIV3Schema);
  schemas.set(definition.spec.names.kind, compileSchema(schema));
  for (const [, message] of JSON.stringify(schema).matchAll(/"message":"([^"]*)","rule"/g))
    ruleMessages.add(message ?? '');
}

function json(value: unknown): JsonObject {
  return parseJson(JSON.stringify(value)) as JsonObject;
}

function schemaOf({ kind }: Manifest): CompiledSchema {
  const schema = schemas.get(kind);
  if (schema === undefined) throw new Error(`fixtures/compute has no ${kind}`);
  return schema;
}

function causes(errors: readonly FieldError[]): Cause[] {
  return sortCauses(
    errors.map(({ type, field, message }) => ({ reason: type, field, message: message.slice(`${field}: `.length) })),
  );
}

/** What the server said of the schema alone: rules are evaluated by another room, after the schema has found nothing. */
function ofSchema(expected: readonly Cause[]): Cause[] {
  return expected.filter(
    ({ message }) =>
      !message.includes('some validation rules were not checked') &&
      ![...ruleMessages].some((ruleMessage) => message.endsWith(ruleMessage)),
  );
}

/** What creating an object comes to. */
function create(object: Manifest): Cause[] {
  const admitted = schemaOf(object).admit(json(object));
  if ('problem' in admitted) throw new Error(admitted.problem);
  expect(admitted.unknownFields).toEqual([]);
  return causes(admitted.errors);
}

describe('the schema room on fixtures/compute', () => {
  it('knows the rules of the fixture', () => {
    expect([...ruleMessages].sort()).toEqual([
      'bucketName cannot be changed',
      'the name of a FIFO queue must end in .fifo',
    ]);
  });

  it.each(samples('compute', 'valid'))('accepts $name', ({ objects: [object] }) => {
    if (object === undefined) throw new Error('the sample is empty');
    expect(create(object)).toEqual([]);
  });

  it.each(samples('compute', 'refused'))(
    'says of $name what the server says',
    ({ objects: [object], causes: expected }) => {
      if (object === undefined) throw new Error('the sample is empty');
      expect(create(object)).toEqual(ofSchema(expected));
    },
  );

  it.each(samples('compute', 'refused-update'))(
    'finds nothing but a rule to refuse $name',
    ({ objects, causes: expected }) => {
      const [old, object] = objects;
      if (old === undefined || object === undefined) throw new Error('the sample needs two objects');
      expect(schemaOf(object).validate(json(object), { old: json(old) })).toEqual(ofSchema(expected));
    },
  );

  // On /status the server counts paths in messages from the status, and in fields from the root.
  it.each(samples('compute', 'refused-status'))(
    'refuses $name at the same field',
    ({ objects: [object], causes: expected }) => {
      if (object === undefined) throw new Error('the sample is empty');
      const place = ({ reason, field }: Cause): string => `${reason} ${field}`;
      expect(create(object).map(place)).toEqual(ofSchema(expected).map(place));
    },
  );
});
