import { BlockList, isIP } from 'node:net';
import { ConfigurationError } from './types.ts';

/**
 * The proxy for an address, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or in lower case), by the rules of Go's
 * `http.ProxyFromEnvironment`, which client-go and kubectl follow: addresses of this machine are never proxied; NO_PROXY lists `*`,
 * domains (with their subdomains; a leading dot for these alone), addresses and CIDR blocks, each but the blocks with an optional port.
 * Throws a `ConfigurationError` for a proxy of another kind, as SOCKS.
 */
export function proxyFromEnvironment(
  server: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const url = new URL(server);
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = either(env, variable);
  if (proxy === '' || !isProxied(url, either(env, 'NO_PROXY'))) return undefined;
  return httpProxy(proxy.includes('://') ? proxy : `http://${proxy}`, variable);
}

/** The URL, if it is one of an HTTP proxy; `place` says where it comes from. Throws a `ConfigurationError`, without its password. */
export function httpProxy(url: string, place: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'http:' || protocol === 'https:') return url;
  const what = protocol === undefined ? 'is no URL' : `has the scheme ${protocol.slice(0, -1)}`;
  throw new ConfigurationError(
    `the proxy of ${place} ${what}: only HTTP proxies are supported (http://host:port or https://host:port)`,
  );
}

function either(env: Readonly<Record<string, string | undefined>>, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function isProxied(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || (isIP(host) !== 0 && isIn('127.0.0.0/8', host)) || host === '::1') return false;
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return !entries.some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) !== 0 && isIn(entry, host);
  const { name, only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const domain = name.startsWith('*.') ? name.slice(1) : name;
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

/** `host`, `host:port`, `[::1]:port`; an IPv6 address alone has no port. */
function splitPort(entry: string): { readonly name: string; readonly only?: string } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
  const [, name, only] = bracketed ?? /^([^:]+):(\d+)$/.exec(entry) ?? [];
  return name === undefined ? { name: entry } : { name, ...(only === undefined ? {} : { only }) };
}

function isIn(block: string, address: string): boolean {
  const [network = '', bits = ''] = block.split('/');
  const family = isIP(network);
  if (family === 0 || family !== isIP(address) || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, Number(bits), type);
  return list.check(address, type);
}
