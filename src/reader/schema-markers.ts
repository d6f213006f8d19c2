import { equalScalars, isMarkerUse, type Marker, type MarkerUse, mergeSchemas } from '../markers/index.ts';
import { Float, type Json, type Schema, type SourcePosition, type ValidationRule } from '../model/index.ts';
import type { Problems } from './problems.ts';
import { celMember } from './cel-member.ts';

/** What one declaration says about a schema: the member itself, an alias, a type, a type that it extends. */
export interface Layer {
  readonly uses: readonly MarkerUse[];
  readonly description?: string | undefined;
  /** Where the description stands. */
  readonly position?: SourcePosition | undefined;
  readonly typeName?: string | undefined;
  /** Keywords that come from elsewhere than markers. */
  readonly keywords?: Schema | undefined;
}

export interface SchemaPlace {
  readonly path: string;
  readonly position: SourcePosition;
}

/** Puts what the layers say on top of the schema that a type gives, the innermost layer first. */
export function applyLayers(base: Schema, layers: readonly Layer[], place: SchemaPlace, problems: Problems): Schema {
  const position = base.origin?.position ?? place.position;
  let schema: Schema = { ...base, origin: { position, ...base.origin } };
  for (const layer of onceEach(layers).toReversed()) schema = applyLayer(schema, layer, place, problems);
  checkBounds(schema, place, problems);
  return schema;
}

/** A marker that is reached by two ways (a base of two bases) counts where it is reached first. */
function onceEach(layers: readonly Layer[]): Layer[] {
  const seen = new Set<MarkerUse>();
  return layers.map((layer) => {
    const uses = layer.uses.filter((use) => !seen.has(use));
    uses.forEach((use) => seen.add(use));
    return { ...layer, uses };
  });
}

function applyLayer(under: Schema, layer: Layer, place: SchemaPlace, problems: Problems): Schema {
  let schema = under;
  let own: Schema = { ...layer.keywords };
  if (layer.description !== undefined) own = { ...own, description: layer.description };
  if (layer.typeName !== undefined) own = { ...own, origin: { position: place.position, typeName: layer.typeName } };
  const generated = new Map<string, ValidationRule[]>();
  for (const use of layer.uses) {
    const { effect } = use.marker;
    if (effect.kind === 'keywords') own = merge(own, keywordsOf(use, schema, place, problems), use, place, problems);
    else if (effect.kind === 'immutable') own = merge(own, located(immutableRule, use.position), use, place, problems);
    else if (effect.kind === 'nested') schema = applyNested(schema, use, effect.of, place, problems);
    else if (effect.kind === 'oneOf') {
      generated.set(effect.of, [...(generated.get(effect.of) ?? []), oneOfRule(effect.of, names(use))]);
    }
  }
  const rules = ['AtMostOneOf', 'ExactlyOneOf', 'AtLeastOneOf'].flatMap((kind) => generated.get(kind) ?? []);
  if (rules.length > 0) {
    own = { ...own, 'x-kubernetes-validations': [...(own['x-kubernetes-validations'] ?? []), ...rules] };
  }
  const { schema: merged, conflicts } = mergeSchemas(own, schema);
  for (const { keyword, problem } of conflicts) {
    const position = own.origin?.keywords?.get(keyword) ?? place.position;
    problems.report('contradiction', { problem }, { position, path: place.path });
  }
  return merged;
}

const immutable: ValidationRule = { rule: 'self == oldSelf', message: 'field is immutable' };
const immutableRule: Schema = { 'x-kubernetes-validations': [immutable] };

/** Whether `Immutable` stands on a member or on its type. */
export function isImmutable(schema: Schema): boolean {
  return schema['x-kubernetes-validations']?.includes(immutable) === true;
}

function merge(own: Schema, more: Schema, use: MarkerUse, place: SchemaPlace, problems: Problems): Schema {
  const { schema, conflicts } = mergeSchemas(more, own);
  for (const { problem } of conflicts) {
    problems.report('contradiction', { problem }, { position: use.position, path: place.path });
  }
  const rules = [...(own['x-kubernetes-validations'] ?? []), ...(more['x-kubernetes-validations'] ?? [])];
  return rules.length === 0 ? schema : { ...schema, 'x-kubernetes-validations': rules };
}

/** A schema of keywords that were all set at one place. */
function located(schema: Schema, position: SourcePosition): Schema {
  const keywords = new Map(Object.keys(schema).map((keyword) => [keyword, position]));
  return { ...schema, origin: { position, keywords } };
}

