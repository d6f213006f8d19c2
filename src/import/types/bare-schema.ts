import { type Json, type JsonObject, jsonObject } from '../../model/index.ts';
import { isObject, listMember, member, objectMember, textMember } from '../json.ts';

/** A schema with only what gives a type, for the type beside a `Schema` marker: nothing of it needs a marker. */
export function bareSchema(schema: JsonObject): JsonObject {
  const nullable: JsonObject = member(schema, 'nullable') === true ? { nullable: true } : {};
  if (member(schema, 'x-kubernetes-int-or-string') === true) {
    const either: Json = [{ type: 'integer' }, { type: 'string' }];
    return { ...nullable, anyOf: either, 'x-kubernetes-int-or-string': true };
  }
  const type = textMember(schema, 'type') ?? (objectMember(schema, 'properties') === undefined ? undefined : 'object');
  const properties = Object.entries(objectMember(schema, 'properties') ?? {});
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { ...nullable, ...literals(schema), type: type === 'integer' ? 'number' : type };
    case 'array': {
      const items = member(schema, 'items');
      return { ...nullable, type, items: isObject(items) ? bareSchema(items) : open };
    }
    case 'object': {
      if (properties.length > 0) return { ...nullable, ...bareMembers(schema, properties) };
      const values = member(schema, 'additionalProperties');
      if (isObject(values)) return { ...nullable, type, additionalProperties: bareSchema(values) };
      return { ...nullable, ...open, type };
    }
    default:
      return open;
  }
}

const open: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

function bareMembers(schema: JsonObject, properties: readonly (readonly [string, Json])[]): JsonObject {
  const names = new Set(properties.map(([name]) => name));
  return {
    type: 'object',
    properties: jsonObject(properties.map(([name, value]) => [name, isObject(value) ? bareSchema(value) : open])),
    required: listMember(schema, 'required').filter((name) => typeof name === 'string' && names.has(name)),
  };
}

/** The literals of an enum of texts. */
function literals(schema: JsonObject): JsonObject {
  const values = listMember(schema, 'enum');
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  return textMember(schema, 'type') === 'string' && texts.size === values.length && texts.size > 0
    ? { enum: [...texts] }
    : {};
}
