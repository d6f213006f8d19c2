import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { ServingCertificate } from './http-listener.ts';

const oneHour = 3_600_000;
const oneYear = 365 * 24 * oneHour;

/**
 * A self-signed certificate for `localhost`, valid for a year, as controller-runtime makes for a metrics endpoint that was given none: it
 * encrypts, but nobody can verify it. ECDSA on P-256.
 *
 * @param now milliseconds since 1970.
 */
export function selfSignedCertificate(now: number): ServingCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(objectIdentifier('2a8648ce3d040302'));
  const name = sequence(set(sequence(objectIdentifier('550403'), utf8('localhost'))));
  const toBeSigned = sequence(
    tagged(0, integer(Buffer.from([2]))), // Version 3.
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    sequence(time(now - oneHour), time(now + oneYear)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(alternativeName('localhost'))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** DER: a tag, the length, the content. */
function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => encode(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]): Buffer => encode(0x31, ...parts);
const integer = (bytes: Uint8Array): Buffer => encode(0x02, bytes);
const objectIdentifier = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text));
const bitString = (bytes: Uint8Array): Buffer => encode(0x03, Buffer.from([0]), bytes);
const tagged = (tag: number, content: Uint8Array): Buffer => encode(0xa0 + tag, content);

/** `YYYYMMDDHHMMSSZ`: GeneralizedTime. */
function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  // Years before 2050 must be written with two digits.
  return Number(text.slice(0, 4)) < 2050 ? encode(0x17, Buffer.from(text.slice(2))) : encode(0x18, Buffer.from(text));
}

/** The extension subjectAltName with one DNS name. */
function alternativeName(host: string): Buffer {
  return sequence(objectIdentifier('551d11'), encode(0x04, sequence(encode(0x82, Buffer.from(host)))));
}
