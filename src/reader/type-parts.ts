import { ts } from 'ts-morph';
import type { Schema } from '../model/index.ts';
import { intOrString } from './catalogue/scalars.ts';
import { patternOfTexts } from './template-pattern.ts';

/** What a type comes to once `null` and `undefined` are taken away; `type` is what is left. */
export type TypeParts =
  | { readonly kind: 'any' | 'unknown' | 'never' | 'nullish' | 'union' | 'enum' }
  | { readonly kind: 'unsupported'; readonly remedy: string | undefined }
  | {
      readonly kind: 'object' | 'openString' | 'openNumber' | 'boolean' | 'true' | 'false' | 'intOrString';
      readonly type: ts.Type;
    }
  | {
      readonly kind: 'literals';
      readonly type: ts.Type;
      readonly schema: Schema;
      readonly values: readonly (string | number)[];
    }
  | { readonly kind: 'objects'; readonly type: ts.Type; readonly types: readonly ts.Type[] }
  | { readonly kind: 'texts'; readonly type: ts.Type; readonly schema: Schema };

/** Whether a type is the compiler's `any` for what it could not resolve, of which it tells by itself. */
export function isErrorType(type: ts.Type): boolean {
  const { intrinsicName } = type as { readonly intrinsicName?: string };
  return (type.flags & ts.TypeFlags.Any) !== 0 && intrinsicName === 'error';
}

const nullish = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Void;

export function splitUnion(type: ts.Type): TypeParts {
  if ((type.flags & ts.TypeFlags.Any) !== 0) return { kind: 'any' };
  if ((type.flags & ts.TypeFlags.Unknown) !== 0) return { kind: 'unknown' };
  if ((type.flags & ts.TypeFlags.Never) !== 0) return { kind: 'never' };
  const parts = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & nullish) === 0);
  const [first] = parts;
  if (first === undefined) return { kind: 'nullish' };
  const kinds = new Set(parts.map(partKind));
  const refused = parts.find((part) => partKind(part) === 'unsupported');
  if (refused !== undefined) return { kind: 'unsupported', remedy: unsupportedRemedy(refused) };
  if (kinds.has('enum')) return { kind: 'enum' };
  const left = parts.length === 1 ? first : type;
  if (kinds.has('object')) {
    if (parts.length === 1) return { kind: 'object', type: first };
    return kinds.size === 1 ? { kind: 'objects', type: left, types: parts } : { kind: 'union' };
  }
  if (kinds.has('boolean')) {
    if (kinds.size > 1) return { kind: 'union' };
    if (parts.length > 1 || (first.flags & ts.TypeFlags.Boolean) !== 0) return { kind: 'boolean', type: left };
    return { kind: isTrue(first) ? 'true' : 'false', type: first };
  }
  return scalarParts(kinds, parts, left);
}

type PartKind =
  'string' | 'number' | 'textLiteral' | 'numberLiteral' | 'template' | 'boolean' | 'object' | 'enum' | 'unsupported';

function scalarParts(kinds: ReadonlySet<PartKind>, parts: readonly ts.Type[], type: ts.Type): TypeParts {
  const literals = kinds.has('textLiteral') || kinds.has('numberLiteral');
  if (kinds.has('string') && kinds.has('number')) return literals ? { kind: 'union' } : { kind: 'intOrString', type };
  if (kinds.has('template') || (kinds.has('number') && kinds.has('textLiteral'))) return textParts(kinds, parts, type);
  // `'a' | (string & {})`: any text, with values that an editor offers.
  if (kinds.has('string')) return kinds.has('numberLiteral') ? { kind: 'union' } : { kind: 'openString', type };
  if (kinds.has('number')) return { kind: 'openNumber', type };
  const values = parts.flatMap((part) => (part.isStringLiteral() || part.isNumberLiteral() ? [part.value] : []));
  const whole = values.every((value) => typeof value === 'string' || Number.isSafeInteger(value));
  if (!kinds.has('numberLiteral')) return { kind: 'literals', type, schema: { type: 'string' }, values };
  if (kinds.has('textLiteral')) {
    return whole ? { kind: 'literals', type, schema: intOrString, values } : { kind: 'union' };
  }
  return { kind: 'literals', type, schema: { type: whole ? 'integer' : 'number' }, values };
}

