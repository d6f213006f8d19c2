import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { VirtualEnvironment } from '../environment/virtual.ts';
import { DrainTimeoutError } from './types.ts';
import type { WorkQueueOptions } from './types.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(options: Partial<WorkQueueOptions<string>> = {}): {
  world: VirtualEnvironment;
  queue: WorkQueue<string, string>;
} {
  const world = createVirtualEnvironment();
  return { world, queue: new WorkQueue<string, string>({ ...world, ...options }) };
}

/** All that is ready, without marking it as done. */
function takeAll(queue: WorkQueue<string, string>): string[] {
  const keys: string[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
    keys.push(key);
  }
  return keys;
}

describe('the order of keys', () => {
  it('is the order of the first add; a key that waits already keeps its place', () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) {
      queue.add(key);
    }
    expect(queue.length).toBe(3);
    expect(takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('puts a hot key behind the cold ones that were added meanwhile', () => {
    const { queue } = setUp();
    const seen: string[] = [];
    queue.add('hot');
    for (let index = 0; index < 10; index++) {
      queue.add(`cold-${index}`);
    }
    for (let index = 0; index < 12; index++) {
      const key = queue.tryGet() ?? '';
      queue.add('hot');
      queue.done(key);
      seen.push(key);
    }
    expect(seen.filter((key) => key === 'hot')).toHaveLength(2);
    expect(seen.at(-1)).toBe('hot');
  });
});

describe('a key in work', () => {
  it('is handed out exactly once more, after done, however often it was added', () => {
    const { queue } = setUp();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.tryGet()).toBeUndefined();
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('is not touched by a stray done', () => {
    const { queue } = setUp();
    queue.done('never added');
    queue.add('a');
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    queue.done('a');
    expect(queue.processing).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
  });
});

describe('structured keys', () => {
  it('are told apart by their identity, and the first one given is the one that is handed out', () => {
    const world = createVirtualEnvironment();
    const queue = new WorkQueue<{ namespace: string; name: string }>({
      ...world,
      identity: (key) => `${key.namespace}/${key.name}`,
    });
    const first = { namespace: 'one', name: 'a' };
    queue.add(first);
    queue.add({ namespace: 'one', name: 'a' });
    queue.add({ namespace: 'two', name: 'a' });
    expect(queue.tryGet()).toBe(first);
    expect(queue.tryGet()).toEqual({ namespace: 'two', name: 'a' });
    queue.done({ namespace: 'one', name: 'a' });
    expect(queue.processing).toBe(1);
  });
});

describe('get', () => {
  it('waits, and serves the longest waiting first', async () => {
    const { world, queue } = setUp();
    const got: string[] = [];
    for (const worker of [1, 2]) {
      void queue.get().then((key) => got.push(`${worker}:${key}`));
    }
    await world.settle();
    expect(got).toEqual([]);
    queue.add('a');
    queue.add('b');
    await world.settle();
    expect(got).toEqual(['1:a', '2:b']);
    expect(queue.processing).toBe(2);
  });

  it('rejects with the reason of its signal, and takes no key with it', async () => {
    const { queue } = setUp();
    const controller = new AbortController();
    const waiting = queue.get(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(queue.get(controller.signal)).rejects.toThrow('enough');
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
  });
});

describe('a signal', () => {
  it('is let go of when the key has come', async () => {
    const { queue } = setUp();
    const { signal } = new AbortController();
    const waiting = queue.get(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    queue.add('a');
    expect(await waiting).toBe('a');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('delays', () => {
  it.each([0, -1, -5000])('%d means now', (delay) => {
    const { world, queue } = setUp();
    queue.addAfter('a', delay);
    expect(takeAll(queue)).toEqual(['a']);
    expect(world.pendingTimers).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '5s' as unknown as number])(
    '%s is refused',
    (delay) => {
      const { queue } = setUp({ name: 'widget' });
      expect(() => {
        queue.addAfter('a', delay);
      }).toThrow(/^widget: a delay must be a finite number of milliseconds, not /);
      expect(queue.delayed).toBe(0);
    },
  );

  it('end in the order of their times, and in the order of adding at the same time', async () => {
    const { world, queue } = setUp();
    queue.addAfter('late', 300);
    queue.addAfter('early', 100);
    queue.addAfter('first of two', 200);
    queue.addAfter('second of two', 200);
    expect(world.pendingTimers).toBe(1);
    await world.advance(99);
    expect(queue.length).toBe(0);
    await world.advance(201);
    expect(takeAll(queue)).toEqual(['early', 'first of two', 'second of two', 'late']);
    expect(world.pendingTimers).toBe(0);
  });

  it('keep the earliest of one key', async () => {
    const { world, queue } = setUp();
    queue.addAfter('a', 200);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    expect(queue.delayed).toBe(1);
    await world.advance(100);
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await world.advance(1000);
    expect(queue.length).toBe(0);
  });

  it('are one entry and one timer for a thousand year-long delays of one key, and then fire once', async () => {
    const { world, queue } = setUp();
    const year = 365 * 24 * 3600 * 1000;
    for (let index = 0; index < 1000; index++) {
      queue.addAfter('a', year);
    }
    expect(queue.delayed).toBe(1);
    expect(world.pendingTimers).toBe(1);
    await world.advance(year - 1);
    expect(queue.length).toBe(0);
    await world.advance(1);
    expect(takeAll(queue)).toEqual(['a']);
    expect(world.pendingTimers).toBe(0);
  });

  it('stay in their order when one is made earlier, or asked for again', async () => {
    const { world, queue } = setUp();
    const order: string[] = [];
    void (async () => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        order.push(`${key} ${world.clock.monotonic()}`);
        queue.done(key);
      }
    })();
    for (const [index, key] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      queue.addAfter(key, 10 * (index + 1));
    }
    queue.addAfter('d', 15);
    queue.addAfter('e', 20);
    queue.addAfter('b', 20);
    await world.advance(60);
    expect(order).toEqual(['a 10', 'd 15', 'b 20', 'e 20', 'c 30', 'f 60']);
    queue.shutDown();
  });

  it('are not used up by an event before their time', async () => {
    const { world, queue } = setUp();
    queue.addAfter('a', 60_000);
    await world.advance(10_000);
    queue.add('a');
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await world.advance(50_000);
    expect(takeAll(queue)).toEqual(['a']);
  });

  it('that end while the key is in work make it ready after done', async () => {
    const { world, queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.addAfter('a', 10);
    await world.advance(10);
    expect(queue.tryGet()).toBeUndefined();
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
  });

  it('do not follow the wall clock', async () => {
    const { world, queue } = setUp();
    queue.addAfter('a', 1000);
    world.setWall(world.clock.wall() + 3_600_000);
    await world.advance(999);
    expect(queue.length).toBe(0);
    world.setWall(0);
    await world.advance(1);
    expect(queue.length).toBe(1);
  });
});

describe('failures', () => {
  it('double the delay of their own key only; forget starts again', async () => {
    const { world, queue } = setUp();
    const delays: number[] = [];
    const fail = async (key: string): Promise<void> => {
      const start = world.clock.monotonic();
      queue.addRateLimited(key);
      await world.runUntil(() => queue.length > 0);
      delays.push(Math.floor(world.clock.monotonic() - start));
      queue.done(queue.tryGet() ?? '');
    };
    for (let index = 0; index < 3; index++) {
      await fail('a');
    }
    expect(queue.numRequeues('a')).toBe(3);
    await fail('b');
    queue.forget('a');
    expect(queue.numRequeues('a')).toBe(0);
    await fail('a');
    expect(delays).toEqual(
      [5, 10, 20, 5, 5].map(
        (delay) => expect.toSatisfy((seen: number) => seen >= delay && seen <= delay * 1.1) as number,
      ),
    );
  });
});

describe('shutdown', () => {
  it('wakes everybody who waits, drops delays with their timer, ignores adds, and still hands out what is ready', async () => {
    const { world, queue } = setUp();
    const waiting = [queue.get(), queue.get(), queue.get()];
    queue.addAfter('delayed', 1000);
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined]);
    expect(world.pendingTimers).toBe(0);
    queue.add('late');
    queue.addAfter('late', 5);
    queue.addRateLimited('late');
    expect([queue.length, queue.delayed]).toEqual([0, 0]);
    expect(await queue.get()).toBeUndefined();

    const other = setUp().queue;
    other.add('a');
    other.shutDown();
    other.shutDown();
    expect(await other.get()).toBe('a');
    other.done('a');
    expect(await other.get()).toBeUndefined();
  });

  it('drains what is ready and what is in work, including what was added during work', async () => {
    const { world, queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    queue.add('a');
    let drained = false;
    const drain = queue.shutDownWithDrain().then(() => (drained = true));
    queue.done('a');
    await world.settle();
    expect(drained).toBe(false);
    expect(queue.tryGet()).toBe('b');
    queue.done('b');
    await world.settle();
    expect(drained).toBe(false);
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    await drain;
    expect(queue.tryGet()).toBeUndefined();
  });

  it('resolves at once when there is nothing to drain, and when a plain shutdown comes on top', async () => {
    await setUp().queue.shutDownWithDrain();
    const { world, queue } = setUp();
    queue.add('a');
    queue.tryGet();
    const drain = queue.shutDownWithDrain({ timeout: 1000 });
    queue.shutDown();
    await drain;
    expect(world.pendingTimers).toBe(0);
  });

  it('drops the delay of a key in work, whose end is still waited for', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    queue.tryGet();
    queue.addAfter('a', 10);
    queue.tryGet();
    const drain = queue.shutDownWithDrain();
    expect(queue.items().map(({ key }) => key)).toEqual(['a', 'b']);
    queue.done('a');
    expect(queue.processing).toBe(1);
    queue.done('b');
    await drain;
    expect(queue.items()).toEqual([]);
  });

  it('names the key that never ends when the time for the drain is up', async () => {
    const { world, queue } = setUp({ name: 'widget' });
    queue.add('stuck');
    queue.add('waiting');
    queue.tryGet();
    const drain = queue.shutDownWithDrain({ timeout: 30_000 }).catch((error: unknown) => error);
    await world.advance(30_000);
    const error = await drain;
    expect(error).toBeInstanceOf(DrainTimeoutError);
    expect(error).toMatchObject({
      message: 'widget: not drained within 30000 ms; in work: stuck; queued: 1',
      processing: ['stuck'],
    });
  });
});

describe('causes', () => {
  it('are taken as long as there is room for them, which a run makes', () => {
    const { queue } = setUp({ maxCauses: 2 });
    expect(queue.takesCause('a')).toBe(true);
    queue.add('a', { cause: 'one' });
    expect(queue.takesCause('a')).toBe(true);
    queue.add('a', { cause: 'two' });
    expect([queue.takesCause('a'), queue.takesCause('b')]).toEqual([false, true]);
    queue.tryGet();
    expect(queue.takesCause('a')).toBe(true);
    expect(setUp({ maxCauses: 0 }).queue.takesCause('a')).toBe(false);
  });

  it('go with the run that they led to, bounded', () => {
    const { queue } = setUp({ maxCauses: 2 });
    queue.add('a', { cause: 'one' });
    queue.add('a', { cause: 'two' });
    queue.add('a', { cause: 'three' });
    expect(queue.causes('a')).toEqual([]);
    queue.tryGet();
    queue.add('a', { cause: 'four' });
    expect(queue.causes('a')).toEqual(['one', 'two']);
    queue.done('a');
    queue.tryGet();
    expect(queue.causes('a')).toEqual(['four']);
    queue.addAfter('a', 10);
    queue.done('a');
    expect([queue.causes('a'), queue.items()[0]?.causes]).toEqual([[], []]);
  });

  it('are ten at most unless more are asked for', () => {
    const { queue } = setUp();
    for (let index = 1; index <= 20; index++) {
      queue.add('a', { cause: `${index}` });
    }
    queue.tryGet();
    expect(queue.causes('a')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  it.each([-1, 1.5, Number.NaN])('cannot be %s', (maxCauses) => {
    expect(() => setUp({ maxCauses })).toThrow('queue: maxCauses must be a whole number >= 0');
  });
});

describe('a run that is postponed', () => {
  it('comes after the delay with its causes, those that came meanwhile, and its priority', async () => {
    const { world, queue } = setUp({ maxCauses: 3 });
    queue.add('a', { cause: 'one', priority: 5 });
    queue.add('a', { cause: 'two' });
    queue.tryGet();
    queue.postpone('a', 1000);
    expect([queue.length, queue.processing, queue.delayed]).toEqual([0, 0, 1]);
    for (const cause of ['three', 'four']) {
      queue.addAfter('a', 5000, { cause });
    }
    queue.add('b', { priority: 1 });
    await world.advance(1000);
    expect(takeAll(queue)).toEqual(['a', 'b']);
    expect([queue.causes('a'), queue.priority('a')]).toEqual([['one', 'two', 'three'], 5]);
    for (const cause of ['five', 'six']) {
      queue.add('a', { cause });
    }
    queue.postpone('a', 1000);
    expect(queue.items()[0]?.causes).toEqual(['one', 'two', 'three']);
    // An event that came during the run runs it before.
    expect(takeAll(queue)).toEqual(['a']);
  });

  it('is one that goes on: of a key that is not handed out there is nothing to postpone', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.postpone('a', 1000);
    queue.postpone('never seen', 1000);
    expect([queue.length, queue.delayed]).toEqual([1, 0]);
  });
});

describe('the waits', () => {
  it('of keys that are ready are measured where somebody observes', async () => {
    const observer = {
      added: () => undefined,
      handedOut: () => undefined,
      done: () => undefined,
      retried: () => undefined,
    };
    const { world, queue } = setUp({ observer });
    expect(queue.longestWait()).toBe(0);
    queue.add('a');
    await world.advance(30);
    queue.add('b');
    await world.advance(12);
    expect(queue.longestWait()).toBe(42);
    expect(queue.tryGet()).toBe('a');
    expect([queue.waited('a'), queue.longestWait()]).toEqual([42, 12]);
    expect([queue.waited('nobody'), setUp().queue.longestWait()]).toEqual([0, 0]);
  });
});
