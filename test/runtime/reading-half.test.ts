import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaultEnvironment, defineKind, fixedCredentials, isConflict, isInvalid } from 'operator-runtime';
import type { Environment, Kind, KubernetesObject, LogFields, Logger, Transport } from 'operator-runtime';
import { createCache, stripManagedFields, type SharedInformer } from 'operator-runtime/cache';
import {
  createClient,
  createTransport,
  isConnectionFailed,
  isForbidden,
  isNotCached,
  isServiceUnavailable,
  type Client,
} from 'operator-runtime/client';
import { install } from '../conformance/kubernetes/definitions.ts';
import { findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { startKubernetes, type Kubernetes } from '../conformance/kubernetes/server.ts';
import type { Definition } from '../fixtures.ts';

interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec: { size: number; tags?: string[]; free?: Record<string, unknown> };
  status?: { ready?: number; message?: string };
}
const Widget: Kind<Widget, 'Namespaced', 'status' | 'scale'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status', 'scale'],
});
interface ConfigMap extends KubernetesObject {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  data?: Record<string, string>;
}
const ConfigMap: Kind<ConfigMap, 'Namespaced', never> = defineKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});
const Namespace: Kind<KubernetesObject, 'Cluster'> = defineKind({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  subresources: ['status'],
});

const definition = (kind: string, plural: string): Definition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { kind, plural },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 0 },
                  tags: { type: 'array', items: { type: 'string' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'integer' }, message: { type: 'string' } } },
            },
          },
        },
      },
    ] as never,
  } as Definition['spec'],
});
const key = { namespace: 'default', name: 'w' };
const widget: Widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: key,
  spec: { size: 1, tags: ['a', 'b', 'c'] },
};

