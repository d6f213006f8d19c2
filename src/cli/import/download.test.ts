import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority, type CertificatePair } from '../../apiserver/access/certificates.ts';
import { UsageError } from '../usage-error.ts';
import { download, type DownloadLimits } from './download.ts';

const limits: DownloadLimits = { bytes: 1000, milliseconds: 20_000 };
let authority: CertificateAuthority;
let pair: CertificatePair;
beforeAll(() => {
  authority = new CertificateAuthority(Date.now());
  pair = authority.issue({ commonName: 'test', hosts: ['127.0.0.1'], usage: 'server' });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The address of a server that answers so. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer({ cert: pair.certificate, key: pair.key }, listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const trusted = (address: string, parts: Partial<DownloadLimits> = {}): Promise<string> =>
  download(address, { ...limits, ...parts }, { ca: authority.certificate, agent: false });

describe('download', () => {
  it('gives the text at a URL, redirects followed', async () => {
    const address = await serve((request, response) => {
      if (request.url === '/b') response.end('käse');
      else response.writeHead(302, { location: '/b' }).end();
    });
    expect(await trusted(`${address}/a`)).toBe('käse');
  });

  it('trusts no server whose certificate it cannot verify, whatever the environment says', async () => {
    const address = await serve((_, response) => response.end('text'));
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await expect(download(address, limits, { agent: false })).rejects.toThrow(
        /cannot be read: .*(certificate|issuer)/,
      );
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it.each<[string, RequestListener, Partial<DownloadLimits>, RegExp]>([
    ['another status', (_, response) => response.writeHead(404).end(), {}, /answers 404 Not Found$/],
    ['a text that is too long', (_, response) => response.end('a'.repeat(1001)), {}, /is longer than 1000 bytes/],
    ['a server that says nothing', () => {}, { milliseconds: 50 }, /did not answer within 0.05 s/],
    ['a server that stops in the middle', (_, response) => response.write('a'), { milliseconds: 50 }, /did not answer/],
    [
      'a redirect in a circle',
      (_, response) => response.writeHead(301, { location: '/' }).end(),
      {},
      /more than 5 times/,
    ],
    [
      'a redirect to what is not https',
      (_, response) => response.writeHead(301, { location: 'http://127.0.0.1/x' }).end(),
      {},
      /redirects to http:\/\/127.0.0.1, which is not https/,
    ],
  ])('refuses %s', async (_name, listener, parts, problem) => {
    const address = await serve(listener);
    const failure = await trusted(address, parts).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as UsageError).message).toMatch(problem);
  });

  it.each(['http://a.test', 'ftp://a.test', 'https://'])('refuses %s without a request', async (address) => {
    await expect(download(address, limits)).rejects.toThrow(UsageError);
  });
});
