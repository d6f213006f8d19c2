import { describe, expect, it } from 'vitest';
import {
  ConfigMap,
  FakeInformer,
  Widget,
  configMap,
  controlledBy,
  recorder,
  setUp,
  widget,
} from '../../../test/support/controller-bench.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { StoredObject } from '../cache/lazy-object.ts';
import { defineKind } from '../kind/kind.ts';
import type { Kind } from '../kind/kind.ts';
import { allOf, anyOf, generationChanged, labelsChanged } from './predicates.ts';
import { done } from './result.ts';
import { lowPriority, mapped, ownedBy } from './sources.ts';
import type { InformerSource, Source } from './sources.ts';

describe('the sources of a controller', () => {
  it('give the keys of created, changed and deleted objects, each with its cause', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.widgets.set(widget('before'));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.widgets.set(widget('after'));
    await bench.world.settle();
    bench.widgets.set(widget('after', { resourceVersion: '2' }));
    await bench.world.settle();
    bench.widgets.delete('after');
    await bench.world.settle();
    expect(bench.names()).toEqual(['before', 'after', 'after', 'after']);
    expect(bench.runs.map(({ context }) => context.causes)).toEqual([
      [{ kind: 'Widget', namespace: 'ns', name: 'before', event: 'create', resourceVersion: '1' }],
      [{ kind: 'Widget', namespace: 'ns', name: 'after', event: 'create', resourceVersion: '1' }],
      [{ kind: 'Widget', namespace: 'ns', name: 'after', event: 'update', resourceVersion: '2', changed: [] }],
      [{ kind: 'Widget', namespace: 'ns', name: 'after', event: 'delete', resourceVersion: '2' }],
    ]);
    await stop();
  });

  it('do not run for what a relist delivers unchanged, and do for a new object of the same version', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.widgets.set(widget('a'));
    await bench.world.settle();
    expect(bench.names()).toEqual(['a']);
    bench.widgets.set(widget('a', { uid: 'another' }));
    await bench.world.settle();
    expect(bench.names()).toEqual(['a', 'a']);
    await stop();
  });

  it('find the owner by group, kind and uid, whatever the version; on a change the old and the new one', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.owns(ConfigMap);
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.runs.length = 0;
    bench.configMaps.set(configMap('of-a', controlledBy('a')));
    bench.configMaps.set(configMap('of-nobody'));
    bench.configMaps.set(
      configMap('of-another-group', {
        ownerReferences: [{ apiVersion: 'other.com/v1', kind: 'Widget', name: 'a', uid: 'uid-a', controller: true }],
      }),
    );
    bench.configMaps.set(
      configMap('of-another-kind', {
        ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Gadget', name: 'a', uid: 'uid-a', controller: true }],
      }),
    );
    bench.configMaps.set(configMap('of-the-predecessor', controlledBy('a', 'older uid')));
    bench.configMaps.set(
      configMap('owned, not controlled', {
        ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: 'uid-a' }],
      }),
    );
    await bench.world.settle();
    expect(bench.names()).toEqual(['a']);
    expect(bench.runs[0]?.context.causes).toMatchObject([{ kind: 'ConfigMap', name: 'of-a', event: 'create' }]);
    bench.configMaps.set(configMap('of-a', { ...controlledBy('not yet in the cache'), resourceVersion: '2' }));
    await bench.world.settle();
    expect(bench.names()).toEqual(['a', 'a', 'not yet in the cache']);
    await stop();
  });

  it('map other objects by a function, old and new, also an asynchronous one that fails at first', async () => {
    const bench = setUp(() => Promise.resolve(done));
    let failures = 2;
    bench.builder.watches(ConfigMap, async (object) => {
      if (object.metadata.name === 'late' && failures-- > 0) {
        throw new Error('not yet');
      }
      const name = object.metadata.labels?.['widget'];
      return name === undefined ? [] : [{ namespace: 'ns', name }];
    });
    const { stop } = bench.start();
    bench.configMaps.set(configMap('c', { labels: { widget: 'one' } }));
    await bench.world.settle();
    bench.configMaps.set(configMap('c', { labels: { widget: 'two' }, resourceVersion: '2' }));
    bench.configMaps.set(configMap('late', { labels: { widget: 'three' } }));
    bench.configMaps.set(configMap('none'));
    await bench.world.advance(1_000);
    expect(bench.names()).toEqual(['one', 'one', 'two', 'three']);
    expect(bench.lines.filter(({ message }) => message.includes('map function'))).toHaveLength(2);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it('try a function that fails no more after the stop', async () => {
    const bench = setUp(() => Promise.resolve(done));
    let calls = 0;
    bench.builder.watches(ConfigMap, () => {
      calls++;
      return Promise.reject(new Error('no map'));
    });
    const { stop } = bench.start();
    bench.configMaps.set(configMap('c'));
    await bench.world.advance(1_000);
    const before = calls;
    expect(before).toBeGreaterThan(5);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
    await bench.world.advance(1_000_000);
    expect(calls).toBe(before);
  });

  it('ask the predicates about updates only', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.watches(ConfigMap, ({ metadata }) => [{ namespace: 'ns', name: metadata.name ?? '' }], {
      predicates: [generationChanged],
    });
    const { stop } = bench.start();
    bench.configMaps.set(configMap('c', { generation: 1 }));
    await bench.world.settle();
    bench.configMaps.set(configMap('c', { generation: 1, resourceVersion: '2' }));
    await bench.world.settle();
    expect(bench.names()).toEqual(['c']);
    bench.configMaps.set(configMap('c', { generation: 2, resourceVersion: '3' }));
    await bench.world.settle();
    bench.configMaps.delete('c');
    bench.configMaps.set(configMap('without generation'));
    await bench.world.settle();
    bench.configMaps.set(configMap('without generation', { resourceVersion: '2' }));
    await bench.world.settle();
    expect(bench.names()).toEqual(['c', 'c', 'c', 'without generation', 'without generation']);
    await stop();
  });
});

