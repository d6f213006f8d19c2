import { equalScalars } from '../markers/index.ts';
import { compareText, type Json, type Schema, type SourcePosition } from '../model/index.ts';

/** One of the object types of a union. */
export interface Branch {
  readonly schema: Schema;
  /** The members that objects of this branch never have: `other?: never`. */
  readonly absent: ReadonlySet<string>;
}

/** Why a union of object types has no schema. */
export type UnionProblem =
  | { readonly problem: 'open' | 'rule' }
  | { readonly problem: 'default'; readonly member: string }
  | {
      readonly problem: 'conflict';
      readonly member: string;
      readonly shown: readonly [string, string];
      readonly positions: readonly (SourcePosition | undefined)[];
    };

/** Keywords that only check values: they may stand in the branches of a structural `oneOf`. */
const valueKeywords = [
  'enum',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'allOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const satisfies readonly (keyof Schema)[];

type Draft = { -readonly [K in keyof Schema]: Schema[K] };

/**
 * The structural schema of a union of object types of which each object can only be one: all members of all branches, and `oneOf`
 * with what each branch requires, which values its members have and which members belong to the others only.
 *
 * Branches are told apart by a required member whose values differ (a discriminator), or by a member that one requires and the other
 * never has. Members of one name must have one type; where they only differ in what checks their values, that goes into the branch.
 */
export function unionOfBranches(branches: readonly Branch[]): Schema | UnionProblem {
  if (!areDisjoint(branches)) return { problem: 'open' };
  if (branches.some(({ schema }) => schema['x-kubernetes-validations'] !== undefined)) return { problem: 'rule' };
  const names = [...new Set(branches.flatMap(({ schema }) => [...(schema.properties?.keys() ?? [])]))];
  const properties = new Map<string, Schema>();
  const split = new Map<string, readonly (Schema | undefined)[]>();
  for (const name of names) {
    const found = branches.map(({ schema }) => schema.properties?.get(name));
    const common = commonSchema(name, found);
    if ('problem' in common) return common;
    // The API server would fill it in for the other branches, too, which must not have it.
    if (common.schema.default !== undefined && found.includes(undefined)) return { problem: 'default', member: name };
    properties.set(name, common.schema);
    split.set(name, common.rest);
  }
  const required = names
    .filter((name) => branches.every(({ schema }) => schema.required?.includes(name) === true))
    .sort(compareText);
  return {
    type: 'object',
    ...(properties.size === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...sharedKeywords(branches),
    oneOf: branches.map((branch, index) => branchSchema(branch, index, names, split, required)),
  };
}

/** What holds for the whole object in the same words. */
function sharedKeywords(branches: readonly Branch[]): Schema {
  const open = branches.some(({ schema }) => schema['x-kubernetes-preserve-unknown-fields'] === true);
  const mapTypes = new Set(branches.map(({ schema }) => schema['x-kubernetes-map-type']));
  const [mapType] = mapTypes;
  return {
    ...(open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(mapTypes.size === 1 && mapType !== undefined ? { 'x-kubernetes-map-type': mapType } : {}),
  };
}

function branchSchema(
  branch: Branch,
  index: number,
  names: readonly string[],
  split: ReadonlyMap<string, readonly (Schema | undefined)[]>,
  everywhere: readonly string[],
): Schema {
  const { schema } = branch;
  const properties = new Map<string, Schema>();
  for (const name of names) {
    const rest = split.get(name)?.[index];
    if (rest !== undefined) properties.set(name, rest);
  }
  const required = (schema.required ?? []).filter((name) => !everywhere.includes(name) || properties.has(name));
  const foreign = names.filter((name) => schema.properties?.has(name) !== true).sort(compareText);
  const forbidden = foreign.map((name): Schema => ({ required: [name] }));
  const [first] = forbidden;
  return {
    ...(properties.size === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required: required.toSorted(compareText) }),
    ...pick(schema, ['minProperties', 'maxProperties']),
    ...(first === undefined ? {} : { not: forbidden.length === 1 ? first : { anyOf: forbidden } }),
  };
}

function pick(schema: Schema, keywords: readonly (keyof Schema)[]): Schema {
  return Object.fromEntries(keywords.filter((each) => schema[each] !== undefined).map((each) => [each, schema[each]]));
}

/** Whether no object can be two of the branches. */
function areDisjoint(branches: readonly Branch[]): boolean {
  return branches.every((one, index) =>
    branches.slice(index + 1).every((other) => excludes(one, other) || excludes(other, one) || differ(one, other)),
  );
}

function excludes(one: Branch, other: Branch): boolean {
  return one.schema.required?.some((name) => other.absent.has(name)) === true;
}

/** Whether both require a member whose values are not the other's. */
function differ(one: Branch, other: Branch): boolean {
  return (one.schema.required ?? []).some((name) => {
    if (other.schema.required?.includes(name) !== true) return false;
    const ours = one.schema.properties?.get(name)?.enum;
    const theirs = other.schema.properties?.get(name)?.enum;
    if (ours === undefined || theirs === undefined) return false;
    return !ours.some((value) => theirs.some((another) => equalScalars(value, another)));
  });
}

interface Common {
  readonly schema: Schema;
  /** What is left for each branch. */
  readonly rest: readonly (Schema | undefined)[];
}

/** One schema for a member of several branches, and what each branch says beyond it. */
function commonSchema(name: string, found: readonly (Schema | undefined)[]): Common | UnionProblem {
  const given = found.filter((schema) => schema !== undefined);
  const [first] = given;
  if (first === undefined) throw new Error(`no branch has the member ${name}`);
  const different = given.find((schema) => fingerprint(structure(schema)) !== fingerprint(structure(first)));
  if (different !== undefined) {
    return {
      problem: 'conflict',
      member: name,
      shown: [showType(first), showType(different)],
      positions: [first.origin?.position, different.origin?.position],
    };
  }
  const varying = valueKeywords.filter((keyword) => {
    const texts = new Set(given.map((schema) => fingerprint(schema[keyword])));
    return texts.size > 1;
  });
  const description = given.find((schema) => schema.description !== undefined)?.description;
  const base: Draft = { ...first, ...(description === undefined ? {} : { description }) };
  for (const keyword of varying) delete base[keyword];
  if (varying.includes('enum') && given.every((schema) => schema.enum !== undefined)) {
    base.enum = unique(given.flatMap((schema) => schema.enum ?? []));
  }
  const rest = found.map((schema) => {
    const own = schema === undefined ? {} : pick(schema, varying);
    return Object.keys(own).length === 0 ? undefined : own;
  });
  return { schema: base, rest };
}

function unique(values: readonly Json[]): Json[] {
  return values.filter((value, index) => values.findIndex((other) => equalScalars(value, other)) === index);
}

/** What must be the same in all branches: all but texts and what may stand in a branch. */
function structure(schema: Schema): Schema {
  const rest: Draft = { ...schema };
  for (const keyword of [...valueKeywords, 'title', 'description', 'example', 'externalDocs', 'origin'] as const) {
    delete rest[keyword];
  }
  return rest;
}

/** A text that is equal for equal schemas, whatever the order of their members. */
function fingerprint(value: unknown): string {
  return (
    JSON.stringify(value, (key, inner: unknown) => {
      if (key === 'origin') return undefined;
      if (typeof inner === 'bigint') return `${inner}n`;
      const entries =
        inner instanceof Map
          ? [...(inner as ReadonlyMap<string, unknown>)]
          : typeof inner === 'object' && inner !== null && !Array.isArray(inner)
            ? Object.entries(inner)
            : undefined;
      if (entries === undefined) return inner;
      // Lists of pairs: names such as __proto__ stay what they are.
      return inner instanceof Map
        ? { map: entries.sort(([a], [b]) => compareText(a, b)) }
        : Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)));
    }) ?? ''
  );
}

function showType(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  const { type } = schema;
  if (type === undefined) return 'any JSON value';
  if (type === 'array') return `list of ${schema.items === undefined ? 'anything' : showType(schema.items)}`;
  if (type !== 'object') return schema.nullable === true ? `${type} or null` : type;
  if (typeof schema.additionalProperties === 'object') return `map of ${showType(schema.additionalProperties)}`;
  return schema.origin?.typeName ?? `{ ${[...(schema.properties?.keys() ?? [])].join(', ')} }`;
}
