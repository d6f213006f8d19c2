import { quoteText } from '../print.ts';
import { parseAddress } from './ip-address.ts';

/** The parts of a URL as Go's `net/url` keeps them. */
export interface UrlParts {
  readonly scheme: string;
  readonly opaque: string;
  readonly userInfo: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly rawPath: string;
  readonly query: string;
  readonly hasQuery: boolean;
  readonly omitHost: boolean;
  readonly fragment: string;
}

/** A text that is no URL; the message is Go's. */
export class UrlError extends Error {
  override readonly name = 'UrlError';
}

type Mode = 'path' | 'host' | 'zone' | 'query' | 'user' | 'fragment';

/** Reads a URL as Go's `url.Parse`, or with `request` as `url.ParseRequestURI` does. Throws a {@link UrlError}. */
export function parseUrl(text: string, request: boolean): UrlParts {
  const hash = request ? -1 : text.indexOf('#');
  const body = hash < 0 ? text : text.slice(0, hash);
  try {
    return { ...parseParts(body, request), fragment: hash < 0 ? '' : unescapeUrl(text.slice(hash + 1), 'fragment') };
  } catch (error) {
    if (error instanceof UrlError) throw new UrlError(`parse ${quoteText(body)}: ${error.message}`);
    throw error;
  }
}

function parseParts(text: string, request: boolean): UrlParts {
  // oxlint-disable-next-line no-control-regex -- control bytes are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlError('net/url: invalid control character in URL');
  if (text === '' && request) throw new UrlError('empty url');
  const empty: UrlParts = {
    scheme: '',
    opaque: '',
    userInfo: undefined,
    host: '',
    path: '',
    rawPath: '',
    query: '',
    hasQuery: false,
    omitHost: false,
    fragment: '',
  };
  if (text === '*') return { ...empty, path: '*' };
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const rawScheme = /^([A-Za-z][A-Za-z\d+.-]*):/.exec(text)?.[1];
  const scheme = rawScheme?.toLowerCase() ?? '';
  let rest = rawScheme === undefined ? text : text.slice(rawScheme.length + 1);
  const question = rest.indexOf('?');
  const query = question < 0 ? '' : rest.slice(question + 1);
  if (question >= 0) rest = rest.slice(0, question);
  const parts = { ...empty, scheme, query, hasQuery: question >= 0 };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: rest };
    if (request) throw new UrlError('invalid URI for request');
    if ((rest.split('/')[0] ?? '').includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
  }
  let authority: { userInfo: string | undefined; host: string } = { userInfo: undefined, host: '' };
  let omitHost = false;
  if ((scheme !== '' || (!request && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    authority = parseAuthority(scheme, slash < 0 ? rest.slice(2) : rest.slice(2, slash));
    rest = slash < 0 ? '' : rest.slice(slash);
  } else if (scheme !== '' && rest.startsWith('/')) {
    omitHost = true;
  }
  const path = unescapeUrl(rest, 'path');
  return { ...parts, ...authority, omitHost, path, rawPath: escapePath(path) === rest ? '' : rest };
}

function parseAuthority(scheme: string, authority: string): { userInfo: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userInfo: undefined, host };
  const userInfo = authority.slice(0, at);
  if (!/^[A-Za-z\d\-._:~!$&'()*+,;=%@]*$/.test(userInfo)) throw new UrlError('net/url: invalid userinfo');
  const colon = userInfo.indexOf(':');
  const user = unescapeUrl(colon < 0 ? userInfo : userInfo.slice(0, colon), 'user');
  if (colon < 0) return { userInfo: escapeBytes(user, userByte), host };
  const password = unescapeUrl(userInfo.slice(colon + 1), 'user');
  return { userInfo: `${escapeBytes(user, userByte)}:${escapeBytes(password, userByte)}`, host };
}

function checkPort(text: string): void {
  if (!/^(?::\d*)?$/.test(text)) throw new UrlError(`invalid port ${quoteText(text)} after host`);
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  if (open === 0) return parseBracketedHost(host);
  const colon = host.indexOf(':');
  if (colon >= 0) checkPort(host.slice(scheme === 'http' || scheme === 'https' ? colon : host.lastIndexOf(':')));
  return unescapeUrl(host, 'host');
}

function parseBracketedHost(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const name =
    zone < 0
      ? unescapeUrl(inside, 'host')
      : unescapeUrl(inside.slice(0, zone), 'host') + unescapeUrl(inside.slice(zone), 'zone');
  const address = parseAddress(name);
  if (typeof address === 'string') throw new UrlError(`invalid host: ${address}`);
  if (address.bytes.length === 4) throw new UrlError('invalid IP-literal');
  return `[${name}]${unescapeUrl(port, 'host')}`;
}

const hostCharacter = /^[A-Za-z\d\-_.~!$&'()*+,;=:[\]<>"]$/;

/** Replaces `%xx`. In hosts escapes are for bytes beyond ASCII only. Throws a {@link UrlError}. */
export function unescapeUrl(text: string, mode: Mode): string {
  for (const match of text.matchAll(/%[\da-fA-F]{2}|%|[^%]/gsu)) {
    const [part] = match;
    if (part === '%') throw new UrlError(`invalid URL escape ${quoteText(text.slice(match.index, match.index + 3))}`);
    if (mode !== 'host' && mode !== 'zone') continue;
    const byte = part.length === 3 ? Number.parseInt(part.slice(1), 16) : undefined;
    if (byte === undefined) {
      if ((part.codePointAt(0) ?? 0) < 0x80 && !hostCharacter.test(part)) {
        throw new UrlError(`invalid character ${quoteText(part)} in host name`);
      }
    } else if (
      part !== '%25' &&
      (mode === 'host' ? byte < 0x80 : byte !== 0x20 && !hostCharacter.test(String.fromCharCode(byte)))
    ) {
      throw new UrlError(`invalid URL escape ${quoteText(part)}`);
    }
  }
  const spaced = mode === 'query' ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part] of spaced.matchAll(/%[\da-fA-F]{2}|[^%]/gsu)) {
    if (part.length === 3 && part.startsWith('%')) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...encoder.encode(part));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const pathByte = /^[A-Za-z\d\-_.~$&+,/:;=@]$/;
const userByte = /^[A-Za-z\d\-_.~$&+,;=]$/;

function escapeBytes(text: string, plain: RegExp): string {
  let result = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    result += byte < 0x80 && plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

export function escapePath(path: string): string {
  return escapeBytes(path, pathByte);
}

/** A host as a URL shows it. */
export function escapeHost(host: string): string {
  return escapeBytes(host, hostCharacter);
}

/** The path with its escapes: as it stood, where that is valid. */
export function escapedPath(parts: UrlParts): string {
  if (parts.rawPath !== '' && /^[A-Za-z\d\-_.~$&+,/:;=@!'()*[\]%]*$/.test(parts.rawPath)) return parts.rawPath;
  return parts.path === '*' ? '*' : escapePath(parts.path);
}

/** The parameters of a query; those that cannot be read are left out. */
export function parseQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    try {
      const name = unescapeUrl(equals < 0 ? part : part.slice(0, equals), 'query');
      const value = equals < 0 ? '' : unescapeUrl(part.slice(equals + 1), 'query');
      parameters.set(name, [...(parameters.get(name) ?? []), value]);
    } catch (error) {
      if (!(error instanceof UrlError)) throw error;
    }
  }
  return parameters;
}