describe('a source', () => {
  /** What it asks for, as `namespace/name priority`. */
  function attach(source: Source): { informer: FakeInformer; asked: string[] } {
    const informer = new FakeInformer();
    const asked: string[] = [];
    source.attach(
      { informerFor: ((kind: Kind) => informer.as(kind)) as InformerSource['informerFor'] },
      {
        log: recorder([]),
        enqueue: ({ namespace, name }, _cause, priority = 0) => void asked.push(`${namespace}/${name} ${priority}`),
        retry: () => undefined,
      },
    );
    return { informer, asked };
  }

  it('of what a cluster-scoped object owns gives its key without a namespace', () => {
    const Zone = defineKind<KubernetesObject, 'Cluster'>({
      ...Widget,
      kind: 'Zone',
      plural: 'zones',
      scope: 'Cluster',
    });
    const { informer, asked } = attach(ownedBy(ConfigMap, Zone));
    const owner = { apiVersion: 'example.com/v1', kind: 'Zone', name: 'eu', uid: 'u', controller: true };
    informer.set(configMap('of-a-zone', { ownerReferences: [owner] }));
    expect(asked).toEqual(['/eu 0']);
  });

  it('lets what is told of again wait behind what is new', () => {
    const { informer, asked } = attach(mapped(ConfigMap, ({ metadata }) => [{ name: metadata.name ?? '' }]));
    informer.set(configMap('new'));
    for (const handler of informer.handlers) handler.resync?.(StoredObject.of(configMap('again')));
    expect(asked).toEqual(['/new 0', `/again ${lowPriority}`]);
  });
});

describe('a predicate that looks at the generation', () => {
  it.each([
    ['alone', generationChanged],
    ['within another one', anyOf(labelsChanged, allOf(generationChanged))],
  ])('%s warns once of a kind that has none, and names it', async (_, predicate) => {
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.watches(ConfigMap, () => [], { predicates: [predicate] });
    const { stop } = bench.start();
    for (const resourceVersion of ['1', '2', '3']) {
      bench.configMaps.set(configMap('c', { resourceVersion }));
    }
    await bench.world.settle();
    expect(bench.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('metadata.generation') as string, fields: { watched: { kind: 'ConfigMap' } } },
    ]);
    await stop();
  });

  it('does not warn of a kind that has one', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.builder.watches(ConfigMap, () => [], { predicates: [generationChanged] });
    const { stop } = bench.start();
    for (const resourceVersion of ['1', '2']) {
      bench.configMaps.set(configMap('c', { resourceVersion, generation: 1 }));
    }
    await bench.world.settle();
    expect(bench.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await stop();
  });
});

describe('a predicate that throws', () => {
  it('loses no event', async () => {
    const bench = setUp(() => Promise.resolve(done));
    const broken = (): boolean => {
      throw new Error('broken');
    };
    bench.builder.watches(ConfigMap, () => [{ namespace: 'ns', name: 'w' }], { predicates: [broken] });
    bench.configMaps.set(configMap('c'));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.configMaps.set(configMap('c', { resourceVersion: '2' }));
    await bench.world.settle();
    expect(bench.names()).toEqual(['w', 'w']);
    expect(bench.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { watched: { name: 'c' } } },
    ]);
    await stop();
  });
});
