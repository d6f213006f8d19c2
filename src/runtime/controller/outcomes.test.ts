import { describe, expect, it } from 'vitest';
import { pause, setUp, widget } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import { StaleCacheError, apiError } from '../client/errors.ts';
import { RetryAfterError, TerminalError } from './errors.ts';
import { done, requeueAfter } from './result.ts';
import type { Result } from './result.ts';

/** The message of the error of a log line. */
function messageOf(line: Line | undefined): string {
  const error = line?.fields['error'];
  return error instanceof Error ? error.message : '';
}

describe('the priority', () => {
  it.each<[string, () => Promise<Result>]>([
    ['a delay', () => Promise.resolve(requeueAfter(10))],
    ['an error', () => Promise.reject(new RetryAfterError(10))],
    ['an error with backoff', () => Promise.reject(new Error('boom'))],
  ])('of what was there at the start holds for the run after %s', async (_, first) => {
    const bench = setUp(async ({ name }, _context, { world, runs }) => {
      if (name === 'old' && runs.length === 1) return first();
      await pause(world, 20);
      return done;
    });
    bench.widgets.set(widget('old'));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.widgets.set(widget('busy'));
    // The old one is due while the worker is busy, before the new one comes.
    await bench.world.advance(15);
    bench.widgets.set(widget('new'));
    await bench.world.advance(100);
    expect(bench.names()).toEqual(['old', 'busy', 'new', 'old']);
    await stop();
  });
});

