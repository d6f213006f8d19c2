import { Float, type Json, type Schema, type SourcePosition } from '../model/index.ts';

/** Two levels say things that cannot both be true. */
export interface MergeConflict {
  readonly keyword: keyof Schema;
  readonly problem: string;
}

export interface Merged {
  readonly schema: Schema;
  readonly conflicts: readonly MergeConflict[];
}

/**
 * How a keyword that both a member and its type carry becomes one.
 *
 * - `nearest`: the member's;
 * - `least`, `greatest`: the tighter of two bounds;
 * - `multiple`: the least common multiple;
 * - `values`: the member's, which must be among the type's;
 * - `rules`: both, the member's first;
 * - `pattern`: the one if equal, else both in `allOf`;
 * - `type`: only the type decides.
 */
type MergeRule = 'nearest' | 'least' | 'greatest' | 'multiple' | 'values' | 'rules' | 'pattern' | 'type';

/** One rule for each keyword; what is not here (`allOf`, the exclusive bounds, `origin`) goes along with another one. */
export const mergeRules = {
  type: 'type',
  properties: 'type',
  required: 'type',
  items: 'type',
  additionalProperties: 'type',
  anyOf: 'type',
  oneOf: 'type',
  not: 'type',
  uniqueItems: 'type',
  title: 'nearest',
  description: 'nearest',
  externalDocs: 'nearest',
  default: 'nearest',
  example: 'nearest',
  format: 'nearest',
  nullable: 'nearest',
  'x-kubernetes-int-or-string': 'nearest',
  'x-kubernetes-preserve-unknown-fields': 'nearest',
  'x-kubernetes-embedded-resource': 'nearest',
  'x-kubernetes-list-type': 'nearest',
  'x-kubernetes-list-map-keys': 'nearest',
  'x-kubernetes-map-type': 'nearest',
  minimum: 'greatest',
  minLength: 'greatest',
  minItems: 'greatest',
  minProperties: 'greatest',
  maximum: 'least',
  maxLength: 'least',
  maxItems: 'least',
  maxProperties: 'least',
  multipleOf: 'multiple',
  enum: 'values',
  pattern: 'pattern',
  'x-kubernetes-validations': 'rules',
} as const satisfies Partial<Record<keyof Schema, MergeRule>>;

type Draft = { -readonly [K in keyof Schema]: Schema[K] };
type MergedKeyword = keyof typeof mergeRules;

/**
 * One schema of what a member says and what its type says (of the types in a chain, the outer is the member). A keyword comes out
 * once; two different patterns are the only `allOf`. Positions of keywords go along with them.
 */
export function mergeSchemas(member: Schema, type: Schema): Merged {
  return mergeApart(member, type) ?? mergeEach(member, type);
}

/** Keywords that go along with others, or must be looked at whatever the other schema says. */
const bound = new Set(['pattern', 'x-kubernetes-list-map-keys']);

/** The usual case: what the two say has nothing to do with one another. Undefined where it might have. */
function mergeApart(member: Schema, type: Schema): Merged | undefined {
  const schema: Draft = {};
  const positions = new Map<string, SourcePosition>();
  for (const part of [type, member]) {
    for (const keyword in part) {
      const value = part[keyword as keyof Schema];
      if (value === undefined || keyword === 'origin') continue;
      if (!places.has(keyword) || bound.has(keyword) || Object.hasOwn(schema, keyword)) return undefined;
      (schema as Record<string, unknown>)[keyword] = value;
      const position = part.origin?.keywords?.get(keyword);
      if (position !== undefined) positions.set(keyword, position);
    }
  }
  addOrigin(schema, positions, member, type);
  return { schema, conflicts: [] };
}

function mergeEach(member: Schema, type: Schema): Merged {
  const schema: Draft = {};
  const conflicts: MergeConflict[] = [];
  const positions = new Map<string, SourcePosition>();
  for (const keyword of keywordsOf(member, type)) {
    const outer = member[keyword];
    const inner = type[keyword];
    if (outer === undefined && inner === undefined) continue;
    if (outer === undefined || inner === undefined) {
      take(schema, positions, outer === undefined ? type : member, keyword);
      continue;
    }
    mergeKeyword(schema, positions, conflicts, member, type, keyword);
  }
  if (schema['x-kubernetes-list-type'] !== 'map') delete schema['x-kubernetes-list-map-keys'];
  mergePatterns(schema, positions, member, type);
  addOrigin(schema, positions, member, type);
  return { schema, conflicts };
}

function addOrigin(schema: Draft, keywords: Map<string, SourcePosition>, member: Schema, type: Schema): void {
  const position = type.origin?.position ?? member.origin?.position;
  if (position === undefined) return;
  const typeName = type.origin?.typeName ?? member.origin?.typeName;
  schema.origin = {
    position,
    ...(keywords.size === 0 ? {} : { keywords }),
    ...(typeName === undefined ? {} : { typeName }),
  };
}

const places = new Map(Object.keys(mergeRules).map((keyword, place) => [keyword, place]));

/** The keywords of either schema that a rule speaks of, in the order of the rules: most schemas have few. */
function keywordsOf(member: Schema, type: Schema): MergedKeyword[] {
  const found = new Set([...Object.keys(member), ...Object.keys(type)].filter((keyword) => places.has(keyword)));
  const place = (keyword: string): number => places.get(keyword) ?? 0;
  return ([...found] as MergedKeyword[]).sort((a, b) => place(a) - place(b));
}

