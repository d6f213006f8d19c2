import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import type { InformerStatistics } from '../cache/statistics.ts';
import type { CacheWait } from '../client/own-writes.ts';
import type { MetricsRegistry } from './registry.ts';

type Measured = Pick<
  SharedInformer<KubernetesObject>,
  'kind' | 'indexer' | 'hasSynced' | 'health' | 'statistics' | 'cachedBytes'
>;

const counters: readonly (readonly [keyof InformerStatistics, string, string])[] = [
  ['lists', 'lists_total', 'Lists that succeeded; each after the first is a relist'],
  ['watches', 'watches_total', 'Watches that were opened'],
  ['failures', 'failures_total', 'Lists and watches that failed'],
  ['silences', 'silences_total', 'Connections that were given up because nothing came'],
  ['bytes', 'received_bytes_total', 'Bytes of lists and watches, after decompression'],
];
const events = ['added', 'modified', 'deleted', 'bookmarks'] as const;

/** What the informers do and hold, by kind. Neither client-go nor controller-runtime publishes this. */
export function addInformerMetrics(registry: MetricsRegistry, informers: () => readonly Measured[]): void {
  const labels = ['group', 'kind'] as const;
  const prefix = 'operator_runtime_informer_';
  const counts = counters.map(([member, name, help]) => ({
    member,
    counter: registry.counter({ name: prefix + name, help, labels }),
  }));
  const received = registry.counter({
    name: `${prefix}events_total`,
    help: 'Events of watches',
    labels: ['group', 'kind', 'type'],
  });
  const objects = registry.gauge({ name: `${prefix}objects`, help: 'Objects in the cache', labels });
  const bytes = registry.gauge({
    name: `${prefix}cached_bytes`,
    help: 'Size of the cached objects, estimated: as JSON, or compressed where they are kept so',
    labels,
  });
  const synced = registry.gauge({ name: `${prefix}synced`, help: '1 once the first list is in the cache', labels });
  const failing = registry.gauge({
    name: `${prefix}failing`,
    help: '1 while the latest list or watch has failed',
    labels,
  });
  registry.collect(() => {
    for (const informer of informers()) {
      const of = { group: informer.kind.group, kind: informer.kind.kind };
      const statistics = informer.statistics();
      for (const { member, counter } of counts) {
        counter.set(of, statistics[member]);
      }
      for (const type of events) {
        received.set({ ...of, type }, statistics[type]);
      }
      objects.set(of, informer.indexer.size);
      bytes.set(of, informer.cachedBytes());
      synced.set(of, informer.hasSynced() ? 1 : 0);
      failing.set(of, informer.health().error === undefined ? 0 : 1);
    }
  });
}

/** Seconds. */
const waitBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How long reads waited for the cache to see this process's own writes; gives what is to be told of each wait. */
export function cacheWaitMetrics(registry: MetricsRegistry): (wait: CacheWait) => void {
  const waits = registry.histogram({
    name: 'operator_runtime_cache_wait_seconds',
    help: 'How long reads waited for the cache to see own writes; seen is false where it did not in time',
    labels: ['group', 'kind', 'seen'],
    buckets: waitBuckets,
  });
  return ({ kind, milliseconds, seen }) => {
    waits.observe({ group: kind.group, kind: kind.kind, seen: String(seen) }, milliseconds / 1000);
  };
}
