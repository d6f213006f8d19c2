import { Float, type Json } from '../model/index.ts';
import { goDecimal, goFloat, goInt64, type GoNumber } from './go-format.ts';
import { type ValueError, ValueResult } from './value-result.ts';
import type { ValueSchema } from './value-schema.ts';

const maxSafe = 2 ** 53 - 1;

/** Whether a float is a whole number in the eyes of the server: within 2^53, and with an error of 1e-9 allowed. */
export function isWholeFloat(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > maxSafe) return false;
  const rounded = Math.sign(value) * Math.round(Math.abs(value));
  if (value === rounded) return true;
  return rounded !== 0 && Math.abs(value - rounded) < 1e-9 * Math.abs(rounded);
}

/** The checks of a number: its range by type and format, multipleOf, minimum, maximum, with Go's conversions between int64 and float64. */
export function checkNumber(schema: ValueSchema, value: Json, number: GoNumber, path: string): ValueResult {
  const result = new ValueResult();
  const { node } = schema;
  const only = schema.types.length === 1 ? schema.types[0] : undefined;
  const type = only === 'integer' || only === 'number' ? only : '';
  const isOwnFormat =
    type === 'integer'
      ? schema.format === 'int32' || schema.format === 'int64'
      : type === 'number' && (schema.format === 'float' || schema.format === 'double');
  const format = isOwnFormat ? schema.format : '';
  const check = (bound: GoNumber, prefix: string) => result.add(...rangeErrors(bound, type, format, prefix, path));

  check(number, 'Checked');
  if (node.multipleOf !== undefined) {
    const factor: GoNumber = { kind: 'float64', value: node.multipleOf };
    check(factor, 'MultipleOf');
    const asIs = rangeErrors(factor, type, format, 'MultipleOf', path).length === 0;
    result.add(
      ...multipleErrors(asIs ? value : toFloatJson(number), asIs ? number : toFloat(number), node.multipleOf, path),
    );
  }
  for (const bound of ['minimum', 'maximum'] as const) {
    const limit = node[bound];
    if (limit === undefined) continue;
    const prefix = bound === 'minimum' ? 'Minimum boundary' : 'Maximum boundary';
    const wrong = rangeErrors({ kind: 'float64', value: limit }, type, format, prefix, path);
    result.add(...wrong);
    const isExclusive = bound === 'minimum' ? node.exclusiveMinimum : node.exclusiveMaximum;
    const isAsIs = wrong.length === 0;
    const compared = isAsIs ? number : toFloat(number);
    result.add(...boundErrors(isAsIs ? value : toFloatJson(number), compared, limit, bound, isExclusive, path));
  }
  result.matchCount++;
  return result;
}

function toFloat(number: GoNumber): GoNumber {
  return { kind: 'float64', value: Number(number.value) };
}

function toFloatJson(number: GoNumber): Json {
  const value = Number(number.value);
  return Number.isInteger(value) ? new Float(value) : value;
}

function rangeErrors(number: GoNumber, type: string, format: string, prefix: string, path: string): ValueError[] {
  if (isInRange(number, type, format)) return [];
  const how = format === '' ? '(default format)' : `with format ${format}`;
  return [{ kind: 'plain', message: `${prefix} value must be of type ${type} ${how} in ${path}` }];
}

function isInRange(number: GoNumber, type: string, format: string): boolean {
  if (type !== 'integer') {
    // Halfway between the largest float32 and the next power of two values begin to round to infinity.
    return format !== 'float' || Math.abs(Number(number.value)) < 2 ** 128 - 2 ** 103;
  }
  const text = number.kind === 'int64' ? number.value.toString() : goDecimal(number.value);
  if (!/^-?\d+$/.test(text)) return false;
  const integer = BigInt(text);
  return BigInt.asIntN(format === 'int32' ? 32 : 64, integer) === integer;
}

function multipleErrors(value: Json, number: GoNumber, factor: number, path: string): ValueError[] {
  const notPositive = (shown: string, bad: Json): ValueError[] => [
    {
      kind: 'invalid',
      name: path,
      value: bad,
      message: `factor MultipleOf declared for ${path} must be positive: ${shown}`,
    },
  ];
  if (number.kind === 'int64') {
    const whole = goInt64(factor);
    if (whole <= 0n) return notPositive(whole.toString(), toJson(whole));
    return number.value % whole === 0n ? [] : [multipleError(value, whole.toString(), path)];
  }
  if (factor <= 0) return notPositive(goFloat(factor), factor);
  const quotient = factor < 1 ? (1 / factor) * number.value : number.value / factor;
  return isWholeFloat(quotient) ? [] : [multipleError(value, goFloat(factor), path)];
}

function multipleError(value: Json, factor: string, path: string): ValueError {
  return { kind: 'invalid', name: path, value, message: `${path} in body should be a multiple of ${factor}` };
}

function boundErrors(
  value: Json,
  number: GoNumber,
  limit: number,
  bound: 'minimum' | 'maximum',
  isExclusive: boolean,
  path: string,
): ValueError[] {
  // An integer is compared with the truncated bound.
  const compared: number | bigint = number.kind === 'int64' ? goInt64(limit) : limit;
  const shown = typeof compared === 'bigint' ? compared.toString() : goFloat(compared);
  const isBeyond = bound === 'minimum' ? number.value < compared : number.value > compared;
  if (!isBeyond && !(isExclusive && number.value === compared)) return [];
  const relation = bound === 'minimum' ? 'greater than' : 'less than';
  const message = `${path} in body should be ${relation}${isExclusive ? '' : ' or equal to'} ${shown}`;
  return [{ kind: 'invalid', name: path, value, message }];
}

function toJson(value: bigint): Json {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
