import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect as netConnect, type AddressInfo, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { cachedCredentials } from '../config/cached-credentials.ts';
import { fixedCredentials, type ClusterConfiguration, type Credentials } from '../config/types.ts';
import { defaultEnvironment } from '../environment/default.ts';
import type { Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';
import { discardLogger } from '../environment/logger.ts';
import { createNodeTransport } from './node-transport.ts';
import { Rest } from './rest.ts';
import { createTransport } from './transport.ts';

const never = new AbortController().signal;
const get = (path: string): TransportRequest => ({ method: 'GET', path, headers: {} });

async function text(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Running {
  readonly address: string;
  readonly connections: Set<Socket>;
  /** How many connections were made in all. */
  made: number;
}

async function listen(server: Server, scheme: string): Promise<Running> {
  const running = { address: '', connections: new Set<Socket>(), made: 0 };
  server.on('connection', (socket: Socket) => {
    running.made++;
    running.connections.add(socket);
    socket.once('close', () => running.connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.address = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return running;
}

const serve = (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<Running> =>
  listen(createServer(handler), 'http');

describe.each([
  ['of undici', createTransport],
  ['of Node alone', createNodeTransport],
])('the transport %s', (_name, create) => {
  function connect(configuration: Partial<ClusterConfiguration> & { server: string }): Transport {
    const transport = create({ credentials: fixedCredentials({}), ...configuration });
    cleanups.push(() => transport.close());
    return transport;
  }

  describe('over HTTP', () => {
    it('keeps its connections', async () => {
      const server = await serve((request, response) => response.end(request.url));
      const transport = connect({ server: `${server.address}/prefix/` });
      for (let count = 0; count < 50; count++) {
        expect(await text(await transport.send(get(`/api/v1/pods?limit=${count}`), never))).toBe(
          `/prefix/api/v1/pods?limit=${count}`,
        );
      }
      // The next request may come before undici has seen that the connection is free.
      expect(server.made).toBeLessThanOrEqual(2);
    });

    it('sends bodies and headers, and gives status and headers back', async () => {
      const server = await serve((request, response) => {
        request.pipe(response.writeHead(201, { 'X-Type': request.headers['content-type'] ?? '', Warning: ['a', 'b'] }));
      });
      const transport = connect({ server: server.address });
      const headers = { 'content-type': 'application/merge-patch+json' };
      const response = await transport.send({ method: 'PATCH', path: '/', headers, body: '{"a":"ä"}' }, never);
      expect(response.status).toBe(201);
      expect(response.headers).toMatchObject({ 'x-type': 'application/merge-patch+json', warning: 'a, b' });
      expect(await text(response)).toBe('{"a":"ä"}');
    });

    it('a watch does not keep requests waiting, and ends with its signal and its socket', async () => {
      const closed = Promise.withResolvers<void>();
      const server = await serve((request, response) => {
        if (!request.url?.includes('watch=true')) {
          response.end('x');
          return;
        }
        response.on('close', () => closed.resolve());
        response.write('one\n');
      });
      const transport = connect({ server: server.address });
      const stop = new AbortController();
      const watch = await transport.send(get('/api/v1/pods?watch=true'), stop.signal);
      const iterator = watch.body[Symbol.asyncIterator]();
      expect(Buffer.from((await iterator.next()).value as Uint8Array).toString()).toBe('one\n');
      expect(await text(await transport.send(get('/'), never))).toBe('x');
      const next = expect(iterator.next()).rejects.toThrow('enough');
      stop.abort(new Error('enough'));
      await next;
      await closed.promise;
    });

    it('an aborted request rejects with the reason', async () => {
      const asked = Promise.withResolvers<void>();
      const server = await serve(() => asked.resolve());
      const transport = connect({ server: server.address });
      const stop = new AbortController();
      const failed = expect(transport.send(get('/'), stop.signal)).rejects.toThrow('enough');
      await asked.promise;
      stop.abort(new Error('enough'));
      await failed;
      await expect(transport.send(get('/'), stop.signal)).rejects.toThrow('enough');
    });

    it('close ends what runs and leaves no socket', async () => {
      const server = await serve((_request, response) => response.write('begin'));
      const transport = create({ server: server.address, credentials: fixedCredentials({}) });
      const watch = await transport.send(get('/?watch=true'), never);
      const other = await transport.send(get('/'), never);
      const failed = Promise.all(
        [text(watch), text(other)].map((body) => expect(body).rejects.toMatchObject({ reason: 'ConnectionFailed' })),
      );
      const ours = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
      expect(ours).toBeGreaterThanOrEqual(2);
      await transport.close();
      await failed;
      await expect(transport.send(get('/'), never)).rejects.toThrow('closed');
      await Promise.all(
        [...server.connections].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      expect(process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap')).toEqual([]);
    });

    it('an address where nobody listens is a connection error with its code', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await new Promise((resolve) => server.close(resolve));
      const transport = connect({
        server: `http://127.0.0.1:${port}`,
        credentials: fixedCredentials({ token: 'secret-token' }),
      });
      const error: unknown = await transport.send(get('/'), never).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ reason: 'ConnectionFailed', systemCode: 'ECONNREFUSED' });
      expect(JSON.stringify([String(error), error])).not.toContain('secret');
    });

    it('an answer that is cut is a connection error', async () => {
      const server = await serve((_request, response) => {
        response.write('{"kind":', () => response.socket?.destroy());
      });
      const transport = connect({ server: server.address });
      await expect(transport.send(get('/'), never).then(text)).rejects.toMatchObject({ reason: 'ConnectionFailed' });
      const rest = new Rest({ transport, environment: defaultEnvironment(), logger: discardLogger });
      await expect(rest.json({ verb: 'get', method: 'GET', path: '/x', retry: false })).rejects.toMatchObject({
        reason: 'ConnectionFailed',
        request: { verb: 'get', path: '/x' },
      });
    });
  });

  describe('credentials', () => {
    const answerFor = (valid: () => string) => (request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(request.headers.authorization === `Bearer ${valid()}` ? 200 : 401).end();
    };

    it('are read anew after a 401, once for a burst', async () => {
      let valid = 'one';
      let reads = 0;
      const server = await serve(answerFor(() => valid));
      const read = (): Promise<Credentials> => {
        reads++;
        return Promise.resolve({ token: valid });
      };
      const transport = connect({
        server: server.address,
        credentials: cachedCredentials(read, defaultEnvironment().clock, 60_000),
      });
      expect((await transport.send(get('/'), never)).status).toBe(200);
      valid = 'two';
      const burst = await Promise.all(Array.from({ length: 10 }, () => transport.send(get('/'), never)));
      expect(burst.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(reads).toBe(2);
    });

    it('a 401 that is meant is given on, without a loop', async () => {
      let requests = 0;
      const server = await serve((_request, response) => {
        requests++;
        response.writeHead(401).end();
      });
      const transport = connect({ server: server.address, credentials: fixedCredentials({ token: 'x' }) });
      expect((await transport.send(get('/'), never)).status).toBe(401);
      expect(requests).toBe(1);
    });

    it('name and password are Basic', async () => {
      const server = await serve((request, response) => response.end(request.headers.authorization));
      const transport = connect({
        server: server.address,
        credentials: fixedCredentials({ basic: { username: 'a', password: 'b:c' } }),
      });
      expect(await text(await transport.send(get('/'), never))).toBe(
        `Basic ${Buffer.from('a:b:c').toString('base64')}`,
      );
    });
  });

  it('acts as another user', async () => {
    const server = await serve((request, response) => response.end(JSON.stringify(request.rawHeaders)));
    const impersonate = { user: 'jane', uid: 'u', groups: ['a', 'b'], extra: { 'x.io/y': ['v', 'w'] } };
    const transport = connect({ server: server.address, impersonate });
    const headers = JSON.parse(await text(await transport.send(get('/'), never))) as string[];
    const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
    expect(pairs.filter((pair) => pair.startsWith('impersonate'))).toEqual([
      'impersonate-user: jane',
      'impersonate-uid: u',
      'impersonate-group: a',
      'impersonate-group: b',
      'impersonate-extra-x.io%2Fy: v',
      'impersonate-extra-x.io%2Fy: w',
    ]);
  });

  it('goes through a proxy, and closes', async () => {
    const server = await serve((request, response) => response.end(`answer to ${request.url}`));
    const asked: string[] = [];
    const proxyServer = createServer();
    proxyServer.on('connect', (request, client: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const [host = '', port] = (request.url ?? '').split(':');
      const upstream = netConnect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    const proxy = await listen(proxyServer, 'http');
    const proxyUrl = proxy.address.replace('http://', 'http://name:secret@');
    const transport = create({ server: server.address, credentials: fixedCredentials({}), proxyUrl });
    expect(await text(await transport.send(get('/x?watch=true'), never))).toBe('answer to /x?watch=true');
    expect(await text(await transport.send(get('/y'), never))).toBe('answer to /y');
    const basic = Buffer.from('name:secret').toString('base64');
    expect(new Set(asked)).toEqual(new Set([`${server.address.replace('http://', '')} Basic ${basic}`]));
    await transport.close();
    await Promise.all([...proxy.connections].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  });

  describe('over TLS', () => {
    /** One value of DER: a tag, its length, its content. */
    const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
      const body = Buffer.concat(content);
      const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
      return Buffer.concat([Buffer.from([tag, ...length]), body]);
    };
    const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
    const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content);
    const extension = (oid: string, value: Buffer): Buffer => sequence(der(6, hex(oid)), der(4, value));
    const time = (offset: number): Buffer =>
      der(0x18, Buffer.from(new Date(Date.now() + offset).toISOString().replace(/[-:T]|\.\d+/g, '')));

    /** A self-signed certificate of an authority, good for an hour, for the name and for 127.0.0.1. */
    function certificate(name: string): { certificate: string; key: string } {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const ecdsaWithSha256 = sequence(der(6, hex('2a8648ce3d040302')));
      const commonName = sequence(der(0x31, sequence(der(6, hex('550403')), der(0x0c, Buffer.from(name)))));
      const alternatives = sequence(der(0x82, Buffer.from(name)), der(0x87, hex('7f000001')));
      const body = sequence(
        der(0xa0, der(2, hex('02'))),
        der(2, hex('01')),
        ecdsaWithSha256,
        commonName,
        sequence(time(-60_000), time(3_600_000)),
        commonName,
        publicKey.export({ type: 'spki', format: 'der' }),
        der(0xa3, sequence(extension('551d13', sequence(der(1, hex('ff')))), extension('551d11', alternatives))),
      );
      const signed = sequence(body, ecdsaWithSha256, der(3, hex('00'), sign('sha256', body, privateKey)));
      return {
        certificate: `-----BEGIN CERTIFICATE-----\n${signed.toString('base64')}\n-----END CERTIFICATE-----\n`,
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    }

    it('verifies the server with the CA of the configuration, and shows its own certificate', async () => {
      const server = certificate('api.test');
      const first = certificate('first.test');
      const second = certificate('second.test');
      const secure = createSecureServer(
        {
          cert: server.certificate,
          key: server.key,
          ca: [first.certificate, second.certificate],
          requestCert: true,
          rejectUnauthorized: false,
          ALPNProtocols: ['h2', 'http/1.1'],
        },
        (request, response) => {
          const socket = request.socket as TLSSocket;
          response.end(
            `${request.httpVersion} ${String(socket.getPeerCertificate().subject?.CN ?? 'nobody')} ${String(socket.authorized)}`,
          );
        },
      );
      const running = await listen(secure, 'https');
      const ask = async (configuration: Partial<ClusterConfiguration>): Promise<string> =>
        text(await connect({ server: running.address, ...configuration }).send(get('/'), never));
      const trusting = { certificateAuthority: server.certificate };

      expect(await ask({ credentials: fixedCredentials(trusting) })).toBe('1.1 nobody false');
      expect(
        await ask({
          credentials: fixedCredentials({ ...trusting, clientCertificate: first.certificate, clientKey: first.key }),
        }),
      ).toBe('1.1 first.test true');
      expect(await ask({ credentials: fixedCredentials(trusting), tlsServerName: 'api.test' })).toContain('1.1');
      await expect(ask({ credentials: fixedCredentials(trusting), tlsServerName: 'other.test' })).rejects.toMatchObject(
        {
          systemCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
        },
      );
      await expect(ask({})).rejects.toMatchObject({
        reason: 'ConnectionFailed',
        systemCode: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      });
      await expect(
        ask({ credentials: fixedCredentials({ certificateAuthority: first.certificate }) }),
      ).rejects.toThrow();
      expect(await ask({ insecureSkipTlsVerify: true })).toBe('1.1 nobody false');

      // A certificate that was rotated is shown by the next request.
      let current: Credentials = { ...trusting, clientCertificate: first.certificate, clientKey: first.key };
      const transport = connect({
        server: running.address,
        credentials: { current: () => Promise.resolve(current), invalidate() {} },
      });
      expect(await text(await transport.send(get('/'), never))).toBe('1.1 first.test true');
      current = { ...trusting, clientCertificate: second.certificate, clientKey: second.key };
      expect(await text(await transport.send(get('/'), never))).toBe('1.1 second.test true');

      // So is an authority: the next request trusts the new one, and the old one no more.
      const next = certificate('api.test');
      secure.setSecureContext({ cert: next.certificate, key: next.key, ca: [second.certificate] });
      await expect(ask({ credentials: fixedCredentials(trusting) })).rejects.toMatchObject({
        reason: 'ConnectionFailed',
      });
      current = { ...current, certificateAuthority: next.certificate };
      expect(await text(await transport.send(get('/'), never))).toBe('1.1 second.test true');
    });
  });
});
