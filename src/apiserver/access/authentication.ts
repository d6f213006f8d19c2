import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { RequestInfo } from '../http/request-info.ts';
import { ApiError, forbidden, unauthorized } from '../status.ts';
import { deniedText, type Attributes, type Decision } from './rbac.ts';
import { anonymous, makeUser, serviceAccountOf, type User } from './user.ts';

/** Who a bearer token stands for; nothing when the token is unknown. */
export type TokenLookup = (token: string) => User | undefined;

/** Whether a client's certificate is one of ours. */
export type CertificateCheck = (certificate: X509Certificate) => boolean;

/**
 * Who sends a request: by bearer token, by client certificate, or nobody.
 *
 * @throws ApiError 401 for a token that is unknown
 */
export function authenticate(request: IncomingMessage, tokens: TokenLookup, isOurs: CertificateCheck): User {
  const header = request.headers.authorization;
  const match = header === undefined ? null : /^bearer +(\S+) *$/i.exec(header);
  if (match !== null) {
    const user = tokens(match[1] ?? '');
    if (user === undefined) throw unauthorized();
    return user;
  }
  const { socket } = request;
  if (!(socket instanceof TLSSocket)) return anonymous;
  let user = certificateUsers.get(socket);
  if (user === undefined) certificateUsers.set(socket, (user = certificateUser(socket, isOurs)));
  return user;
}

const certificateUsers = new WeakMap<TLSSocket, User>();

/** The subject of a certificate is the user (CN) and the groups (O). */
function certificateUser(socket: TLSSocket, isOurs: CertificateCheck): User {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isOurs(certificate)) return anonymous;
  const parts = certificate.subject
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  const name = parts.find(([type]) => type === 'CN')?.[1] ?? '';
  const groups = parts.filter(([type]) => type === 'O').map(([, value]) => value);
  return name === '' ? anonymous : makeUser(name, groups);
}

const extraPrefix = 'impersonate-extra-';

function values(header: string | string[] | undefined): readonly string[] {
  return header === undefined ? [] : Array.isArray(header) ? header : [header];
}

/**
 * The user that a request wants to be taken for, when its own user may do that.
 *
 * @throws ApiError 403, 500
 */
export function impersonate(
  request: IncomingMessage,
  user: User,
  info: RequestInfo,
  authorize: (attributes: Attributes) => Decision,
): User {
  const raw = rawHeaders(request);
  const name = raw.get('impersonate-user')?.[0] ?? '';
  const groups = raw.get('impersonate-group') ?? [];
  const uid = raw.get('impersonate-uid')?.[0] ?? '';
  const extra: Record<string, readonly string[]> = {};
  for (const [header, given] of raw)
    if (header.startsWith(extraPrefix)) extra[decodeURIComponent(header.slice(extraPrefix.length))] = given;
  if (name === '') {
    if (groups.length > 0 || uid !== '' || Object.keys(extra).length > 0) {
      throw new ApiError(
        500,
        'InternalError',
        `Internal error occurred: requested impersonation of groups, uid or extra without impersonating a user`,
        {
          causes: [{ message: 'requested impersonation of groups, uid or extra without impersonating a user' }],
        },
      );
    }
    return user;
  }
  const account = serviceAccountOf(name);
  const check = (resource: string, group: string, who: string, namespace = '', subresource = ''): void => {
    const attributes: Attributes = {
      user,
      verb: 'impersonate',
      resourceRequest: true,
      namespace,
      group,
      resource,
      subresource,
      name: who,
      path: '',
    };
    if (authorize(attributes).allowed) return;
    // Since 1.36 the narrower permission is tried last, and it is the one that the answer names.
    const mode = account === undefined ? 'user-info' : 'serviceaccount';
    const narrow: Attributes = {
      user,
      verb: `impersonate-on:${mode}:${info.verb}`,
      resourceRequest: info.isResourceRequest,
      namespace: info.namespace,
      group: info.group,
      resource: info.resource,
      subresource: info.subresource,
      name: info.name,
      path: info.path,
    };
    const message = deniedText(narrow, '');
    if (!info.isResourceRequest) throw new ApiError(403, 'Forbidden', `forbidden: ${message}`, {});
    throw forbidden({ group: info.group, resource: info.resource }, info.name, message);
  };
  if (account === undefined) check('users', '', name);
  else check('serviceaccounts', '', account.name, account.namespace);
  for (const group of groups) check('groups', '', group);
  for (const [key, given] of Object.entries(extra))
    for (const value of given) check('userextras', 'authentication.k8s.io', value, '', key);
  if (uid !== '') check('uids', 'authentication.k8s.io', uid);
  return makeUser(name, groups, uid, extra);
}

/** Headers with all their values: Node joins repeated ones. */
function rawHeaders(request: IncomingMessage): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const [name, given] of Object.entries(request.headersDistinct))
    result.set(name.toLowerCase(), [...values(given)]);
  return result;
}