describe.skipIf(findPrograms() === undefined)(`the reading half on a real kube-apiserver${withoutPrograms}`, () => {
  const environment: Environment = defaultEnvironment();
  let kubernetes: Kubernetes;
  let transport: Transport;
  let client: Client;

  const connect = (user?: string): Transport => {
    const { server, certificateAuthority, token } = kubernetes.access(user);
    return createTransport({ server, credentials: fixedCredentials({ certificateAuthority, token }) });
  };

  beforeAll(async () => {
    kubernetes = await startKubernetes({ users: [{ name: 'nobody' }] });
    transport = connect();
    client = createClient({ transport, environment, fieldManager: 'tests' });
  }, 90_000);
  afterAll(async () => {
    await transport?.close();
    await kubernetes?.stop();
  });

  describe('writes', () => {
    beforeAll(async () => {
      await install(kubernetes.client(), definition('Widget', 'widgets'));
    });
    afterEach(async () => {
      if ((await client.live.get(Widget, key)) !== undefined) await client.delete(Widget, key);
    });

    it('a draft changes what it touches, under the version that was read', async () => {
      const created = await client.create<Widget>(widget);
      const updated = await client.update(Widget, created, (draft) => {
        draft.spec.tags?.shift();
        draft.metadata.annotations = { 'example.com/a.b': 'x' };
      });
      expect(updated.spec).toEqual({ size: 1, tags: ['b', 'c'] });
      expect(updated.metadata.generation).toBe(2);
      const error = await client
        .update(Widget, created, (draft) => void (draft.spec.size = 5))
        .catch((caught: unknown) => caught);
      expect(isConflict(error)).toBe(true);
      expect(await client.update(Widget, created, () => undefined)).toBe(created);
      const invalid = await client
        .update(Widget, updated, (draft) => void (draft.spec.size = -1))
        .catch((caught: unknown) => caught);
      expect(isInvalid(invalid) && invalid.status.details?.causes?.[0]?.field).toBe('spec.size');
    });

    it('leaves integers beyond 2^53 and fields that the type does not know alone', async () => {
      const path = '/apis/example.com/v1/namespaces/default/widgets';
      const exact =
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1,"free":{"big":9007199254740993}}}';
      await transport.send(
        { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: exact },
        AbortSignal.timeout(10_000),
      );
      const read = await client.live.get(Widget, key);
      if (read === undefined) throw new Error('it was not created');
      await client.update(Widget, read, (draft) => void (draft.spec.size = 2));
      const answer = await transport.send(
        { method: 'GET', path: `${path}/w`, headers: {} },
        AbortSignal.timeout(10_000),
      );
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toMatch(
        /"big":9007199254740993,?.*"size":2|"size":2.*"big":9007199254740993/,
      );
    });

    it('status and scale have their own doors', async () => {
      const created = await client.create<Widget>(widget);
      const ready = await client.updateStatus(Widget, created, (draft) => void (draft.status = { ready: 1 }));
      expect(ready.status).toEqual({ ready: 1 });
      expect(ready.metadata.generation).toBe(1);
      const scale = await client.updateScale(Widget, ready, (draft) => void (draft.spec = { replicas: 3 }));
      expect(scale.spec?.replicas).toBe(3);
      const stale = await client
        .updateScale(Widget, created, (draft) => void (draft.spec = { replicas: 4 }))
        .catch((caught: unknown) => caught);
      expect(isConflict(stale)).toBe(true);
      await client.status.mergePatch(Widget, key, { status: { ready: null, message: 'x' } });
      expect(await client.live.get(Widget, key)).toMatchObject({ spec: { size: 3 }, status: { message: 'x' } });
    });

    it('patches and server-side apply', async () => {
      await client.apply(Widget, { metadata: key, spec: { size: 2, tags: ['a'] } });
      await client.mergePatch(Widget, key, { spec: { tags: null } });
      const patched = await client.jsonPatch(Widget, key, [{ op: 'test', path: '/spec/size', value: 2 }]);
      expect(patched.spec).toEqual({ size: 2 });
      const taken = await client
        .apply(Widget, { metadata: key, spec: { size: 7 } }, { fieldManager: 'another' })
        .catch((caught: unknown) => caught);
      expect(isConflict(taken)).toBe(true);
      const forced = await client.apply(
        Widget,
        { metadata: key, spec: { size: 7 } },
        { fieldManager: 'another', force: true },
      );
      expect(forced.spec.size).toBe(7);
      const status = await client.status.apply(Widget, { metadata: key, status: { ready: 7 } });
      expect(status.status).toEqual({ ready: 7 });
      const dry = await client.mergePatch(Widget, key, { spec: { size: 9 } }, { dryRun: true });
      expect([dry.spec.size, (await client.live.get(Widget, key))?.spec.size]).toEqual([9, 7]);
    });

    it('delete holds to its preconditions', async () => {
      const created = await client.create<Widget>(widget);
      const wrong = await client
        .delete(Widget, key, { preconditions: { uid: 'another' } })
        .catch((caught: unknown) => caught);
      expect(isConflict(wrong)).toBe(true);
      await client.delete(Widget, key, {
        propagation: 'Foreground',
        preconditions: { uid: created.metadata.uid ?? '' },
      });
      expect((await client.live.list(Namespace, { fields: 'metadata.name=default' })).map(({ kind }) => kind)).toEqual([
        'Namespace',
      ]);
    });

    it('a refusal names the verb and the path', async () => {
      const other = connect('nobody');
      const error = await createClient({ transport: other, environment })
        .live.list(ConfigMap)
        .catch((caught: unknown) => caught);
      expect(isForbidden(error) && [error.request, error.code]).toEqual([
        { verb: 'list', path: '/api/v1/configmaps' },
        403,
      ]);
      await other.close();
    });
  });

  describe('beside the main road', () => {
    const configMap = (name: string, labels: Record<string, string> = {}): ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name, labels },
      data: { text: 'x'.repeat(1000) },
    });

    it('deletes a collection, and a watch sees it', async () => {
      const stop = new AbortController();
      const [before] = await client.live.list(Namespace, { fields: 'metadata.name=default' });
      expect(before).toBeDefined();
      const seen: string[] = [];
      const watching = (async () => {
        for await (const event of client.live.watch(ConfigMap, {
          namespace: 'default',
          labels: { set: 'x' },
          signal: stop.signal,
        })) {
          if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
          if (seen.length === 4) break;
        }
      })();
      for (const name of ['x-1', 'x-2']) await client.create<ConfigMap>(configMap(name, { set: 'x' }));
      await client.create<ConfigMap>(configMap('y-1', { set: 'y' }));
      await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(2);
      await client.deleteCollection(ConfigMap, { namespace: 'default', labels: { set: 'x' } });
      await watching;
      expect(seen.slice(0, 2)).toEqual(['ADDED x-1', 'ADDED x-2']);
      expect(seen.slice(2).sort()).toEqual(['DELETED x-1', 'DELETED x-2']);
      expect(await client.live.get(ConfigMap, { namespace: 'default', name: 'y-1' })).toBeDefined();
      await client.delete(ConfigMap, { namespace: 'default', name: 'y-1' });
    });

    it('reaches scale, subresources by name, and kinds that it learns of', async () => {
      await install(kubernetes.client(), definition('Widget', 'widgets'));
      await client.create<Widget>({ ...widget, metadata: { namespace: 'default', name: 'scaled' } });
      const name = { namespace: 'default', name: 'scaled' };
      expect((await client.scale.get(Widget, name)).spec?.replicas).toBe(1);
      expect((await client.scale.mergePatch(Widget, name, { spec: { replicas: 4 } })).spec?.replicas).toBe(4);
      const Learned = await client.kindFor('example.com/v1', 'Widget');
      expect(Learned).toMatchObject({
        plural: 'widgets',
        scope: 'Namespaced',
        subresources: ['status', 'scale'],
      });
      expect((await client.live.get(Learned, name))?.['spec']).toMatchObject({ size: 4 });
      const status = client.subresource('status');
      expect(await status.get<Widget>(Learned, name)).toMatchObject({ kind: 'Widget' });
      const ServiceAccount = await client.kindFor('v1', 'ServiceAccount');
      await client.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'default', name: 'robot' },
      });
      const token = await client
        .subresource('token')
        .create<KubernetesObject & { status: { token: string } }>(
          ServiceAccount,
          { namespace: 'default', name: 'robot' },
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
        );
      expect(token.status.token).toMatch(/^ey/);
      await client.delete(Widget, name);
    });

    it('the same objects come by a streaming list, by pages, and as metadata alone', async () => {
      await Promise.all(Array.from({ length: 40 }, (_, index) => client.create<ConfigMap>(configMap(`l-${index}`))));
      const filled = async (streamingList: boolean, metadataOnly: boolean): Promise<readonly string[]> => {
        const cache = createCache({ transport, environment, streamingList });
        const informer = cache.informerFor(ConfigMap, { transform: stripManagedFields, metadataOnly });
        const stop = new AbortController();
        const running = cache.start(stop.signal);
        await cache.waitForSync();
        const objects = informer.indexer.list();
        expect(informer.statistics().streamedLists).toBe(streamingList ? 1 : 0);
        expect(objects.every(({ data }) => (data === undefined) === metadataOnly)).toBe(true);
        expect(objects.some(({ metadata }) => metadata.managedFields !== undefined)).toBe(false);
        stop.abort();
        await running;
        return objects
          .map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name} ${metadata.resourceVersion}`)
          .sort();
      };
      const streamed = await filled(true, false);
      expect(streamed.length).toBeGreaterThanOrEqual(40);
      expect(await filled(false, false)).toEqual(streamed);
      expect(await filled(true, true)).toEqual(streamed);
      expect(await filled(false, true)).toEqual(streamed);
    });

    it('names the permissions that are missing', async () => {
      const other = connect('nobody');
      const cache = createCache({ transport: other, environment, namespaces: ['default'] });
      cache.informerFor(ConfigMap);
      expect(await cache.missingPermissions()).toEqual(
        ['list', 'watch'].map((verb) => ({ verb, group: '', resource: 'configmaps', namespace: 'default' })),
      );
      await other.close();
    });
  });

  it('a cache of a thousand objects follows a server that is killed, and its client reads its own writes', async () => {
    for (let batch = 0; batch < 12; batch++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          client.create<ConfigMap>({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { namespace: 'default', name: `c-${batch}-${index}`, labels: { batch: String(batch) } },
            data: { round: '0' },
          }),
        ),
      );
    }
    const cache = createCache({ transport, environment });
    const informer = cache.informerFor(ConfigMap, { transform: stripManagedFields });
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    const cached = createClient({ transport, environment, cache, fieldManager: 'tests' });
    expect(await cached.list(ConfigMap, { labels: { batch: '3' } })).toHaveLength(100);
    expect((await cached.list(ConfigMap, { namespace: 'default' })).length).toBeGreaterThanOrEqual(1200);
    await expect(cached.list(Namespace)).rejects.toSatisfy(isNotCached);

    for (let round = 1; round <= 20; round++) {
      const own = { namespace: 'default', name: 'c-0-0' };
      const object = await cached.get(ConfigMap, own);
      if (object === undefined) throw new Error('it is gone');
      expect(object.data?.['round']).toBe(String(round - 1));
      await cached.update(ConfigMap, object, (draft) => void (draft.data = { round: String(round) }));
    }
    await cached.delete(ConfigMap, { namespace: 'default', name: 'c-1-1' });
    expect(await cached.get(ConfigMap, { namespace: 'default', name: 'c-1-1' })).toBeUndefined();

    // Under load, which goes on as far as there is a server; with it the storage forgets what it was.
    const load = new AbortController();
    const done = { writes: 0 };
    const loading = (async (): Promise<void> => {
      while (!load.signal.aborted) {
        const key = { namespace: 'default', name: `c-4-${done.writes % 100}` };
        try {
          await client.mergePatch(ConfigMap, key, { data: { load: String(++done.writes) } });
        } catch (error) {
          if (!isConnectionFailed(error) && !isServiceUnavailable(error)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    })();
    const written = async (more: number): Promise<void> => {
      const enough = done.writes + more;
      while (done.writes < enough) await Promise.race([new Promise((resolve) => setTimeout(resolve, 20)), loading]);
    };
    for (let round = 0; round < 2; round++) {
      await written(100);
      await kubernetes.killApiServer();
      await kubernetes.startApiServer();
      await written(100);
      await kubernetes.compact();
    }
    load.abort();
    await loading;
    await client.delete(ConfigMap, { namespace: 'default', name: 'c-2-2' });
    const last = await client.mergePatch(
      ConfigMap,
      { namespace: 'default', name: 'c-3-3' },
      { data: { round: 'last' } },
    );
    await informer.waitUntil(() => BigInt(informer.resourceVersion) >= BigInt(last.metadata.resourceVersion ?? ''));
    const versions = (objects: readonly { readonly metadata: KubernetesObject['metadata'] | object }[]): string[] =>
      (objects as readonly KubernetesObject[])
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`)
        .sort();
    expect(versions(informer.indexer.list())).toEqual(versions(await client.live.list(ConfigMap)));
    stop.abort();
    await running;
  }, 120_000);

  it('a definition that is not installed is named, and its objects come when it is', async () => {
    const Gadget: Kind<KubernetesObject, 'Namespaced'> = defineKind({
      ...Widget,
      kind: 'Gadget',
      plural: 'gadgets',
      subresources: [],
    });
    const lines: string[] = [];
    const note = (message: string, _fields?: LogFields): void => void lines.push(message);
    const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const cache = createCache({ transport, environment, logger });
    const informer: SharedInformer<KubernetesObject> = cache.informerFor(Gadget);
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    await expect
      .poll(() => lines.join('\n'), { timeout: 10_000 })
      .toContain('does not serve gadgets.example.com v1: install the CRD of Gadget');
    await install(kubernetes.client(), definition('Gadget', 'gadgets'));
    await client.create<KubernetesObject>({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: key });
    await informer.waitUntil(() => informer.indexer.size === 1);
    stop.abort();
    await running;
  }, 60_000);
});
