import { type Json, jsonObject } from '../model/index.ts';
import { isList, isObject } from './json.ts';
import { mapList, mapMembers } from './pruning.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Fills in defaults (`schema/defaulting`): absent members, and nulls where the schema does not allow null. Members of absent
 * parents stay absent unless the parent has a default. The value is not changed in place.
 */
export function applyDefaults<T extends Json>(value: T, schema: SchemaNode | undefined): T {
  return defaultValue(value, schema) as T;
}

function defaultValue(value: Json, schema: SchemaNode | undefined): Json {
  if (schema === undefined || !schema.hasDefaults) return value;
  if (isList(value)) {
    return mapList(value, (item) =>
      defaultValue(isWrongNull(item, schema.items) ? (schema.items?.default ?? null) : item, schema.items),
    );
  }
  if (!isObject(value)) return value;
  const defaulted = mapMembers(value, (name, member) => {
    const property = schema.properties.get(name);
    const below = property ?? schema.additionalProperties?.schema;
    return defaultValue(isWrongNull(member, below) ? (below?.default ?? null) : member, below);
  });
  const missing = schema.defaulted.filter(([name]) => !Object.hasOwn(value, name));
  if (missing.length === 0) return defaulted;
  const copy = jsonObject(Object.entries(defaulted));
  for (const [name, property] of missing) copy[name] = defaultValue(property.default ?? null, property);
  return copy;
}

function isWrongNull(value: Json, schema: SchemaNode | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}

/** Removes members that are null where the schema names them, does not allow null and has no default. */
export function dropNulls<T extends Json>(value: T, schema: SchemaNode | undefined): T {
  return dropValue(value, schema) as T;
}

function dropValue(value: Json, schema: SchemaNode | undefined): Json {
  if (schema === undefined) return value;
  if (isList(value)) return mapList(value, (item) => dropValue(item, schema.items));
  if (!isObject(value)) return value;
  return mapMembers(value, (name, member) => {
    const below = schema.properties.get(name) ?? schema.additionalProperties?.schema;
    if (member === null && below !== undefined && !below.nullable && below.default === undefined) return undefined;
    return dropValue(member, below);
  });
}
