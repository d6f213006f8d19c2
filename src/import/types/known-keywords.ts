import { type Json, type JsonObject, jsonObject } from '../../model/index.ts';
import { isObject, without } from '../json.ts';

/** Keywords that `Schema` takes. */
const writableKeywords = new Set(
  (
    'type format title description default example enum nullable minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minLength maxLength pattern minItems maxItems minProperties maxProperties required externalDocs properties items ' +
    'additionalProperties allOf anyOf oneOf not ' +
    'x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-list-type ' +
    'x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations'
  ).split(' '),
);

/** Told of what is left out: the path of its schema, and what it is. */
export type Lose = (path: string, what: string) => void;

/** A schema without the keywords for which there is no notation, not even a `Schema` marker's. */
export function withoutUnknown(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const lost: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const isNull = (keyword === 'default' || keyword === 'example') && value === null;
    if (writableKeywords.has(keyword) && !isNull) continue;
    if (value !== false) lose(path, isNull ? `${keyword}: null` : keyword);
    lost.push(keyword);
  }
  return lost.length === 0 ? schema : without(schema, lost);
}

/** The same for a schema and all that are inside of it. */
export function deeplyKnown(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const known = withoutUnknown(schema, path, lose);
  const inner = (value: Json, at: string): Json => (isObject(value) ? deeplyKnown(value, at, lose) : value);
  return jsonObject(
    Object.entries(known).map(([keyword, value]) => {
      if (keyword === 'properties' && isObject(value)) {
        const properties = Object.entries(value).map(
          ([name, item]) => [name, inner(item, memberPath(path, name))] as const,
        );
        return [keyword, jsonObject(properties)];
      }
      if (keyword === 'items') return [keyword, inner(value, `${path}[*]`)];
      if (keyword === 'additionalProperties') return [keyword, inner(value, `${path}.*`)];
      if (keyword === 'not') return [keyword, inner(value, path)];
      if (['allOf', 'anyOf', 'oneOf'].includes(keyword) && Array.isArray(value)) {
        return [keyword, (value as readonly Json[]).map((item) => inner(item, path))];
      }
      return [keyword, value];
    }),
  );
}

/** `.spec.size`, `.spec["a.b"]` */
export function memberPath(path: string, name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