function keywordsOf(use: MarkerUse, schema: Schema, place: SchemaPlace, problems: Problems): Schema {
  const { effect, name } = use.marker;
  if (effect.kind !== 'keywords') return {};
  const at = { position: use.position, path: place.path };
  const found = effect.keywords(use.values);
  if ('problem' in found) {
    problems.report('markerArguments', { name, problem: found.problem }, { ...at, remedy: found.remedy });
    return {};
  }
  if (!fits(use.marker, schema)) {
    problems.report('markerFit', { name, type: typeName(schema) }, at);
    return {};
  }
  for (const value of found.enum ?? []) {
    if (isValueOf(value, schema)) continue;
    problems.report('enumMember', { value: show(value), type: typeName(schema) }, at);
    return {};
  }
  const bounds = [found.minimum, found.maximum, found.multipleOf];
  const uneven = schema.type === 'integer' && bounds.some((bound) => bound !== undefined && !Number.isInteger(bound));
  if (uneven) {
    const problem = 'a bound of an integer must be a whole number';
    problems.report('markerArguments', { name, problem }, at);
    return {};
  }
  return located(found, use.position);
}

function fits(marker: Marker, schema: Schema): boolean {
  if (marker.effect.kind !== 'keywords') return true;
  const wanted = marker.effect.fits;
  if (marker.name === 'Enum') return schema.type !== 'object' && schema.type !== 'array';
  if (wanted === 'any') return true;
  if (schema['x-kubernetes-int-or-string'] === true) return ['number', 'string', 'scalar'].includes(wanted);
  if (schema.type === undefined) return openFits(schema, wanted);
  if (schema.type === 'integer' || schema.type === 'number') return wanted === 'number' || wanted === 'scalar';
  if (schema.type === 'string') return wanted === 'string' || wanted === 'scalar';
  return schema.type === wanted;
}

/** A schema without a type: of a schemaless member anything may be said, of any JSON value only that it is kept. */
function openFits(schema: Schema, wanted: string): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] !== true || wanted === 'object';
}

function typeName(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'an integer or a string';
  switch (schema.type) {
    case 'array':
      return 'a list';
    case 'integer':
    case 'object':
      return `an ${schema.type}`;
    case undefined:
      return 'any JSON value';
    default:
      return `a ${schema.type}`;
  }
}

function isValueOf(value: Json, schema: Schema): boolean {
  const number = value instanceof Float ? value.value : value;
  const isNumber = typeof number === 'number' || typeof number === 'bigint';
  const isWhole = typeof number === 'bigint' || Number.isInteger(number);
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || (isNumber && isWhole);
  if (schema.type === 'integer') return isNumber && isWhole;
  if (schema.type === 'number') return isNumber;
  return schema.type === undefined || typeof value === schema.type;
}

function applyNested(
  schema: Schema,
  use: MarkerUse,
  of: 'items' | 'values',
  place: SchemaPlace,
  problems: Problems,
): Schema {
  const inner = of === 'items' ? schema.items : schema.additionalProperties;
  const at = { position: use.position, path: place.path };
  if (typeof inner !== 'object') {
    const type = of === 'values' && schema.type === 'object' ? 'an object with named members' : typeName(schema);
    problems.report('markerFit', { name: use.marker.name, type }, at);
    return schema;
  }
  const path = of === 'items' ? `${place.path}[*]` : `${place.path}.*`;
  const uses = use.values.filter(isMarkerUse);
  let replaced = replacement(uses, problems) ?? inner;
  if (uses.some(({ marker }) => marker.effect.kind === 'intOrString')) replaced = asIntOrString(replaced);
  const applied = applyLayers(replaced, [{ uses }], { path, position: use.position }, problems);
  return of === 'items' ? { ...schema, items: applied } : { ...schema, additionalProperties: applied };
}

/** What stands in place of the schema of a type: what `Schema` says, or nothing at all. */
export function replacement(uses: readonly MarkerUse[], problems: Problems): Schema | undefined {
  const schema = uses.find(({ marker }) => marker.effect.kind === 'replace');
  if (schema !== undefined) return schemaOfJson(schema.values[0] as Json, schema, problems);
  return uses.some(({ marker }) => marker.effect.kind === 'schemaless') ? {} : undefined;
}

/** What a class or interface says of itself in place of its members. */
export function replacementOfShape(
  layers: readonly Layer[],
  place: SchemaPlace,
  problems: Problems,
): Schema | undefined {
  const uses = layers.flatMap((layer) => layer.uses);
  for (const { marker, position } of uses) {
    if (marker.effect.kind !== 'intOrString') continue;
    problems.report('markerFit', { name: marker.name, type: 'an object' }, { position, path: place.path });
  }
  return replacement(uses, problems);
}

