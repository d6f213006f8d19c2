import type { Json } from '../model/index.ts';
import { escapeJson, goFloat, goJson, goNumber, goQuote } from './go-format.ts';

/** The kinds of errors of a field, named as the causes in a Status. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One error as the API server reports it (`field.Error` of apimachinery). */
export interface FieldError {
  readonly type: FieldErrorType;
  /** The path; `<nil>` for an error that has none. */
  readonly field: string;
  readonly badValue?: Json;
  readonly detail: string;
  /** What the server prints: path, kind, value and detail. */
  readonly message: string;
}

/** A path in messages; undefined for none (Go's nil path, printed as `<nil>`). */
export type Path = string | undefined;

/** The path of a member. */
export function child(path: Path, name: string): string {
  if (name === '') return `${path ?? ''}[]`;
  return path === undefined ? name : `${path}.${name}`;
}

/** The path of a map's entry. */
export function key(path: Path, name: string): string {
  return `${path ?? ''}[${name}]`;
}

/** The path of a list's item. */
export function index(path: Path, position: number): string {
  return `${path ?? ''}[${position}]`;
}

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

function make(
  type: FieldErrorType,
  path: Path,
  badValue: Json | undefined,
  detail: string,
  printed?: string,
): FieldError {
  const field = path ?? '<nil>';
  let message = `${field}: ${titles[type]}`;
  if (printed !== undefined) message += `: ${printed}`;
  if (detail !== '') message += `: ${detail}`;
  return badValue === undefined ? { type, field, detail, message } : { type, field, badValue, detail, message };
}

function print(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  const number = goNumber(value);
  return number?.kind === 'float64' ? goFloat(number.value) : goJson(value);
}

export function invalid(path: Path, value: Json, detail: string): FieldError {
  return make('FieldValueInvalid', path, value, detail, print(value));
}

/** As {@link invalid}, for a value of a Go type that is printed as this JSON, whatever its kind. */
export function invalidJson(path: Path, json: string, detail: string): FieldError {
  return make('FieldValueInvalid', path, JSON.parse(json) as Json, detail, escapeJson(json));
}

export function typeInvalid(path: Path, value: Json, detail: string): FieldError {
  return make('FieldValueTypeInvalid', path, value, detail, print(value));
}

export function duplicate(path: Path, value: Json): FieldError {
  return make('FieldValueDuplicate', path, value, '', print(value));
}

export function required(path: Path, detail = ''): FieldError {
  return make('FieldValueRequired', path, '', detail);
}

export function forbidden(path: Path, detail: string): FieldError {
  return make('FieldValueForbidden', path, '', detail);
}

export function notSupported(path: Path, value: Json, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return make('FieldValueNotSupported', path, value, detail, print(value));
}

/** The server says bytes, and counts code points in custom objects. */
export function tooLong(path: Path, limit: number | bigint): FieldError {
  const detail =
    limit < 0 ? 'value is too long' : `may not be more than ${limit} ${Number(limit) === 1 ? 'byte' : 'bytes'}`;
  return make('FieldValueTooLong', path, '<value omitted>', detail);
}

export function tooMany(path: Path, actual: number, limit: number | bigint): FieldError {
  const detail =
    limit < 0 ? 'has too many items' : `must have at most ${limit} ${Number(limit) === 1 ? 'item' : 'items'}`;
  return make('FieldValueTooMany', path, actual, detail, String(actual));
}
