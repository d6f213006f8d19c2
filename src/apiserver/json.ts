import { Float, jsonObject, type Json, type JsonObject } from '../model/json.ts';

export { Float, jsonObject, type Json, type JsonObject };

/** An object under construction. Whatever has been stored or sent is never changed again. */
export type MutableObject = { [name: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The member `name`, or nothing where the object has no such member of its own. */
export function member(object: Json | undefined, name: string): Json | undefined {
  return isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value at a path of member names. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const name of path) current = member(current, name);
  return current;
}

/** The text at a path, `''` when there is none. */
export function text(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** A scalar as plain text; `''` for nothing, for objects and for lists. */
export function plain(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return value instanceof Float ? String(value.value) : '';
}

/** The list at a path, empty when there is none. */
export function list(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return isArray(found) ? found : [];
}

/** The texts of the list at a path. */
export function texts(value: Json | undefined, ...path: readonly string[]): readonly string[] {
  return list(value, ...path).filter((item): item is string => typeof item === 'string');
}

/** The object at a path, empty when there is none. */
export function object(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : empty;
}

const empty: JsonObject = Object.freeze(jsonObject());

/** A number's value whatever its form; nothing for anything else. */
export function numeric(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** A copy whose objects and lists may all be changed. */
export function clone<T extends Json>(value: T): T {
  return copy(value) as T;
}

function copy(value: Json): Json {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  const result = jsonObject();
  for (const name of Object.keys(value)) result[name] = copy(value[name] ?? null);
  return result;
}

/** A copy of an object whose own members may be set; what is below is shared. */
export function shallow(value: Json | undefined): MutableObject {
  return jsonObject(isObject(value) ? Object.entries(value) : []);
}

/** The object at `name` for changing: made when it is missing. Only for objects that `clone` gave. */
export function child(parent: MutableObject, name: string): MutableObject {
  const found = parent[name];
  if (isObject(found)) return found;
  const made = jsonObject();
  parent[name] = made;
  return made;
}

/** Plain JavaScript values as JSON values: objects lose their prototype, `undefined` members are left out. */
export function fromPlain(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value === 'object') {
    const result = jsonObject();
    for (const [name, inner] of Object.entries(value)) if (inner !== undefined) result[name] = fromPlain(inner);
    return result;
  }
  throw new TypeError(`not a JSON value: ${typeof value}`);
}

/** Whether two values are the same; the order of members does not count, and `1` equals `1.0`. */
export function equal(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equal(item, (right as Json[])[index]))
    );
  }
  if (isObject(left)) {
    if (!isObject(right)) return false;
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
    );
  }
  const number = numeric(left);
  return number !== undefined && typeof left !== 'bigint' && typeof right !== 'bigint' && number === numeric(right);
}
