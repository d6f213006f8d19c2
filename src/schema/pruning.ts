import { type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { compareNames } from './go-format.ts';
import { isList, isObject } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

const metaNames = new Set(['apiVersion', 'kind', 'metadata']);

/** A value without its unknown fields, and the paths of these, sorted (`spec.list[0].x`). */
export interface Pruned<T> {
  readonly value: T;
  readonly unknownFields: readonly string[];
}

/**
 * Removes the fields that the schema does not name (`schema/pruning`). At the root of a resource apiVersion, kind and metadata
 * stay whatever the schema says. Values are not changed in place; parts without unknown fields are shared with the result.
 */
export function prune<T extends Json>(value: T, schema: SchemaNode | undefined, isResourceRoot: boolean): Pruned<T> {
  const unknownFields: string[] = [];
  const root = isResourceRoot ? { ...(schema ?? emptyNode), xEmbeddedResource: true } : schema;
  const pruned = pruneValue(value, root, '', unknownFields) as T;
  return { value: pruned, unknownFields: unknownFields.sort(compareNames) };
}

const emptyNode: Partial<SchemaNode> = {};

type PartialNode = Partial<SchemaNode>;

function pruneValue(value: Json, schema: PartialNode | undefined, path: string, unknown: string[]): Json {
  if (schema?.xPreserveUnknownFields === true) return keepUnknown(value, schema, path, unknown);
  if (isList(value))
    return mapList(value, (item, index) => pruneValue(item, schema?.items, `${path}[${index}]`, unknown));
  if (!isObject(value)) return value;
  return mapMembers(value, (name, member) => {
    if (schema?.xEmbeddedResource === true && metaNames.has(name)) return member;
    const below = join(path, name);
    const property = schema?.properties?.get(name);
    if (property !== undefined) return pruneValue(member, property, below, unknown);
    if (schema?.additionalProperties !== undefined)
      return pruneValue(member, schema.additionalProperties.schema, below, unknown);
    if (schema === undefined || !metaNames.has(name) || path !== '') unknown.push(below);
    return undefined;
  });
}

/** Below preserve-unknown-fields what the schema names is still pruned. */
function keepUnknown(value: Json, schema: PartialNode, path: string, unknown: string[]): Json {
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return mapList(value, (item, index) => keepUnknown(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  return mapMembers(value, (name, member) => {
    if (schema.xEmbeddedResource === true && metaNames.has(name)) return member;
    const property = schema.properties?.get(name);
    if (property !== undefined) return pruneValue(member, property, join(path, name), unknown);
    if (schema.additionalProperties === undefined) return member;
    return pruneValue(member, schema.additionalProperties.schema, join(path, name), unknown);
  });
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The list with each item replaced, or the list itself when nothing changed. */
export function mapList(list: readonly Json[], replace: (item: Json, index: number) => Json): readonly Json[] {
  let copy: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const replaced = replace(item, index);
    if (replaced !== item) (copy ??= [...list])[index] = replaced;
  }
  return copy ?? list;
}

/** The object with each member replaced, or left out for undefined; the object itself when nothing changed. */
export function mapMembers(object: JsonObject, replace: (name: string, member: Json) => Json | undefined): JsonObject {
  const names = Object.keys(object);
  const changes = new Map<string, Json | undefined>();
  for (const name of names) {
    const member = object[name] ?? null;
    const replaced = replace(name, member);
    if (replaced !== member) changes.set(name, replaced);
  }
  if (changes.size === 0) return object;
  const copy = jsonObject();
  for (const name of names) {
    const member = changes.has(name) ? changes.get(name) : (object[name] ?? null);
    if (member !== undefined) copy[name] = member;
  }
  return copy;
}
