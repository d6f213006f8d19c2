import { describe, expect, it } from 'vitest';
import { ControllersMetrics } from './controller-metrics.ts';
import { MetricsRegistry } from './registry.ts';

describe('the exposition', () => {
  it('is Prometheus text: help, type, escaped labels, cumulative buckets', () => {
    const registry = new MetricsRegistry();
    const requests = registry.counter({ name: 'requests_total', help: 'All\nof "them" \\', labels: ['path', 'code'] });
    requests.inc({ path: 'a"b\\c\nd', code: '200' });
    requests.inc({ path: 'a"b\\c\nd', code: '200' }, 2);
    registry.gauge({ name: 'temperature', help: 'Now' }).set({}, Number.NEGATIVE_INFINITY);
    const time = registry.histogram({ name: 'time_seconds', help: 'Time', labels: ['name'], buckets: [0.1, 1] });
    for (const value of [0.1, 0.5, 3]) {
      time.observe({ name: 'x' }, value);
    }
    expect(registry.expose()).toBe(
      [
        '# HELP requests_total All\\nof "them" \\\\',
        '# TYPE requests_total counter',
        'requests_total{path="a\\"b\\\\c\\nd",code="200"} 3',
        '# HELP temperature Now',
        '# TYPE temperature gauge',
        'temperature -Inf',
        '# HELP time_seconds Time',
        '# TYPE time_seconds histogram',
        'time_seconds_bucket{name="x",le="0.1"} 1',
        'time_seconds_bucket{name="x",le="1"} 2',
        'time_seconds_bucket{name="x",le="+Inf"} 3',
        'time_seconds_sum{name="x"} 3.6',
        'time_seconds_count{name="x"} 3',
        '',
      ].join('\n'),
    );
  });

  it('asks the collectors each time', () => {
    const registry = new MetricsRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'h' });
    let value = 0;
    registry.collect(() => {
      gauge.set({}, ++value);
    });
    registry.expose();
    expect(registry.expose()).toContain('\ng 2\n');
  });

  it('refuses what is no metric', () => {
    const registry = new MetricsRegistry();
    registry.gauge({ name: 'taken', help: '' });
    expect(() => registry.counter({ name: 'taken', help: '' })).toThrow('taken');
    expect(() => registry.counter({ name: '1st', help: '' })).toThrow(RangeError);
    expect(() => registry.counter({ name: 'fine', help: '', labels: ['not-fine'] })).toThrow('not-fine');
    expect(() => registry.histogram({ name: 'h', help: '', buckets: [1, 1] })).toThrow('rise');
    const counter = registry.counter({ name: 'c', help: '', labels: ['a'] });
    expect(() => counter.inc({ a: 'x' }, -1)).toThrow(RangeError);
    expect(() => counter.inc({} as { a: string })).toThrow(/label a/);
  });
});

describe('the metrics of controllers', () => {
  it('have the names and labels of controller-runtime, and begin at zero', () => {
    const registry = new MetricsRegistry();
    const lengths = new Map([
      [0, 2],
      [-100, 3],
    ]);
    const metrics = new ControllersMetrics(registry).of('widget', 4, {
      queueLengths: () => lengths,
      delayed: () => 7,
      longestWait: () => 2500,
      workedFor: () => [1500, 500],
      activeWorkers: () => 2,
    });
    expect(registry.expose().split('\n')).toEqual(
      expect.arrayContaining([
        'controller_runtime_reconcile_total{controller="widget",result="success"} 0',
        'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 0',
        'controller_runtime_reconcile_total{controller="widget",result="error"} 0',
        'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
        'controller_runtime_reconcile_errors_total{controller="widget"} 0',
        'controller_runtime_reconcile_panics_total{controller="widget"} 0',
        'operator_runtime_guard_trips_total{controller="widget",guard="selfTriggeredLoop"} 0',
        'operator_runtime_guard_trips_total{controller="widget",guard="ignoredAbort"} 0',
        'operator_runtime_queue_delayed{controller="widget"} 7',
        'operator_runtime_queue_longest_wait_seconds{controller="widget"} 2.5',
        'controller_runtime_reconcile_time_seconds_count{controller="widget"} 0',
        'controller_runtime_max_concurrent_reconciles{controller="widget"} 4',
        'controller_runtime_active_workers{controller="widget"} 2',
        'workqueue_depth{name="widget",controller="widget",priority="0"} 2',
        'workqueue_depth{name="widget",controller="widget",priority="-100"} 3',
        'workqueue_unfinished_work_seconds{name="widget",controller="widget"} 2',
        'workqueue_longest_running_processor_seconds{name="widget",controller="widget"} 1.5',
      ]),
    );
    metrics.reconciled('error', 20);
    metrics.queue.handedOut(3);
    metrics.guardTripped('noOpWrite');
    lengths.clear();
    expect(registry.expose().split('\n')).toEqual(
      expect.arrayContaining([
        'controller_runtime_reconcile_total{controller="widget",result="error"} 1',
        'controller_runtime_reconcile_errors_total{controller="widget"} 1',
        'controller_runtime_reconcile_time_seconds_bucket{controller="widget",le="0.025"} 1',
        'operator_runtime_guard_trips_total{controller="widget",guard="noOpWrite"} 1',
        'workqueue_queue_duration_seconds_bucket{name="widget",controller="widget",le="0.005"} 1',
        'workqueue_depth{name="widget",controller="widget",priority="0"} 0',
      ]),
    );
    expect(registry.expose()).not.toContain('priority="-100"');
  });
});
