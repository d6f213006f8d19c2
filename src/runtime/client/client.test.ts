import { describe, expect, it } from 'vitest';
import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createCache } from '../cache/cache.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import { createClient, type ClientOptions } from './client.ts';
import { isConflict, isInvalid } from './errors.ts';
import type { ApplyConfiguration } from './patch-types.ts';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { ready: number };
}
const Widget = defineKind<Widget, 'Namespaced', 'status' | 'scale'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status', 'scale'],
});
const Zone = defineKind<KubernetesObject, 'Cluster'>({
  group: '',
  version: 'v1',
  kind: 'Zone',
  plural: 'zones',
  scope: 'Cluster',
  subresources: [],
});
const key = { namespace: 'a', name: 'w' };
const path = '/apis/example.com/v1/namespaces/a/widgets/w';
const widget = (resourceVersion = '7', size = 1): Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { namespace: 'a', name: 'w', uid: 'u', resourceVersion },
  spec: { size },
});
const list = (resourceVersion: string, items: readonly object[]): object => ({
  kind: 'WidgetList',
  metadata: { resourceVersion },
  items,
});

function setUp(handler: (exchange: ScriptedExchange) => void, options: Partial<ClientOptions> = {}) {
  const environment = createVirtualEnvironment();
  const transport = new ScriptedTransport(handler);
  return { environment, transport, client: createClient({ transport, environment, ...options }) };
}

const answerWidget = (one: ScriptedExchange): void => one.answer(200, widget('8'));

function sent({ exchanges }: ScriptedTransport): unknown[] {
  return exchanges.map(({ request, body }) => [request.method, request.path, request.headers['content-type'], body]);
}

