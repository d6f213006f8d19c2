import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { quoteText } from '../print.ts';
import { boolType, intType, ipType, stringType } from '../types.ts';
import { CelError, noSuchOverload, type Value } from '../values.ts';
import { IpAddress, isMapped, parseAddress } from './ip-address.ts';

/** An address without a zone that stands for itself. */
export function toIp(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  const parsed = parseAddress(text);
  if (typeof parsed === 'string') {
    return new CelError(`IP Address ${quoteText(text)} parse error during conversion from string: ${parsed}`);
  }
  if (parsed.zone !== '') return new CelError(`IP address ${quoteText(text)} with zone value is not allowed`);
  if (isMapped(parsed.bytes)) return new CelError(`IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`);
  return new IpAddress(parsed.bytes);
}

function isCanonical(text: Value): Value {
  const address = toIp(text);
  return address instanceof IpAddress ? address.toString() === text : address;
}

function test(name: string, id: string, holds: (bytes: readonly number[]) => boolean) {
  const call = (args: readonly Value[]): Value => {
    const address = argument(args, 0);
    return address instanceof IpAddress ? holds(address.bytes) : noSuchOverload(address);
  };
  return declare(name, member(id, [ipType], boolType, call));
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback([first = 0, ...others]: readonly number[]): boolean {
  if (others.length === 3) return first === 127;
  return first === 0 && others.slice(0, -1).every((byte) => byte === 0) && others.at(-1) === 1;
}

function isLinkLocalMulticast([first = 0, second = 0, third = 0, ...others]: readonly number[]): boolean {
  return others.length === 1 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2;
}

function isLinkLocalUnicast([first = 0, second = 0, ...others]: readonly number[]): boolean {
  return others.length === 2 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isMulticast([first = 0, ...others]: readonly number[]): boolean {
  return others.length === 3 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

function isGlobalUnicast(bytes: readonly number[]): boolean {
  const broadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !broadcast && !isUnspecified(bytes) && !isLoopback(bytes) && !isMulticast(bytes) && !isLinkLocalUnicast(bytes);
}

function onAddress(call: (address: IpAddress) => Value) {
  return (args: readonly Value[]): Value => {
    const address = argument(args, 0);
    return address instanceof IpAddress ? call(address) : noSuchOverload(address);
  };
}

/** IP addresses. */
export const ipLibrary: Library = {
  since: 30,
  types: [ipType],
  functions: [
    declare(
      'ip',
      overload('string_to_ip', [stringType], ipType, (args) => toIp(argument(args, 0))),
    ),
    declare(
      'family',
      member(
        'ip_family',
        [ipType],
        intType,
        onAddress((address) => (address.bytes.length === 4 ? 4n : 6n)),
      ),
    ),
    declare(
      'ip.isCanonical',
      overload('ip_is_canonical', [stringType], boolType, (args) => isCanonical(argument(args, 0))),
    ),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopback),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    declare(
      'isIP',
      overload('is_ip', [stringType], boolType, (args) => toIp(argument(args, 0)) instanceof IpAddress),
    ),
    declare(
      'string',
      overload(
        'ip_to_string',
        [ipType],
        stringType,
        onAddress((address) => address.toString()),
      ),
    ),
  ],
};
