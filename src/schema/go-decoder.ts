import { Float, type Json } from '../model/index.ts';
import { isList, isObject, stringifyJson } from './json.ts';

/** JSON that does not fit the Go type the server decodes it into. The message is that of Go's `encoding/json`. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}

/** Where in the Go types a value is decoded: the innermost struct, and the names of the fields on the way to it. */
export interface DecodeContext {
  readonly struct: string;
  readonly fields: readonly string[];
  /** Where wrong types are noted. Go goes on after them, and gives up at once where a type decodes itself and fails. */
  readonly mismatches: DecodeError[];
  /** What objects became that were decoded before without a mismatch, by their identity. Only for objects that nobody changes. */
  readonly decoded?: WeakMap<object, object> | undefined;
}

export type FieldDecoder<T> = (value: Json, context: DecodeContext, draft: T) => void;

/** How the fields of a struct are decoded. Names that are not in the table are ignored, and so are nulls, as in Go. */
export type FieldTable<T> = ReadonlyMap<string, FieldDecoder<T>>;

/** Decodes an object field by field in the order of the text, so that the first error is the one that Go reports. */
export function decodeStruct<T>(value: Json, type: string, context: DecodeContext, table: FieldTable<T>, draft: T): T {
  if (value === null) return draft;
  if (!isObject(value)) throw mismatch(value, context, type);
  const struct = type.replace(/^v1\./, '');
  const { fields, mismatches, decoded } = context;
  for (const [name, member] of Object.entries(value)) {
    const decode = member === null ? undefined : table.get(name);
    if (decode === undefined) continue;
    const inner = { struct, fields: [...fields, name], mismatches, decoded };
    noteMismatch(context, () => decode(member, inner, draft));
  }
  return draft;
}

/** A value of the wrong type. */
class TypeMismatch extends DecodeError {
  readonly kind: string;
  readonly type: string;
  readonly fields: readonly string[];
  /** Whether it comes out of a type that decodes itself. */
  readonly isFinal: boolean;

  constructor(kind: string, context: Omit<DecodeContext, 'mismatches'>, type: string, isFinal = false) {
    const place = context.struct === '' ? 'Go value' : `Go struct field ${context.struct}.${context.fields.join('.')}`;
    super(`json: cannot unmarshal ${kind} into ${place} of type ${type}`);
    this.kind = kind;
    this.type = type;
    this.fields = context.fields;
    this.isFinal = isFinal;
  }
}

/** Runs a step of decoding; a wrong type is noted and the step has no result. */
export function noteMismatch<T>(context: DecodeContext, decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof TypeMismatch) || error.isFinal) throw error;
    context.mismatches.push(error);
    return undefined;
  }
}

/** Decodes a whole value. Throws the first {@link DecodeError} as Go reports it. */
export function decodeWhole<T>(decode: (context: DecodeContext) => T, decoded?: DecodeContext['decoded']): T {
  const context: DecodeContext = { struct: '', fields: [], mismatches: [], decoded };
  const result = decode(context);
  if (context.mismatches[0] !== undefined) throw context.mismatches[0];
  return result;
}

/** The error of a value of the wrong type. */
export function mismatch(value: Json, context: DecodeContext, type: string): DecodeError {
  return new TypeMismatch(kindOf(value, type), context, type);
}

/** Decodes a value of a type that decodes itself: errors inside of it name the struct around it, and the fields of both. */
export function decodeCustom<T>(context: DecodeContext, decode: (inner: DecodeContext) => T): T {
  try {
    return decodeWhole(decode, context.decoded);
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const outer = { struct: context.struct, fields: [...context.fields, ...error.fields] };
    throw new TypeMismatch(error.kind, outer, error.type, true);
  }
}

function kindOf(value: Json, type: string): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (isList(value)) return 'array';
  if (isObject(value)) return 'object';
  if (!/^int\d+$/.test(type)) return 'number';
  // A float beyond int64 was most likely written as an integer.
  const size = value instanceof Float ? Math.abs(value.value) : 0;
  if (!(value instanceof Float) || size < 2 ** 63) return `number ${stringifyJson(value)}`;
  return `number ${size < 1e21 ? BigInt(value.value) : String(value.value)}`;
}

export function decodeString(value: Json, context: DecodeContext, type = 'string'): string {
  if (value === null) return '';
  if (typeof value !== 'string') throw mismatch(value, context, type);
  return value;
}

export function decodeBoolean(value: Json, context: DecodeContext): boolean {
  if (value === null) return false;
  if (typeof value !== 'boolean') throw mismatch(value, context, 'bool');
  return value;
}

export function decodeInteger(value: Json, context: DecodeContext, bits: 32 | 64): bigint {
  if (value === null) return 0n;
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isInteger) throw mismatch(value, context, `int${bits}`);
  const integer = BigInt(value);
  if (BigInt.asIntN(bits, integer) !== integer) throw mismatch(value, context, `int${bits}`);
  return integer;
}

export function decodeFloat(value: Json, context: DecodeContext): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw mismatch(value, context, 'float64');
}

export function decodeList<T>(
  value: Json,
  context: DecodeContext,
  type: string,
  decodeItem: (item: Json, context: DecodeContext) => T,
): T[] {
  if (value === null) return [];
  if (!isList(value)) throw mismatch(value, context, type);
  return value.flatMap((item) => noteMismatch(context, () => [decodeItem(item, context)]) ?? []);
}

export function decodeStrings(value: Json, context: DecodeContext): string[] {
  return decodeList(value, context, '[]string', (item, itemContext) => decodeString(item, itemContext));
}

export function decodeMap<T>(
  value: Json,
  context: DecodeContext,
  type: string,
  decodeEntry: (entry: Json, context: DecodeContext) => T,
): Map<string, T> {
  if (value === null) return new Map();
  if (!isObject(value)) throw mismatch(value, context, type);
  const entries = new Map<string, T>();
  for (const [name, entry] of Object.entries(value)) {
    noteMismatch(context, () => entries.set(name, decodeEntry(entry, context)));
  }
  return entries;
}
