import { parseGoDuration } from '../duration.ts';
import { printDouble } from './print.ts';
import { typeOfValue } from './runtime-types.ts';
import { Duration, parseTimestamp, Timestamp, timestampOverflow } from './time.ts';
import { type CelType, printType } from './types.ts';
import { checkedInt, checkedUint } from './operations.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, type Value } from './values.ts';

function impossible(value: Value, target: string): CelError {
  return new CelError(`type conversion error from '${conversionName(typeOfValue(value))}' to '${target}'`);
}

function conversionName(type: CelType): string {
  return type.parameters.length > 0 ? printType(type) : type.name;
}

const integer = /^[+-]?\d+$/;
const minimumSeconds = -62_135_596_800n;
const maximumSeconds = 253_402_300_799n;

export function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return new CelError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (value instanceof Uint) return checkedInt(value.value);
  if (value instanceof Duration) return value.nanoseconds;
  if (value instanceof Timestamp) return value.seconds;
  if (typeof value === 'string' && integer.test(value)) {
    const parsed = checkedInt(BigInt(value.replace('+', '')));
    if (typeof parsed === 'bigint') return parsed;
  }
  return impossible(value, 'int');
}

export function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return new CelError('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(value)));
  }
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    const parsed = checkedUint(BigInt(value));
    if (parsed instanceof Uint) return parsed;
  }
  return impossible(value, 'uint');
}

export function toDouble(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value === 'string') {
    const parsed = parseDouble(value);
    if (parsed !== undefined) return parsed;
  }
  return impossible(value, 'double');
}

/** Reads a double as Go's `ParseFloat` does: also hexadecimal, `inf` and `nan`; too large is no double. */
function parseDouble(written: string): number | undefined {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(written);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return special[1] === '' ? Number.NaN : undefined;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  const text = withoutSeparators(written);
  const hexadecimal = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/.exec(text);
  if (hexadecimal !== null) return parseHexadecimal(hexadecimal);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Underscores may stand between digits, in hexadecimal numbers after the prefix, too. */
function withoutSeparators(text: string): string {
  const digit = /^[+-]?0[xX]/.test(text) ? '[\\da-fA-FxX]' : '\\d';
  return text.replaceAll(new RegExp(`(?<=${digit})_(?=${digit})`, 'g'), '');
}

function parseHexadecimal(match: RegExpExecArray): number | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole + fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}

const booleans = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

export function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value;
  return (typeof value === 'string' ? booleans.get(value) : undefined) ?? impossible(value, 'bool');
}

export function toBytes(value: Value): Value {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' ? new TextEncoder().encode(value) : impossible(value, 'bytes');
}

export function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  const nanoseconds = typeof value === 'string' ? parseGoDuration(value) : undefined;
  return nanoseconds === undefined ? impossible(value, 'google.protobuf.Duration') : new Duration(nanoseconds);
}

export function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return Timestamp.checked(value, 0);
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (parsed === undefined) return impossible(value, 'google.protobuf.Timestamp');
  return parsed.seconds < minimumSeconds || parsed.seconds > maximumSeconds ? timestampOverflow() : parsed;
}

export function toText(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return printDouble(value);
    default:
      break;
  }
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  if (value instanceof Uint8Array) return decodeBytes(value);
  if (value instanceof CelObject || value instanceof CelError) return impossible(value, 'string');
  return value.name;
}

function decodeBytes(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}
