import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { VirtualEnvironment } from '../environment/virtual.ts';
import { MetricsRegistry } from '../metrics/registry.ts';
import { Endpoints } from './endpoints.ts';
import type { ManagerOptions } from './options.ts';
import { selfSignedCertificate } from './self-signed.ts';

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
  readonly certificate: X509Certificate | undefined;
}

let world: VirtualEnvironment;
let lines: Line[];
let asked: ScriptedExchange[];
/** What the API server says of tokens and of users; `undefined`: it is not there. */
let tokens: Readonly<Record<string, string>> | undefined;
let allowed: (user: string, path: string) => boolean;
let endpoints: Endpoints | undefined;

beforeEach(() => {
  world = createVirtualEnvironment();
  lines = [];
  asked = [];
  tokens = { good: 'prometheus', other: 'somebody' };
  allowed = (user, path) => user === 'prometheus' && path === '/metrics';
});
afterEach(async () => {
  await endpoints?.close();
  endpoints = undefined;
  expect(world.pendingTimers).toBe(0);
});

function review(exchange: ScriptedExchange): void {
  asked.push(exchange);
  const { kind, spec } = exchange.body as {
    kind: string;
    spec: { token: string; user: string; nonResourceAttributes: { path: string; verb: string } };
  };
  if (tokens === undefined) {
    exchange.answer(500, { kind: 'Status', status: 'Failure', code: 500, reason: 'InternalError', message: 'down' });
  } else if (kind === 'TokenReview') {
    const username = tokens[spec.token];
    const user = { username, groups: ['system:authenticated'] };
    exchange.answer(201, { kind, status: username === undefined ? {} : { authenticated: true, user } });
  } else {
    exchange.answer(201, { kind, status: { allowed: allowed(spec.user, spec.nonResourceAttributes.path) } });
  }
}

/** Starts the endpoints; gives the port of the one that is asked about. */
async function listen(options: ManagerOptions): Promise<number> {
  const metrics = new MetricsRegistry();
  metrics.gauge({ name: 'answer', help: 'h' }).set({}, 42);
  const transport = new ScriptedTransport(review);
  const inspect = (): unknown => ({ controllers: [{ name: 'widget' }] });
  endpoints = new Endpoints(options, { environment: world, log: recorder(lines), metrics, transport, inspect });
  await endpoints.listen();
  return Number(lines.at(-1)?.fields['port']);
}

