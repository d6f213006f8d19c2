import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';

/**
 * Certificates with EC keys, written by hand: an ASN.1 library would take longer to load than the whole server takes to start.
 * The structure is RFC 5280's.
 */

/** A certificate and its private key as PEM texts. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** CN of the subject. */
  readonly commonName: string;
  /** O of the subject, each on its own: the groups of a client. */
  readonly organizations?: readonly string[];
  /** Names and IP addresses of a server. */
  readonly hosts?: readonly string[];
  readonly usage: 'server' | 'client';
}

const day = 24 * 60 * 60 * 1000;

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

const sequence = (...content: readonly Buffer[]): Buffer => element(0x30, ...content);

function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let value = part >>> 7; value > 0; value >>>= 7) digits.unshift((value & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return element(0x06, Buffer.from(bytes));
}

function integer(bytes: Buffer): Buffer {
  return element(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));

function name(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    element(0x31, sequence(objectIdentifier(type), utf8(value)));
  return sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );
}

function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return element(0x18, Buffer.from(`${text}Z`));
}

function extension(type: string, critical: boolean, value: Buffer): Buffer {
  return sequence(
    objectIdentifier(type),
    ...(critical ? [element(0x01, Buffer.from([0xff]))] : []),
    element(0x04, value),
  );
}

/** A subject alternative name. `isIP` of node:net would do, but compiling its expressions takes longer than all the rest here. */
function address(host: string): Buffer {
  if (/^\d+(\.\d+){3}$/.test(host)) return element(0x87, Buffer.from(host.split('.').map(Number)));
  if (!host.includes(':')) return element(0x82, Buffer.from(host));
  const [head = '', tail] = host.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle: string[] = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const words = [...left, ...middle, ...right].map((word) => Number.parseInt(word, 16));
  return element(0x87, Buffer.from(words.flatMap((word) => [word >>> 8, word & 0xff])));
}

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function keyIdentifier(publicKey: Buffer): Buffer {
  return createHash('sha1').update(publicKey).digest();
}

interface Issue {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: Buffer;
  readonly signingKey: KeyObject;
  readonly now: number;
  readonly days: number;
  readonly extensions: readonly Buffer[];
}

function issue({ subject, issuer, publicKey, signingKey, now, days, extensions }: Issue): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    issuer,
    // An hour back, so that clocks that differ a little do not matter.
    sequence(time(now - 60 * 60 * 1000), time(now + days * day)),
    subject,
    publicKey,
    element(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signingKey);
  return pem('CERTIFICATE', sequence(body, ecdsaWithSha256, element(0x03, Buffer.from([0]), signature)));
}

function newKey(): { readonly publicKey: Buffer; readonly privateKey: KeyObject; readonly pem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey,
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** An authority of one process: it signs the server's certificate and those of clients. */
export class CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #subject: Buffer;
  readonly #identifier: Buffer;
  readonly #now: number;

  constructor(now: number, commonName = 'create-operator-apiserver') {
    const key = newKey();
    this.#now = now;
    this.#key = key.privateKey;
    this.#publicKey = createPublicKey(key.privateKey);
    this.#subject = name(commonName, []);
    this.#identifier = keyIdentifier(key.publicKey);
    this.certificate = issue({
      subject: this.#subject,
      issuer: this.#subject,
      publicKey: key.publicKey,
      signingKey: key.privateKey,
      now,
      days: 3650,
      extensions: [
        extension('2.5.29.19', true, sequence(element(0x01, Buffer.from([0xff])))),
        // keyCertSign and digitalSignature
        extension('2.5.29.15', true, element(0x03, Buffer.from([2, 0x84]))),
        extension('2.5.29.14', false, element(0x04, this.#identifier)),
      ],
    });
  }

  /** Whether a certificate was signed here and is valid now. */
  issued(certificate: X509Certificate, now: number): boolean {
    if (!certificate.verify(this.#publicKey)) return false;
    return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
  }

  /** Makes a key and a certificate for it, valid for a year. */
  issue(request: CertificateRequest): CertificatePair {
    const key = newKey();
    const usage = request.usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
    const hosts = request.hosts ?? [];
    const certificate = issue({
      subject: name(request.commonName, request.organizations ?? []),
      issuer: this.#subject,
      publicKey: key.publicKey,
      signingKey: this.#key,
      now: this.#now,
      days: 365,
      extensions: [
        extension('2.5.29.15', true, element(0x03, Buffer.from([7, 0x80]))),
        extension('2.5.29.37', false, sequence(objectIdentifier(usage))),
        extension('2.5.29.35', false, sequence(element(0x80, this.#identifier))),
        ...(hosts.length === 0 ? [] : [extension('2.5.29.17', false, sequence(...hosts.map(address)))]),
      ],
    });
    return { certificate, key: key.pem };
  }
}
