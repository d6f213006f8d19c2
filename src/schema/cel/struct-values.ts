import { type Json, jsonObject } from '../../model/index.ts';
import type { StructType } from './checked-expression.ts';
import { strictEquals } from './equality.ts';
import { ListValue } from './lists.ts';
import { MapValue } from './maps.ts';
import { Optional } from './optional.ts';
import { printValue } from './print-value.ts';
import { Duration, Timestamp } from './time.ts';
import { CelType, dynType, stringType } from './types.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, type Value } from './values.ts';

const rootName = 'Object';
const jsonPatchName = 'JSONPatch';

export const objectType = new CelType('struct', rootName);
export const jsonPatchType = new CelType('struct', jsonPatchName);

const jsonPatchFields = new Map([
  ['op', stringType],
  ['path', stringType],
  ['from', stringType],
  ['value', dynType],
]);

/** The types of mutations: `JSONPatch`, and `Object` with one type for each path below it, whose fields may be anything. */
export function mutationStructs(name: string): StructType | undefined {
  if (name === jsonPatchName) return { type: jsonPatchType, fieldType: (field) => jsonPatchFields.get(field) };
  if (name !== rootName && !name.startsWith(`${rootName}.`)) return undefined;
  return { type: new CelType('struct', name), fieldType: () => dynType };
}

/** An object that an expression made; its fields cannot be read again. */
export class StructValue extends CelObject {
  override readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = new CelType('struct', typeName);
    this.fields = fields;
  }

  override equal(other: Value): Value {
    if (!(other instanceof StructValue) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const right = other.fields.get(name);
      if (right === undefined || strictEquals(value, right) !== true) return false;
    }
    return true;
  }

  override isZero(): boolean {
    return this.fields.size === 0;
  }
}

/** Makes an object of one of the types of mutations. */
export function makeStruct(typeName: string, fields: ReadonlyMap<string, Value>): Value {
  if (typeName === jsonPatchName) {
    for (const name of ['op', 'path', 'from']) {
      const value = fields.get(name);
      if (value !== undefined && typeof value !== 'string')
        return new CelError(`unexpected type ${goTypeName(value)} for JSONPatchType '${name}' field`);
    }
  }
  return new StructValue(typeName, fields);
}

function goTypeName(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'structpb.NullValue' : 'map[string]interface {}';
  }
}

/**
 * What is wrong with the names of the types in an object: `Object.spec{selector: Object.spec.wrong{}}` says of the value that it
 * belongs elsewhere.
 */
export function structNameProblems(value: Value, path: string): string[] {
  const problems: string[] = [];
  if (value instanceof StructValue) {
    if (value.type.name !== path)
      problems.push(
        `unexpected type name "${value.type.name}", expected "${path}", which matches field name path from root Object type`,
      );
    for (const [name, field] of value.fields) problems.push(...structNameProblems(field, `${path}.${name}`));
  } else if (value instanceof ListValue) for (const item of value) problems.push(...structNameProblems(item, path));
  else if (value instanceof MapValue)
    for (const key of value.keys()) problems.push(...structNameProblems(value.get(key), path));
  return problems;
}

/** The objects that the operations of a JSON patch carry as their values. */
export function patchOperationValues(patch: Value): readonly StructValue[] {
  if (!(patch instanceof ListValue)) return [];
  return [...patch].flatMap((operation) => {
    const value = operation instanceof StructValue ? operation.fields.get('value') : undefined;
    return value instanceof StructValue ? [value] : [];
  });
}

/** A value that is none of JSON. */
export class JsonConversionError extends Error {
  override readonly name = 'JsonConversionError';
}

/** A value of the language as JSON. Throws a {@link JsonConversionError}. */
export function jsonOfValue(value: Value): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new JsonConversionError(`json: unsupported value: ${printValue(value)}`);
  }
  if (value instanceof Uint) return jsonOfValue(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof ListValue) return [...value].map(jsonOfValue);
  if (value instanceof StructValue) {
    const result = jsonObject();
    for (const [name, field] of value.fields) result[name] = jsonOfValue(field);
    return result;
  }
  if (value instanceof MapValue) {
    const result = jsonObject();
    for (const key of value.keys()) {
      if (typeof key !== 'string') throw new JsonConversionError('the keys of a map must be strings');
      result[key] = jsonOfValue(value.get(key));
    }
    return result;
  }
  if (value instanceof Optional && value.value !== undefined) return jsonOfValue(value.value);
  if (value instanceof CelError) throw new JsonConversionError(value.message);
  throw new JsonConversionError(
    `a value of type ${value instanceof CelObject ? value.type.name : 'type'} cannot be JSON`,
  );
}
