import {
  isArray,
  isObject,
  jsonObject,
  member,
  object,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';

/**
 * The schema of a custom resource as OpenAPI 2 has it. Version 2 cannot say all of it, and kubectl, which checks objects by it, knows no
 * fields beyond those that are listed: where unknown fields are kept, nothing is listed.
 */
export function version2Root(schema: JsonObject): JsonObject {
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true) return version2Schema(schema);
  return jsonObject(
    Object.entries(schema).filter(([name]) => name === 'type' || name === 'x-kubernetes-group-version-kind'),
  );
}

const left = new Set(['nullable', 'oneOf', 'anyOf', 'not', 'x-kubernetes-validations']);

function version2Schema(schema: JsonObject): JsonObject {
  const result: MutableObject = jsonObject();
  for (const [name, value] of Object.entries(schema)) {
    if (left.has(name)) continue;
    // References stand in `allOf`; all else in it is validation.
    if (name === 'allOf' && !(isArray(value) && value.every((part) => member(part, '$ref') !== undefined))) continue;
    if (name === 'properties' && isObject(value)) {
      result[name] = jsonObject(Object.entries(value).map(([key, inner]) => [key, schemaOrElse(inner)] as const));
    } else result[name] = name === 'items' || name === 'additionalProperties' ? schemaOrElse(value) : value;
  }
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Values without a type, and those with unknown fields, must not list what is in them.
  if (schema['nullable'] === true || preserves) {
    delete result['items'];
    delete result['properties'];
  }
  if (schema['nullable'] === true || (preserves && result['type'] === 'object')) delete result['type'];
  if (result['type'] === 'array' && result['items'] === undefined) delete result['type'];
  requireWhatIsNotNull(result, schema);
  return result;
}

function schemaOrElse(value: Json): Json {
  return isObject(value) ? version2Schema(value) : value;
}

function requireWhatIsNotNull(result: MutableObject, schema: JsonObject): void {
  const required = result['required'];
  if (!isArray(required)) return;
  const properties = object(schema, 'properties');
  const kept = required.filter((name) => typeof name !== 'string' || member(properties[name], 'nullable') !== true);
  if (kept.length === 0 || member(schema['additionalProperties'], 'nullable') === true) delete result['required'];
  else result['required'] = kept;
}
