import { parseIpv6 } from './ip.ts';

/** Whether Go's `url.ParseRequestURI` accepts the text: an absolute URI, an absolute path or `*`; a fragment is part of the path. */
export function isRequestUri(text: string): boolean {
  return parseRequestUri(text) !== undefined;
}

interface RequestUri {
  readonly scheme: string;
  readonly userInfo?: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

function parseRequestUri(text: string): RequestUri | undefined {
  // oxlint-disable-next-line no-control-regex -- control bytes are what is refused
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return undefined;
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  if (text.startsWith(':')) return undefined;
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const [beforeQuery, query] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?');
  if (!beforeQuery.startsWith('/')) return scheme === '' ? undefined : { scheme, host: '', path: beforeQuery, query };
  let path = beforeQuery;
  let host = '';
  let userInfo: string | undefined;
  if (scheme !== '' && path.startsWith('//')) {
    const slash = path.indexOf('/', 2);
    const authority = slash < 0 ? path.slice(2) : path.slice(2, slash);
    path = slash < 0 ? '' : path.slice(slash);
    const at = authority.lastIndexOf('@');
    host = authority.slice(at + 1);
    if (!isHost(scheme.toLowerCase(), host)) return undefined;
    if (at >= 0) {
      userInfo = authority.slice(0, at);
      if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo) || !hasValidEscapes(userInfo)) return undefined;
    }
  }
  if (!hasValidEscapes(path)) return undefined;
  return userInfo === undefined ? { scheme, host, path, query } : { scheme, userInfo, host, path, query };
}

function cut(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isHost(scheme: string, host: string): boolean {
  const open = host.lastIndexOf('[');
  if (open > 0) return false;
  if (open === 0) return isBracketedHost(host);
  const colon = host.indexOf(':');
  if (colon >= 0) {
    const isStrict = scheme === 'http' || scheme === 'https';
    if (!isOptionalPort(host.slice(isStrict ? colon : host.lastIndexOf(':')))) return false;
  }
  return unescapeHost(host) !== undefined;
}

function isBracketedHost(host: string): boolean {
  const close = host.lastIndexOf(']');
  if (close < 0 || !isOptionalPort(host.slice(close + 1))) return false;
  const inside = host.slice(1, close);
  const zoneStart = inside.indexOf('%25');
  if (zoneStart < 0) {
    const address = unescapeHost(inside);
    return address !== undefined && isAddress(address);
  }
  const address = unescapeHost(inside.slice(0, zoneStart));
  const zone = unescapeHost(inside.slice(zoneStart), true);
  return address !== undefined && zone !== undefined && isAddress(address + zone);
}

function isAddress(text: string): boolean {
  const percent = text.indexOf('%');
  if (percent < 0) return parseIpv6(text) !== undefined;
  return percent < text.length - 1 && parseIpv6(text.slice(0, percent)) !== undefined;
}

function isOptionalPort(text: string): boolean {
  return text === '' || /^:\d*$/.test(text);
}

const hostByte = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/;

/** Escapes in a host stand for bytes beyond ASCII or for `%` only; in a zone for what could stand there unescaped, and blanks. */
function unescapeHost(text: string, isZone = false): string | undefined {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '%') {
      const hex = text.slice(i + 1, i + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(hex)) return undefined;
      const byte = String.fromCharCode(Number.parseInt(hex, 16));
      if (!isZone && byte < '\x80' && hex !== '25') return undefined;
      if (isZone && hex !== '25' && byte !== ' ' && !hostByte.test(byte)) return undefined;
      result += byte;
      i += 2;
    } else {
      if (character < '\x80' && !hostByte.test(character)) return undefined;
      result += character;
    }
  }
  return result;
}
