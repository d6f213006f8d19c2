import type { Json, JsonObject } from '../../model/index.ts';
import { isObject, listMember, member, textMember } from '../json.ts';
import { call, MarkerCall } from './marker-call.ts';

/** What a schema is to a TypeScript author. */
export type Family =
  'intOrString' | 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'map' | 'class' | 'object' | 'unknown';

type Keyword = (schema: JsonObject, value: Json) => MarkerCall | readonly MarkerCall[] | undefined;

const objects: readonly Family[] = ['map', 'class', 'object'];
const texts: readonly Family[] = ['string', 'intOrString'];
const numbers: readonly Family[] = ['integer', 'number'];
const all: readonly Family[] = [
  'intOrString',
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'map',
  'class',
  'object',
  'unknown',
];

function plain(name: string, type: 'string' | 'number' | 'object'): Keyword {
  return (_, value) => (typeof value === type && value !== null ? call(name, value) : undefined);
}

function bound(keyword: 'minimum' | 'maximum', inclusive: string, exclusive: string): Keyword {
  const exclusiveKeyword = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  return (schema, value) => {
    const fits = typeof value === 'number' && (textMember(schema, 'type') === 'number' || Number.isInteger(value));
    if (!fits) return undefined;
    return call(member(schema, exclusiveKeyword) === true ? exclusive : inclusive, value);
  };
}

const ruleMembers = new Set(['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']);

function validations(_: JsonObject, value: Json): readonly MarkerCall[] | undefined {
  const rules = Array.isArray(value) ? (value as readonly Json[]) : [];
  const known = rules.every(
    (rule) =>
      isObject(rule) && typeof rule['rule'] === 'string' && Object.keys(rule).every((each) => ruleMembers.has(each)),
  );
  return known ? rules.map((rule) => call('Validation', rule)) : undefined;
}

function listType(schema: JsonObject, value: Json): MarkerCall | undefined {
  const keys = listMember(schema, 'x-kubernetes-list-map-keys').filter((key) => typeof key === 'string');
  if (value === 'map') return keys.length === 0 ? undefined : call('ListType', 'map', ...keys);
  return (value === 'set' || value === 'atomic') && keys.length === 0 ? call('ListType', value) : undefined;
}

/** The markers that stand for keywords, in the order in which they are written; `families` are what they can stand on. */
const markers: readonly (readonly [keyword: string, families: readonly Family[], write: Keyword])[] = [
  ['title', all, plain('Title', 'string')],
  ['externalDocs', all, plain('ExternalDocs', 'object')],
  ['x-kubernetes-list-type', ['array'], listType],
  ['x-kubernetes-map-type', objects, plain('MapType', 'string')],
  ['minimum', numbers, bound('minimum', 'Minimum', 'ExclusiveMinimum')],
  ['maximum', numbers, bound('maximum', 'Maximum', 'ExclusiveMaximum')],
  ['multipleOf', numbers, bound('maximum', 'MultipleOf', 'MultipleOf')],
  ['minLength', texts, plain('MinLength', 'number')],
  ['maxLength', texts, plain('MaxLength', 'number')],
  ['pattern', texts, plain('Pattern', 'string')],
  ['minItems', ['array'], plain('MinItems', 'number')],
  ['maxItems', ['array'], plain('MaxItems', 'number')],
  ['minProperties', objects, plain('MinProperties', 'number')],
  ['maxProperties', objects, plain('MaxProperties', 'number')],
  ['x-kubernetes-validations', all, validations],
  ['example', all, (_, value) => (value === null ? undefined : call('Example', value))],
  ['default', all, (_, value) => (value === null ? undefined : call('Default', value))],
];

const byKeyword = new Map(markers.map(([keyword, ...rest]) => [keyword, rest]));

/** Keywords that go along with another one. */
const companions: Readonly<Record<string, string>> = {
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
  'x-kubernetes-list-map-keys': 'x-kubernetes-list-type',
};

/**
 * The markers that say what a schema's keywords say; `undefined` where one of them has no notation for such a schema. `handled` are
 * the keywords that the type itself says.
 */
export function markersOf(schema: JsonObject, family: Family, handled: ReadonlySet<string>): MarkerCall[] | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (handled.has(keyword) || saysNothing(keyword, value)) continue;
    const companion = companions[keyword];
    if (companion !== undefined) {
      if (Object.hasOwn(schema, companion)) continue;
      return undefined;
    }
    if (byKeyword.get(keyword)?.[0].includes(family) !== true) return undefined;
  }
  const calls: MarkerCall[] = [];
  for (const [keyword, , write] of markers) {
    const value = member(schema, keyword);
    if (value === undefined || handled.has(keyword) || saysNothing(keyword, value)) continue;
    const written = write(schema, value);
    if (written === undefined) return undefined;
    calls.push(...(written instanceof MarkerCall ? [written] : written));
  }
  return calls;
}

/** What is the same as nothing: `nullable: false`, `required: []`. */
function saysNothing(keyword: string, value: Json): boolean {
  if (keyword === 'default' || keyword === 'example' || keyword === 'additionalProperties') return false;
  return value === false || (Array.isArray(value) && value.length === 0);
}