function ask(
  port: number,
  path: string,
  options: { token?: string; tls?: boolean; method?: string } = {},
): Promise<Answer> {
  const { token, tls = false, method = 'GET' } = options;
  return new Promise((resolve, reject) => {
    const request = tls ? httpsRequest : httpRequest;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    request({ host: '127.0.0.1', port, path, method, headers, agent: false, rejectUnauthorized: false }, (response) => {
      const certificate = tls ? (response.socket as TLSSocket).getPeerX509Certificate() : undefined;
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => {
        resolve({ status: response.statusCode, type: response.headers['content-type'], body, certificate });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('the metrics endpoint', () => {
  it('serves Prometheus text to everybody when it is not secure, and nothing else', async () => {
    const port = await listen({ metrics: { bindAddress: '127.0.0.1:0', secure: false } });
    const answer = await ask(port, '/metrics');
    expect(answer).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(answer.body).toContain('\nanswer 42\n');
    expect((await ask(port, '/debug/controllers')).status).toBe(404);
    expect((await ask(port, '/metrics', { method: 'POST' })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('is encrypted by default, and asks the cluster who reads it and whether they may', async () => {
    const port = await listen({ metrics: { bindAddress: '127.0.0.1:0' } });
    expect((await ask(port, '/metrics', { tls: true })).status).toBe(401);
    expect((await ask(port, '/metrics', { tls: true, token: 'wrong' })).status).toBe(401);
    expect(await ask(port, '/metrics', { tls: true, token: 'other' })).toMatchObject({
      status: 403,
      body: 'Authorization denied for user somebody\n',
    });
    expect((await ask(port, '/metrics', { tls: true, token: 'good' })).status).toBe(200);
    expect(asked.at(-1)?.path).toBe('/apis/authorization.k8s.io/v1/subjectaccessreviews');
    expect(asked.at(-1)?.body).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        user: 'prometheus',
        groups: ['system:authenticated'],
        nonResourceAttributes: { path: '/metrics', verb: 'get' },
      },
    });
    await expect(ask(port, '/metrics')).rejects.toThrow();
  });

  it('remembers tokens for a minute, permissions for five, refusals for half a minute', async () => {
    const port = await listen({ metrics: { bindAddress: '127.0.0.1:0', secure: false, authorization: true } });
    const kindsAsked = async (token: string): Promise<string[]> => {
      asked = [];
      await ask(port, '/metrics', { token });
      return asked.map(({ body }) => (body as { kind: string }).kind);
    };
    expect(await kindsAsked('good')).toEqual(['TokenReview', 'SubjectAccessReview']);
    expect(await kindsAsked('good')).toEqual([]);
    await world.advance(60_000);
    expect(await kindsAsked('good')).toEqual(['TokenReview']);
    await world.advance(240_000);
    expect(await kindsAsked('good')).toEqual(['TokenReview', 'SubjectAccessReview']);
    expect(await kindsAsked('other')).toEqual(['TokenReview', 'SubjectAccessReview']);
    await world.advance(30_000);
    expect(await kindsAsked('other')).toEqual(['SubjectAccessReview']);
    expect(await kindsAsked('wrong')).toEqual(['TokenReview']);
    expect(await kindsAsked('wrong')).toEqual([]);
  });

  it('answers 500 when the cluster cannot be asked, after it has tried for a while', async () => {
    tokens = undefined;
    const port = await listen({ metrics: { bindAddress: '127.0.0.1:0', secure: false, authorization: true } });
    const answers: Answer[] = [];
    const asking = ask(port, '/metrics', { token: 'good' }).then((answer) => answers.push(answer));
    // Real sockets bring the request; the tries wait on the virtual clock.
    while (answers.length === 0) {
      await world.runUntilIdle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await asking;
    const [answer] = answers;
    expect(answer).toMatchObject({ status: 500, body: 'internal error\n' });
    expect(asked).toHaveLength(5);
    expect(lines.at(-1)).toMatchObject({ level: 'error' });
  });

  describe('with certificate files', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'certificates-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });
    const write = (): string => {
      const { cert, key } = selfSignedCertificate(world.clock.wall());
      writeFileSync(join(folder, 'tls.crt'), cert);
      writeFileSync(join(folder, 'tls.key'), key);
      return new X509Certificate(cert).serialNumber;
    };

    it('serves a new one within ten seconds, and the old one while the new one is broken', async () => {
      const options = { bindAddress: '127.0.0.1:0', certificateFolder: folder, authorization: false };
      const first = write();
      const port = await listen({ metrics: options });
      const serial = async (): Promise<string | undefined> =>
        (await ask(port, '/metrics', { tls: true })).certificate?.serialNumber;
      expect(await serial()).toBe(first);
      writeFileSync(join(folder, 'tls.crt'), 'half');
      const logged = (level: string): boolean =>
        lines.some((line) => line.level === level && line.message.includes('certificate'));
      await untilLogged(() => logged('error'));
      expect(await serial()).toBe(first);
      const second = write();
      await untilLogged(() => logged('info'));
      expect(await serial()).toBe(second);
    });

    it('refuses to start without them', async () => {
      await expect(listen({ metrics: { bindAddress: '127.0.0.1:0', certificateFolder: folder } })).rejects.toThrow(
        'ENOENT',
      );
    });
  });

  /** Lets the virtual time of one reading pass, and the files be read. */
  async function untilLogged(condition: () => boolean): Promise<void> {
    await world.advance(10_000);
    while (!condition()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The next reading is planned.
    await world.settle();
  }
});

describe('the debug endpoint', () => {
  it('shows controllers as JSON, on the loopback interface unless another one is named', async () => {
    const port = await listen({ debugBindAddress: ':0' });
    const answer = await ask(port, '/debug/controllers');
    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect(JSON.parse(answer.body)).toEqual({ controllers: [{ name: 'widget' }] });
    expect((await ask(port, '/')).status).toBe(404);
  });
});

describe('nothing', () => {
  it.each([{}, { metrics: { bindAddress: '0' }, debugBindAddress: '0', healthProbeBindAddress: '0' }])(
    'is served unless asked for: %j',
    async (options) => {
      await listen(options);
      expect(lines).toEqual([]);
    },
  );
});

describe('a self-signed certificate', () => {
  it.each(['2026-06-01T00:00:00Z', '2049-12-31T00:00:00Z', '2060-01-01T00:00:00Z'])(
    'is valid for a year at %s',
    (now) => {
      const { cert, key } = selfSignedCertificate(Date.parse(now));
      const certificate = new X509Certificate(cert);
      expect(certificate.checkHost('localhost')).toBe('localhost');
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(certificate.checkPrivateKey(createPrivateKey(key.toString()))).toBe(true);
      expect(Date.parse(certificate.validFrom)).toBe(Date.parse(now) - 3_600_000);
      expect(Date.parse(certificate.validTo)).toBe(Date.parse(now) + 365 * 24 * 3_600_000);
    },
  );
});
