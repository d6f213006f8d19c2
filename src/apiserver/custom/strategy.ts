import type { TableColumn } from '../data/index.ts';
import { printValue, type FieldError } from '../field-error.ts';
import {
  at,
  equal,
  Float,
  isArray,
  isObject,
  jsonObject,
  list,
  numeric,
  object,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { stringify } from '../json-text.ts';
import { dns1123Subdomain } from '../objects/names.ts';
import { JsonPath, JsonPathError, printJsonPathValue } from '../../schema/json-path.ts';
import { apiVersionOf, type GroupVersionKind, type Strategy, type Verdict } from '../resources/resource.ts';
import { age } from '../table/age.ts';
import type { ScalePaths } from '../handlers/scale.ts';
import type { CustomSchema } from './schema.ts';

/** One version of a definition, ready to serve. */
export interface CustomVersion extends GroupVersionKind {
  readonly storageVersion: string;
  readonly namespaced: boolean;
  readonly schema: CustomSchema;
  /** The schema of the stored version, for what is read back. */
  readonly statusSubresource: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly Json[];
  /** Paths with a leading dot. */
  readonly selectableFields: readonly string[];
}

const largestReplicas = 2_147_483_647;

/** How objects of a custom kind behave in one version of it. */
export function customStrategy(version: CustomVersion): Strategy {
  const apiVersion = apiVersionOf(version);
  const storedApiVersion = apiVersionOf({ group: version.group, version: version.storageVersion });
  const converted = new WeakMap<JsonObject, JsonObject>();
  const fields = new Set([
    'metadata.name',
    ...(version.namespaced ? ['metadata.namespace'] : []),
    ...version.selectableFields.map((path) => path.replace(/^\./, '')),
  ]);
  const printers = version.columns.map(columnPrinter);
  const withStatus = version.statusSubresource;

  const check = (value: JsonObject, old: JsonObject | undefined): Verdict => {
    const extra = version.scale === undefined ? [] : scaleErrors(value, version.scale);
    return version.schema.validate(value, old, extra);
  };

  return {
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    returnsDeletedObject: false,
    garbageCollected: true,
    strategicMerge: false,
    decode(document) {
      const copy = jsonObject(Object.entries(document));
      copy['apiVersion'] = apiVersion;
      copy['kind'] = version.kind;
      copy['metadata'] ??= jsonObject();
      const { object: decoded, unknown } = version.schema.decode(copy);
      return { object: jsonObject(Object.entries(decoded)), unknown };
    },
    toStorage(value) {
      if (value['apiVersion'] === storedApiVersion) return value;
      return { ...value, apiVersion: storedApiVersion };
    },
    fromStorage(value) {
      let found = converted.get(value);
      if (found === undefined) {
        const own = value['apiVersion'] === apiVersion ? value : jsonObject(Object.entries({ ...value, apiVersion }));
        const completed = version.schema.complete(own);
        found = equal(completed, own) ? own : completed;
        converted.set(value, found);
      }
      return found;
    },
    prepareForCreate(value) {
      if (withStatus) delete value['status'];
      (value['metadata'] as MutableObject)['generation'] = 1;
    },
    prepareForUpdate(value, old, subresource) {
      const metadata = value['metadata'] as MutableObject;
      if (subresource === 'status') {
        const status = value['status'];
        const version = metadata['resourceVersion'];
        const managedFields = metadata['managedFields'];
        for (const name of Object.keys(value)) delete value[name];
        for (const [name, inner] of Object.entries(old)) if (name !== 'status') value[name] = inner;
        if (status !== undefined) value['status'] = status;
        const kept = jsonObject(Object.entries(object(old, 'metadata')));
        if (version !== undefined) kept['resourceVersion'] = version;
        if (managedFields !== undefined) kept['managedFields'] = managedFields;
        value['metadata'] = kept;
        return;
      }
      if (withStatus) {
        delete value['status'];
        if (old['status'] !== undefined) value['status'] = old['status'];
      }
      const generation = Number(object(old, 'metadata')['generation'] ?? 0);
      metadata['generation'] = differs(value, old) ? generation + 1 : generation;
    },
    validateName: dns1123Subdomain,
    validate: (value) => check(value, undefined),
    validateUpdate: (value, old) => check(value, old),
    fields,
    field(value, name) {
      if (!fields.has(name)) return undefined;
      const found = at(value, ...name.split('.'));
      return found === undefined || found === null ? '' : typeof found === 'string' ? found : stringify(found);
    },
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: nameText, priority: 0 },
      ...columnDefinitions(version.columns),
    ],
    cells: (value, now) => [text(value, 'metadata', 'name'), ...printers.map((print) => print(value, now))],
  };
}

