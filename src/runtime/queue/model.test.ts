import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { ExponentialBackoff } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

/** The queue as the documents describe it, in the most naive way. */
class Model {
  now = 0;
  ready: string[] = [];
  dirty = new Set<string>();
  processing = new Set<string>();
  waiting: { key: string; at: number; order: number }[] = [];
  failures = new Map<string, number>();
  order = 0;
  closed = false;

  add(key: string): void {
    if (this.closed || this.dirty.has(key)) {
      return;
    }
    this.#want(key);
  }

  addAfter(key: string, delay: number): void {
    if (delay <= 0) {
      this.add(key);
      return;
    }
    if (this.closed) {
      return;
    }
    const at = this.now + delay;
    const old = this.waiting.find((entry) => entry.key === key);
    if (old !== undefined && old.at <= at) {
      return;
    }
    this.waiting = this.waiting.filter((entry) => entry !== old);
    this.waiting.push({ key, at, order: this.order++ });
  }

  addRateLimited(key: string): void {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    this.addAfter(key, Math.min(5 * 2 ** failures, 1_000_000));
  }

  get(): string | undefined {
    const key = this.ready.shift();
    if (key !== undefined) {
      this.dirty.delete(key);
      this.processing.add(key);
    }
    return key;
  }

  done(key: string): void {
    if (this.processing.delete(key) && this.dirty.has(key)) {
      this.ready.push(key);
    }
  }

  advance(delay: number): void {
    this.now += delay;
    const due = this.waiting.filter((entry) => entry.at <= this.now).sort((a, b) => a.at - b.at || a.order - b.order);
    this.waiting = this.waiting.filter((entry) => entry.at > this.now);
    for (const { key } of due) {
      if (!this.dirty.has(key)) {
        this.#want(key);
      }
    }
  }

  shutDown(): void {
    this.closed = true;
    this.waiting = [];
  }

  #want(key: string): void {
    this.dirty.add(key);
    if (!this.processing.has(key)) {
      this.ready.push(key);
    }
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, delay: fc.integer({ min: -5, max: 50 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('addRateLimited' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('get' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), delay: fc.integer({ min: 0, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('shutDown' as const) }) },
);

describe('the queue and a naive model', () => {
  it('agree after every step of any sequence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const world = createVirtualEnvironment();
        const rateLimiter = new ExponentialBackoff<string>({ random: world.random, jitter: 0 });
        const queue = new WorkQueue<string>({ ...world, rateLimiter });
        const model = new Model();
        for (const current of steps) {
          switch (current.do) {
            case 'add':
              queue.add(current.key);
              model.add(current.key);
              break;
            case 'addAfter':
              queue.addAfter(current.key, current.delay);
              model.addAfter(current.key, current.delay);
              break;
            case 'addRateLimited':
              queue.addRateLimited(current.key);
              model.addRateLimited(current.key);
              break;
            case 'get':
              expect(queue.tryGet()).toBe(model.get());
              break;
            case 'done':
              queue.done(current.key);
              model.done(current.key);
              break;
            case 'forget':
              queue.forget(current.key);
              model.failures.delete(current.key);
              break;
            case 'advance':
              await world.advance(current.delay);
              model.advance(current.delay);
              break;
            case 'shutDown':
              queue.shutDown();
              model.shutDown();
              break;
          }
          expect([queue.length, queue.delayed, queue.processing]).toEqual([
            model.ready.length,
            model.waiting.length,
            model.processing.size,
          ]);
          expect(world.pendingTimers).toBe(model.waiting.length === 0 ? 0 : 1);
          for (const name of model.failures.keys()) {
            expect(queue.numRequeues(name)).toBe(model.failures.get(name));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('never hands one key to two workers, and serves whatever was added last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ key, at: fc.nat(100), work: fc.nat(30) }), { minLength: 1, maxLength: 60 }),
        async (workers, adds) => {
          const world = createVirtualEnvironment();
          const queue = new WorkQueue<string>(world);
          const running = new Set<string>();
          const lastAdd = new Map<string, number>();
          const lastStart = new Map<string, number>();
          let ticks = 0;
          for (const { key: name, at } of adds) {
            world.clock.setTimer(() => {
              lastAdd.set(name, ++ticks);
              queue.add(name);
            }, at);
          }
          const work = async (): Promise<void> => {
            for (let name = await queue.get(); name !== undefined; name = await queue.get()) {
              expect(running.has(name)).toBe(false);
              running.add(name);
              lastStart.set(name, ++ticks);
              await new Promise<void>((resolve) => world.clock.setTimer(resolve, adds[ticks % adds.length]?.work ?? 1));
              running.delete(name);
              queue.done(name);
            }
          };
          const crew = Array.from({ length: workers }, work);
          await world.runUntilIdle();
          queue.shutDown();
          await Promise.all(crew);
          for (const [name, tick] of lastAdd) {
            expect(lastStart.get(name)).toBeGreaterThan(tick);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