/** Texts of a form, be it alone or beside numbers: a pattern checks texts only. */
function textParts(kinds: ReadonlySet<PartKind>, parts: readonly ts.Type[], type: ts.Type): TypeParts {
  if (kinds.has('numberLiteral')) return { kind: 'union' };
  const pattern = patternOfTexts(parts.filter((part) => partKind(part) !== 'number'));
  if (pattern === undefined) return { kind: 'unsupported', remedy: 'use string and the marker Pattern' };
  const texts: Schema = kinds.has('number') ? intOrString : { type: 'string' };
  return { kind: 'texts', type, schema: { ...texts, pattern } };
}

function partKind(type: ts.Type): PartKind {
  const { flags } = type;
  if ((flags & ts.TypeFlags.StringLiteral) !== 0) return 'textLiteral';
  if ((flags & ts.TypeFlags.NumberLiteral) !== 0) return 'numberLiteral';
  if ((flags & ts.TypeFlags.TemplateLiteral) !== 0) return 'template';
  if ((flags & (ts.TypeFlags.Enum | ts.TypeFlags.EnumLiteral)) !== 0 && !type.isUnion()) return 'enum';
  if ((flags & ts.TypeFlags.String) !== 0) return 'string';
  if ((flags & ts.TypeFlags.Number) !== 0) return 'number';
  if ((flags & ts.TypeFlags.BooleanLike) !== 0) return 'boolean';
  if (type.isIntersection()) return intersectionKind(type);
  if ((flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive)) !== 0) return 'object';
  return 'unsupported';
}

/** Object types that are put together, or a primitive beside `{}`. A primitive with members (a brand) is neither. */
function intersectionKind(type: ts.IntersectionType): PartKind {
  const kinds = type.types.map(partKind);
  const scalars = kinds.filter((kind) => kind !== 'object');
  if (scalars.length === 0) return 'object';
  const bare = type.types.every((part) => partKind(part) !== 'object' || part.getProperties().length === 0);
  const [scalar] = scalars;
  return bare && scalars.length === 1 && scalar !== undefined ? scalar : 'unsupported';
}

function isTrue(type: ts.Type): boolean {
  return (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName === 'true';
}

function unsupportedRemedy({ flags }: ts.Type): string | undefined {
  if ((flags & ts.TypeFlags.BigIntLike) !== 0)
    return 'use int64 of operator-runtime, or a string where 2^53 is not enough';
  if ((flags & ts.TypeFlags.StringMapping) !== 0) return 'use string and the marker Pattern';
  if ((flags & ts.TypeFlags.ESSymbolLike) !== 0) return 'a symbol has no place in JSON';
  if ((flags & ts.TypeFlags.TypeParameter) !== 0) return 'give the type parameter a type';
  if ((flags & ts.TypeFlags.Intersection) !== 0) return 'use a type alias in place of a branded type';
  return undefined;
}

/** The symbol of a type: intersections and unions have none, though their declaration says so. */
export function symbolOf(type: ts.Type): ts.Symbol | undefined {
  return type.symbol;
}

/** `typeof` of an enum or a namespace. An interface that shares its name with a namespace is a type like any other. */
export function isValueOfModule(type: ts.Type): boolean {
  const modules = ts.SymbolFlags.ValueModule | ts.SymbolFlags.Enum;
  if (((symbolOf(type)?.flags ?? 0) & modules) === 0) return false;
  return (((type as ts.ObjectType).objectFlags ?? 0) & ts.ObjectFlags.Anonymous) !== 0;
}

/** What to write in place of a type of the language. */
export function libraryRemedy(name: string): string {
  switch (name) {
    case 'Date':
      return 'use Time of operator-runtime: a text in RFC 3339';
    case 'Map':
    case 'ReadonlyMap':
    case 'WeakMap':
      return 'use Record<string, ...>';
    case 'Set':
    case 'ReadonlySet':
      return "use a list with the marker ListType('set')";
    case 'String':
    case 'Number':
    case 'Boolean':
      return `use ${name.toLowerCase()}`;
    case 'Object':
      return 'use object';
    case 'Buffer':
    case 'Uint8Array':
    case 'ArrayBuffer':
      return "use string with the marker Format('byte')";
    case 'Promise':
      return 'use the type of the value itself';
    default:
      return 'use types of JSON: strings, numbers, booleans, lists, objects';
  }
}