/** A kind has members: nothing can stand in place of them. */
export function reportReplacedKind(layers: readonly Layer[], problems: Problems): void {
  for (const { marker, position } of layers.flatMap((layer) => layer.uses)) {
    if (!['schemaless', 'replace', 'intOrString'].includes(marker.effect.kind)) continue;
    const remedy = 'put it on a member';
    problems.report('markerFit', { name: marker.name, type: 'a kind' }, { position, remedy });
  }
}

/** An integer or a text in place of one of both; of a schema without a type only the extension. */
export function asIntOrString(schema: Schema): Schema {
  if (schema['x-kubernetes-int-or-string'] === true) return schema;
  const { type, format: _, ...rest } = schema;
  const either: Schema = type === undefined ? {} : { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return { ...rest, ...either, 'x-kubernetes-int-or-string': true };
}

const schemaMembers = new Set(['items', 'additionalProperties', 'not']);
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf']);
const plainKeywords = new Set(
  (
    'type format title description default example enum nullable minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required externalDocs ' +
    'x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-list-type ' +
    'x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations'
  ).split(' '),
);

/** A schema that was written as JSON. What its keywords say is checked with all other schemas. */
function schemaOfJson(json: Json, use: MarkerUse, problems: Problems): Schema {
  const schema: Record<string, unknown> = { origin: { position: use.position } };
  const report = (problem: string): void => {
    problems.report('markerArguments', { name: use.marker.name, problem }, { position: use.position });
  };
  if (!isObject(json)) {
    report('a schema must be an object');
    return {};
  }
  for (const [keyword, value] of Object.entries(json)) {
    if (schemaMembers.has(keyword)) {
      schema[keyword] = typeof value === 'boolean' ? value : schemaOfJson(value, use, problems);
    } else if (schemaLists.has(keyword) && Array.isArray(value)) {
      schema[keyword] = (value as readonly Json[]).map((item) => schemaOfJson(item, use, problems));
    } else if (keyword === 'properties' && isObject(value)) {
      schema[keyword] = new Map(Object.entries(value).map(([name, item]) => [name, schemaOfJson(item, use, problems)]));
    } else if (plainKeywords.has(keyword)) schema[keyword] = keyword === 'default' ? value : plainNumber(value);
    else report(`a schema has no keyword '${keyword}'`);
  }
  return schema;
}

function plainNumber(value: Json): Json {
  return value instanceof Float ? value.value : value;
}

function isObject(json: Json | undefined): json is { readonly [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Float);
}

/** The names that a one-of marker was given. */
export function names(use: MarkerUse): string[] {
  return use.values.filter((value) => typeof value === 'string');
}

/** controller-gen's rules for groups of members. */
function oneOfRule(kind: 'AtMostOneOf' | 'ExactlyOneOf' | 'AtLeastOneOf', members: readonly string[]): ValidationRule {
  const list = `[${members.join(' ')}]`;
  const present = members.map((member) => `has(self.${celMember(member)})`);
  if (kind === 'AtLeastOneOf') {
    return { rule: present.join('||'), message: `at least one of the fields in ${list} must be set` };
  }
  const sum = present.map((test) => `(${test}?1:0)`).join('+');
  return kind === 'AtMostOneOf'
    ? { rule: `${sum} <= 1`, message: `at most one of the fields in ${list} may be set` }
    : { rule: `${sum} == 1`, message: `exactly one of the fields in ${list} must be set` };
}

const bounds = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
] as const;

/** Bounds that leave no value, and null beside an enum. */
function checkBounds(schema: Schema, place: SchemaPlace, problems: Problems): void {
  const positionOf = (keyword: string): SourcePosition => schema.origin?.keywords?.get(keyword) ?? place.position;
  for (const [lower, upper] of bounds) {
    const least = schema[lower];
    const most = schema[upper];
    if (least === undefined || most === undefined) continue;
    const open = lower === 'minimum' && (schema.exclusiveMinimum === true || schema.exclusiveMaximum === true);
    if (least < most || (least === most && !open)) continue;
    const problem = `no value is left: ${lower} is ${least}${schema.exclusiveMinimum === true && lower === 'minimum' ? ' (exclusive)' : ''} and ${upper} is ${most}`;
    problems.report('contradiction', { problem }, { position: positionOf(upper), path: place.path });
  }
  if (
    schema.nullable === true &&
    schema.enum !== undefined &&
    !schema.enum.some((value) => equalScalars(value, null))
  ) {
    const remedy = 'make the member optional in place of null, or add a value that means none';
    problems.report('nullableEnum', {}, { position: positionOf('nullable'), path: place.path, remedy });
  }
}

function show(value: Json): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
