import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  expectNothingLeft,
  leaderElection,
  replica,
  server,
  setUp,
  widget,
  world,
} from '../../../test/support/manager-bench.ts';
import { TerminalError } from '../controller/errors.ts';
import { done, requeueAfter } from '../controller/result.ts';
import type { Result } from '../controller/result.ts';

afterEach(expectNothingLeft);

/** What controller-runtime v0.25.2 publishes of a process without webhooks: type and labels by name. */
const names: readonly (readonly [string, 'counter' | 'gauge' | 'histogram', readonly string[]])[] = [
  ['controller_runtime_reconcile_total', 'counter', ['controller', 'result']],
  ['controller_runtime_reconcile_errors_total', 'counter', ['controller']],
  ['controller_runtime_terminal_reconcile_errors_total', 'counter', ['controller']],
  ['controller_runtime_reconcile_panics_total', 'counter', ['controller']],
  ['controller_runtime_reconcile_timeouts_total', 'counter', ['controller']],
  ['controller_runtime_reconcile_time_seconds', 'histogram', ['controller']],
  ['controller_runtime_max_concurrent_reconciles', 'gauge', ['controller']],
  ['controller_runtime_active_workers', 'gauge', ['controller']],
  ['workqueue_depth', 'gauge', ['name', 'controller', 'priority']],
  ['workqueue_adds_total', 'counter', ['name', 'controller']],
  ['workqueue_queue_duration_seconds', 'histogram', ['name', 'controller']],
  ['workqueue_work_duration_seconds', 'histogram', ['name', 'controller']],
  ['workqueue_unfinished_work_seconds', 'gauge', ['name', 'controller']],
  ['workqueue_longest_running_processor_seconds', 'gauge', ['name', 'controller']],
  ['workqueue_retries_total', 'counter', ['name', 'controller']],
  ['rest_client_requests_total', 'counter', ['code', 'method', 'host']],
  ['leader_election_master_status', 'gauge', ['name']],
  ['certwatcher_read_certificate_total', 'counter', []],
  ['certwatcher_read_certificate_errors_total', 'counter', []],
  ['process_cpu_seconds_total', 'counter', []],
  ['process_resident_memory_bytes', 'gauge', []],
  ['process_start_time_seconds', 'gauge', []],
];

/** A metric's series: labels by name, without those that only buckets have. */
function seriesOf(text: string, name: string): Record<string, string>[] {
  const lines = text
    .split('\n')
    .filter((line) => new RegExp(String.raw`^${name}(_bucket|_sum|_count)?[{ ]`).test(line));
  return lines.map((line) =>
    Object.fromEntries(
      [...line.matchAll(/(\w+)="([^"]*)"/g)]
        .map(([, label = '', value = '']) => [label, value])
        .filter(([label]) => label !== 'le'),
    ),
  );
}

/** The metrics of a manager whose reconciler ends in the given ways, one after the other. */
async function expose(...outcomes: readonly (() => Promise<Result>)[]): Promise<string> {
  setUp();
  let runs = 0;
  const a = replica(() => outcomes[runs++]?.() ?? Promise.resolve(done), {
    leaderElection,
    metrics: { bindAddress: '0' },
  });
  a.start();
  await world.settle();
  for (const [index] of outcomes.entries()) {
    server.put('widgets', widget(`w-${index}`));
    await world.settle();
  }
  const text = a.manager.metrics.expose();
  await a.stop();
  return text;
}

describe('dashboards made for controller-runtime', () => {
  it.each(names)('find %s, a %s, with the labels %j', async (name, type, labels) => {
    const text = await expose(() => Promise.resolve(done));
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    const series = seriesOf(text, name);
    expect(series.length).toBeGreaterThan(0);
    for (const of of series) {
      expect(Object.keys(of).toSorted()).toEqual(labels.toSorted());
    }
  });

  it('find all results from the start, at zero', async () => {
    const text = await expose();
    for (const result of ['success', 'requeue_after', 'requeue', 'error']) {
      expect(text).toContain(`controller_runtime_reconcile_total{controller="widget",result="${result}"} 0\n`);
    }
  });

  it.each<[string, () => Promise<Result>, Readonly<Record<string, number>>]>([
    ['done', () => Promise.resolve(done), { success: 1 }],
    ['a delay', () => Promise.resolve(requeueAfter('1h')), { requeue_after: 1 }],
    ['an error', () => Promise.reject(new Error('no')), { error: 1 }],
    ['a terminal error', () => Promise.reject(new TerminalError('no')), { error: 1, terminal: 1 }],
    ['a fault of the program', () => Promise.reject(new TypeError('x is not a function')), { error: 1, panics: 1 }],
    ['no result', () => Promise.resolve(undefined as unknown as Result), { error: 1, panics: 1 }],
    // eslint-disable-next-line typescript/prefer-promise-reject-errors
    ['what is no error', () => Promise.reject('no'), { error: 1, panics: 1 }],
    [
      'a failure of fetch',
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })),
      { error: 1 },
    ],
  ])('count a run that ends with %s', async (_, outcome, expected) => {
    const text = await expose(outcome);
    const count = (name: string): number => Number(new RegExp(`^${name}[^\\n]*? (\\d+)$`, 'm').exec(text)?.[1]);
    const result = (name: string): number =>
      count(`controller_runtime_reconcile_total\\{controller="widget",result="${name}"\\}`);
    expect({
      success: result('success'),
      requeue_after: result('requeue_after'),
      error: result('error'),
      errors: count('controller_runtime_reconcile_errors_total'),
      terminal: count('controller_runtime_terminal_reconcile_errors_total'),
      panics: count('controller_runtime_reconcile_panics_total'),
    }).toEqual({
      success: 0,
      requeue_after: 0,
      error: 0,
      errors: expected['error'] ?? 0,
      terminal: 0,
      panics: 0,
      ...expected,
    });
  });
});

const sources = join(
  process.env['GOMODCACHE'] ?? join(homedir(), 'go', 'pkg', 'mod'),
  'sigs.k8s.io',
  'controller-runtime@v0.25.2',
);

describe.skipIf(!existsSync(sources))('the sources of controller-runtime v0.25.2 (where Go has them)', () => {
  it('name no other metric, but of webhooks and those that must be asked for', () => {
    const files = globSync('pkg/{internal/controller/metrics,internal/metrics,metrics,certwatcher/metrics}/*.go', {
      cwd: sources,
    });
    const published = files
      .filter((file) => !file.endsWith('_test.go'))
      .flatMap((file) => [...readFileSync(join(sources, file), 'utf8').matchAll(/\bName: +"(\w+)"/g)])
      .map(([, name = '']) => name);
    expect(published.length).toBeGreaterThan(10);
    // Opt-in there, or defined and never registered.
    const left = new Set([
      'rest_client_request_size_bytes',
      'rest_client_response_size_bytes',
      'rest_client_request_retries_total',
      'leader_election_slowpath_total',
    ]);
    expect(published.filter((name) => !left.has(name) && !names.some(([own]) => own === name))).toEqual([]);
  });
});
