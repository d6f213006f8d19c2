import { type Json, type JsonObject, Float, jsonObject } from '../model/index.ts';
import { child, duplicate, type FieldError, index, invalid, key, type Path } from './field-error.ts';
import { goJson } from './go-format.ts';
import { isList, isObject, member } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Checks that items of sets and keys of list maps are unique (`schema/listtype`). A value that stands three times is reported once. */
export function validateListTypes(object: JsonObject, schema: SchemaNode, path?: Path): FieldError[] {
  if (!schema.hasListTypes) return [];
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(object)) {
    const additional = schema.additionalProperties?.schema;
    if (additional !== undefined) errors.push(...validateValue(value, additional, key(path, name)));
    const property = schema.properties.get(name);
    if (property !== undefined) errors.push(...validateValue(value, property, child(path, name)));
  }
  return errors;
}

function validateValue(value: Json, schema: SchemaNode, path: string): FieldError[] {
  if (isObject(value)) return validateListTypes(value, schema, path);
  if (!isList(value) || !schema.hasListTypes) return [];
  const errors: FieldError[] = [];
  if (schema.xListType === 'set') {
    for (const position of repeated(value)) errors.push(duplicate(index(path, position), value[position] ?? null));
  } else if (schema.xListType === 'map') {
    errors.push(...validateListMap(value, schema.xListMapKeys, path));
  }
  const { items } = schema;
  if (items !== undefined)
    for (const [i, item] of value.entries()) errors.push(...validateValue(item, items, index(path, i)));
  return errors;
}

function validateListMap(list: readonly Json[], keyNames: readonly string[], path: string): FieldError[] {
  for (const [i, item] of list.entries()) {
    if (item !== null && !isObject(item))
      return [invalid(index(path, i), item, 'must be an object for an array of list-type map')];
  }
  const keys = list.map((item) => {
    const present = keyNames.flatMap((name) => {
      const value = isObject(item) ? member(item, name) : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    return jsonObject(present);
  });
  const [only] = keyNames;
  // A single key is compared as a value, several ones as the JSON of the key object.
  const compared = keyNames.length === 1 && only !== undefined ? keys.map((item) => member(item, only)) : keys;
  return repeated(compared).map((position) => duplicate(index(path, position), keys[position] ?? null));
}

/** The positions of the second of equal values. Scalars are compared in kind and value, others by their JSON. */
function repeated(list: readonly (Json | undefined)[]): number[] {
  const counts = new Map<string, number>();
  const positions: number[] = [];
  for (const [position, item] of list.entries()) {
    const identity = identify(item);
    const count = counts.get(identity) ?? 0;
    if (count === 1) positions.push(position);
    counts.set(identity, count + 1);
  }
  return positions;
}

function identify(item: Json | undefined): string {
  if (item === undefined) return 'absent';
  if (item instanceof Float) return `float ${item.value}`;
  if (typeof item === 'number') return Number.isSafeInteger(item) ? `int ${item}` : `float ${item}`;
  if (typeof item === 'object' && item !== null) return `json ${goJson(item)}`;
  return `${typeof item} ${String(item)}`;
}