describe('an error', () => {
  it('is logged with its next try and backs off; a success forgets', async () => {
    const bench = setUp((_request, _context, { runs }) =>
      runs.length <= 3 ? Promise.reject(new Error('boom')) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(1000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 35]);
    const errors = bench.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => [fields['retryInMilliseconds'], fields['failures']])).toEqual([
      [5, 1],
      [10, 2],
      [20, 3],
    ]);
    expect(errors[0]).toMatchObject({
      message: 'Reconciler error',
      fields: {
        controller: 'widget',
        controllerGroup: 'example.com',
        controllerKind: 'Widget',
        Widget: { namespace: 'ns', name: 'a' },
        namespace: 'ns',
        name: 'a',
      },
    });
    expect(new Set(errors.map(({ fields }) => fields['reconcileID'])).size).toBe(3);
    bench.runs.length = 2;
    bench.widgets.set(widget('a', { resourceVersion: '2' }));
    await bench.world.advance(5);
    expect(bench.runs.map(({ at }) => at).slice(2)).toEqual([1000, 1005]);
    await stop();
  });

  it('thrown synchronously, and one that is no Error, stay with their object', async () => {
    const bench = setUp((request) => {
      if (request.name === 'a') {
        throw 'a string'; // eslint-disable-line no-throw-literal, typescript/only-throw-error
      }
      return Promise.resolve(done);
    });
    bench.widgets.set(widget('a'));
    bench.widgets.set(widget('b'));
    const { stop } = bench.start();
    await bench.world.settle();
    expect(bench.names()).toEqual(['a', 'b']);
    expect(messageOf(bench.lines.find(({ level }) => level === 'error'))).toBe("the reconciler threw 'a string'");
    await stop();
  });

  it.each([
    ['a terminal one', new TerminalError('bad spec')],
    [
      'one caused by a terminal one',
      new Error('outer', { cause: new Error('middle', { cause: new TerminalError('bad spec') }) }),
    ],
  ])('that is %s is not retried before the next event', async (_, error) => {
    const bench = setUp(() => Promise.reject(error));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(10_000_000);
    expect(bench.runs).toHaveLength(1);
    expect(bench.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'Reconciler error, not retried' },
    ]);
    bench.widgets.set(widget('a', { resourceVersion: '2' }));
    await bench.world.settle();
    expect(bench.runs).toHaveLength(2);
    await stop();
  });

  it('of many objects at once waits for a token each where there is a bucket, and longer where its own delay is', async () => {
    const bench = setUp(() => Promise.reject(new Error('the cloud is down')), {
      tokenBucket: { qps: 10, burst: 2 },
      maxConcurrentReconciles: 5,
    });
    for (const name of ['a', 'b', 'c', 'd']) {
      bench.widgets.set(widget(name));
    }
    const { stop } = bench.start();
    await bench.world.advance(250);
    const at = (name: string): number[] => bench.runs.filter((run) => run.name === name).map((run) => run.at);
    // Two tokens are saved up; then there is one every 100 ms.
    expect([at('a').slice(0, 2), at('b').slice(0, 2), at('c').slice(0, 2), at('d').slice(0, 2)]).toEqual([
      [0, 5],
      [0, 5],
      [0, 100],
      [0, 200],
    ]);
    expect(bench.runs.length).toBeLessThanOrEqual(4 + 2 + 3);
    await stop();
  });

  it('cannot wait for tokens that never come', () => {
    expect(() => setUp(() => Promise.resolve(done), { tokenBucket: { qps: 0, burst: 1 } }).start()).toThrow(
      'a token bucket needs qps > 0',
    );
  });

  it('that is terminal ends the count of the failures before it', async () => {
    const bench = setUp((_request, _context, { runs }) =>
      Promise.reject(runs.length === 4 ? new TerminalError('bad spec') : new Error('boom')),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(1_000);
    bench.widgets.set(widget('a', { resourceVersion: '2' }));
    await bench.world.advance(10);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 35, 1_000, 1_005]);
    await stop();
  });

  it.each([-5_000, 0])('with the delay %d is tried again at once, and says so', async (delay) => {
    const bench = setUp((_request, _context, { runs }) =>
      runs.length === 1 ? Promise.reject(new RetryAfterError(delay)) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.settle();
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 0]);
    expect(bench.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({ retryInMilliseconds: 0 });
    await stop();
  });

  it('with a delay of its own is tried again then', async () => {
    const bench = setUp((_request, _context, { runs }) =>
      runs.length < 3 ? Promise.reject(new RetryAfterError('7s', 'quota')) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(60_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 7_000, 14_000]);
    await stop();
  });

  it.each<[string, unknown]>([
    ['an object without a text of its own', Object.create(null)],
    ['undefined', undefined],
    [
      "another package's error of the reason NotFound",
      Object.assign(new Error('no such bucket'), { reason: 'NotFound' }),
    ],
  ])('that is %s is retried like any other', async (_, thrown) => {
    const bench = setUp(() => Promise.reject(thrown));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 35]);
    await stop();
  });

  it('of the rate limiter loses neither the object nor the worker', async () => {
    const fail = (): never => {
      throw new Error('broken limiter');
    };
    const rateLimiter = { when: fail, forget: () => undefined, numRequeues: () => 0 };
    const bench = setUp(() => Promise.reject(new Error('boom')), { rateLimiter });
    bench.widgets.set(widget('a'));
    bench.widgets.set(widget('b'));
    const { stop } = bench.start();
    await bench.world.advance(1_000_000);
    expect(bench.names()).toEqual(['a', 'b', 'a', 'b']);
    await stop();
  });

  const request = { verb: 'patch', path: '/apis/example.com/v1/namespaces/ns/widgets/a' } as const;

  it.each([
    ['a conflict', apiError(409, { reason: 'Conflict' }, request)],
    ['a stale cache', new StaleCacheError('not yet')],
  ])('that is %s is retried without noise', async (_, error) => {
    const bench = setUp((_request, _context, { runs }) =>
      runs.length === 1 ? Promise.reject(error) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(5);
    expect(bench.runs).toHaveLength(2);
    expect(bench.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    await stop();
  });

  it('by which the API server asks to wait is not tried before', async () => {
    const error = apiError(429, { reason: 'TooManyRequests' }, request, 3_000);
    const bench = setUp((_request, _context, { runs }) =>
      runs.length === 1 ? Promise.reject(error) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(10_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 3_000]);
    await stop();
  });

  it('by which the API server asks to wait for an hour is tried after five minutes', async () => {
    const error = apiError(503, { reason: 'ServiceUnavailable' }, request, 3_600_000);
    const bench = setUp((_request, _context, { runs }) =>
      runs.length === 1 ? Promise.reject(error) : Promise.resolve(done),
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(400_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 300_000]);
    await stop();
  });

  it('of another copy of the package with a delay that is none is retried like any other', async () => {
    const error = Object.assign(new Error('odd'), { reason: 'RetryAfter', delay: Number.NaN });
    const bench = setUp(() => Promise.reject(error));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 35]);
    await stop();
  });

  it('that says that the object is gone ends the count of the failures before it', async () => {
    const details = { name: 'a', group: 'example.com', kind: 'widgets' };
    const gone = apiError(404, { reason: 'NotFound', details }, request);
    const bench = setUp((_request, _context, { runs }) => Promise.reject(runs.length === 3 ? gone : new Error('boom')));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(1_000);
    bench.widgets.set(widget('a', { resourceVersion: '2' }));
    await bench.world.advance(10);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 1_000, 1_005]);
    await stop();
  });

  it('that says that a cluster-scoped object is gone ends the work on it', async () => {
    const details = { name: 'a', group: 'example.com', kind: 'widgets' };
    const error = apiError(
      404,
      { reason: 'NotFound', details },
      { verb: 'patch', path: '/apis/example.com/v1/widgets/a' },
    );
    const bench = setUp(() => Promise.reject(error));
    bench.widgets.set(widget('a', { namespace: '' }));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs).toHaveLength(1);
    await stop();
  });

  it('that says that an object of the same name in another namespace is gone is retried', async () => {
    const elsewhere = { ...request, path: '/apis/example.com/v1/namespaces/other/widgets/a' };
    const details = { name: 'a', group: 'example.com', kind: 'widgets' };
    const bench = setUp(() => Promise.reject(apiError(404, { reason: 'NotFound', details }, elsewhere)));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs).toHaveLength(4);
    await stop();
  });

  it.each([
    ['the object itself', { name: 'a', group: 'example.com', kind: 'widgets' }, 1],
    ['another object', { name: 'b', group: 'example.com', kind: 'widgets' }, 4],
    ['another kind', { name: 'a', group: '', kind: 'configmaps' }, 4],
    ['another kind of the group', { name: 'a', group: 'example.com', kind: 'gadgets' }, 4],
    ['a kind of this name in another group', { name: 'a', group: 'other.example.com', kind: 'widgets' }, 4],
    ['the object itself, whose kind is named', { name: 'a', group: 'example.com', kind: 'Widget' }, 1],
    ['a path that does not exist', {}, 4],
  ])('that says that %s is gone is retried unless it ends the work', async (_, details, runs) => {
    const bench = setUp(() => Promise.reject(apiError(404, { reason: 'NotFound', details }, request)));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs).toHaveLength(runs);
    await stop();
  });
});
