import { type Json, jsonObject } from '../model/index.ts';
import { coerceEmbedded } from './embedded-resources.ts';
import { isList, isObject, member } from './json.ts';
import { prune } from './pruning.ts';
import type { SchemaNode } from './schema-node.ts';
import { summarize } from './schema-decoder.ts';

/** A step from a schema to one below it: a property, any key of a map, or an item. */
type Step = { readonly name: string } | 'item';

/**
 * The schema with defaults that hold known fields only, as the server keeps it (`defaulting.PruneDefaults`). A default is looked at
 * where it would stand in an object, so that what is around it (embedded resources, preserved fields) counts.
 */
export function pruneDefaults(root: SchemaNode): SchemaNode {
  return root.hasDefaults ? pruneNode(root, root, []) : root;
}

function pruneNode(node: SchemaNode, root: SchemaNode, path: readonly Step[]): SchemaNode {
  if (!node.hasDefaults) return node;
  const properties = new Map(
    [...node.properties].map(([name, property]) => [name, pruneNode(property, root, [...path, { name }])] as const),
  );
  const additional = node.additionalProperties?.schema;
  return summarize({
    ...node,
    properties,
    ...(node.default === undefined ? {} : { default: pruneDefault(node.default, root, path) }),
    ...(node.items === undefined ? {} : { items: pruneNode(node.items, root, [...path, 'item']) }),
    ...(additional === undefined
      ? {}
      : { additionalProperties: { allows: true, schema: pruneNode(additional, root, [...path, { name: '*' }]) } }),
  });
}

function pruneDefault(value: Json, root: SchemaNode, path: readonly Step[]): Json {
  const coerced = coerceEmbedded(surround(value, path), root, undefined, { isResourceRoot: true, dropInvalid: true });
  return extract(prune(coerced.value, root, true).value, path) ?? value;
}

/** The object in which a value stands at the end of the path. */
export function surround(value: Json, path: readonly Step[]): Json {
  return path.reduceRight<Json>((inner, step) => (step === 'item' ? [inner] : jsonObject([[step.name, inner]])), value);
}

function extract(value: Json, path: readonly Step[]): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path) {
    if (step === 'item') current = isList(current) ? current[0] : undefined;
    else current = isObject(current) ? member(current, step.name) : undefined;
  }
  return current;
}
