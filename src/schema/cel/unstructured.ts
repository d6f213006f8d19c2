import { Float, type Json, type JsonObject } from '../../model/index.ts';
import { stringifyJson } from '../json.ts';
import { equals } from './equality.ts';
import { escapeName, unescapeName } from './escaping.ts';
import { ArrayList, ListValue } from './lists.ts';
import { MapValue } from './maps.ts';
import { printValue } from './print-value.ts';
import { parseByteFormat, parseDateFormat, parseDateTimeFormat, parseDurationFormat } from './format-values.ts';
import { typeOfValue } from './runtime-types.ts';
import { isJsonObject, type StructuralSchema, valuesSchema, withTypeAndObjectMeta } from './structural.ts';
import { unknownType } from './types.ts';
import { CelError, CelObject, isError, noSuchOverload, type Value } from './values.ts';

/** The name of a JSON value's Go type, as error messages print it. */
function goTypeName(value: Json): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    default:
      if (value === null) return '<nil>';
      if (value instanceof Float) return 'float64';
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function integerOf(value: Json): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function doubleOf(value: Json): number | undefined {
  if (value instanceof Float) return value.value;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

/** A JSON value as its schema makes rules see it; an error when it is not of the schema's kind. */
export function typedValue(json: Json, schema: StructuralSchema): Value {
  if (json === null)
    return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false');
  if (schema.intOrString) {
    if (typeof json === 'string') return json;
    return (
      integerOf(json) ?? new CelError('invalid data, expected XIntOrString value to be either a string or integer')
    );
  }
  switch (schema.type) {
    case 'object':
      if (!isJsonObject(json))
        return new CelError('invalid data, expected a map for the provided schema with type=object');
      return new TypedMap(json, schema.embeddedResource ? withTypeAndObjectMeta(schema) : schema);
    case 'array':
      return typedList(json, schema);
    case 'string':
      if (typeof json !== 'string') return new CelError(`invalid data, expected string, got ${goTypeName(json)}`);
      return typedText(json, schema.format);
    case 'number':
      return doubleOf(json) ?? new CelError(`invalid data, expected float, got ${goTypeName(json)}`);
    case 'integer':
      return integerOf(json) ?? new CelError(`invalid data, expected int, got ${goTypeName(json)}`);
    case 'boolean':
      return typeof json === 'boolean' ? json : new CelError(`invalid data, expected bool, got ${goTypeName(json)}`);
    default:
      if (schema.preserveUnknownFields) return new UnknownPreserved(json);
      return new CelError(
        `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type}`,
      );
  }
}

function typedText(text: string, format: string): Value {
  switch (format) {
    case 'duration':
      return parseDurationFormat(text);
    case 'date':
      return parseDateFormat(text);
    case 'date-time':
      return parseDateTimeFormat(text);
    case 'byte':
      return parseByteFormat(text);
    default:
      return text;
  }
}

function typedList(json: Json, schema: StructuralSchema): Value {
  if (!Array.isArray(json))
    return new CelError('invalid data, expected an array for the provided schema with type=array');
  if (schema.items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema');
  const elements = json as readonly Json[];
  switch (schema.listType) {
    case 'map':
      return new TypedMapList(
        elements,
        schema.items,
        schema.listMapKeys.map((key) => escapeName(key) ?? key),
      );
    case 'set':
      return new TypedSetList(elements, schema.items);
    case undefined:
    case 'atomic':
      return new TypedList(elements, schema.items);
    default:
      return new CelError(
        `invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${schema.listType}`,
      );
  }
}

/** Data of which the schema knows nothing: it can only be compared. */
export class UnknownPreserved extends CelObject {
  readonly json: Json;
  override readonly type = unknownType;

  constructor(json: Json) {
    super();
    this.json = json;
  }

  override equal(other: Value): Value {
    return other instanceof UnknownPreserved && sameJson(this.json, other.json);
  }
}

/** Whether two JSON values are the same in kind and value. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a instanceof Float || b instanceof Float) return a instanceof Float && b instanceof Float && a.value === b.value;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element: Json, index) => sameJson(element, b[index] as Json));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(a[name] ?? null, b[name] ?? null));
}

/** An array of a resource. */
export class TypedList extends ListValue {
  readonly elements: readonly Json[];
  readonly itemsSchema: StructuralSchema;

  constructor(elements: readonly Json[], itemsSchema: StructuralSchema) {
    super();
    this.elements = elements;
    this.itemsSchema = itemsSchema;
  }

  override isZero(): boolean {
    return false;
  }

  override get size(): number {
    return this.elements.length;
  }

  override get(index: number): Value {
    return typedValue(this.elements[index] ?? null, this.itemsSchema);
  }

  override at(index: Value): Value {
    if (typeof index !== 'bigint')
      return isError(index) ? index : new CelError(`unsupported index: ${printValue(index)}`);
    const position = Number(index);
    return position < 0 || position >= this.size ? new CelError(`index out of bounds: ${index}`) : this.get(position);
  }

  override equal(other: Value): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other);
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index += 1) {
      const equal = equals(this.get(index), other.get(index));
      if (equal !== true) return equal;
    }
    return true;
  }

  override add(other: Value): Value {
    return other instanceof ListValue ? new ArrayList([...this, ...other]) : noSuchOverload(other);
  }

  override contains(value: Value): Value {
    if (isError(value)) return value;
    let error: CelError | undefined;
    for (const element of this) {
      const equal = equals(element, value);
      if (equal === true) return true;
      if (isError(equal)) error ??= equal;
    }
    return error ?? false;
  }
}

