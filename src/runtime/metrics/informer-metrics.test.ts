import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import { Widget, widget } from '../../../test/support/controller-bench.ts';
import { newStatistics } from '../cache/statistics.ts';
import { addInformerMetrics, cacheWaitMetrics } from './informer-metrics.ts';
import { requestMetrics } from './measured-transport.ts';
import { MetricsRegistry } from './registry.ts';

describe('the metrics of informers', () => {
  it('are looked up at each scrape', () => {
    const registry = new MetricsRegistry();
    const statistics = newStatistics();
    let synced = false;
    addInformerMetrics(registry, () => [
      {
        kind: Widget,
        indexer: {
          size: 3,
          get: () => widget('w'),
          peek: () => undefined,
          list: () => [],
          byIndex: () => [],
          addIndex: () => undefined,
          whenIndexed: async () => undefined,
        },
        hasSynced: () => synced,
        health: () => ({ state: 'watching', synced, ...(synced ? {} : { error: new Error('no') }) }),
        statistics: () => statistics,
        cachedBytes: () => 1234,
      },
    ]);
    const lines = (): string[] => registry.expose().split('\n');
    const labels = '{group="example.com",kind="Widget"}';
    expect(lines()).toEqual(
      expect.arrayContaining([
        `operator_runtime_informer_synced${labels} 0`,
        `operator_runtime_informer_failing${labels} 1`,
        `operator_runtime_informer_objects${labels} 3`,
        `operator_runtime_informer_cached_bytes${labels} 1234`,
        `operator_runtime_informer_lists_total${labels} 0`,
      ]),
    );
    synced = true;
    statistics.lists = 2;
    statistics.modified = 7;
    expect(lines()).toEqual(
      expect.arrayContaining([
        `operator_runtime_informer_synced${labels} 1`,
        `operator_runtime_informer_failing${labels} 0`,
        `operator_runtime_informer_lists_total${labels} 2`,
        'operator_runtime_informer_events_total{group="example.com",kind="Widget",type="modified"} 7',
      ]),
    );
  });
});

describe('the waits for own writes', () => {
  it('are counted by kind, and by whether the write was seen', () => {
    const registry = new MetricsRegistry();
    const waited = cacheWaitMetrics(registry);
    waited({ kind: Widget, milliseconds: 20, seen: true });
    waited({ kind: Widget, milliseconds: 10_000, seen: false });
    const text = registry.expose();
    expect(text).toContain('_bucket{group="example.com",kind="Widget",seen="true",le="0.025"} 1\n');
    expect(text).toContain('_count{group="example.com",kind="Widget",seen="false"} 1\n');
  });
});

describe('a measured transport', () => {
  it('counts requests by code, and those without an answer', async () => {
    const registry = new MetricsRegistry();
    let fail = false;
    const scripted = new ScriptedTransport((exchange) => {
      if (fail) exchange.fail(new ConnectionError('reset'));
      else exchange.answer(201, {});
    });
    const transport = requestMetrics(registry)(scripted, 'api:6443');
    const { signal } = new AbortController();
    const request = { method: 'POST', path: '/x', headers: {} } as const;
    expect((await transport.send(request, signal)).status).toBe(201);
    fail = true;
    await expect(transport.send(request, signal)).rejects.toThrow('reset');
    const text = registry.expose();
    expect(text).toContain('rest_client_requests_total{code="201",method="POST",host="api:6443"} 1\n');
    expect(text).toContain('rest_client_requests_total{code="<error>",method="POST",host="api:6443"} 1\n');
  });
});
