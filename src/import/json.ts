import { Float, type Json, type JsonObject, jsonObject } from '../model/index.ts';

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float) &&
    !(value instanceof Map)
  );
}

/** A member of an object, or `undefined` where there is none: never one of its prototype. */
export function member(object: JsonObject | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

export function objectMember(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = member(object, name);
  return isObject(value) ? value : undefined;
}

export function textMember(object: JsonObject | undefined, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

export function listMember(object: JsonObject | undefined, name: string): readonly Json[] {
  const value = member(object, name);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textsMember(object: JsonObject | undefined, name: string): readonly string[] {
  return listMember(object, name).filter((item) => typeof item === 'string');
}

/** What a YAML reader gives (maps as `Map`, integers as bigint) as JSON: no prototypes, numbers where they are exact. */
export function jsonOf(value: unknown): Json {
  if (value instanceof Map) {
    return jsonObject([...value].map(([name, item]) => [String(name), jsonOf(item)]));
  }
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

/** The members of an object but these. */
export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return jsonObject(Object.entries(object).filter(([name]) => !names.includes(name)));
}
