import { Float, isArray, isObject, type Json } from './json.ts';
import type { StatusCause } from './status-cause.ts';

/** As in `field.ErrorType` of apimachinery: what stands as `reason` of a cause. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One fault of a document: where, and the text that the real server prints behind the path. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path such as `spec.list[0].key`; `<nil>` for the root. */
  readonly field: string;
  /** `Invalid value: 5: must be ...`, without the path. */
  readonly message: string;
}

export function printFieldError(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

export function causeOf(error: FieldError): StatusCause {
  return { reason: error.type, message: error.message, field: error.field };
}

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, message: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

export function invalidValue(field: string, value: Json | undefined, detail: string): FieldError {
  const shown = printValue(value ?? null);
  return { type: 'FieldValueInvalid', field, message: `Invalid value: ${shown}${detail === '' ? '' : `: ${detail}`}` };
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const values = supported.map(quote).join(', ');
  return {
    type: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${printValue(value)}: supported values: ${values}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function duplicate(field: string, value: Json): FieldError {
  return { type: 'FieldValueDuplicate', field, message: `Duplicate value: ${printValue(value)}` };
}

export function tooLong(field: string, limit: number): FieldError {
  return {
    type: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
  };
}

/** A value as field errors show it: numbers and booleans plain, texts quoted, all else as compact JSON with sorted members. */
export function printValue(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value);
    if (isLabelSelector(members)) members.sort().reverse();
    else if (!isOwnerReference(value)) members.sort();
    return `{${members.map((name) => `${quote(name)}:${printValue(value[name] ?? null)}`).join(',')}}`;
  }
  return value instanceof Float ? String(value.value) : String(value);
}

/** In selectors the labels come first. */
function isLabelSelector(members: readonly string[]): boolean {
  return members.length === 2 && members.includes('matchLabels') && members.includes('matchExpressions');
}

/** Typed values keep the order of their members; of these, owner references are the ones that messages show. */
function isOwnerReference(value: Json): boolean {
  return isObject(value) && Object.hasOwn(value, 'apiVersion') && Object.hasOwn(value, 'uid');
}

/** A text as Go's `%q` prints it. */
export function quote(value: string): string {
  let result = '"';
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    const short = escapes[character];
    if (short !== undefined) result += short;
    else if (code < 0x20 || code === 0x7f) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else result += /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(character) ? unicodeEscape(code) : character;
  }
  return `${result}"`;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function unicodeEscape(code: number): string {
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** An error of the schema checks in the form that answers have: its message without the path. */
export function fieldErrorOf(error: {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly message: string;
}): FieldError {
  const prefix = `${error.field}: `;
  return {
    type: error.type,
    field: error.field,
    message: error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message,
  };
}
