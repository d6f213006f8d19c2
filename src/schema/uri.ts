import { goQuote } from './go-format.ts';
import { parseIpv6 } from './ip.ts';

/** Whether Go's `url.ParseRequestURI` accepts the text: an absolute URI, an absolute path or `*`; a fragment is part of the path. */
export function isRequestUri(text: string): boolean {
  return !('problem' in parseRequestUri(text));
}

/** The parts of a URL, as they stand in the text. */
export interface UrlParts {
  /** In lower case; '' when there is none. */
  readonly scheme: string;
  readonly userInfo?: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** A text that is no URL, in Go's words (`parse "https://a b": invalid character " " in host name`). */
export interface UrlProblem {
  readonly problem: string;
}

/** `url.ParseRequestURI`. */
export function parseRequestUri(text: string): UrlParts | UrlProblem {
  return guarded(text, () => parse(text, true));
}

/** `url.Parse`: also relative references, and fragments. */
export function parseUrl(text: string): UrlParts | UrlProblem {
  const [main, fragment] = cut(text, '#');
  const url = guarded(main, () => parse(main, false));
  return 'problem' in url ? url : guarded(text, () => ({ ...url, fragment: checkEscapes(fragment) }));
}

class UrlError extends Error {}

function guarded(text: string, run: () => UrlParts): UrlParts | UrlProblem {
  try {
    return run();
  } catch (error) {
    if (error instanceof UrlError) return { problem: `parse ${goQuote(text)}: ${error.message}` };
    throw error;
  }
}

function parse(text: string, isRequest: boolean): UrlParts {
  // oxlint-disable-next-line no-control-regex -- control bytes are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlError('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlError('empty url');
  const none = { scheme: '', host: '', path: '', query: '', fragment: '' };
  if (text === '*') return { ...none, path: '*' };
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const parts = { ...none, scheme: scheme.toLowerCase() };
  const [beforeQuery, query] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?');
  let path = beforeQuery;
  if (!path.startsWith('/')) {
    if (scheme !== '') return { ...parts, query };
    if (isRequest) throw new UrlError('invalid URI for request');
    if (cut(path, '/')[0].includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
  }
  let authority: Pick<UrlParts, 'host' | 'userInfo'> = { host: '' };
  if ((scheme !== '' || (!isRequest && !path.startsWith('///'))) && path.startsWith('//')) {
    const slash = path.indexOf('/', 2);
    authority = parseAuthority(parts.scheme, slash < 0 ? path.slice(2) : path.slice(2, slash));
    path = slash < 0 ? '' : path.slice(slash);
  }
  return { ...parts, ...authority, path: checkEscapes(path), query };
}

function parseAuthority(scheme: string, authority: string): Pick<UrlParts, 'host' | 'userInfo'> {
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  checkHost(scheme, host);
  if (at < 0) return { host };
  const userInfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo)) throw new UrlError('net/url: invalid userinfo');
  return { host, userInfo: checkEscapes(userInfo) };
}

function cut(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}

function checkEscapes(text: string): string {
  const bad = text.search(/%(?![0-9a-fA-F]{2})/);
  if (bad >= 0) throw escapeError(text.slice(bad, bad + 3));
  return text;
}

function escapeError(text: string): UrlError {
  return new UrlError(`invalid URL escape ${goQuote(text)}`);
}

function checkHost(scheme: string, host: string): void {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  if (open === 0) {
    checkBracketedHost(host);
    return;
  }
  const colon = host.indexOf(':');
  if (colon >= 0) {
    const isStrict = scheme === 'http' || scheme === 'https';
    checkPort(host.slice(isStrict ? colon : host.lastIndexOf(':')));
  }
  unescapeHost(host);
}

function checkBracketedHost(host: string): void {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  checkPort(host.slice(close + 1));
  const inside = host.slice(1, close);
  const zoneStart = inside.indexOf('%25');
  const address =
    zoneStart < 0
      ? unescapeHost(inside)
      : unescapeHost(inside.slice(0, zoneStart)) + unescapeHost(inside.slice(zoneStart), true);
  if (!isAddress(address)) throw new UrlError(`invalid host: ParseAddr(${goQuote(address)}): unable to parse IP`);
}

function isAddress(text: string): boolean {
  const percent = text.indexOf('%');
  if (percent < 0) return parseIpv6(text) !== undefined;
  return percent < text.length - 1 && parseIpv6(text.slice(0, percent)) !== undefined;
}

function checkPort(text: string): void {
  if (text !== '' && !/^:\d*$/.test(text)) throw new UrlError(`invalid port ${goQuote(text)} after host`);
}

const hostByte = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/;

/** Escapes in a host stand for bytes beyond ASCII or for `%` only; in a zone for what could stand there unescaped, and blanks. */
function unescapeHost(text: string, isZone = false): string {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '%') {
      const hex = text.slice(i + 1, i + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(hex)) throw escapeError(text.slice(i, i + 3));
      const byte = String.fromCharCode(Number.parseInt(hex, 16));
      const isRefused = isZone ? byte !== ' ' && !hostByte.test(byte) : byte < '\x80';
      if (hex !== '25' && isRefused) throw escapeError(`%${hex}`);
      result += byte;
      i += 2;
    } else {
      if (character < '\x80' && !hostByte.test(character)) {
        throw new UrlError(`invalid character ${goQuote(character)} in host name`);
      }
      result += character;
    }
  }
  return result;
}
