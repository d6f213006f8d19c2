import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { quoteText } from '../print.ts';
import { boolType, cidrType, intType, ipType, stringType } from '../types.ts';
import { CelError, CelObject, noSuchOverload, type Value } from '../values.ts';
import { IpAddress, isMapped, parseAddress, printAddress } from './ip-address.ts';
import { toIp } from './ip.ts';

/** An address with the length of its prefix. */
export class Cidr extends CelObject {
  override readonly type = cidrType;
  readonly bytes: readonly number[];
  readonly bits: number;

  constructor(bytes: readonly number[], bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  override equal(other: Value): Value {
    return other instanceof Cidr ? this.toString() === other.toString() : noSuchOverload(other);
  }

  override toString(): string {
    return `${printAddress(this.bytes)}/${this.bits}`;
  }

  /** Whether an address begins with this prefix. */
  contains(bytes: readonly number[], bits = this.bits): boolean {
    if (bytes.length !== this.bytes.length) return false;
    return masked(bytes, bits).join('.') === masked(this.bytes, bits).join('.');
  }
}

function masked(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, (index + 1) * 8 - bits))) & 0xff);
}

function parsePrefix(text: string): Cidr | string {
  const refuse = (message: string): string => `netip.ParsePrefix(${quoteText(text)}): ${message}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (typeof address === 'string') return refuse(address);
  if (address.zone !== '') return refuse('IPv6 zones cannot be present in a prefix');
  const bitsText = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d{1,17})$/.test(bitsText)) {
    return /^[+-]\d$/.test(bitsText)
      ? refuse(`bad bits after slash: ${quoteText(bitsText)}`)
      : refuse(badBits(bitsText));
  }
  const bits = Number(bitsText);
  return bits > address.bytes.length * 8 ? refuse('prefix length out of range') : new Cidr(address.bytes, bits);
}

function badBits(text: string): string {
  return `bad bits after slash: ${quoteText(text)}`;
}

function toCidr(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  const prefix = 'network address parse error during conversion from string: ';
  const parsed = parsePrefix(text);
  if (typeof parsed === 'string') return new CelError(prefix + prefix + parsed);
  if (isMapped(parsed.bytes))
    return new CelError(`${prefix}IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`);
  return parsed;
}

function containsIp(cidr: Value, address: Value): Value {
  if (!(cidr instanceof Cidr)) return noSuchOverload(address);
  return address instanceof IpAddress ? cidr.contains(address.bytes) : noSuchOverload(cidr);
}

function containsCidr(cidr: Value, other: Value): Value {
  if (!(cidr instanceof Cidr)) return noSuchOverload(cidr);
  if (!(other instanceof Cidr)) return noSuchOverload(other);
  return cidr.bits <= other.bits && cidr.contains(other.bytes);
}

function onCidr(call: (cidr: Cidr) => Value) {
  return (args: readonly Value[]): Value => {
    const cidr = argument(args, 0);
    return cidr instanceof Cidr ? call(cidr) : noSuchOverload(cidr);
  };
}

/** Networks. */
export const cidrLibrary: Library = {
  since: 30,
  types: [cidrType],
  functions: [
    declare(
      'cidr',
      overload('string_to_cidr', [stringType], cidrType, (args) => toCidr(argument(args, 0))),
    ),
    declare(
      'containsIP',
      member('cidr_contains_ip_string', [cidrType, stringType], boolType, (args) =>
        containsIp(argument(args, 0), toIp(argument(args, 1))),
      ),
      member('cidr_contains_ip_ip', [cidrType, ipType], boolType, (args) =>
        containsIp(argument(args, 0), argument(args, 1)),
      ),
    ),
    declare(
      'containsCIDR',
      member('cidr_contains_cidr_string', [cidrType, stringType], boolType, (args) =>
        containsCidr(argument(args, 0), toCidr(argument(args, 1))),
      ),
      member('cidr_contains_cidr', [cidrType, cidrType], boolType, (args) =>
        containsCidr(argument(args, 0), argument(args, 1)),
      ),
    ),
    declare(
      'ip',
      member(
        'cidr_ip',
        [cidrType],
        ipType,
        onCidr((cidr) => new IpAddress(cidr.bytes)),
      ),
    ),
    declare(
      'prefixLength',
      member(
        'cidr_prefix_length',
        [cidrType],
        intType,
        onCidr((cidr) => BigInt(cidr.bits)),
      ),
    ),
    declare(
      'masked',
      member(
        'cidr_masked',
        [cidrType],
        cidrType,
        onCidr((cidr) => new Cidr(masked(cidr.bytes, cidr.bits), cidr.bits)),
      ),
    ),
    declare(
      'isCIDR',
      overload('is_cidr', [stringType], boolType, (args) => toCidr(argument(args, 0)) instanceof Cidr),
    ),
    declare(
      'string',
      overload(
        'cidr_to_string',
        [cidrType],
        stringType,
        onCidr((cidr) => cidr.toString()),
      ),
    ),
  ],
};
