import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { ArrayList } from '../lists.ts';
import { EntriesMap } from '../maps.ts';
import { boolType, listOf, mapOf, stringType, urlType } from '../types.ts';
import { CelError, noSuchOverload, type Value } from '../values.ts';
import { escapedPath, parseQuery, parseUrl, UrlError, type UrlParts } from './url-parser.ts';
import { Url } from './url-value.ts';

function parse(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  try {
    parseUrl(text, true);
    return new Url(parseUrl(text, false));
  } catch (error) {
    if (error instanceof UrlError)
      return new CelError(`URL parse error during conversion from string: ${error.message}`);
    throw error;
  }
}

function isUrl(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  try {
    parseUrl(text, true);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

/** Host and port; brackets around an IPv6 address are left out. */
function splitHost(host: string): { name: string; port: string } {
  const match = /^(.*):(\d*)$/s.exec(host);
  const name = match?.[1] ?? host;
  return { name: name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name, port: match?.[2] ?? '' };
}

function getter(name: string, id: string, read: (parts: UrlParts) => string) {
  const call = (args: readonly Value[]): Value => {
    const url = argument(args, 0);
    return url instanceof Url ? read(url.parts) : noSuchOverload(url);
  };
  return declare(name, member(id, [urlType], stringType, call));
}

function query(args: readonly Value[]): Value {
  const url = argument(args, 0);
  if (!(url instanceof Url)) return noSuchOverload(url);
  return new EntriesMap(
    Array.from(parseQuery(url.parts.query), ([name, values]) => [name, new ArrayList(values)] as const),
  );
}

/** URLs. */
export const urlsLibrary: Library = {
  since: 0,
  functions: [
    declare(
      'url',
      overload('string_to_url', [stringType], urlType, (args) => parse(argument(args, 0))),
    ),
    getter('getScheme', 'url_get_scheme', (parts) => parts.scheme),
    getter('getHost', 'url_get_host', (parts) => parts.host),
    getter('getHostname', 'url_get_hostname', (parts) => splitHost(parts.host).name),
    getter('getPort', 'url_get_port', (parts) => splitHost(parts.host).port),
    getter('getEscapedPath', 'url_get_escaped_path', escapedPath),
    declare('getQuery', member('url_get_query', [urlType], mapOf(stringType, listOf(stringType)), query)),
    declare(
      'isURL',
      overload('is_url_string', [stringType], boolType, (args) => isUrl(argument(args, 0))),
    ),
  ],
};
