import { beforeEach, describe, expect, it } from 'vitest';
import { list, opens, status, Widget, widget } from '../../../test/support/informer-bench.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createClient } from '../client/client.ts';
import { isNotCached } from '../client/errors.ts';
import { defineKind } from '../kind/kind.ts';
import type { LogFields, Logger } from '../environment/logger.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment, type VirtualEnvironment } from '../environment/virtual.ts';
import { createCache, type Cache, type CacheOptions, type CachePolicy } from './cache.ts';
import { describePermission } from './permissions.ts';
import { stripManagedFields } from './transforms.ts';

const managed = (name: string, resourceVersion: string): object => {
  const object = widget(name, resourceVersion);
  const managedFields = [{ manager: 'm', fieldsV1: { 'f:spec': {} } }];
  return { ...object, metadata: { ...object.metadata, managedFields } };
};

const Gadget = defineKind<KubernetesObject, 'Namespaced'>({ ...Widget, kind: 'Gadget', plural: 'gadgets' });

let environment: VirtualEnvironment;
let transport: ScriptedTransport;
let lines: [string, LogFields | undefined][];
beforeEach(() => {
  environment = createVirtualEnvironment();
  transport = new ScriptedTransport((one) =>
    one.isWatch ? opens(one) : one.answer(200, list('10', [managed('a', '3')])),
  );
  lines = [];
});

const logger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error: (message, fields) => void lines.push([message, fields]),
  child: () => logger,
};

async function withCache(options: Partial<CacheOptions>, use: (cache: Cache) => Promise<void>): Promise<void> {
  const cache = createCache({ transport, environment, logger, streamingList: false, ...options });
  const stop = new AbortController();
  const running = cache.start(stop.signal);
  await use(cache);
  stop.abort();
  await environment.settle();
  await running;
  expect(environment.pendingTimers).toBe(0);
  expect(transport.open).toEqual([]);
}

const watchOf = (index: number): ScriptedExchange => {
  const found = transport.exchanges.filter((one) => one.isWatch)[index];
  if (found === undefined) throw new Error('there is no such watch');
  return found;
};

describe('transforms', () => {
  it.each([
    ['of the policy', {}, { transform: stripManagedFields }],
    ['of the cache', { transform: stripManagedFields }, undefined],
  ])('%s drop managed fields of lists and events', async (_name, options, policy) => {
    await withCache(options, async (cache) => {
      const { indexer } = cache.informerFor(Widget, policy);
      await environment.settle();
      watchOf(0).event('ADDED', managed('b', '11'));
      await environment.settle();
      expect(indexer.list()).toHaveLength(2);
      for (const object of indexer.list()) expect(object.metadata.managedFields).toBeUndefined();
    });
  });

  it('are called once for each version, on lists, relists and events', async () => {
    const calls: string[] = [];
    await withCache({}, async (cache) => {
      cache.informerFor(Widget, {
        transform(object) {
          calls.push(`${object.metadata.name} ${object.metadata.resourceVersion}`);
          return { ...object, spec: { size: 7 } };
        },
      });
      await environment.settle();
      watchOf(0).event('ADDED', widget('b', '11'));
      watchOf(0).event('MODIFIED', widget('b', '12'));
      watchOf(0).event('ERROR', status(410, 'Expired'));
      transport.handler = (one) =>
        one.isWatch ? opens(one) : one.answer(200, list('20', [widget('a', '3'), widget('b', '13')]));
      await environment.advance(1600);
      expect(calls).toEqual(['a 3', 'b 11', 'b 12', 'b 13']);
      for (const object of cache.existing(Widget)?.indexer.list() ?? []) expect(object.spec).toEqual({ size: 7 });
    });
  });
});

