import { type Json, type JsonObject, jsonObject, type Schema, type ValidationRule } from '../../model/index.ts';

/** What schemas and their properties became: those of Kubernetes' types stand in many kinds, and nobody changes either. */
const known = new WeakMap<object, JsonObject>();

/** The schema as it stands in a CRD: what equals the API server's default is left out, `required` is sorted, `origin` is ours. */
export function schemaToJson(schema: Schema): JsonObject {
  return once(schema, makeSchema);
}

function once<T extends object>(value: T, make: (value: T) => JsonObject): JsonObject {
  const made = known.get(value) ?? make(value);
  known.set(value, made);
  return made;
}

function makeSchema(schema: Schema): JsonObject {
  const object = jsonObject();
  for (const [keyword, value] of Object.entries(schema) as [keyof Schema, unknown][]) {
    const json = keywordToJson(keyword, value);
    if (json !== undefined) object[keyword] = json;
  }
  return object;
}

function keywordToJson(keyword: keyof Schema, value: unknown): Json | undefined {
  if (value === undefined || keyword === 'origin') return undefined;
  switch (keyword) {
    case 'description':
    case 'title':
      return value === '' ? undefined : (value as string);
    // Written only when it is true: `false` is what the server takes without it.
    case 'nullable':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'uniqueItems':
    case 'x-kubernetes-int-or-string':
    case 'x-kubernetes-preserve-unknown-fields':
    case 'x-kubernetes-embedded-resource':
      return value === true ? true : undefined;
    case 'required':
      return (value as readonly string[]).length === 0 ? undefined : [...new Set(value as readonly string[])].sort();
    case 'properties': {
      const properties = value as ReadonlyMap<string, Schema>;
      if (properties.size === 0) return undefined;
      return once(properties, makeProperties);
    }
    case 'items':
    case 'not':
      return schemaToJson(value as Schema);
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : schemaToJson(value as Schema);
    case 'allOf':
    case 'anyOf':
    case 'oneOf': {
      const schemas = value as readonly Schema[];
      return schemas.length === 0 ? undefined : schemas.map((item) => schemaToJson(item));
    }
    case 'x-kubernetes-validations': {
      const rules = value as readonly ValidationRule[];
      return rules.length === 0 ? undefined : rules.map(membersToJson);
    }
    case 'externalDocs':
      return membersToJson(value as object);
    default:
      return value as Json;
  }
}

function makeProperties(properties: ReadonlyMap<string, Schema>): JsonObject {
  const object = jsonObject();
  for (const [name, property] of properties) object[name] = schemaToJson(property);
  return object;
}

/** The members of a plain object that are set. */
export function membersToJson(value: object): JsonObject {
  return jsonObject(Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
