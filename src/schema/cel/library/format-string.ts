import { toText } from '../conversions.ts';
import { compareStrings } from '../equality.ts';
import { clauseProblem, type FormatClause, FormatError, readFormat } from '../format-clauses.ts';
import { ListValue } from '../lists.ts';
import { MapValue } from '../maps.ts';
import { quoteText } from '../print.ts';
import { typeOfValue } from '../runtime-types.ts';
import { Duration, Timestamp } from '../time.ts';
import { Uint } from '../uint.ts';
import { CelError, CelObject, type Value } from '../values.ts';

const defaultPrecision = 6;

/** `format.format(values)`. */
export function formatString(format: string, values: ListValue): Value {
  let result = '';
  try {
    readFormat(
      format,
      (index) => index < values.size,
      (text) => {
        result += text;
      },
      (clause, index) => {
        result += formatClause(clause, values.get(index));
      },
    );
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
  return result;
}

function formatClause(clause: FormatClause, value: Value): string {
  const refuse = (): never => {
    throw new FormatError(`error during formatting: ${clauseProblem(clause.kind, typeOfValue(value).name)}`);
  };
  switch (clause.kind) {
    case 's':
      return printText(value) ?? refuse();
    case 'd':
      return integerOf(value)?.toString() ?? refuse();
    case 'f':
    case 'e':
      return formatDouble(clause, value) ?? refuse();
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerOf(value)?.toString(2) ?? refuse();
    case 'o':
      return integerOf(value)?.toString(8) ?? refuse();
    default: {
      const hexadecimal = toHexadecimal(value) ?? refuse();
      return clause.kind === 'X' ? hexadecimal.toUpperCase() : hexadecimal;
    }
  }
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : undefined;
}

function toHexadecimal(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value)?.toString(16);
}

const specialDoubles = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** Doubles as `golang.org/x/text/message` prints them in English. */
function formatDouble(clause: FormatClause, value: Value): string | undefined {
  const double = typeof value === 'string' ? specialDoubles.get(value) : value;
  if (typeof double !== 'number') return undefined;
  if (Number.isNaN(double)) return 'NaN';
  if (!Number.isFinite(double)) return double > 0 ? '\u221e' : '-\u221e';
  if (clause.kind === 'f') return group(toFixed(double === 0 ? 0 : double, clause.precision ?? defaultPrecision));
  // The precision has no effect here.
  const [mantissa = '', exponent = '0'] = double.toExponential(defaultPrecision).split('e');
  return `${mantissa}\u00d710${raise(Number(exponent))}`;
}

const superscripts = [
  '\u2070',
  '\u00b9',
  '\u00b2',
  '\u00b3',
  '\u2074',
  '\u2075',
  '\u2076',
  '\u2077',
  '\u2078',
  '\u2079',
];

function raise(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)] ?? '').join('');
  return (exponent < 0 ? '\u207b' : '') + raised;
}

const maximumDigits = 100;

/** Exact decimal digits, halves rounded to even. */
function toFixed(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  const exact =
    magnitude < 1e21 ? magnitude.toFixed(maximumDigits) : `${BigInt(magnitude)}.${'0'.repeat(maximumDigits)}`;
  const point = exact.indexOf('.');
  if (precision >= maximumDigits) return sign + exact + '0'.repeat(precision - maximumDigits);
  const kept = exact.slice(0, point) + exact.slice(point + 1, point + 1 + precision);
  const rest = exact.slice(point + 1 + precision);
  const up = rest > '5' && !/^50*$/.test(rest) ? true : /^50*$/.test(rest) && Number(kept.at(-1)) % 2 === 1;
  const digits = up ? String(BigInt(kept) + 1n).padStart(kept.length, '0') : kept;
  const whole = digits.slice(0, digits.length - precision);
  return precision === 0 ? sign + whole : `${sign}${whole}.${digits.slice(digits.length - precision)}`;
}

function group(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A value as `%s` prints it; undefined when it does not. */
function printText(value: Value): string | undefined {
  if (value === null) return 'null';
  if (value instanceof ListValue) return printList(value);
  if (value instanceof MapValue) return printMap(value);
  if (value instanceof CelError) return undefined;
  if (value instanceof CelObject && !(value instanceof Uint || value instanceof Duration || value instanceof Timestamp))
    return undefined;
  const text = toText(value);
  if (text instanceof CelError)
    throw new FormatError(`error during formatting: could not convert argument ${quoteText(text.message)} to string`);
  return typeof text === 'string' ? text : undefined;
}

/** A value inside a list or map. */
function printElement(value: Value): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'number') return printDoubleElement(value);
  if (value instanceof Uint8Array) return `b${quoteText(printText(value) ?? '')}`;
  if (value instanceof Timestamp) return `timestamp(${quoteText(value.toString())})`;
  if (value instanceof Duration) return `duration(${quoteText(value.toString())})`;
  const text = printText(value);
  if (text === undefined)
    throw new FormatError(`error during formatting: no formatting function for ${typeOfValue(value).name}`);
  return text;
}

function printDoubleElement(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return toFixed(value, defaultPrecision);
}

function printList(list: ListValue): string {
  return `[${Array.from(list, printElement).join(', ')}]`;
}

function printMap(map: MapValue): string {
  const entries: [string, string][] = [];
  for (const key of map.keys()) {
    if (!['string', 'boolean', 'bigint'].includes(typeof key) && !(key instanceof Uint)) {
      throw new FormatError(
        `error during formatting: no formatting function for map key of type ${typeOfValue(key).name}`,
      );
    }
    entries.push([printElement(key), printElement(map.get(key))]);
  }
  entries.sort(([a], [b]) => compareStrings(a, b));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
