import { Float, type Json } from '../model/index.ts';
import { isList, isObject } from './json.ts';

/** How Go prints values, as far as messages of the API server hold them. */

const escapes = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** `strconv.Quote`, the `%q` of Go. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = '';
  for (const character of text)
    quoted += escapes.get(character) ?? (isPrintable(character) ? character : escapeCharacter(character));
  return `"${quoted}"`;
}

/** `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the blank. */
export function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** `%v` of a float64: the shortest digits, with an exponent below 1e-04 and from 1e+06 on (`1.0000005e+06`). */
export function goFloat(value: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return goDecimal(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** `strconv.FormatFloat(value, 'f', -1, 64)`: never an exponent. */
export function goDecimal(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponentText);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** `json.Marshal`: members by name, `<`, `>` and `&` escaped, floats without a dot where they are whole. */
export function goJson(value: Json): string {
  if (typeof value === 'string') return goJsonString(value);
  if (value instanceof Float) return Object.is(value.value, -0) ? '-0' : String(value.value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isObject(value)) return 'null';
  return `{${Object.keys(value)
    .sort(compareNames)
    .map((name) => `${goJsonString(name)}:${goJson(value[name] ?? null)}`)
    .join(',')}}`;
}

/** `%v`: lists as `[a b]`, objects as `map[a:1]`, texts as they are. */
export function goValue(value: Json): string {
  if (value === null) return '<nil>';
  if (isList(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isObject(value)) {
    const names = Object.keys(value).sort(compareNames);
    return `map[${names.map((name) => `${name}:${goValue(value[name] ?? null)}`).join(' ')}]`;
  }
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  const number = goNumber(value);
  return number.kind === 'float64' ? goFloat(number.value) : number.value.toString();
}

function goJsonString(text: string): string {
  return escapeJson(JSON.stringify(text));
}

/** JSON with the characters escaped that Go escapes for HTML and JavaScript. */
export function escapeJson(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** By bytes of UTF-8, as Go sorts strings. */
export function compareNames(left: string, right: string): number {
  if (left === right) return 0;
  for (let i = 0; ; i++) {
    const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
    if (a === b) continue;
    if (Number.isNaN(a)) return -1;
    if (Number.isNaN(b)) return 1;
    // Surrogates stand for code points beyond all others.
    const [x, y] = [a >= 0xd800 && a < 0xe000 ? a + 0x10000 : a, b >= 0xd800 && b < 0xe000 ? b + 0x10000 : b];
    return x < y ? -1 : 1;
  }
}

/** Go's conversion of a float64 to int64 on amd64: truncated, and the least int64 for what does not fit. */
export function goInt64(value: number): bigint {
  if (value >= 2 ** 63 || value < -(2 ** 63) || Number.isNaN(value)) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

/** A JSON number in Go's two forms. */
export type GoNumber =
  { readonly kind: 'int64'; readonly value: bigint } | { readonly kind: 'float64'; readonly value: number };

/** The number as the server holds it, or undefined for what is none. */
export function goNumber(value: number | bigint | Float): GoNumber;
export function goNumber(value: Json): GoNumber | undefined;
export function goNumber(value: Json): GoNumber | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? { kind: 'int64', value: BigInt(value) }
      : { kind: 'float64', value };
  }
  if (value instanceof Float) return { kind: 'float64', value: value.value };
  if (typeof value !== 'bigint') return undefined;
  return BigInt.asIntN(64, value) === value ? { kind: 'int64', value } : { kind: 'float64', value: Number(value) };
}