describe('writes', () => {
  it('update sends what changed as a JSON patch under the version that was read', async () => {
    const { client, transport } = setUp(answerWidget);
    const result = await client.update(Widget, widget(), (draft) => {
      draft.spec.size = 4;
    });
    expect(sent(transport)).toEqual([
      [
        'PATCH',
        path,
        'application/json-patch+json',
        [
          { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
          { op: 'replace', path: '/spec/size', value: 4 },
        ],
      ],
    ]);
    expect(result.metadata.resourceVersion).toBe('8');
    expect(Object.isFrozen(result.spec)).toBe(true);
  });

  it('an unchanged draft is no request', async () => {
    const { client, transport } = setUp(answerWidget);
    const object = widget();
    expect(await client.update(Widget, object, () => undefined)).toBe(object);
    expect(await client.updateStatus(Widget, object, () => undefined)).toBe(object);
    expect(transport.exchanges).toEqual([]);
  });

  it('status goes to its subresource and nothing else does', async () => {
    const { client, transport } = setUp(answerWidget);
    await client.updateStatus(Widget, widget(), (draft) => {
      draft.status = { ready: 1 };
    });
    expect(transport.exchanges[0]?.path).toBe(`${path}/status`);
    await expect(client.updateStatus(Widget, widget(), (draft) => void (draft.spec.size = 2))).rejects.toThrow(
      'use update',
    );
    await expect(client.update(Widget, widget(), (draft) => void (draft.status = { ready: 1 }))).rejects.toThrow(
      'use updateStatus',
    );
    await expect(client.update(Widget, widget(), (draft) => void (draft.metadata.name = 'x'))).rejects.toThrow(
      '/metadata/name',
    );
    expect(transport.exchanges).toHaveLength(1);
  });

  it('scale is read, then patched under the version of the object', async () => {
    const scale: Scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { ...key, resourceVersion: '9' },
      spec: { replicas: 1 },
    };
    const { client, transport } = setUp((one) => one.answer(200, scale));
    await client.updateScale(Widget, widget(), (draft) => {
      draft.spec = { replicas: 3 };
    });
    expect(sent(transport)).toEqual([
      ['GET', `${path}/scale`, undefined, undefined],
      [
        'PATCH',
        `${path}/scale`,
        'application/json-patch+json',
        [
          { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
          { op: 'replace', path: '/spec/replicas', value: 3 },
        ],
      ],
    ]);
  });

  it('each patch has its content type and its query', async () => {
    const { client, transport } = setUp(answerWidget, { fieldManager: 'me' });
    const configuration: ApplyConfiguration<Widget, 'Namespaced'> = { metadata: key, spec: { size: 2 } };
    await client.mergePatch(Widget, key, { spec: { size: 2 } }, { dryRun: true });
    await client.jsonPatch(Widget, key, [{ op: 'remove', path: '/spec/size' }], { fieldValidation: 'Strict' });
    await client.apply(Widget, configuration, { force: true, fieldManager: 'you' });
    await client.status.mergePatch(Widget, key, { status: { ready: 1 } });
    await client.status.jsonPatch(Widget, key, []);
    await client.status.apply(Widget, { metadata: key, status: { ready: 1 } });
    const full = { apiVersion: 'example.com/v1', kind: 'Widget' };
    expect(sent(transport)).toEqual([
      ['PATCH', `${path}?dryRun=All&fieldManager=me`, 'application/merge-patch+json', { spec: { size: 2 } }],
      [
        'PATCH',
        `${path}?fieldManager=me&fieldValidation=Strict`,
        'application/json-patch+json',
        [{ op: 'remove', path: '/spec/size' }],
      ],
      ['PATCH', `${path}?fieldManager=you&force=true`, 'application/apply-patch+yaml', { ...configuration, ...full }],
      ['PATCH', `${path}/status?fieldManager=me`, 'application/merge-patch+json', { status: { ready: 1 } }],
      ['PATCH', `${path}/status?fieldManager=me`, 'application/json-patch+json', []],
      [
        'PATCH',
        `${path}/status?fieldManager=me`,
        'application/apply-patch+yaml',
        { metadata: key, status: { ready: 1 }, ...full },
      ],
    ]);
  });

  it('apply without a field manager is refused', async () => {
    const { client, transport } = setUp(answerWidget);
    await expect(client.apply(Widget, { metadata: key })).rejects.toThrow('needs a fieldManager');
    expect(transport.exchanges).toEqual([]);
  });

  it('a patch of the wrong form is refused', async () => {
    const { client, transport } = setUp(answerWidget);
    await expect(client.mergePatch(Widget, key, [] as never)).rejects.toThrow('a JSON patch is an array');
    await expect(client.jsonPatch(Widget, key, {} as never)).rejects.toThrow('a JSON patch is an array');
    expect(transport.exchanges).toEqual([]);
  });

  it('create finds the path by the known kinds, or asks the server once', async () => {
    const resources = [
      { name: 'widgets', kind: 'Widget', namespaced: true },
      { name: 'widgets/status', kind: 'Widget', namespaced: true },
    ];
    const { client, transport } = setUp((one) => {
      if (one.request.method === 'GET') one.answer(200, { kind: 'APIResourceList', resources });
      else one.answer(201, widget());
    });
    await client.create<Widget>(widget());
    await client.create<Widget>({ ...widget(), metadata: { generateName: 'w-', namespace: 'b' } });
    expect(transport.exchanges.map(({ path }) => path)).toEqual([
      '/apis/example.com/v1',
      '/apis/example.com/v1/namespaces/a/widgets',
      '/apis/example.com/v1/namespaces/b/widgets',
    ]);
    await expect(client.create<Widget>({ ...widget(), kind: 'Gadget' })).rejects.toThrow('does not know Gadget');
    await expect(client.create<Widget>({ ...widget(), metadata: { name: 'x' } })).rejects.toThrow('needs a namespace');
    await expect(client.create<Widget>({ ...widget(), metadata: { namespace: 'x' } })).rejects.toThrow('generateName');
    const known = setUp((one) => one.answer(201, widget()), { kinds: [Widget] });
    await known.client.create<Widget>(widget());
    expect(known.transport.exchanges.map(({ request }) => request.method)).toEqual(['POST']);
  });

  it('delete sends its options', async () => {
    const { client, transport } = setUp((one) => one.answer(200, { kind: 'Status', status: 'Success' }));
    await client.delete(Widget, key);
    await client.delete(Widget, key, {
      propagation: 'Foreground',
      preconditions: { uid: 'u' },
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
    expect(transport.exchanges.map(({ body }) => body)).toEqual([
      options,
      {
        ...options,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
        gracePeriodSeconds: 0,
        dryRun: ['All'],
      },
    ]);
  });

  it('a conflict and a refusal of the schema are told apart', async () => {
    for (const [code, reason, guard] of [
      [409, 'Conflict', isConflict],
      [422, 'Invalid', isInvalid],
    ] as const) {
      const { client } = setUp((one) => one.answer(code, { kind: 'Status', code, reason }));
      const error = await client.mergePatch(Widget, key, {}).catch((caught: unknown) => caught);
      expect(guard(error)).toBe(true);
    }
  });

  it.each([
    ['an empty name', { namespace: 'a', name: '' }],
    ['a name with a slash', { namespace: 'a', name: 'x/y' }],
    ['dots', { namespace: '..', name: 'x' }],
    ['no namespace', { namespace: '', name: 'x' }],
  ])('%s never becomes a path', async (_name, wrong) => {
    const { client, transport } = setUp(answerWidget);
    await expect(client.delete(Widget, wrong)).rejects.toMatchObject({ reason: 'InvalidCall' });
    await expect(client.get(Widget, wrong)).rejects.toMatchObject({ reason: 'InvalidCall' });
    expect(transport.exchanges).toEqual([]);
  });
});

describe('reads', () => {
  it('without a cache, and by live, go to the server', async () => {
    const { client, transport } = setUp((one) =>
      one.path.endsWith('/w')
        ? one.answer(404, { kind: 'Status', code: 404, reason: 'NotFound' })
        : one.answer(200, list('1', [widget()])),
    );
    expect(await client.get(Widget, key)).toBeUndefined();
    expect(await client.live.get(Widget, key)).toBeUndefined();
    expect(await client.list(Widget, { namespace: 'a', labels: { app: 'x' } })).toEqual([widget()]);
    expect(await client.live.list(Widget, { labels: 'a in (b)', fields: 'metadata.name=w' })).toHaveLength(1);
    await client.live.list(Zone);
    expect(transport.exchanges.map(({ request }) => request.path)).toEqual([
      path,
      path,
      '/apis/example.com/v1/namespaces/a/widgets?limit=500&labelSelector=app%3Dx',
      '/apis/example.com/v1/widgets?limit=500&labelSelector=a%20in%20(b)&fieldSelector=metadata.name%3Dw',
      '/api/v1/zones?limit=500',
    ]);
  });

  it('a live list follows pages, and begins again when a token expires', async () => {
    let page = 0;
    const { client, transport } = setUp((one) => {
      page++;
      if (page === 1 || page === 3)
        one.answer(200, { metadata: { continue: `t${page}` }, items: [widget(String(page))] });
      else if (page === 2) one.answer(410, { kind: 'Status', code: 410, reason: 'Expired' });
      else one.answer(200, { metadata: {}, items: [widget('9')] });
    });
    const objects = await client.live.list(Widget);
    expect(objects.map(({ metadata }) => metadata.resourceVersion)).toEqual(['3', '9']);
    expect(transport.exchanges.map(({ query }) => query.get('continue'))).toEqual([null, 't1', null, 't3']);
  });

  const withCache = (write: (one: ScriptedExchange) => void = answerWidget) => {
    const environment = createVirtualEnvironment();
    const transport = new ScriptedTransport((one) => {
      if (one.isWatch) one.head();
      else if (one.request.method !== 'GET') write(one);
      else if (one.path === path) one.answer(200, widget('99', 99));
      else one.answer(200, list('10', [{ ...widget(), metadata: { ...widget().metadata, labels: { app: 'x' } } }]));
    });
    const cache = createCache({ transport, environment, streamingList: false });
    const informer = cache.informerFor(Widget);
    informer.indexer.addIndex('size', ({ spec }) => [String(spec.size)]);
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    const client = createClient({ transport, environment, cache });
    const end = async (): Promise<void> => {
      stop.abort();
      await environment.settle();
      await running;
      expect(environment.pendingTimers).toBe(0);
      expect(transport.open).toEqual([]);
    };
    const watch = (): ScriptedExchange => {
      const found = transport.exchanges.find(({ isWatch }) => isWatch);
      if (found === undefined) throw new Error('there is no watch');
      return found;
    };
    return { environment, transport, cache, informer, client, end, watch };
  };

  it('come from the cache, after it has synced', async () => {
    const { client, transport, end } = withCache();
    const objects = await client.list(Widget, { namespace: 'a' });
    expect(await client.get(Widget, key)).toBe(objects[0]);
    expect(await client.list(Widget, { labels: { app: 'x' } })).toHaveLength(1);
    expect(await client.list(Widget, { labels: 'app!=x' })).toEqual([]);
    expect(await client.list(Widget, { index: { name: 'size', value: '1' } })).toEqual(objects);
    expect(await client.list(Widget, { index: { name: 'size', value: '2' } })).toEqual([]);
    expect(await client.list(Widget, { namespace: 'b' })).toEqual([]);
    expect(transport.exchanges).toHaveLength(2);
    await expect(client.list(Zone)).rejects.toMatchObject({ reason: 'NotCached' });
    await expect(client.get(Zone, { name: 'x' })).rejects.toThrow('client.live.get');
    await end();
  });

  it('wait for the own write to arrive', async () => {
    const { client, environment, watch, end } = withCache((one) => one.answer(200, widget('12', 4)));
    const object = await client.get(Widget, key);
    if (object === undefined) throw new Error('it is not cached');
    await client.update(Widget, object, (draft) => void (draft.spec.size = 4));
    let read: number | undefined;
    const reading = client.get(Widget, key).then((found) => (read = found?.spec.size));
    const listing = client.list(Widget);
    expect((await client.get(Widget, key, { readYourWrites: false }))?.spec.size).toBe(1);
    expect(await client.list(Widget, { namespace: 'other' })).toEqual([]);
    await environment.advance(500);
    expect(read).toBeUndefined();
    watch().event('MODIFIED', widget('12', 4));
    await environment.settle();
    await reading;
    expect(read).toBe(4);
    expect((await listing)[0]?.spec.size).toBe(4);
    await end();
  });

  it('wait for a write that is under way, but not for one that begins later', async () => {
    const writes: ScriptedExchange[] = [];
    const { client, environment, watch, end } = withCache((one) => void writes.push(one));
    await client.list(Widget);
    const writing = client.mergePatch(Widget, key, { spec: { size: 4 } });
    let read: number | undefined;
    const reading = client.get(Widget, key).then((found) => (read = found?.spec.size));
    const listing = client.list(Widget);
    expect(await client.get(Widget, { namespace: 'a', name: 'other' })).toBeUndefined();
    await environment.advance(1000);
    expect(read).toBeUndefined();
    const later = client.mergePatch(Widget, key, { spec: { size: 5 } });
    writes[0]?.answer(200, widget('12', 4));
    await writing;
    await environment.settle();
    expect(read).toBeUndefined();
    watch().event('MODIFIED', widget('12', 4));
    await environment.settle();
    await reading;
    expect([read, (await listing)[0]?.spec.size]).toEqual([4, 4]);
    writes[1]?.answer(409, { kind: 'Status', code: 409, reason: 'Conflict' });
    await expect(later).rejects.toMatchObject({ reason: 'Conflict' });
    expect((await client.get(Widget, key))?.spec.size).toBe(4);
    await end();
  });

  it('do not wait for ever: get asks the server, list says that it is stale', async () => {
    const { client, environment, end } = withCache((one) => one.answer(200, widget('12', 4)));
    await client.mergePatch(Widget, key, { spec: { size: 4 } });
    const got = client.get(Widget, key);
    const listed = expect(client.list(Widget)).rejects.toMatchObject({ reason: 'StaleCache' });
    await environment.advance(10_000);
    expect((await got)?.spec.size).toBe(99);
    await listed;
    await end();
  });

  it('wait for the own delete to arrive', async () => {
    const { client, environment, watch, end } = withCache((one) =>
      one.answer(200, { kind: 'Status', status: 'Success' }),
    );
    await client.list(Widget);
    await client.delete(Widget, key);
    const reading = client.get(Widget, key);
    watch().event('DELETED', widget('13'));
    await environment.settle();
    expect(await reading).toBeUndefined();
    await end();
  });

  it('do not hang when the cache cannot be filled', async () => {
    const environment = createVirtualEnvironment();
    const transport = new ScriptedTransport((one) =>
      one.answer(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no list' }),
    );
    const cache = createCache({ transport, environment, streamingList: false });
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    cache.informerFor(Widget);
    const client = createClient({ transport, environment, cache });
    const failed = expect(client.get(Widget, key)).rejects.toThrow(/not filled yet .*no list/);
    await environment.advance(10_000);
    await failed;
    stop.abort();
    await running;
  });
});

describe('createCache', () => {
  it('watches each namespace on its own, and cluster-scoped kinds once', async () => {
    const environment = createVirtualEnvironment();
    const transport = new ScriptedTransport((one) => {
      const namespace = /namespaces\/(\w+)/.exec(one.path)?.[1] ?? '';
      if (one.isWatch) one.head();
      else
        one.answer(
          200,
          list(namespace === 'a' ? '10' : '20', [{ ...widget(), metadata: { ...widget().metadata, namespace } }]),
        );
    });
    const cache = createCache({ transport, environment, namespaces: ['a', 'b', 'a'], streamingList: false });
    const stop = new AbortController();
    const informer = cache.informerFor(Widget, { labels: { app: 'x' } });
    const running = cache.start(stop.signal);
    cache.informerFor(Zone);
    await cache.waitForSync();
    expect(informer.indexer.list()).toHaveLength(2);
    expect(informer.resourceVersion).toBe('10');
    expect(cache.informerFor(Widget)).toBe(informer);
    expect(cache.informerFor(Widget, { labels: { app: 'x' } })).toBe(informer);
    expect(() => cache.informerFor(Widget, { labels: { app: 'y' } })).toThrow('another policy');
    expect(() => cache.informerFor(defineKind({ ...Zone, kind: 'Other' }), { namespaces: ['a'] })).toThrow(
      'cluster-scoped',
    );
    expect(transport.open.map((one) => one.path).sort()).toEqual([
      '/api/v1/zones',
      '/apis/example.com/v1/namespaces/a/widgets',
      '/apis/example.com/v1/namespaces/b/widgets',
    ]);
    stop.abort();
    await environment.settle();
    await running;
    expect(transport.open).toEqual([]);
  });
});
