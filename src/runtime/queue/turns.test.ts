import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { WorkQueue } from './work-queue.ts';

/** A world in which time passes only by work, and timers ring only when the event loop turns. */
function busyWorld() {
  const { random } = createVirtualEnvironment();
  let now = 0;
  let turns = 0;
  const timers: { readonly at: number; readonly ring: () => void }[] = [];
  const clock = {
    monotonic: () => now,
    wall: () => now,
    setTimer(callback: () => void, milliseconds: number) {
      const timer = { at: now + milliseconds, ring: callback };
      timers.push(timer);
      return { cancel: () => void timers.splice(timers.indexOf(timer), 1) };
    },
  };
  const scheduler = {
    yield(): Promise<void> {
      turns++;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.ring();
      }
      return Promise.resolve();
    },
  };
  return { clock, random, scheduler, work: (milliseconds: number) => void (now += milliseconds), turns: () => turns };
}

const keys = 100_000;

describe('a worker that never waits for anything', () => {
  it('lets a 10 ms timer ring within 50 ms, with 100,000 keys ready', async () => {
    const world = busyWorld();
    const queue = new WorkQueue<number>(world);
    for (let key = 0; key < keys; key++) queue.add(key);
    const rang: number[] = [];
    const schedule = (): void => {
      const due = world.clock.monotonic() + 10;
      world.clock.setTimer(() => {
        rang.push(world.clock.monotonic() - due);
        schedule();
      }, 10);
    };
    schedule();
    const worker = async (): Promise<number> => {
      let count = 0;
      while (queue.length > 0) {
        const key = await queue.get();
        if (key === undefined) break;
        world.work(0.05);
        queue.done(key);
        count++;
      }
      return count;
    };
    const counts = await Promise.all([worker(), worker(), worker()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(keys);
    expect(rang.length).toBeGreaterThan((keys * 0.05) / 60);
    expect(Math.max(...rang)).toBeLessThanOrEqual(40);
  });

  it('goes on without turns where the queue has no scheduler', async () => {
    const { clock, random, work, turns } = busyWorld();
    const queue = new WorkQueue<number>({ clock, random });
    for (let key = 0; key < 1000; key++) queue.add(key);
    for (let count = 0; count < 1000; count++) {
      work(1);
      queue.done((await queue.get()) ?? -1);
    }
    expect([queue.length, turns()]).toEqual([0, 0]);
  });

  it('gives no key to a call that was aborted, or came to an empty queue, while it waited for its turn', async () => {
    const world = busyWorld();
    const queue = new WorkQueue<string>(world);
    queue.add('a');
    world.work(11);
    const controller = new AbortController();
    const waiting = queue.get(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(queue.length).toBe(1);
    world.work(11);
    const second = queue.get();
    expect(queue.tryGet()).toBe('a');
    queue.shutDown();
    expect(await second).toBeUndefined();
  });
});
