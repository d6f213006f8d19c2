import { describe, expect, it, vi } from 'vitest';
import { pause, setUp, widget } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import { CacheSyncError } from './errors.ts';
import { done, requeueAfter } from './result.ts';
import type { Result } from './result.ts';

/** The message of the error of a log line. */
function messageOf(line: Line | undefined): string {
  const error = line?.fields['error'];
  return error instanceof Error ? error.message : '';
}

describe('a result', () => {
  it.each([
    ['a negative delay', -5, 0],
    ['zero', 0, 0],
    ['milliseconds', 1500, 1500],
    ['a duration', '30s', 30_000],
    ['a year', 365 * 24 * 3_600_000, 365 * 24 * 3_600_000],
  ])('with %s comes back then', async (_, delay, expected) => {
    const bench = setUp(() => Promise.resolve(bench.runs.length === 1 ? requeueAfter(delay) : done));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.runUntilIdle(400 * 24 * 3_600_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, expected]);
    expect(bench.runs[1]?.context.causes).toMatchObject([{ event: 'requeue', name: 'a' }]);
    await stop();
  });

  it('of the periodic kind is not used up by an event, nor by the status write of the reconcile itself', async () => {
    const bench = setUp(() => Promise.resolve(requeueAfter(60_000)));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(5);
    bench.widgets.set(widget('a', { resourceVersion: '2' }));
    await bench.world.advance(59_994);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5]);
    await bench.world.advance(1);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 60_000]);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'returned nothing'],
    ['a made-up object', { requeueAfter: 5 }, 'returned {"requeueAfter":5}'],
    [
      'a forged delay',
      { result: 'requeueAfter', milliseconds: Number.NaN },
      'returned {"result":"requeueAfter","milliseconds":null}',
    ],
    ['true', true, 'returned true'],
    ['null', null, 'returned null'],
  ])('that is %s is a loud error that names the controller, with backoff', async (_, value, message) => {
    const bench = setUp(() => Promise.resolve(value as Result));
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(40);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 5, 15, 35]);
    const errors = bench.lines.filter(({ level }) => level === 'error');
    expect(messageOf(errors[0])).toContain(`the reconciler of controller "widget" ${message}`);
    await stop();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 'soon', '5', ''])('cannot be made of %j', (delay) => {
    expect(() => requeueAfter(delay)).toThrow(RangeError);
  });
});