describe('policies', () => {
  it('metadata alone is asked for and gets the type of its kind', async () => {
    const partial = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: widget('a', '3').metadata,
    };
    transport.handler = (one) => (one.isWatch ? opens(one) : one.answer(200, list('10', [partial])));
    await withCache({}, async (cache) => {
      const { indexer } = cache.informerFor(Widget, { metadataOnly: true });
      await environment.settle();
      watchOf(0).event('MODIFIED', { ...partial, metadata: widget('a', '11').metadata });
      await environment.settle();
      expect(indexer.list()).toEqual([widget('a', '11')]);
      expect(transport.exchanges.map(({ request }) => request.headers['accept'])).toEqual([
        'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      ]);
    });
  });

  it('an optional kind counts as empty while its definition is missing, comes and goes', async () => {
    transport.handler = (one) => one.answer(404, status(404, 'NotFound'));
    await withCache({}, async (cache) => {
      const informer = cache.informerFor(Widget, { optional: true });
      const heard: string[] = [];
      informer.addEventHandler({
        add: ({ metadata }) => heard.push(`add ${metadata.name}`),
        delete: ({ metadata }) => heard.push(`delete ${metadata.name}`),
      });
      await environment.settle();
      expect(informer.hasSynced()).toBe(true);
      await environment.advance(600_000);
      expect(transport.exchanges.length).toBeGreaterThanOrEqual(60);
      expect(informer.health().error).toBeUndefined();
      expect(informer.statistics().failures).toBe(0);
      transport.handler = (one) => (one.isWatch ? opens(one) : one.answer(200, list('10', [widget('a', '3')])));
      await environment.advance(10_000);
      expect(heard).toEqual(['add a']);
      transport.handler = (one) => one.answer(404, status(404, 'NotFound'));
      watchOf(0).end();
      await environment.advance(10_000);
      expect(heard).toEqual(['add a', 'delete a']);
      expect(informer.indexer.size).toBe(0);
    });
  });

  it('that differ are refused with both places', async () => {
    await withCache({}, async (cache) => {
      cache.informerFor(Widget, { labels: { app: 'x' } });
      expect(() => cache.informerFor(Widget, { labels: { app: 'y' } })).toThrow(
        /by the policy of \S*cache\.test\.ts:\d+:\d+ already; another policy comes from \S*cache\.test\.ts:\d+:\d+/,
      );
      // The same in another order is no other.
      const both = { labels: { app: 'x', tier: 'y' }, namespaces: ['a'] };
      const one = cache.informerFor(Gadget, both);
      expect(cache.informerFor(Gadget, { namespaces: ['a'], labels: { tier: 'y', app: 'x' } })).toBe(one);
      expect(() => cache.informerFor(Gadget, { ...both, transform: (object) => object })).toThrow('another policy');
      await environment.settle();
    });
  });

  it('end with the removal of the kind', async () => {
    await withCache({}, async (cache) => {
      const first = cache.informerFor(Widget, { labels: { app: 'x' } });
      await environment.settle();
      await Promise.all([cache.remove(Widget), environment.settle()]);
      expect(first.health().state).toBe('stopped');
      expect(transport.open).toEqual([]);
      expect(cache.existing(Widget)).toBeUndefined();
      expect(cache.informerFor(Widget, { labels: { app: 'y' } })).not.toBe(first);
      await environment.settle();
      expect(transport.open).toHaveLength(1);
    });
  });
});

describe('reads of an undeclared kind', () => {
  const read = async (options: Partial<CacheOptions>): Promise<unknown> => {
    let found: Promise<unknown> | undefined;
    await withCache(options, async (cache) => {
      const client = createClient({ transport, environment, cache });
      found = client.list(Widget).catch((error: unknown) => error);
      await environment.settle();
      expect(cache.informers).toHaveLength(options.undeclaredReads === 'cache' ? 1 : 0);
    });
    return found;
  };

  it('are an error', async () => {
    expect(isNotCached(await read({}))).toBe(true);
    expect(isNotCached(await read({ undeclaredReads: 'error' }))).toBe(true);
    expect(transport.exchanges).toEqual([]);
  });

  it('make an informer on request', async () => {
    expect(await read({ undeclaredReads: 'cache' })).toMatchObject([{ metadata: { name: 'a' } }]);
  });
});

describe('leases', () => {
  it('share one informer, which stops with the last of them', async () => {
    await withCache({}, async (cache) => {
      const [one, other] = [cache.acquire(Widget), cache.acquire(Widget)];
      await environment.settle();
      expect(other.informer).toBe(one.informer);
      expect(one.informer.indexer.size).toBe(1);
      await Promise.all([one.release(), one.release(), environment.settle()]);
      expect(one.informer.health().state).toBe('watching');
      await Promise.all([other[Symbol.asyncDispose](), environment.settle()]);
      expect(one.informer.health().state).toBe('stopped');
      expect(transport.open).toEqual([]);
      expect(cache.existing(Widget)).toBeUndefined();
      const again = cache.acquire(Widget, { labels: { app: 'x' } });
      expect(again.informer).not.toBe(one.informer);
      await Promise.all([one.release(), environment.settle()]);
      expect(again.informer.health().state).toBe('watching');
    });
  });

  it('do not stop what somebody else needs for good', async () => {
    await withCache({}, async (cache) => {
      const lease = cache.acquire(Widget);
      expect(cache.informerFor(Widget)).toBe(lease.informer);
      await environment.settle();
      await Promise.all([lease.release(), environment.settle()]);
      expect(lease.informer.health().state).toBe('watching');
    });
  });

  it('come and go without a trace', async () => {
    await withCache({}, async (cache) => {
      for (let round = 0; round < 100; round++) {
        const lease = cache.acquire(Widget);
        await environment.settle();
        await Promise.all([lease.release(), environment.settle()]);
      }
      expect(environment.pendingTimers).toBe(0);
      expect(transport.open).toEqual([]);
    });
  });
});

it.each<[string, CachePolicy<Widget>]>([
  ['compressed', { compressed: true }],
  ['compressed, after a transform', { compressed: true, transform: (object) => object }],
  ['with interned strings', { internStrings: true }],
])('keeps objects %s', async (_name, policy) => {
  await withCache({}, async (cache) => {
    const informer = cache.informerFor(Widget, policy);
    const told: string[] = [];
    informer.addEventHandler({ add: ({ metadata }) => told.push(`${metadata.name} ${metadata.resourceVersion}`) });
    await environment.settle();
    watchOf(0).event('ADDED', { ...widget('b', '11'), spec: { size: 3 } });
    await environment.settle();
    expect(told).toEqual(['a 3', 'b 11']);
    expect(informer.indexer.get({ namespace: 'a', name: 'b' })).toEqual({ ...widget('b', '11'), spec: { size: 3 } });
    expect(informer.indexer.get({ namespace: 'a', name: 'a' })).toEqual(managed('a', '3'));
  });
});

it('tells of everything again in each resync period, as long as it runs', async () => {
  await withCache({}, async (cache) => {
    const informer = cache.informerFor(Widget, { resyncPeriod: 60_000 });
    const told: string[] = [];
    const registration = informer.addEventHandler({
      resync: ({ metadata }) => told.push(`${metadata.name} ${metadata.resourceVersion}`),
    });
    await environment.settle();
    watchOf(0).event('ADDED', widget('b', '11'));
    await environment.advance(66_000);
    expect(told).toEqual(['a 3', 'b 11']);
    watchOf(0).event('DELETED', widget('a', '12'));
    await environment.advance(66_000);
    expect(told.slice(2)).toEqual(['b 11']);
    registration.remove();
    await environment.advance(66_000);
    expect(told).toHaveLength(3);
    expect(transport.exchanges).toHaveLength(2);
  });
});

describe('permissions', () => {
  const refuses = (one: ScriptedExchange): void => {
    const { spec } = (one.body ?? {}) as { spec?: { resourceAttributes: { verb: string } } };
    if (spec === undefined) one.answer(403, status(403, 'Forbidden'));
    else
      one.answer(201, {
        kind: 'SelfSubjectAccessReview',
        status: { allowed: spec.resourceAttributes.verb === 'list' },
      });
  };

  it('that are missing are named once when the server refuses', async () => {
    transport.handler = refuses;
    await withCache({ namespaces: ['a', 'b'] }, async (cache) => {
      cache.informerFor(Widget);
      await environment.advance(60_000);
      expect(lines.map(([, fields]) => fields?.['missing'])).toEqual([
        ['watch widgets.example.com in namespace a', 'watch widgets.example.com in namespace b'],
      ]);
    });
  });

  it('are asked for', async () => {
    transport.handler = refuses;
    const cache = createCache({ transport, environment });
    cache.informerFor(Widget);
    const missing = await cache.missingPermissions();
    expect(missing).toEqual([{ verb: 'watch', group: 'example.com', resource: 'widgets' }]);
    expect(missing.map(describePermission)).toEqual(['watch widgets.example.com']);
  });
});

it('says how much it did and holds', async () => {
  await withCache({}, async (cache) => {
    const informer = cache.informerFor(Widget);
    expect(informer.cachedBytes()).toBe(0);
    await environment.settle();
    watchOf(0).event('ADDED', widget('b', '11'));
    watchOf(0).event('MODIFIED', widget('b', '12'));
    watchOf(0).event('DELETED', widget('b', '13'));
    await environment.settle();
    expect(informer.cachedBytes()).toBe(JSON.stringify(managed('a', '3')).length);
    expect(informer.statistics()).toMatchObject({
      lists: 1,
      pages: 1,
      watches: 1,
      added: 1,
      modified: 1,
      deleted: 1,
      failures: 0,
    });
    expect(informer.statistics().bytes).toBeGreaterThan(500);
  });
});