const nameText =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

function differs(value: JsonObject, old: JsonObject): boolean {
  const names = new Set([...Object.keys(value), ...Object.keys(old)]);
  names.delete('metadata');
  return [...names].some((name) => !equal(value[name], old[name]));
}

/** What tables show when a definition names no columns. */
export const ageColumn: Json = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function columnDefinitions(columns: readonly Json[]): readonly TableColumn[] {
  return columns.map((column) => {
    const path = text(column, 'jsonPath');
    const description =
      text(column, 'description') || `Custom resource definition column (in JSONPath format): ${path}`;
    return {
      name: text(column, 'name'),
      type: text(column, 'type'),
      format: text(column, 'format'),
      description,
      priority: numeric(at(column, 'priority')) ?? 0,
    };
  });
}

function columnPrinter(column: Json): (value: JsonObject, now: number) => Json {
  const type = text(column, 'type');
  const path = new JsonPath(text(column, 'jsonPath'));
  return (value, now) => {
    let found: Json | undefined;
    try {
      found = path.evaluate(value)[0];
    } catch (error) {
      // A path that does not fit this object gives an empty cell.
      if (!(error instanceof JsonPathError)) throw error;
    }
    return found === undefined ? null : cell(found, type, now);
  };
}

function cell(value: Json, type: string, now: number): Json {
  const number = numeric(value);
  switch (type) {
    case 'integer':
      return number === undefined
        ? null
        : value instanceof Float || typeof value === 'bigint'
          ? value
          : Math.trunc(number);
    case 'number':
      return number === undefined ? null : value;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now);
    default:
      return isObject(value) || isArray(value)
        ? printJsonPathValue(value)
        : typeof value === 'string'
          ? value
          : stringify(value);
  }
}

/** Numbers of replicas that the scale subresource could not show. */
function scaleErrors(value: JsonObject, scale: ScalePaths): FieldError[] {
  const errors: FieldError[] = [];
  for (const path of [scale.specReplicasPath, scale.statusReplicasPath]) {
    const found = at(value, ...path.split('.').filter((part) => part !== ''));
    if (found === undefined || found === null) continue;
    const replicas = typeof found === 'number' || typeof found === 'bigint' ? Number(found) : undefined;
    if (replicas === undefined || !Number.isInteger(replicas)) {
      const shown = typeof found === 'string' ? found : stringify(found);
      errors.push({
        type: 'FieldValueInvalid',
        field: path,
        message: `Invalid value: 0: ${path} accessor error: ${shown} is of the type ${goTypeOf(found)}, expected int64`,
      });
      continue;
    }
    const message =
      replicas < 0
        ? 'should be a non-negative integer'
        : replicas > largestReplicas
          ? `should be less than or equal to ${largestReplicas}`
          : undefined;
    if (message !== undefined)
      errors.push({
        type: 'FieldValueInvalid',
        field: path,
        message: `Invalid value: ${printValue(found)}: ${message}`,
      });
  }
  return errors;
}

function goTypeOf(value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return isArray(value) ? '[]interface {}' : isObject(value) ? 'map[string]interface {}' : 'float64';
}

/** The names of a definition in one of its two places. */
export function namesOf(
  definition: JsonObject,
  ...path: readonly string[]
): { plural: string; singular: string; kind: string; listKind: string; shortNames: readonly string[] } {
  const names = object(definition, ...path);
  return {
    plural: text(names, 'plural'),
    singular: text(names, 'singular'),
    kind: text(names, 'kind'),
    listKind: text(names, 'listKind'),
    shortNames: list(names, 'shortNames').map(String),
  };
}
