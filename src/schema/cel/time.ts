import { durationType, timestampType } from './types.ts';
import { CelError, CelObject, noSuchOverload, type Value } from './values.ts';

const minimumInt = -(2n ** 63n);
const maximumInt = 2n ** 63n - 1n;
const second = 1_000_000_000n;
const minimumSeconds = -62_135_596_800n;
const maximumSeconds = 253_402_300_799n;

export function timestampOverflow(): CelError {
  return new CelError('timestamp overflow');
}

/** A span of time in nanoseconds (64 bits). */
export class Duration extends CelObject {
  readonly nanoseconds: bigint;
  override readonly type = durationType;

  constructor(nanoseconds: bigint) {
    super();
    this.nanoseconds = nanoseconds;
  }

  /** The duration, or an error when 64 bits do not hold it. */
  static checked(nanoseconds: bigint): Duration | CelError {
    if (nanoseconds < minimumInt || nanoseconds > maximumInt) return new CelError('integer overflow');
    return new Duration(nanoseconds);
  }

  override isZero(): boolean {
    return this.nanoseconds === 0n;
  }

  override equal(other: Value): Value {
    return other instanceof Duration && this.nanoseconds === other.nanoseconds;
  }

  /** Seconds with a fraction, such as `90.5s`. */
  override toString(): string {
    return `${formatFixed(Number(this.nanoseconds / second) + Number(this.nanoseconds % second) / 1e9)}s`;
  }
}

/** A double in decimal notation without an exponent, as Go's `FormatFloat(x, 'f', -1, 64)` writes it. */
export function formatFixed(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', lead = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  const digits = lead + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0');
}

/** A point in time with nanoseconds; `offset` (seconds east of UTC) only matters for how it is printed. */
export class Timestamp extends CelObject {
  override readonly type = timestampType;
  readonly seconds: bigint;
  readonly nanos: number;
  readonly offset: number;

  constructor(seconds: bigint, nanos: number, offset = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }

  override isZero(): boolean {
    return this.seconds === minimumSeconds && this.nanos === 0;
  }

  override equal(other: Value): Value {
    return other instanceof Timestamp && this.seconds === other.seconds && this.nanos === other.nanos;
  }

  /** Nanoseconds since 1970. */
  get nanoseconds(): bigint {
    return this.seconds * second + BigInt(this.nanos);
  }

  /** The timestamp, or an error outside of the years 1 to 9999. */
  static checked(seconds: bigint, nanos: number, offset = 0): Timestamp | CelError {
    if (seconds < minimumSeconds || seconds > maximumSeconds) return timestampOverflow();
    return new Timestamp(seconds, nanos, offset);
  }

  /** RFC 3339 with as many digits of the second as needed. */
  override toString(): string {
    const date = new Date(Number(this.seconds + BigInt(this.offset)) * 1000);
    const year = date.getUTCFullYear();
    const yearText = year < 0 ? `-${pad(-year, 4)}` : pad(year, 4);
    const day = `${yearText}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
    const time = `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;
    const fraction = this.nanos === 0 ? '' : `.${pad(this.nanos, 9).replace(/0+$/, '')}`;
    return `${day}T${time}${fraction}${zone(this.offset)}`;
  }
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function zone(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

export function addToTimestamp(timestamp: Timestamp, nanoseconds: bigint): Timestamp | CelError {
  const total = timestamp.nanoseconds + nanoseconds;
  const seconds = floorDivide(total, second);
  return Timestamp.checked(seconds, Number(total - seconds * second), timestamp.offset);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** `left - right` as a duration, or an integer overflow. */
export function subtractTimestamps(left: Timestamp, right: Timestamp): Value {
  const seconds = (left.seconds - right.seconds) * second;
  if (seconds < minimumInt || seconds > maximumInt) return new CelError('integer overflow');
  return Duration.checked(seconds + BigInt(left.nanos - right.nanos));
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** Reads RFC 3339 as Go's `time.Parse` does. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, secondOfMinute = 0] = match.slice(1, 7).map(Number);
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysIn(year, month) ||
    hour > 23 ||
    minute > 59 ||
    secondOfMinute > 59
  )
    return undefined;
  const offset = offsetSeconds(match[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const seconds = BigInt(date.getTime() / 1000) + BigInt(hour * 3600 + minute * 60 + secondOfMinute - offset);
  return new Timestamp(seconds, nanos, offset);
}

export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function offsetSeconds(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 24 || minutes > 60) return undefined;
  return (hours * 3600 + minutes * 60) * (text.startsWith('-') ? -1 : 1);
}

/** The parts of a timestamp that CEL's getters read. */
export interface CalendarParts {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** Sunday is 0. */
  readonly weekday: number;
  /** From 0. */
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** The parts of a timestamp in a zone: an IANA name, or an offset such as `-07:30`. The server's own zone counts as UTC. */
export function calendarParts(timestamp: Timestamp, zoneName: string): CalendarParts | CelError {
  const offset = zoneOffset(timestamp, zoneName);
  if (offset instanceof CelError) return offset;
  const date = new Date(Number(timestamp.seconds + BigInt(offset)) * 1000);
  const year = date.getUTCFullYear();
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    dayOfYear: Math.floor((date.getTime() - start.getTime()) / 86_400_000),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: Math.floor(timestamp.nanos / 1_000_000),
  };
}

function zoneOffset(timestamp: Timestamp, name: string): number | CelError {
  if (name === '' || name === 'UTC' || name === 'Local') return 0;
  const colon = name.indexOf(':');
  if (colon < 0) return namedZoneOffset(timestamp, name);
  const hours = parseInteger(name.slice(0, colon));
  if (hours instanceof CelError) return hours;
  const minutes = parseInteger(name.slice(colon + 1));
  if (minutes instanceof CelError) return minutes;
  return (name.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function parseInteger(text: string): number | CelError {
  if (!/^[+-]?\d+$/.test(text)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function namedZoneOffset(timestamp: Timestamp, name: string): number | CelError {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      hourCycle: 'h23',
      year: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return new CelError(`unknown time zone ${name}`);
    throw error;
  }
  const part = format
    .formatToParts(new Date(Number(timestamp.seconds) * 1000))
    .find((candidate) => candidate.type === 'timeZoneName');
  const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(part?.value ?? '');
  if (match === null) return new CelError(`unknown time zone ${name}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
}

/** `timestamp.getHours(zone)` and the like; the zone must be a string. */
export function calendarPart(timestamp: Value, zoneName: Value, read: (parts: CalendarParts) => number): Value {
  if (!(timestamp instanceof Timestamp)) return noSuchOverload(timestamp);
  if (typeof zoneName !== 'string') return noSuchOverload(zoneName);
  const parts = calendarParts(timestamp, zoneName);
  return parts instanceof CelError ? parts : BigInt(read(parts));
}
