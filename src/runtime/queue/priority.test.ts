import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { WorkQueueOptions } from './types.ts';
import { WorkQueue } from './work-queue.ts';

type Options = Partial<WorkQueueOptions<string>>;

function newQueue(options: Options = {}): WorkQueue<string, string> {
  return new WorkQueue<string, string>({ ...createVirtualEnvironment(), ...options });
}

function takeAll(queue: WorkQueue<string, string>): string[] {
  const keys: string[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

const namespaceOf = (key: string): string => key.split('/')[0] ?? '';

describe('priorities', () => {
  it('are served from the highest to the lowest, each first in, first out', () => {
    const queue = newQueue({ ageing: Number.POSITIVE_INFINITY });
    queue.add('low-1', { priority: -100 });
    queue.add('normal-1');
    queue.add('high', { priority: 5 });
    queue.add('normal-2');
    queue.add('low-2', { priority: -100 });
    expect(queue.length).toBe(5);
    expect([...queue.lengths]).toEqual([
      [5, 1],
      [0, 2],
      [-100, 2],
    ]);
    expect(takeAll(queue)).toEqual(['high', 'normal-1', 'normal-2', 'low-1', 'low-2']);
  });

  it('of a queued key only rise, and then it goes to the end of its new priority', () => {
    const queue = newQueue({ ageing: Number.POSITIVE_INFINITY });
    for (const key of ['a', 'b', 'c']) {
      queue.add(key, { priority: -1 });
    }
    queue.add('d');
    queue.add('b');
    queue.add('d', { priority: -1 });
    expect(takeAll(queue)).toEqual(['d', 'b', 'a', 'c']);
    expect(queue.length).toBe(0);
  });

  it('of a key in work count when it comes back', () => {
    const queue = newQueue();
    queue.add('a');
    queue.add('b', { priority: 1 });
    expect(queue.tryGet()).toBe('b');
    queue.add('b', { priority: -1 });
    queue.add('b', { priority: 2 });
    expect([queue.priority('b'), queue.length]).toEqual([1, 1]);
    queue.done('b');
    expect([...queue.lengths].filter(([, size]) => size > 0)).toEqual([
      [2, 1],
      [0, 1],
    ]);
    expect(queue.tryGet()).toBe('b');
    expect(queue.priority('b')).toBe(2);
  });

  it('hold for delayed keys once they are ready: such a key goes next', async () => {
    const world = createVirtualEnvironment();
    const queue = new WorkQueue<string>(world);
    queue.add('low-1', { priority: -100 });
    queue.add('low-2', { priority: -100 });
    queue.addAfter('high', 1000, { priority: -50 });
    queue.addAfter('high', 5000, { priority: 0 });
    queue.addAfter('high', 6000, { priority: -70 });
    await world.advance(1000);
    expect(queue.tryGet()).toBe('high');
    expect(queue.priority('high')).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('that are no finite numbers are refused: %s', (priority) => {
    const queue = newQueue();
    expect(() => queue.add('a', { priority })).toThrow(RangeError);
    expect(() => queue.addAfter('a', 5, { priority })).toThrow(RangeError);
    expect(queue.items()).toEqual([]);
  });

  it('do not pile up: a queue that saw 10,000 of them goes on at once', () => {
    const queue = newQueue();
    for (let priority = 0; priority < 10_000; priority++) {
      queue.add(`key-${priority}`, { priority });
      expect(queue.tryGet()).toBe(`key-${priority}`);
      queue.done(`key-${priority}`);
    }
    expect(queue.lengths.size).toBeLessThan(20);
  });
});

describe('ageing', () => {
  it('serves a hundred low keys behind an endless stream of high ones, within the stated bound', () => {
    const queue = newQueue();
    const served = new Map<string, number>();
    for (let index = 1; index <= 100; index++) {
      queue.add(`low-${index}`, { priority: -100 });
    }
    for (let handOut = 1; handOut <= 1600; handOut++) {
      queue.add(`high-${handOut}`);
      const key = queue.tryGet() ?? '';
      served.set(key, handOut);
      queue.done(key);
    }
    for (let index = 1; index <= 100; index++) {
      expect(served.get(`low-${index}`)).toBeLessThanOrEqual(index * 8 * 2);
    }
  });

  it('gives each eighth hand-out to what has waited longest, unless another number is asked for', () => {
    const lowAt = (options: Options): number[] => {
      const queue = newQueue(options);
      for (let index = 0; index < 30; index++) {
        queue.add(`high-${index}`);
        queue.add(`low-${index}`, { priority: -100 });
      }
      const order = takeAll(queue).slice(0, 24);
      return order.flatMap((key, index) => (key.startsWith('low') ? [index + 1] : []));
    };
    expect(lowAt({})).toEqual([8, 16, 24]);
    expect(lowAt({ ageing: 3 })).toEqual([3, 6, 9, 12, 15, 18, 21, 24]);
  });

  it('counts the wait of a level from when it got something to wait', () => {
    const queue = newQueue({ ageing: 2 });
    queue.add('middle-1', { priority: 5 });
    expect(takeAll(queue)).toEqual(['middle-1']);
    for (let index = 1; index <= 5; index++) {
      queue.add(`high-${index}`, { priority: 10 });
      queue.add(`low-${index}`);
    }
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['high-1', 'low-1', 'high-2']);
    queue.add('middle-2', { priority: 5 });
    // The level in the middle was served before all others, but nothing of it has waited since.
    expect(queue.tryGet()).toBe('low-2');
  });

  it.each([0, 1.5, Number.NaN, -1])('of %s is refused', (ageing) => {
    expect(() => newQueue({ ageing })).toThrow(RangeError);
  });

  it('serves each level within `ageing` x L hand-outs, whatever the levels and the adds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 120 }),
        (ageing, stream) => {
          const queue = newQueue({ ageing });
          const levels = [-2, -1, 0, 1, 2];
          for (const priority of levels) {
            // More than are taken below: no level runs empty.
            for (let index = 0; index < 150; index++) {
              queue.add(`${priority}/${index}`, { priority });
            }
          }
          const lastServed = new Map(levels.map((level) => [level, 0]));
          for (const [index, priority] of stream.entries()) {
            queue.add(`${priority}/more-${index}`, { priority });
            const served = Number(namespaceOf(queue.tryGet() ?? ''));
            lastServed.set(served, index + 1);
            for (const last of lastServed.values()) {
              expect(index + 1 - last).toBeLessThanOrEqual(ageing * levels.length);
            }
          }
        },
      ),
    );
  });
});