/** What tells the elements of a set list apart; an error for elements that are no scalars. */
function setKey(element: Value): string | CelError {
  if (element instanceof ListValue || element instanceof MapValue) {
    return new CelError('listSet operations are only supported on lists of scalar values');
  }
  return scalarKey(element);
}

function scalarKey(value: Value): string {
  return `${typeOfValue(value).name}:${printValue(value)}`;
}

function equalSets(left: ListValue, other: Value): Value {
  if (!(other instanceof ListValue)) return noSuchOverload(other);
  if (left.size !== other.size) return false;
  const own = new Set<string>();
  for (const element of left) {
    const key = setKey(element);
    if (key instanceof CelError) return key;
    own.add(key);
  }
  const seen = new Set<string>();
  for (const element of other) {
    const key = setKey(element);
    if (key instanceof CelError) return key;
    if (!own.has(key)) return false;
    seen.add(key);
  }
  return seen.size === own.size;
}

/** Both sets: the first in its order, then what the second has besides. */
function unionSets(left: ListValue, other: Value): Value {
  if (!(other instanceof ListValue)) return noSuchOverload(other);
  const keys = new Set<string>();
  const elements: Value[] = [];
  for (const [list, always] of [
    [left, true],
    [other, false],
  ] as const) {
    for (const element of list) {
      const key = setKey(element);
      if (key instanceof CelError) return key;
      if (always || !keys.has(key)) elements.push(element);
      keys.add(key);
    }
  }
  return new SetList(elements);
}

/** An array with `x-kubernetes-list-type: set`: its order does not matter. */
class TypedSetList extends TypedList {
  override equal(other: Value): Value {
    return equalSets(this, other);
  }

  override add(other: Value): Value {
    return unionSets(this, other);
  }
}

/** The union of sets. */
class SetList extends ArrayList {
  override isZero(): boolean {
    return false;
  }

  override equal(other: Value): Value {
    return equalSets(this, other);
  }

  override add(other: Value): Value {
    return unionSets(this, other);
  }
}

/** The key of an element of a map list by the escaped names of its key properties. */
function mapListKey(element: Value, keyNames: readonly string[]): string {
  const parts = keyNames.map((name) => {
    const value = element instanceof MapValue ? element.find(name) : undefined;
    return value === undefined || isError(value) ? 'absent' : scalarKey(value);
  });
  return JSON.stringify(parts);
}

/** The key as the comparison of map lists reads it: properties under the escaped names, as they stand in the data. */
function rawMapListKey(element: Value, keyNames: readonly string[]): string {
  if (!(element instanceof TypedMap)) return mapListKey(element, keyNames);
  return JSON.stringify(
    keyNames.map((name) => (Object.hasOwn(element.json, name) ? jsonKey(element.json[name] ?? null) : 'absent')),
  );
}

function jsonKey(value: Json): string {
  return value instanceof Float ? `float:${value.value}` : `${goTypeName(value)}:${stringifyJson(value)}`;
}

