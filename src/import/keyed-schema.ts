import type { KeyedSchema } from '../generate/client/list-keys.ts';
import type { JsonObject } from '../model/index.ts';
import { isObject, member, objectMember, textMember, textsMember } from './json.ts';

/** A schema of a definition as one in which the keys of lists are looked for. */
export function keyedSchema(schema: JsonObject): KeyedSchema {
  const [items, values] = [objectMember(schema, 'items'), objectMember(schema, 'additionalProperties')];
  const properties = Object.entries(objectMember(schema, 'properties') ?? {});
  return {
    keys:
      textMember(schema, 'x-kubernetes-list-type') === 'map' ? textsMember(schema, 'x-kubernetes-list-map-keys') : [],
    hasDefault: member(schema, 'default') !== undefined,
    items: items && keyedSchema(items),
    properties: properties.map(([name, property]) => [name, keyedSchema(isObject(property) ? property : {})] as const),
    values: values && keyedSchema(values),
  };
}