/** Copies a keyword, with its position and, of a bound, whether it is exclusive. */
function take(schema: Draft, positions: Map<string, SourcePosition>, from: Schema, keyword: keyof Schema): void {
  (schema as Record<string, unknown>)[keyword] = from[keyword];
  const position = from.origin?.keywords?.get(keyword);
  if (position === undefined) positions.delete(keyword);
  else positions.set(keyword, position);
  const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : keyword === 'maximum' ? 'exclusiveMaximum' : undefined;
  if (exclusive !== undefined) {
    if (from[exclusive] === undefined) delete schema[exclusive];
    else Object.assign(schema, { [exclusive]: from[exclusive] });
  }
}

function mergeKeyword(
  schema: Draft,
  positions: Map<string, SourcePosition>,
  conflicts: MergeConflict[],
  member: Schema,
  type: Schema,
  keyword: MergedKeyword,
): void {
  const rule: MergeRule = mergeRules[keyword];
  switch (rule) {
    case 'nearest':
      take(schema, positions, member, keyword);
      return;
    case 'type':
      take(schema, positions, type, keyword);
      return;
    case 'greatest':
    case 'least':
      take(schema, positions, tighter(member, type, keyword), keyword);
      return;
    case 'multiple':
      mergeMultiples(schema, positions, conflicts, member, type);
      return;
    case 'values':
      mergeValues(schema, positions, conflicts, member, type);
      return;
    case 'rules':
      take(schema, positions, member, keyword);
      schema['x-kubernetes-validations'] = [
        ...(member['x-kubernetes-validations'] ?? []),
        ...(type['x-kubernetes-validations'] ?? []),
      ];
      return;
    case 'pattern':
      return;
  }
}

/** Of two schemas the one whose bound leaves less; at the same bound the exclusive one, else the member. */
function tighter(member: Schema, type: Schema, keyword: MergedKeyword): Schema {
  const lower = mergeRules[keyword] === 'greatest';
  const outer = Number(member[keyword]);
  const inner = Number(type[keyword]);
  if (outer !== inner) return outer > inner === lower ? member : type;
  const exclusive = lower ? 'exclusiveMinimum' : 'exclusiveMaximum';
  return type[exclusive] === true && (keyword === 'minimum' || keyword === 'maximum') ? type : member;
}

function mergeMultiples(
  schema: Draft,
  positions: Map<string, SourcePosition>,
  conflicts: MergeConflict[],
  member: Schema,
  type: Schema,
): void {
  const outer = member.multipleOf ?? 1;
  const inner = type.multipleOf ?? 1;
  take(schema, positions, member, 'multipleOf');
  if (Number.isInteger(outer / inner)) return;
  if (Number.isInteger(inner / outer)) return take(schema, positions, type, 'multipleOf');
  if (Number.isSafeInteger(outer) && Number.isSafeInteger(inner)) {
    schema.multipleOf = (outer / greatestCommonDivisor(outer, inner)) * inner;
    return;
  }
  conflicts.push({
    keyword: 'multipleOf',
    problem: `a multiple of ${outer} and of ${inner} cannot be said with one divisor`,
  });
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function mergeValues(
  schema: Draft,
  positions: Map<string, SourcePosition>,
  conflicts: MergeConflict[],
  member: Schema,
  type: Schema,
): void {
  take(schema, positions, member, 'enum');
  const allowed = type.enum ?? [];
  const strange = (member.enum ?? []).filter((value) => !allowed.some((other) => equalScalars(value, other)));
  if (strange.length > 0) {
    const list = (values: readonly Json[]): string => values.map(showScalar).join(', ');
    conflicts.push({
      keyword: 'enum',
      problem: `${list(strange)} is not among the values of its type: ${list(allowed)}`,
    });
  }
}

/** Equal as the API server compares the members of an enum: `1` and `1.0` are one value. */
export function equalScalars(a: Json, b: Json): boolean {
  const plain = (value: Json): Json => (value instanceof Float ? value.value : value);
  return plain(a) === plain(b);
}

function showScalar(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value);
}

function mergePatterns(schema: Draft, positions: Map<string, SourcePosition>, member: Schema, type: Schema): void {
  const one = [member, type].filter((part) => part.pattern !== undefined || part.allOf !== undefined);
  const [only] = one;
  if (one.length === 1 && only !== undefined) {
    // Nothing is put together: it stays as it was written.
    for (const keyword of ['pattern', 'allOf'] as const)
      if (only[keyword] !== undefined) take(schema, positions, only, keyword);
    return;
  }
  const patterns: string[] = [];
  for (const from of [type, member]) {
    for (const pattern of [from.pattern, ...(from.allOf ?? []).map((part) => part.pattern)]) {
      if (pattern !== undefined && !patterns.includes(pattern)) patterns.push(pattern);
    }
  }
  const others = [...(type.allOf ?? []), ...(member.allOf ?? [])].flatMap((part) => {
    const { pattern: _, ...rest } = part;
    return Object.keys(rest).length === 0 ? [] : [rest];
  });
  if (patterns.length > 1) {
    const position =
      positions.get('pattern') ?? member.origin?.keywords?.get('pattern') ?? type.origin?.keywords?.get('pattern');
    delete schema.pattern;
    positions.delete('pattern');
    if (position !== undefined) positions.set('allOf', position);
    schema.allOf = [...others, ...patterns.map((pattern) => ({ pattern }))];
  } else {
    const [pattern] = patterns;
    if (pattern !== undefined) schema.pattern = pattern;
    if (others.length > 0) schema.allOf = others;
  }
}
