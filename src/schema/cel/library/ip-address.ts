import { quoteText } from '../print.ts';
import { ipType } from '../types.ts';
import { CelObject, noSuchOverload, type Value } from '../values.ts';

/** The bytes of an address and the zone after its `%`. */
export interface ParsedAddress {
  readonly bytes: readonly number[];
  readonly zone: string;
}

/** An IP address. */
export class IpAddress extends CelObject {
  override readonly type = ipType;
  /** 4 or 16 of them. */
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  override get costSize(): number {
    return this.bytes.length;
  }

  override equal(other: Value): Value {
    return other instanceof IpAddress ? this.toString() === other.toString() : noSuchOverload(other);
  }

  override toString(): string {
    return printAddress(this.bytes);
  }
}

/** The canonical text of an address. */
export function printAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  if (isMapped(bytes)) return `::ffff:${bytes.slice(12).join('.')}`;
  const groups = Array.from(
    { length: 8 },
    (_unused, index) => (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0),
  );
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let end = start;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
    start = Math.max(start, end - 1);
  }
  const print = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.start < 0) return print(groups);
  return `${print(groups.slice(0, best.start))}::${print(groups.slice(best.start + best.length))}`;
}

/** Whether an IPv6 address stands for an IPv4 one. */
export function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

function problem(input: string, message: string, at?: string): string {
  return `ParseAddr(${quoteText(input)}): ${message}${at === undefined || at === '' ? '' : ` (at ${quoteText(at)})`}`;
}

/** Reads an address as Go's `netip.ParseAddr` does; a string is why it could not. */
export function parseAddress(text: string): ParsedAddress | string {
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === undefined) return problem(text, 'unable to parse IP');
  if (separator === '%') return problem(text, 'missing IPv6 address');
  if (separator === ':') return parseIpv6(text);
  const bytes = parseIpv4(text, text);
  return typeof bytes === 'string' ? bytes : { bytes, zone: '' };
}

function parseIpv4(input: string, text: string): number[] | string {
  const bytes: number[] = [];
  let value = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) return problem(input, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) return problem(input, 'IPv4 field has value >255');
    } else if (character === '.') {
      if (index === 0 || index === text.length - 1 || text[index - 1] === '.') {
        return problem(input, 'IPv4 field must have at least one digit', text.slice(index));
      }
      if (bytes.length === 3) return problem(input, 'IPv4 address too long');
      bytes.push(value);
      value = 0;
      digits = 0;
    } else {
      return problem(input, 'unexpected character', text.slice(index));
    }
  }
  if (bytes.length < 3) return problem(input, 'IPv4 address too short');
  return [...bytes, value];
}

function parseIpv6(input: string): ParsedAddress | string {
  const percent = input.indexOf('%');
  const zone = percent < 0 ? '' : input.slice(percent + 1);
  if (percent >= 0 && zone === '') return problem(input, 'zone must be a non-empty string');
  let rest = percent < 0 ? input : input.slice(0, percent);
  const bytes: number[] = [];
  let gap = -1;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === '') return { bytes: Array.from({ length: 16 }, () => 0), zone };
  }
  while (bytes.length < 16) {
    const group = /^[\da-fA-F]*/.exec(rest)?.[0] ?? '';
    if (group.length > 4) return problem(input, 'each group must have 4 or less digits', rest);
    if (group === '') return problem(input, 'each colon-separated field must have at least one digit', rest);
    if (rest[group.length] === '.') {
      if (gap < 0 && bytes.length !== 12) {
        return problem(input, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      }
      if (bytes.length + 4 > 16) {
        return problem(input, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      }
      const embedded = parseIpv4(input, rest);
      if (typeof embedded === 'string') return embedded;
      bytes.push(...embedded);
      rest = '';
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 255);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return problem(input, 'unexpected character, want colon', rest);
    if (rest.length === 1) return problem(input, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (gap >= 0) return problem(input, 'multiple :: in address', rest);
      gap = bytes.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') return problem(input, 'trailing garbage after address', rest);
  if (bytes.length === 16) {
    return gap >= 0 ? problem(input, 'the :: must expand to at least one field of zeros') : { bytes, zone };
  }
  if (gap < 0) return problem(input, 'address string too short');
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return { bytes: [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap)], zone };
}