function equalMapLists(left: ListValue, other: Value, keyOf: (element: Value) => string): Value {
  if (!(other instanceof ListValue)) return noSuchOverload(other);
  if (left.size !== other.size) return false;
  const own = new Map<string, Value>();
  for (const element of left) own.set(keyOf(element), element);
  const seen = new Set<string>();
  for (const element of other) {
    const key = keyOf(element);
    const mine = own.get(key);
    if (mine === undefined) return false;
    const equal = equals(mine, element);
    if (equal !== true) return equal;
    seen.add(key);
  }
  return seen.size === own.size;
}

/** The first list with its elements replaced by those of the second that have the same keys, and the others at the end. */
function mergeMapLists(left: ListValue, other: Value, keyNames: readonly string[]): Value {
  if (!(other instanceof ListValue)) return noSuchOverload(other);
  const elements = [...left];
  const positions = new Map(elements.map((element, index) => [mapListKey(element, keyNames), index]));
  for (const element of other) {
    const position = positions.get(mapListKey(element, keyNames));
    if (position === undefined) elements.push(element);
    else elements[position] = element;
  }
  return new MapList(elements, keyNames);
}

/** An array with `x-kubernetes-list-type: map`: keys tell its elements apart, their order does not matter. */
class TypedMapList extends TypedList {
  readonly #keyNames: readonly string[];

  constructor(elements: readonly Json[], itemsSchema: StructuralSchema, keyNames: readonly string[]) {
    super(elements, itemsSchema);
    this.#keyNames = keyNames;
  }

  override equal(other: Value): Value {
    return equalMapLists(this, other, (element) => rawMapListKey(element, this.#keyNames));
  }

  override add(other: Value): Value {
    return mergeMapLists(this, other, this.#keyNames);
  }
}

/** Map lists put together. */
class MapList extends ArrayList {
  readonly #keyNames: readonly string[];

  constructor(elements: readonly Value[], keyNames: readonly string[]) {
    super(elements);
    this.#keyNames = keyNames;
  }

  override isZero(): boolean {
    return false;
  }

  override equal(other: Value): Value {
    return equalMapLists(this, other, (element) => mapListKey(element, this.#keyNames));
  }

  override add(other: Value): Value {
    return mergeMapLists(this, other, this.#keyNames);
  }
}

/** An object or map of a resource. Members of objects are found under their escaped names. */
export class TypedMap extends MapValue {
  readonly json: JsonObject;
  readonly #schema: StructuralSchema;

  constructor(json: JsonObject, schema: StructuralSchema) {
    super();
    this.json = json;
    this.#schema = schema;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  get #isObject(): boolean {
    return this.#schema.properties !== undefined;
  }

  #schemaOf(name: string): StructuralSchema | undefined {
    if (this.#schema.embeddedResource || this.#isObject) return this.#schema.properties?.get(name);
    return valuesSchema(this.#schema);
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key);
    const name = this.#isObject ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const value = this.json[name] ?? null;
    if (this.#isObject && value === null) return undefined;
    const schema = this.#schemaOf(name);
    return schema === undefined ? undefined : typedValue(value, schema);
  }

  override contains(key: Value): Value {
    const value = this.find(key);
    return value !== undefined && isError(value) ? value : value !== undefined;
  }

  /** Members of which the schema knows nothing count, but have no name. */
  override keys(): readonly Value[] {
    const names = Object.keys(this.json);
    const known = names.filter((name) => this.#schemaOf(name) !== undefined);
    const keys: Value[] = known.map((name) => (this.#isObject ? (escapeName(name) ?? name) : name));
    while (keys.length < names.length) keys.push(null);
    return keys;
  }

  override equal(other: Value): Value {
    if (!(other instanceof MapValue)) return noSuchOverload(other);
    if (this.size !== other.size) return false;
    for (const [name, value] of Object.entries(this.json)) {
      if (this.#schemaOf(name) === undefined) {
        if (!(other instanceof TypedMap)) return noSuchOverload(other);
        if (Object.hasOwn(other.json, name) && !sameJson(value, other.json[name] ?? null)) return false;
        continue;
      }
      const own = this.find(name);
      const found = other.find(name);
      if ((own === undefined) !== (found === undefined)) return false;
      if (own === undefined || found === undefined) continue;
      const equal = equals(own, found);
      if (equal !== true) return equal;
    }
    return true;
  }
}
