import { Float, type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { findJsonError } from './json-scanner.ts';

/** A text that is not JSON. The message is Go's (`invalid character '}' looking for beginning of value`). */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Where in the text, in UTF-16 units from 0. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** Numbers that `JSON.parse` alone would not keep apart: floats, -0, and integers that may not be safe. */
const suspiciousNumber = /(?:^|[:,[])\s*(?:-?\d+[.eE]|-0|-?\d{16})/;
/** The same or a text, in which numbers mean nothing: annotations often hold JSON. */
const numberOrText = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+[.eE]|-0|-?\d{16}/g;

function hasSuspiciousNumber(text: string): boolean {
  if (!suspiciousNumber.test(text)) return false;
  for (const [token] of text.matchAll(numberOrText)) if (!token.startsWith('"')) return true;
  return false;
}

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Reads JSON as the API server does: integers and floats stay apart, integers are exact up to 64 bits (what lies beyond becomes a
 * float), of two members with one name the last wins, and half a surrogate pair becomes U+FFFD. Throws a {@link JsonSyntaxError}.
 */
export function parseJson(text: string): Json {
  try {
    const value = (hasSuspiciousNumber(text) ? JSON.parse(text, reviveNumber) : JSON.parse(text)) as Json;
    return surrogateEscape.test(text) || !text.isWellFormed() ? wellFormed(value) : value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const found = findJsonError(text);
    throw new JsonSyntaxError(found.message, found.position);
  }
}

function reviveNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? parseNumber(context.source) : value;
}

/** The value of a number literal of JSON. Throws a {@link JsonSyntaxError} when it is too large for a double. */
export function parseNumber(source: string): number | bigint | Float {
  if (!/[.eE]/.test(source)) {
    const value = Number(source);
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const integer = BigInt(source);
    return BigInt.asIntN(64, integer) === integer ? integer : new Float(value);
  }
  const value = Number(source);
  if (!Number.isFinite(value)) {
    throw new JsonSyntaxError(`json: cannot unmarshal number ${source} into Go value of type float64`, 0);
  }
  return Number.isInteger(value) ? new Float(value) : value;
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (isList(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return jsonObject(Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)] as const));
}

/** Writes JSON so that {@link parseJson} gives an equal value: a float with a whole value keeps its dot (`1.0`). */
export function stringifyJson(value: Json): string {
  return isPlain(value) ? JSON.stringify(value) : stringifyExact(value);
}

function isPlain(value: Json): boolean {
  if (typeof value === 'bigint' || value instanceof Float) return false;
  if (isList(value)) return value.every(isPlain);
  if (!isObject(value)) return true;
  for (const name in value) if (!isPlain(value[name] ?? null)) return false;
  return true;
}

function stringifyExact(value: Json): string {
  if (value instanceof Float) return stringifyFloat(value.value);
  if (typeof value === 'bigint') return value.toString();
  if (isList(value)) return `[${value.map(stringifyExact).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${stringifyExact(member)}`)
    .join(',')}}`;
}

function stringifyFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Whether two values are equal in kind and value (`1` and `1.0` are not), as Go's `reflect.DeepEqual`; the order of members is nothing. */
export function equalJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left instanceof Float) return right instanceof Float && left.value === right.value;
  if (isList(left)) {
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index] ?? null))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equalJson(left[name] ?? null, right[name] ?? null));
}

/** Whether the value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** Whether the value is a JSON array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The member's own value, or undefined when there is none. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
