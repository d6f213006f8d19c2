import { describe, expect, it } from 'vitest';
import { Widget as PlainWidget, widget } from '../../../test/support/informer-bench.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createClient } from './client.ts';

const Widget = defineKind<KubernetesObject, 'Namespaced', 'scale'>({ ...PlainWidget, subresources: ['scale'] });
const Zone = defineKind<KubernetesObject, 'Cluster'>({
  ...PlainWidget,
  plural: 'zones',
  kind: 'Zone',
  scope: 'Cluster',
});
const key = { namespace: 'a', name: 'w' };
const path = '/apis/example.com/v1/namespaces/a/widgets/w';

function setUp(handler: (exchange: ScriptedExchange) => void = (one) => one.answer(200, widget('w', '8'))) {
  const environment = createVirtualEnvironment();
  const transport = new ScriptedTransport(handler);
  const client = createClient({ transport, environment, fieldManager: 'me', fieldValidation: 'Strict' });
  const sent = (): unknown[] =>
    transport.exchanges.map(({ request, body }) => [
      request.method,
      request.path,
      request.headers['content-type'],
      body,
    ]);
  return { environment, transport, client, sent };
}
const query = '?fieldManager=me&fieldValidation=Strict';

describe('subresources', () => {
  it('scale is read and patched', async () => {
    const { client, sent } = setUp((one) => one.answer(200, { kind: 'Scale', spec: { replicas: 3 }, metadata: key }));
    expect((await client.scale.get(Widget, key)).spec?.replicas).toBe(3);
    await client.scale.mergePatch(Widget, key, { spec: { replicas: 4 } });
    await client.scale.jsonPatch(Widget, key, []);
    expect(sent()).toEqual([
      ['GET', `${path}/scale`, undefined, undefined],
      ['PATCH', `${path}/scale${query}`, 'application/merge-patch+json', { spec: { replicas: 4 } }],
      ['PATCH', `${path}/scale${query}`, 'application/json-patch+json', []],
    ]);
  });

  it('any other is reached by its name', async () => {
    const { client, sent } = setUp();
    const eviction = client.subresource('eviction');
    await eviction.create(Widget, key, { kind: 'Eviction' }, { dryRun: true });
    await eviction.get(Widget, key);
    await eviction.update(Widget, key, { a: 1 });
    await eviction.mergePatch(Widget, key, { a: null });
    await eviction.jsonPatch(Widget, key, []);
    expect(sent()).toEqual([
      [
        'POST',
        `${path}/eviction?dryRun=All&fieldManager=me&fieldValidation=Strict`,
        'application/json',
        { kind: 'Eviction' },
      ],
      ['GET', `${path}/eviction`, undefined, undefined],
      ['PUT', `${path}/eviction${query}`, 'application/json', { a: 1 }],
      ['PATCH', `${path}/eviction${query}`, 'application/merge-patch+json', { a: null }],
      ['PATCH', `${path}/eviction${query}`, 'application/json-patch+json', []],
    ]);
    await expect(client.subresource('../x').get(Widget, key)).rejects.toThrow('cannot be part of a path');
  });
});

describe('deleteCollection', () => {
  it('names what is deleted in the query, and how in the body', async () => {
    const { client, sent } = setUp((one) => one.answer(200, { kind: 'Status', status: 'Success' }));
    await client.deleteCollection(Widget, { namespace: 'a', labels: { app: 'x' }, propagation: 'Foreground' });
    await client.deleteCollection(Zone, { fields: 'metadata.name=z', dryRun: true, gracePeriodSeconds: 0 });
    const body = { apiVersion: 'v1', kind: 'DeleteOptions' };
    expect(sent()).toEqual([
      [
        'DELETE',
        '/apis/example.com/v1/namespaces/a/widgets?labelSelector=app%3Dx',
        'application/json',
        { ...body, propagationPolicy: 'Foreground' },
      ],
      [
        'DELETE',
        '/apis/example.com/v1/zones?fieldSelector=metadata.name%3Dz',
        'application/json',
        { ...body, gracePeriodSeconds: 0, dryRun: ['All'] },
      ],
    ]);
    await expect(client.deleteCollection(Widget, { namespace: '' })).rejects.toThrow('one namespace at a time');
  });
});

describe('kindFor', () => {
  it('finds a kind on the server, with its scope and subresources, once', async () => {
    const { client, transport } = setUp((one) => {
      const resources = [
        { name: 'things', kind: 'Thing', namespaced: true },
        { name: 'things/status', kind: 'Thing', namespaced: true },
      ];
      if (one.path === '/apis/x.example/v2') one.answer(200, { kind: 'APIResourceList', resources });
      else one.answer(200, { apiVersion: 'x.example/v2', kind: 'Thing', metadata: key, spec: { any: 1 } });
    });
    const Thing = await client.kindFor('x.example/v2', 'Thing');
    expect(await client.kindFor('x.example/v2', 'Thing')).toBe(Thing);
    expect(Thing).toMatchObject({ plural: 'things', scope: 'Namespaced', subresources: ['status'] });
    const thing = await client.live.get(Thing, key);
    expect(thing?.['spec']).toEqual({ any: 1 });
    expect(transport.exchanges.map((one) => one.path)).toEqual([
      '/apis/x.example/v2',
      '/apis/x.example/v2/namespaces/a/things/w',
    ]);
    await expect(client.kindFor('x.example/v2', 'Thingy')).rejects.toThrow('does not know Thingy');
  });
});

describe('live.watch', () => {
  it('gives the events of one watch, and closes it with the iteration', async () => {
    const { client, transport } = setUp((one) => one.head());
    const events: unknown[] = [];
    const watching = (async () => {
      for await (const event of client.live.watch(Widget, {
        namespace: 'a',
        labels: 'x',
        resourceVersion: '7',
        bookmarks: true,
      })) {
        events.push(event);
        if (event.type === 'DELETED') break;
      }
    })();
    const [watch] = transport.exchanges;
    watch?.event('ADDED', widget('w', '8'));
    watch?.event('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion: '9' } });
    watch?.event('DELETED', widget('w', '10'));
    await watching;
    expect(events).toEqual([
      { type: 'ADDED', object: widget('w', '8') },
      { type: 'BOOKMARK', resourceVersion: '9' },
      { type: 'DELETED', object: widget('w', '10') },
    ]);
    expect(Object.fromEntries(watch?.query ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: 'x',
      resourceVersion: '7',
    });
    expect(transport.open).toEqual([]);
  });

  it('throws an ERROR event, and the reason of its signal', async () => {
    const { client, transport, environment } = setUp((one) => one.head());
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      for await (const event of client.live.watch(Widget, { signal: stop.signal })) expect(event).toBeUndefined();
    };
    const expired = expect(read()).rejects.toMatchObject({ reason: 'Expired', code: 410 });
    transport.exchanges[0]?.event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
    await expired;
    const aborted = expect(read()).rejects.toThrow('enough');
    await environment.settle();
    stop.abort(new Error('enough'));
    await aborted;
    expect(transport.open).toEqual([]);
    expect(environment.pendingTimers).toBe(0);
  });
});
