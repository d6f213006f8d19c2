import { Float, type Json, type JsonObject, jsonObject } from '../../../src/model/index.ts';
import { checkRules, compileRules } from '../../../src/schema/cel/index.ts';
import {
  compileSchema,
  decodeDefinition,
  defaultDefinition,
  type CompiledSchema,
  DecodeError,
  type FieldError,
  goJson,
  type RuleChecker,
  type RuleEvaluator,
  validateDefinition,
} from '../../../src/schema/index.ts';

/** What our code and the API server's own say of one definition or object, as text. */
export interface Outcome {
  /** The id of the entry, with `/object N` for an object. */
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

/** Compares every definition and every object of a corpus with the results. Entries that made the server's code panic are left out. */
export function compareCorpus(corpus: Json, results: Json): Outcome[] {
  const expectations = new Map(objects(results).map((result) => [textOf(result, 'id'), result] as const));
  return objects(corpus).flatMap((entry) => {
    const expected = expectations.get(textOf(entry, 'id'));
    if (expected === undefined) throw new Error(`there is no result for "${textOf(entry, 'id')}"`);
    // A panic, or an accepted schema that cannot be served, says nothing of the definition.
    return /^(?:panic|failed to prune)/.test(textOf(expected, 'problem')) ? [] : compareEntry(entry, expected);
  });
}

function compareEntry(entry: JsonObject, expected: JsonObject): Outcome[] {
  const id = textOf(entry, 'id');
  const outcomes: Outcome[] = [{ id, expected: expectedDefinition(expected), actual: judgeDefinition(entry) }];
  const schema = entry['schema'];
  const results = objects(expected['objects'] ?? []);
  if (!isObject(schema) || results.length === 0) return outcomes;
  const compiled = compileSchema(schema);
  const rules = compileRules(schema);
  for (const [position, object] of objects(entry['objects'] ?? []).entries()) {
    const result = results[position];
    if (result === undefined) throw new Error(`there is no result for object ${position} of "${id}"`);
    const actual = judgeObject(object, compiled, (value) => rules.evaluate(value).errors);
    outcomes.push({ id: `${id}/object ${position}`, expected: expectedObject(result), actual });
  }
  return outcomes;
}

/** A definition around a schema, as the results were made with it. */
function wrap(schema: Json): JsonObject {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
    status: { storedVersions: ['v1'] },
  };
}

const evaluateRules: RuleEvaluator = (schema, value, path) => {
  const rules = compileRules(schema);
  const errors = [...rules.evaluate(value, value).errors, ...rules.evaluate(value).errors];
  return errors.map((error) => {
    const field = error.field === '<nil>' ? path : `${path}.${error.field}`;
    return { ...error, field, message: error.message.replace(error.field, field) };
  });
};

const checkVersionRules: RuleChecker = (schema, path) => checkRules(schema, { path }).errors;

function judgeDefinition(entry: JsonObject): string {
  const hooks = { evaluateRules, checkRules: checkVersionRules };
  try {
    if (!isObject(entry['definition']))
      return printDefinition(validateDefinition(wrap(entry['schema'] ?? null), hooks).errors);
    if (!isObject(entry['old'])) return printDefinition(validateDefinition(entry['definition'], hooks).errors);
    // An update carries the version of what is stored.
    const old = withVersion(entry['old'], '1');
    const definition = withVersion(entry['definition'], textOf(metadataOf(old), 'resourceVersion'));
    return printDefinition(validateDefinition(definition, { ...hooks, old }).errors);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${isReadable(entry['definition']) ? 'old ' : ''}cannot be read: ${error.message}`;
  }
}

function isReadable(definition: Json | undefined): boolean {
  try {
    return isObject(definition) && decodeDefinition(defaultDefinition(definition)) !== undefined;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? metadata : {};
}

function withVersion(object: JsonObject, version: string): JsonObject {
  const metadata = metadataOf(object);
  const resourceVersion = metadata['resourceVersion'] ?? '';
  return resourceVersion === '' ? { ...object, metadata: { ...metadata, resourceVersion: version } } : object;
}

function expectedDefinition(result: JsonObject): string {
  const problem = result['problem'];
  return typeof problem === 'string' ? problem : printDefinition(objects(result['definitionErrors'] ?? []));
}

function judgeObject(
  object: JsonObject,
  schema: CompiledSchema,
  evaluate: (object: JsonObject) => readonly FieldError[],
): string {
  const given = jsonObject([
    ['apiVersion', 'example.com/v1'],
    ['kind', 'Thing'],
    ['metadata', { name: 'thing' }],
    ...Object.entries(object),
  ]);
  const admitted = schema.admit(given);
  if ('problem' in admitted)
    return printObject([], null, [{ type: '', field: '', detail: admitted.problem, message: '' }]);
  const { unknownFields, errors } = admitted;
  // What stops at embedded metadata has no result.
  const stopped = 'error' in schema.decode(given);
  const found = errors.length === 0 ? evaluate(admitted.object) : errors;
  return printObject(unknownFields, stopped ? null : admitted.object, found);
}

function expectedObject(result: JsonObject): string {
  const unknown = result['unknownFields'] ?? [];
  return printObject(Array.isArray(unknown) ? unknown : [], result['result'] ?? null, objects(result['errors'] ?? []));
}

interface PrintedError {
  readonly type?: unknown;
  readonly field?: unknown;
  readonly detail?: unknown;
  readonly message?: unknown;
  readonly badValue?: unknown;
}

function printObject(unknown: readonly Json[], result: Json, errors: readonly PrintedError[]): string {
  const kept = result === null ? '-' : print(withoutCreation(result));
  return [`result ${kept}`, `unknown ${print(unknown)}`, ...errors.map(printError).sort()].join('\n');
}

/** The results leave out the time of creation where it stands alone or beside one other member. */
function withoutCreation(result: Json): Json {
  const metadata = isObject(result) ? result['metadata'] : undefined;
  if (!isObject(result) || !isObject(metadata) || Object.keys(metadata).length > 2) return result;
  const kept = Object.entries(metadata).filter(([name]) => name !== 'creationTimestamp');
  return jsonObject([...Object.entries(result), ['metadata', jsonObject(kept)]]);
}

function printDefinition(errors: readonly PrintedError[]): string {
  return errors.length === 0 ? 'accepted' : errors.map(printError).sort().join('\n');
}

function printError(error: PrintedError): string {
  const value = print((error.badValue ?? null) as Json);
  // Long values of Go types are left out of the results, and a value that is not to be shown is an empty struct there.
  const isOmitted = value.length >= 300 || (value === '{}' && !String(error.message).includes(value));
  const shown = isOmitted ? 'null' : value;
  const [detail, message] = [String(error.detail), String(error.message)].map(withoutCompilerText);
  return `${String(error.type)} ${String(error.field)} ${shown} | ${detail} | ${message}`;
}

/** Of the text of CEL's compiler only the place of the first error is compared. */
function withoutCompilerText(text: string): string {
  return /^[\s\S]*?compilation failed: ERROR: <input>:-?\d+:\d+/.exec(text)?.[0] ?? text;
}

/** Canonical JSON as Go writes it. The results lost the sign of zero when they were read and written again. */
function print(value: Json): string {
  return goJson(withoutNegativeZero(value));
}

function withoutNegativeZero(value: Json): Json {
  if (value instanceof Float) return value.value === 0 ? 0 : value;
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  if (!isObject(value)) return value;
  return jsonObject(Object.entries(value).map(([name, member]) => [name, withoutNegativeZero(member)] as const));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

function objects(value: Json): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
