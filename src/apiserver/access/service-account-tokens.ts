import { createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { isObject, text, type Json } from '../json.ts';
import { JsonSyntaxError, parseJsonText } from '../json-text.ts';
import { makeUser, serviceAccountUserName, type User } from './user.ts';

const issuer = 'https://kubernetes.default.svc.cluster.local';

export interface ServiceAccountToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Issues tokens of service accounts (JWT, ES256) and knows them again. */
export class ServiceAccountTokens {
  readonly #key: () => { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly #now: () => number;

  constructor(now: () => number) {
    let pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;
    this.#key = () => (pair ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    this.#now = now;
  }

  /** The audience that the server itself stands for. */
  get audience(): string {
    return issuer;
  }

  issue(
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    seconds: number,
    audiences: readonly string[],
    id: string,
  ): ServiceAccountToken {
    const now = Math.floor(this.#now() / 1000);
    const expires = now + seconds;
    const claims = {
      aud: audiences.length === 0 ? [issuer] : audiences,
      exp: expires,
      iat: now,
      iss: issuer,
      jti: id,
      'kubernetes.io': { namespace: account.namespace, serviceaccount: { name: account.name, uid: account.uid } },
      nbf: now,
      sub: serviceAccountUserName(account.namespace, account.name),
    };
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key().privateKey, dsaEncoding: 'ieee-p1363' });
    return { token: `${signed}.${signature.toString('base64url')}`, expires: expires * 1000 };
  }

  /** The user of a token that is ours and valid; `uidOf` tells which account exists. */
  verify(
    token: string,
    uidOf: (namespace: string, name: string) => string | undefined,
  ): { readonly user: User; readonly audiences: readonly string[] } | undefined {
    const [head = '', body = '', signature = ''] = token.split('.');
    if (signature === '') return undefined;
    const { publicKey } = this.#key();
    const ours = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!ours) return undefined;
    const claims = parseClaims(body);
    if (claims === undefined || !isObject(claims) || Number(claims['exp'] ?? 0) * 1000 <= this.#now()) return undefined;
    const account = claims['kubernetes.io'];
    const namespace = text(account, 'namespace');
    const name = text(account, 'serviceaccount', 'name');
    const uid = text(account, 'serviceaccount', 'uid');
    if (uidOf(namespace, name) !== uid) return undefined;
    const audiences = Array.isArray(claims['aud']) ? (claims['aud'] as string[]) : [];
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${text(claims, 'jti')}`] };
    return { user: makeUser(serviceAccountUserName(namespace, name), [], uid, extra), audiences };
  }
}

function parseClaims(body: string): Json | undefined {
  try {
    return parseJsonText(Buffer.from(body, 'base64url').toString('utf8'));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
