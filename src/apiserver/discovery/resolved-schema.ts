import { isArray, isObject, jsonObject, text, type Json, type JsonObject, type MutableObject } from '../json.ts';
import type { Resource } from '../resources/resource.ts';
import type { TypeCatalogue } from '../typed/types.ts';
import { builtinSchemas, publishedSchema, refPrefix, type PublishedResource } from './openapi.ts';

/** The schema of a kind with what it refers to in place; undefined for kinds without one. */
export async function resolvedSchema(
  resource: Resource,
  published: readonly PublishedResource[],
  types: TypeCatalogue,
): Promise<JsonObject | undefined> {
  const all = await builtinSchemas();
  if (resource.custom) {
    const found = published.find((candidate) => candidate.resource === resource);
    return found === undefined ? undefined : resolve(publishedSchema(found), all, new Set());
  }
  const name = types.schemaName(resource.group, resource.version, resource.kind);
  const found = name === undefined ? undefined : all[name];
  return isObject(found) ? resolve(found, all, new Set([name ?? ''])) : undefined;
}

/** @param above the schemas that the place is in: one inside of itself is an object of which nothing is known */
function resolve(schema: JsonObject, all: JsonObject, above: ReadonlySet<string>): MutableObject {
  const name = referenceOf(schema);
  if (name !== undefined) {
    if (above.has(name)) return jsonObject([['type', 'object']]);
    const target = all[name];
    return isObject(target) ? resolve(target, all, new Set([...above, name])) : jsonObject();
  }
  const result = jsonObject(Object.entries(schema));
  if (schema['format'] === 'int-or-string') result['x-kubernetes-int-or-string'] = true;
  const { properties } = schema;
  if (isObject(properties)) {
    result['properties'] = jsonObject(
      Object.entries(properties).map(([member, inner]) => [member, resolved(inner, all, above)]),
    );
  }
  for (const part of ['items', 'additionalProperties']) {
    const inner = schema[part];
    if (inner !== undefined) result[part] = resolved(inner, all, above);
  }
  return result;
}

function resolved(value: Json, all: JsonObject, above: ReadonlySet<string>): Json {
  return isObject(value) ? resolve(value, all, above) : value;
}

/** What a schema refers to, itself or through the `allOf` that keeps a description beside the reference. */
function referenceOf(schema: JsonObject): string | undefined {
  const { allOf } = schema;
  const found = [text(schema, '$ref'), ...(isArray(allOf) ? allOf.map((part) => text(part, '$ref')) : [])];
  return found.find((reference) => reference.startsWith(refPrefix))?.slice(refPrefix.length);
}
