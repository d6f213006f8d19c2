import { parseGoDuration } from '../duration.ts';
import { daysIn, Duration, parseTimestamp, Timestamp } from './time.ts';
import { CelError, type Value } from './values.ts';

const units: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', '\u00b5s', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [3_600_000_000_000n, ['h', 'hr', 'hour']],
  [86_400_000_000_000n, ['d', 'day']],
  [604_800_000_000_000n, ['w', 'wk', 'week']],
];

/** A text of format `duration`: a Go duration, or numbers with units such as `90 min`. */
export function parseDurationFormat(text: string): Value {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return new Duration(exact);
  let nanoseconds: bigint | undefined;
  for (const [, factor = '', name = ''] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-z\u00b5]+)/g)) {
    if (BigInt(factor) >= 2n ** 63n)
      return invalidDuration(text, `strconv.Atoi: parsing "${factor}": value out of range`);
    const unit = name.toLowerCase();
    for (const [multiplier, variants] of units) {
      for (const [index, variant] of variants.entries()) {
        if (variant !== unit && !(index === variants.length - 1 && unit.startsWith(variant))) continue;
        nanoseconds = BigInt.asIntN(64, (nanoseconds ?? 0n) + BigInt(factor) * multiplier);
      }
    }
  }
  return nanoseconds === undefined
    ? invalidDuration(text, `unable to parse ${text} as duration`)
    : new Duration(nanoseconds);
}

function invalidDuration(text: string, reason: string): CelError {
  return new CelError(`Invalid duration ${text}: ${reason}`);
}

/** A text of format `date`. */
export function parseDateFormat(text: string): Value {
  const parsed = parseTimestamp(`${text}T00:00:00Z`);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && parsed !== undefined) return parsed;
  return new CelError(`Invalid date formatted string ${text}: ${dateProblem(text, '2006-01-02')}`);
}

/** A text of format `date-time`: RFC 3339, or without a zone. */
export function parseDateTimeFormat(text: string): Value {
  if (text === '') return new Timestamp(-62_135_596_800n, 0);
  const parsed = parseTimestamp(text) ?? (/[+-]\d{2}:\d{2}$/.test(text) ? undefined : parseTimestamp(`${text}Z`));
  if (parsed !== undefined) return parsed;
  return new CelError(`Invalid date-time formatted string ${text}: ${dateProblem(text, '2006-01-02T15:04:05')}`);
}

interface Step {
  readonly name: string;
  readonly pattern: RegExp;
  readonly max?: number;
}

const steps: readonly Step[] = [
  { name: '2006', pattern: /^\d{4}/ },
  { name: '-', pattern: /^-/ },
  { name: '01', pattern: /^\d{2}/, max: 12 },
  { name: '-', pattern: /^-/ },
  { name: '02', pattern: /^\d{2}/, max: 31 },
  { name: 'T', pattern: /^T/ },
  { name: '15', pattern: /^\d{2}/, max: 23 },
  { name: ':', pattern: /^:/ },
  { name: '04', pattern: /^\d{2}/, max: 59 },
  { name: ':', pattern: /^:/ },
  { name: '05', pattern: /^\d{2}/, max: 59 },
];

const partNames: Readonly<Record<string, string>> = {
  '01': 'month',
  '02': 'day',
  '15': 'hour',
  '04': 'minute',
  '05': 'second',
};

/** Why Go's `time.Parse` refuses a text, in its words. */
function dateProblem(text: string, layout: string): string {
  const quoted = JSON.stringify(text);
  let rest = text;
  const numbers: number[] = [];
  for (const step of layout.includes('T') ? steps : steps.slice(0, 5)) {
    const found = step.pattern.exec(rest)?.[0];
    if (found === undefined) {
      return `parsing time ${quoted} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${step.name}"`;
    }
    const value = Number(found);
    const part = partNames[step.name];
    if (part !== undefined && (value > (step.max ?? value) || (value < 1 && (part === 'month' || part === 'day')))) {
      return `parsing time ${quoted}: ${part} out of range`;
    }
    numbers.push(value);
    rest = rest.slice(found.length);
  }
  if (rest !== '') return `parsing time ${quoted}: extra text: ${JSON.stringify(rest)}`;
  const [year = 0, , month = 1, , day = 1] = numbers;
  return day > daysIn(year, month)
    ? `parsing time ${quoted}: day out of range`
    : `parsing time ${quoted}: out of range`;
}

/** A text of format `byte`: base64 with the alphabet of URLs. */
export function parseByteFormat(text: string): Value {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const valid = /^[\w-]*={0,2}$/.exec(compact);
  if (valid === null || compact.length % 4 !== 0) {
    return new CelError(
      `Invalid byte formatted string ${text}: illegal base64 data at input byte ${illegalByte(text)}`,
    );
  }
  return Uint8Array.from(Buffer.from(compact, 'base64url'));
}

/** Where Go's decoder stops. */
function illegalByte(text: string): number {
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\n' || character === '\r') continue;
    if (/[\w-]/.test(character)) {
      digits += 1;
      continue;
    }
    if (character !== '=' || digits % 4 < 2) return index;
    const after = text.slice(index).replaceAll(/[\r\n]/g, '');
    const needed = 4 - (digits % 4);
    if (after.startsWith('='.repeat(needed))) return index + needed;
    return text.length;
  }
  return text.length - (digits % 4);
}
