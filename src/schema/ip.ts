/** IP addresses as Go's `net` and `net/netip` read them. */

/** The 4 or 16 bytes of an address, or undefined. */
export type AddressBytes = readonly number[];

export interface IpOptions {
  /** As Kubernetes read addresses before Go 1.17: leading zeros are ignored. */
  readonly sloppy?: boolean;
}

/** Reads an IPv4 address in dotted form. */
export function parseIpv4(text: string, options: IpOptions = {}): AddressBytes | undefined {
  const fields = text.split('.');
  if (fields.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const field of fields) {
    if (!/^\d+$/.test(field)) return undefined;
    if (options.sloppy !== true && field.length > 1 && field.startsWith('0')) return undefined;
    const value = Number(field);
    if (value > 255) return undefined;
    bytes.push(value);
  }
  return bytes;
}

/** Reads an IPv6 address without a zone: eight groups, `::` for at least one of them, an IPv4 address at the end. */
export function parseIpv6(text: string, options: IpOptions = {}): AddressBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', options, halves.length === 1);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const tail = parseGroups(halves[1] ?? '', options, true);
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  return [...head, ...Array.from({ length: 16 - head.length - tail.length }, () => 0), ...tail];
}

/** Reads an address of either kind as `net.ParseIP`: the first dot or colon decides which. */
export function parseIp(text: string, options: IpOptions = {}): AddressBytes | undefined {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === undefined) return undefined;
  return separator === '.' ? parseIpv4(text, options) : parseIpv6(text, options);
}

function parseGroups(text: string, options: IpOptions, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (isEnd && index === groups.length - 1 && group.includes('.')) {
      const address = parseIpv4(group, options);
      if (address === undefined) return undefined;
      bytes.push(...address);
      continue;
    }
    if (!(options.sloppy === true ? /^0*[0-9a-fA-F]{1,4}$/ : /^[0-9a-fA-F]{1,4}$/).test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 255);
  }
  return bytes.length <= 16 ? bytes : undefined;
}
