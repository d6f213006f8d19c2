import { afterEach, describe, expect, it } from 'vitest';
import { startTestEnvironment, type ApiServer, type TestEnvironment } from '../../src/testing/index.ts';
import { startApiServer } from '../../src/apiserver/index.ts';
import { RestClient, type RestRequest, type RestResponse } from '../../src/testing/rest.ts';
import { widgets } from './definitions.ts';
import { WatchStream } from './stream.ts';

const core = '/api/v1/namespaces/default';
const custom = '/apis/example.com/v1/namespaces/default/widgets';

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
}

describe('control of the embedded server', () => {
  let environment: TestEnvironment | undefined;
  const start = async (server = {}): Promise<{ readonly env: TestEnvironment; readonly server: ApiServer }> => {
    environment = await startTestEnvironment({ assets: '', manifests: [widgets], server });
    if (environment.server === undefined) throw new Error('the embedded server is meant');
    return { env: environment, server: environment.server };
  };
  afterEach(async () => {
    await environment?.stop();
    environment = undefined;
  });

  const configMap = (name: string): RestRequest => ({
    method: 'POST',
    path: `${core}/configmaps`,
    body: { metadata: { name } },
  });
  const widget = (name: string): RestRequest => ({
    method: 'POST',
    path: custom,
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } },
  });
  const found = (response: RestResponse): Found => response.json() as Found;

  it('sets the time that objects, tokens and ages go by', async () => {
    const { env, server } = await start();
    server.clock.set('2030-01-01T00:00:00Z');
    expect(found(await env.request(configMap('a'))).metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
    const issued = await env.request({
      method: 'POST',
      path: `${core}/serviceaccounts/default/token`,
      body: { spec: { expirationSeconds: 600 } },
    });
    const { status } = issued.json() as {
      readonly status: { readonly token: string; readonly expirationTimestamp: string };
    };
    expect(status.expirationTimestamp).toBe('2030-01-01T00:10:00Z');
    const account = new RestClient({ ...env.connection(), token: status.token });
    expect((await account.send({ path: '/version' })).status).toBe(200);
    server.clock.advance(601_000);
    expect((await account.send({ path: '/version' })).status).toBe(401);
    account.close();
    const table = await env.request({
      path: `${core}/configmaps/a`,
      headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    expect((table.json() as { readonly rows: readonly { readonly cells: unknown }[] }).rows[0]?.cells).toEqual([
      'a',
      0,
      '10m',
    ]);
    server.clock.reset();
    expect(Math.abs(server.clock.now() - Date.now())).toBeLessThan(10_000);
  });

  it('lets times to live and readiness be over when the clock says so', async () => {
    const { env, server } = await start({ workloads: true });
    server.clock.set('2030-01-01T00:00:00Z');
    const template = (restartPolicy: string) => ({
      metadata: { labels: { app: 'web' } },
      spec: { restartPolicy, containers: [{ name: 'app', image: 'nginx:1' }] },
    });
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const spec = {
      replicas: 1,
      minReadySeconds: 300,
      selector: { matchLabels: { app: 'web' } },
      template: template('Always'),
    };
    await env.request({ method: 'POST', path, body: { metadata: { name: 'web' }, spec } });
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const job = { ttlSecondsAfterFinished: 100, template: template('Never') };
    await env.request({ method: 'POST', path: jobs, body: { metadata: { name: 'once' }, spec: job } });
    await server.idle();
    const available = async () =>
      (
        (await env.request({ path: `${path}/web` })).json() as {
          readonly status: { readonly availableReplicas?: number };
        }
      ).status.availableReplicas ?? 0;
    expect(await available()).toBe(0);
    expect((await env.request({ path: `${jobs}/once` })).status).toBe(200);
    server.clock.advance(301_000);
    await server.idle();
    expect(await available()).toBe(1);
    expect((await env.request({ path: `${jobs}/once` })).status).toBe(404);
  });

  it('restarts with its state, but without history', async () => {
    const { env, server } = await start();
    const before = found(await env.request(widget('a')));
    const stream = await WatchStream.open(
      env.connection(),
      `${custom}?watch=true&resourceVersion=${before.metadata.resourceVersion}`,
    );
    await server.restart();
    expect(await stream.next()).toBeUndefined();
    expect(found(await env.request({ path: `${custom}/a` }))).toEqual(before);
    const after = found(await env.request(widget('b')));
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    const old = await env.request({ path: `${custom}?watch=true&resourceVersion=1&timeoutSeconds=1` });
    expect(old.text).toContain('"code":410');
    const table = await env.request({ method: 'DELETE', path: `${custom}/a` });
    expect(table.status).toBe(200);
  });

  it('restarts as a new cluster', async () => {
    const { env, server } = await start();
    await env.request(configMap('a'));
    const uid = found(await env.request({ path: '/api/v1/namespaces/default' })).metadata.uid;
    await server.restart({ state: 'lost', downtime: 10 });
    expect((await env.request({ path: `${core}/configmaps/a` })).status).toBe(404);
    expect((await env.request({ path: custom })).status).toBe(404);
    const again = found(await env.request({ path: '/api/v1/namespaces/default' }));
    expect(again.metadata.uid).not.toBe(uid);
    expect((await env.request(configMap('a'))).status).toBe(201);
  });

  it('gives its state as text, and another server starts with it', async () => {
    const { env, server } = await start();
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'big' }, spec: { size: 1 } };
    const made = found(await env.request({ method: 'POST', path: custom, body }));
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'big', uid: made.metadata.uid };
    await env.request({
      method: 'POST',
      path: `${core}/configmaps`,
      body: { metadata: { name: 'owned', ownerReferences: [owner] }, data: { n: '9007199254740993' } },
    });
    const service = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
    const first = (await env.request({ method: 'POST', path: `${core}/services`, body: service })).json() as {
      readonly spec: { readonly clusterIP: string };
    };
    const state = server.snapshot();
    const other = await startApiServer({ state });
    const client = new RestClient({ url: other.url, caCertificate: other.caCertificate, token: other.adminToken });
    try {
      expect(other.revision).toBeGreaterThanOrEqual(server.revision);
      expect(found(await client.send({ path: `${custom}/big` }))).toEqual(made);
      const second = (
        await client.send({
          method: 'POST',
          path: `${core}/services`,
          body: { ...service, metadata: { name: 'other' } },
        })
      ).json() as { readonly spec: { readonly clusterIP: string } };
      expect(second.spec.clusterIP).not.toBe(first.spec.clusterIP);
      // The garbage collector knows who belongs to whom.
      await client.send({ method: 'DELETE', path: `${custom}/big` });
      await other.idle();
      expect((await client.send({ path: `${core}/configmaps/owned` })).status).toBe(404);
    } finally {
      client.close();
      await other.stop();
    }
  });

  it.each([
    ['', 'it is no JSON'],
    ['{}', 'it does not say "kind"'],
    ['{"kind":"ApiServerState","formatVersion":2}', 'formatVersion must be 1'],
    ['{"kind":"ApiServerState","formatVersion":1,"revision":0}', 'revision must be a whole number'],
    ['{"kind":"ApiServerState","formatVersion":1,"revision":5}', 'objects are missing'],
    ['{"kind":"ApiServerState","formatVersion":1,"revision":5,"objects":{"pods":{}}}', 'objects.pods must be a list'],
    [
      '{"kind":"ApiServerState","formatVersion":1,"revision":5,"objects":{"pods":[{}]}}',
      'objects.pods[0] must be an object',
    ],
    [
      '{"kind":"ApiServerState","formatVersion":1,"revision":5,"objects":{"pods":[{"metadata":{"name":"a","uid":"b","resourceVersion":"6"}}]}}',
      'resourceVersion "6"',
    ],
  ])('refuses what is no state: %s', async (state, message) => {
    await expect(startApiServer({ state })).rejects.toThrow(message);
  });

  it('cuts answers in the middle, lets requests hang, and answers with errors by rule', async () => {
    const { env, server } = await start();
    await env.request(configMap('a'));
    server.faults.add({ match: { verbs: ['get'], names: ['a'] }, action: { kind: 'cut', when: 'within' }, times: 1 });
    await expect(env.request({ path: `${core}/configmaps/a` })).rejects.toThrow();
    expect((await env.request({ path: `${core}/configmaps/a` })).status).toBe(200);
    const remove = server.faults.add({ match: { names: ['b'] }, action: { kind: 'hang' } });
    let settled = false;
    const hanging = env.request({ path: `${core}/configmaps/b` }).finally(() => (settled = true));
    expect((await env.request({ path: `${core}/configmaps/a` })).status).toBe(200);
    expect(settled).toBe(false);
    remove();
    for (const [code, reason] of [
      [409, 'Conflict'],
      [410, 'Expired'],
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
    ] as const) {
      server.faults.add({
        match: { verbs: ['create'] },
        action: { kind: 'error', code, retryAfterSeconds: 3 },
        times: 1,
      });
      const answer = await env.request(configMap('c'));
      expect([answer.status, answer.json(), answer.headers['retry-after']]).toMatchObject([
        code,
        { reason, code },
        '3',
      ]);
    }
    expect(server.faults.active).toEqual([]);
    const gone = expect(hanging).rejects.toThrow();
    await env.stop();
    await gone;
  });

  it('holds the events of watches back that open while they are paused', async () => {
    const { env, server } = await start();
    server.faults.pauseWatches('configmaps');
    const { metadata } = (await env.request({ path: `${core}/configmaps` })).json() as Found;
    const stream = await WatchStream.open(
      env.connection(),
      `${core}/configmaps?watch=true&resourceVersion=${metadata.resourceVersion}`,
    );
    let arrived = false;
    const next = stream.next().then((event) => {
      arrived = true;
      return event;
    });
    await env.request(configMap('late'));
    await env.request({ path: `${core}/configmaps/late` });
    expect(arrived).toBe(false);
    server.faults.resumeWatches('configmaps');
    expect(await next).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'late' } } });
    stream.close();
  });

  describe('over HTTP', () => {
    const admin = (method: string, path: string, body?: unknown): RestRequest => ({
      method,
      path: `/_admin${path}`,
      ...(body !== undefined && { body }),
    });

    it('is off, and only for administrators', async () => {
      const off = await start();
      expect((await off.env.request(admin('GET', ''))).status).toBe(404);
      await off.env.stop();
      const { env } = await start({ adminEndpoint: true, authorization: false });
      expect((await env.request({ ...admin('GET', ''), user: 'admin' })).status).toBe(200);
      const bob = env.server?.token('bob') ?? '';
      const client = new RestClient({ ...env.connection(), token: bob });
      expect((await client.send(admin('GET', ''))).json()).toMatchObject({ code: 403, reason: 'Forbidden' });
      client.close();
    });

    it('sets faults, compacts, pauses watches and sets the clock', async () => {
      const { env, server } = await start({ adminEndpoint: true });
      const made = await env.request(
        admin('POST', '/faults', {
          match: { verbs: ['create'], path: 'configmaps' },
          action: { kind: 'error', code: 500 },
        }),
      );
      expect([made.status, made.json()]).toEqual([201, { id: '1' }]);
      expect((await env.request(configMap('a'))).status).toBe(500);
      expect((await env.request(admin('GET', '/faults'))).json()).toMatchObject({ items: [{ id: '1' }] });
      expect((await env.request(admin('DELETE', '/faults/1'))).json()).toMatchObject({ faults: 0 });
      expect((await env.request(admin('DELETE', '/faults/1'))).status).toBe(404);
      expect((await env.request(configMap('a'))).status).toBe(201);
      await env.request(admin('POST', '/compact'));
      expect((await env.request({ path: `${core}/configmaps?watch=true&resourceVersion=1` })).text).toContain('410');
      await env.request(admin('POST', '/watches/pause', { resource: 'configmaps' }));
      await env.request(admin('POST', '/watches/resume'));
      const clock = await env.request(admin('PUT', '/clock', { now: '2031-02-03T04:05:06Z' }));
      expect(clock.json()).toMatchObject({ clock: { now: '2031-02-03T04:05:06.000Z', running: false } });
      expect(found(await env.request(configMap('b'))).metadata.creationTimestamp).toBe('2031-02-03T04:05:06Z');
      await env.request(admin('PUT', '/clock', { advanceMilliseconds: 1000, running: true }));
      expect(server.clock.isRunning).toBe(true);
      await env.request(admin('DELETE', '/clock'));
      expect((await env.request(admin('POST', '/idle'))).status).toBe(200);
    });

    it('restarts, with the state that it is given', async () => {
      const { env } = await start({ adminEndpoint: true });
      await env.request(configMap('a'));
      const state = (await env.request(admin('GET', '/state'))).text;
      await env.request(configMap('b'));
      const names = async (): Promise<readonly string[]> => {
        const { items } = (await env.request({ path: `${core}/configmaps` })).json() as {
          readonly items: readonly Found[];
        };
        return items.map(({ metadata }) => metadata.name);
      };
      const eventually = (wanted: readonly string[]) =>
        expect.poll(() => names().catch(() => undefined), { timeout: 10_000 }).toEqual(wanted);
      expect(await names()).toEqual(['a', 'b']);
      expect(
        (await env.request({ method: 'PUT', path: '/_admin/state', body: JSON.parse(state) as unknown })).status,
      ).toBe(202);
      await eventually(['a']);
      expect((await env.request(admin('POST', '/restart', { state: 'lost' }))).status).toBe(202);
      await eventually([]);
    });

    it.each([
      ['POST', '/faults', {}, 'action must be an object'],
      ['POST', '/faults', { action: { kind: 'error', code: 200 } }, 'action.code must be from 400 to 599'],
      ['POST', '/faults', { action: { kind: 'cut', when: 'later' } }, 'action.when must be'],
      [
        'POST',
        '/faults',
        { action: { kind: 'hang' }, match: { verb: 'get' } },
        'match has members that are not known: verb',
      ],
      ['POST', '/faults', { action: { kind: 'hang' }, match: { verbs: 'get' } }, 'match.verbs must be a list'],
      ['POST', '/faults', { action: { kind: 'hang' }, match: { path: '(' } }, 'match.path'],
      ['POST', '/faults', { action: { kind: 'hang' }, times: -1 }, 'times must be a whole number'],
      ['PUT', '/clock', { now: 'soon' }, 'now must be a time'],
      ['PUT', '/state', {}, 'the state cannot be used'],
      ['POST', '/restart', { state: 'half' }, 'state must be'],
      ['POST', '/compact', { revision: 'x' }, 'revision must be'],
      ['POST', '/compact', [], 'the body must be a JSON object'],
    ])('says what is wrong with %s %s %j', async (method, path, body, message) => {
      const { env } = await start({ adminEndpoint: true });
      const answer = await env.request(admin(method, path, body));
      expect(answer.status).toBe(400);
      expect((answer.json() as { readonly message: string }).message).toContain(message);
    });
  });
});