describe('fairness', () => {
  it('lets groups take turns within a priority', () => {
    const queue = newQueue({ fairnessKey: namespaceOf });
    for (const key of ['big/1', 'big/2', 'big/3', 'small/1', 'big/4', 'tiny/1', 'small/2']) {
      queue.add(key);
    }
    expect(takeAll(queue)).toEqual(['big/1', 'small/1', 'tiny/1', 'big/2', 'small/2', 'big/3', 'big/4']);
    expect(queue.length).toBe(0);
  });

  it('gives a group that had nothing left no place before others', () => {
    const queue = newQueue({ fairnessKey: namespaceOf, ageing: Number.POSITIVE_INFINITY });
    for (const key of ['a/1', 'b/1', 'c/1']) {
      queue.add(key);
    }
    queue.add('a/1', { priority: 1 });
    queue.add('a/2');
    expect(takeAll(queue)).toEqual(['a/1', 'b/1', 'c/1', 'a/2']);
  });

  it('holds for a key without a group, too', () => {
    const queue = newQueue({ fairnessKey: (key) => (key.includes('/') ? namespaceOf(key) : '') });
    for (const key of ['one', 'two', 'big/1', 'big/2', 'three']) {
      queue.add(key);
    }
    expect(takeAll(queue)).toEqual(['one', 'big/1', 'two', 'big/2', 'three']);
  });

  it('agrees with a naive model after each step of any sequence', () => {
    const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1');
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant('add' as const), key, priority: fc.constantFrom(-1, 0, 1) }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), key }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('done' as const), key }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const queue = newQueue({ ageing: Number.POSITIVE_INFINITY, fairnessKey: namespaceOf });
        let ready: { key: string; priority: number }[] = [];
        const turns = new Map<number, string[]>();
        const wanted = new Map<string, number>();
        const processing = new Set<string>();
        const push = (name: string, priority: number): void => {
          ready.push({ key: name, priority });
          const groups = turns.get(priority) ?? [];
          turns.set(priority, groups.includes(namespaceOf(name)) ? groups : [...groups, namespaceOf(name)]);
        };
        const settle = (priority: number, group: string, served: boolean): void => {
          const groups = turns.get(priority) ?? [];
          const left = ready.some((entry) => entry.priority === priority && namespaceOf(entry.key) === group);
          if (!left || served) {
            turns.set(priority, [...groups.filter((other) => other !== group), ...(left ? [group] : [])]);
          }
        };
        for (const current of steps) {
          if (current.do === 'add') {
            queue.add(current.key, { priority: current.priority });
            const old = wanted.get(current.key);
            if (old === undefined || current.priority > old) {
              wanted.set(current.key, current.priority);
              if (!processing.has(current.key)) {
                ready = ready.filter((entry) => entry.key !== current.key);
                if (old !== undefined) {
                  settle(old, namespaceOf(current.key), false);
                }
                push(current.key, current.priority);
              }
            }
          } else if (current.do === 'get') {
            const priority = Math.max(...ready.map((entry) => entry.priority));
            const group = turns.get(priority)?.[0];
            const next = ready.find((entry) => entry.priority === priority && namespaceOf(entry.key) === group);
            expect(queue.tryGet()).toBe(next?.key);
            if (next !== undefined) {
              ready = ready.filter((entry) => entry !== next);
              wanted.delete(next.key);
              processing.add(next.key);
              settle(priority, namespaceOf(next.key), true);
            }
          } else {
            queue.done(current.key);
            const priority = wanted.get(current.key);
            if (processing.delete(current.key) && priority !== undefined) {
              push(current.key, priority);
            }
          }
          expect([queue.length, queue.processing]).toEqual([ready.length, processing.size]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is measured', () => {
  it('are waits, runs and retries; and what the queue holds can be looked at', async () => {
    const world = createVirtualEnvironment();
    const seen: string[] = [];
    const queue = new WorkQueue<string, string>({
      ...world,
      observer: {
        added: () => void seen.push('added'),
        handedOut: (waited) => void seen.push(`waited ${waited}`),
        done: (worked) => void seen.push(`worked ${worked}`),
        retried: () => void seen.push('retried'),
      },
    });
    queue.add('a', { cause: 'event', priority: 3 });
    queue.add('a');
    queue.addAfter('b', 50);
    await world.advance(20);
    queue.tryGet();
    await world.advance(5);
    expect(queue.workedFor()).toEqual([5]);
    expect(queue.items()).toEqual([
      { key: 'a', priority: 3, ready: false, processing: true, causes: ['event'] },
      { key: 'b', priority: 0, ready: false, processing: false, dueIn: 25, causes: [] },
    ]);
    expect(queue.items(1)).toHaveLength(1);
    queue.add('a');
    queue.done('a');
    expect(seen).toEqual(['added', 'retried', 'waited 20', 'worked 5', 'added']);
    queue.shutDown();
  });
});