describe('workers', () => {
  it('never work twice on one object at a time; the same name in another namespace runs beside it', async () => {
    const running = new Set<string>();
    let most = 0;
    const bench = setUp(
      async ({ namespace, name }, _context, { world }) => {
        expect(running.has(`${namespace} ${name}`)).toBe(false);
        running.add(`${namespace} ${name}`);
        most = Math.max(most, running.size);
        await pause(world, 100);
        running.delete(`${namespace} ${name}`);
        return done;
      },
      { maxConcurrentReconciles: 5 },
    );
    const { stop } = bench.start();
    for (const resourceVersion of ['1', '2', '3', '4']) {
      bench.widgets.set(widget('a/b:c', { resourceVersion }));
      bench.widgets.set(widget('a/b:c', { resourceVersion, namespace: 'other' }));
      await bench.world.advance(60);
    }
    await bench.world.advance(1_000);
    expect(most).toBe(2);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 0, 100, 100, 200, 200]);
    await stop();
  });

  it('coalesce three changes during a run into one more run', async () => {
    const bench = setUp(
      async (_request, _context, { world }) => {
        await pause(world, 100);
        return done;
      },
      { maxConcurrentReconciles: 5 },
    );
    const { stop } = bench.start();
    for (const resourceVersion of ['1', '2', '3']) {
      bench.widgets.set(widget('a', { resourceVersion }));
      await bench.world.advance(1);
    }
    await bench.world.advance(1_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 100]);
    expect(bench.runs[1]?.context.causes).toHaveLength(2);
    await stop();
  });

  it('work on as many objects at a time as asked for', async () => {
    let running = 0;
    let most = 0;
    const bench = setUp(
      async (_request, _context, { world }) => {
        most = Math.max(most, ++running);
        await pause(world, 10);
        running--;
        return done;
      },
      { maxConcurrentReconciles: 3 },
    );
    for (let index = 0; index < 10; index++) {
      bench.widgets.set(widget(`w${index}`));
    }
    const { stop } = bench.start();
    await bench.world.advance(100);
    expect(most).toBe(3);
    expect(bench.runs).toHaveLength(10);
    await stop();
  });

  it('abort the signal of a reconcile that takes too long, and count it as failed', async () => {
    const bench = setUp(
      async (_request, { signal }, { world, runs }) => {
        if (runs.length === 1) {
          await new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          });
        }
        await pause(world, 1);
        return done;
      },
      { reconcileTimeout: '2s' },
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(5_000);
    expect(bench.runs.map(({ at }) => at)).toEqual([0, 2_005]);
    expect(messageOf(bench.lines.find(({ level }) => level === 'error'))).toContain('not done within 2000 ms');
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it.each<[string, (reason: unknown) => Error, string]>([
    [
      'an abort of its own',
      () => new DOMException('This operation was aborted', 'AbortError'),
      'not done within 2000 ms',
    ],
    ['an error that the abort caused', (cause) => new Error('no answer', { cause }), 'not done within 2000 ms'],
    ['an error that has nothing to do with it', () => new Error('the cloud is down'), 'the cloud is down'],
  ])('that are out of time say why they failed: with %s', async (_, errorOf, message) => {
    const bench = setUp(
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(errorOf(signal.reason));
          });
        }),
      { reconcileTimeout: '2s' },
    );
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(2_000);
    expect(messageOf(bench.lines.find(({ level }) => level === 'error'))).toContain(message);
    await stop();
  });

  it.each([true, false])('tell of a reconcile that ignores its signal for ten seconds (guard on: %s)', async (on) => {
    const bench = setUp(
      async (_request, _context, { world }) => {
        await pause(world, 20_000);
        return done;
      },
      { reconcileTimeout: '2s', guards: { ignoredAbort: on } },
    );
    bench.widgets.set(widget('a'));
    const setTimer = vi.spyOn(bench.world.clock, 'setTimer');
    const { stop } = bench.start();
    const told = (): Line[] => bench.lines.filter(({ message }) => message === 'A guard tripped');
    await bench.world.advance(11_999);
    expect(told()).toEqual([]);
    await bench.world.advance(1);
    expect(told()).toMatchObject(
      on
        ? [
            {
              level: 'warn',
              fields: {
                guard: 'ignoredAbort',
                namespace: 'ns',
                name: 'a',
                remedy: expect.stringContaining('context.signal') as string,
              },
            },
          ]
        : [],
    );
    // It does not hold a process up that has nothing else to wait for.
    expect(setTimer).toHaveBeenCalledWith(expect.any(Function), 10_000, { keepAlive: false });
    await bench.world.advance(8_000);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it('stop: take nothing more, abort what runs, wait for its end, and leave nothing behind', async () => {
    let aborted = false;
    const bench = setUp(async (_request, { signal }, { world }) => {
      await pause(world, 8_000);
      aborted = signal.aborted;
      return requeueAfter(1);
    });
    bench.widgets.set(widget('a'));
    bench.widgets.set(widget('b'));
    const { stop } = bench.start();
    await bench.world.settle();
    let stopped = false;
    void stop().then(() => (stopped = true));
    await bench.world.advance(7_999);
    expect(stopped).toBe(false);
    await bench.world.advance(1);
    expect([stopped, aborted]).toEqual([true, true]);
    expect(bench.names()).toEqual(['a']);
    expect(bench.widgets.handlers.size).toBe(0);
    expect(bench.world.pendingTimers).toBe(0);
    expect(bench.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('run once at a time, and again after a stop', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.widgets.set(widget('a'));
    const reconciled: string[] = [];
    const controller = bench.builder.reconcile(({ name }) => {
      reconciled.push(name);
      return Promise.resolve(done);
    });
    for (const times of [1, 2]) {
      const abort = new AbortController();
      const running = controller.run(abort.signal);
      await expect(controller.run(abort.signal)).rejects.toThrow('controller widget is running already');
      await bench.world.settle();
      expect(reconciled).toHaveLength(times);
      abort.abort();
      await running;
    }
  });

  it('do not begin with an object that comes in the moment of the stop', async () => {
    const bench = setUp(() => Promise.resolve(done));
    const { stop } = bench.start();
    await bench.world.settle();
    bench.widgets.set(widget('a'));
    await stop();
    expect(bench.runs).toEqual([]);
  });

  it('let others run after each 10 ms of synchronous work', async () => {
    const bench = setUp((_request, _context, { world }) => {
      // A millisecond of work that does not wait for anything.
      (world.clock as unknown as { moveTo(moment: number): void }).moveTo(world.clock.monotonic() + 1);
      return Promise.resolve(done);
    });
    for (let index = 0; index < 100; index++) {
      bench.widgets.set(widget(`w${index}`));
    }
    const runsAtTurns: number[] = [];
    const takeTurn = vi.spyOn(bench.world.scheduler, 'yield').mockImplementation(() => {
      runsAtTurns.push(bench.runs.length);
      return Promise.resolve();
    });
    const { stop } = bench.start();
    await bench.world.settle();
    expect(bench.runs).toHaveLength(100);
    expect(runsAtTurns).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    takeTurn.mockRestore();
    await stop();
  });

  it.each([0, -1, 1.5, Number.NaN])('cannot be %d', (maxConcurrentReconciles) => {
    expect(() => setUp(() => Promise.resolve(done), { maxConcurrentReconciles }).start()).toThrow(
      'maxConcurrentReconciles',
    );
  });
});

describe('caches', () => {
  it('are waited for as long as it takes, with notices of what is missing and why', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.widgets.synced = false;
    bench.widgets.error = new Error('the server could not find the requested resource');
    bench.widgets.set(widget('a'));
    const { stop } = bench.start();
    await bench.world.advance(300_000);
    expect(bench.runs).toHaveLength(0);
    const notices = bench.lines.filter(({ level }) => level === 'warn');
    expect(notices).toHaveLength(10);
    expect(notices[0]).toMatchObject({
      message: 'Waiting for the cache',
      fields: { kind: 'Widget.example.com', error: bench.widgets.error },
    });
    bench.widgets.sync();
    await bench.world.settle();
    expect(bench.names()).toEqual(['a']);
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });

  it('that are not filled in the time given end the controller', async () => {
    const bench = setUp(() => Promise.resolve(done), { cacheSyncTimeout: '2m' });
    bench.widgets.synced = false;
    bench.widgets.error = new Error('forbidden');
    const ended = bench.start().ended.catch((error: unknown) => error);
    await bench.world.advance(120_000);
    const error = await ended;
    expect(error).toBeInstanceOf(CacheSyncError);
    expect((error as Error).message).toBe(
      'controller "widget": caches not synced within 120000 ms: Widget.example.com (forbidden)',
    );
    expect(bench.world.pendingTimers).toBe(0);
  });

  it('do not hold up a stop', async () => {
    const bench = setUp(() => Promise.resolve(done));
    bench.widgets.synced = false;
    const { stop } = bench.start();
    await bench.world.settle();
    await stop();
    expect(bench.world.pendingTimers).toBe(0);
  });
});
