import type { Credentials, Impersonation } from '../config/types.ts';

/** The header that shows a token, or a name and password. */
export function authorization(credentials: Credentials): Record<string, string> {
  if (credentials.token !== undefined) return { authorization: `Bearer ${credentials.token}` };
  if (credentials.basic === undefined) return {};
  const { username, password } = credentials.basic;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** The headers that say as whom to act. */
export function impersonation(as: Impersonation | undefined): Record<string, string | string[]> {
  if (as === undefined) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': as.user };
  if (as.uid !== undefined) headers['impersonate-uid'] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers['impersonate-group'] = [...as.groups];
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    // Keys are lower-cased by the server; what is no token of HTTP is percent-encoded, as by client-go.
    headers[`impersonate-extra-${encodeURIComponent(key).replace(/[()]/g, percentEncoded)}`] = [...values];
  }
  return headers;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

export function sameCredentials(one: Credentials, other: Credentials): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The operating system's, or OpenSSL's, code of an error or of what caused it: `ECONNREFUSED`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? undefined : systemCode(error.cause);
}
