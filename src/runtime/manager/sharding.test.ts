import { afterEach, describe, expect, it } from 'vitest';
import {
  Widget,
  expectNothingLeft,
  leases,
  path,
  pause,
  replica,
  server,
  setUp,
  sizeOf,
  widget,
  world,
  writeStatus,
} from '../../../test/support/manager-bench.ts';
import type { Replica } from '../../../test/support/manager-bench.ts';
import type { Reconcile } from '../controller/reconcile.ts';
import { done } from '../controller/result.ts';
import { ownerOf, slotOf } from '../election/sharding/hashing.ts';
import { discardLogger } from '../environment/logger.ts';
import { SharedSlots } from './leadership.ts';
import { createManager } from './manager.ts';
import type { ManagerOptions } from './options.ts';
import { ShardedWork } from './sharded-work.ts';

afterEach(expectNothingLeft);

const slots = 8;
const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
const shard = (identity: string): ManagerOptions => ({
  sharding: { id: 'op', namespace: 'ns', identity, slots },
  userAgent: identity,
});
const slot = (name: string): number => slotOf({ namespace: 'ns', name }, slots);
/** The widgets whose slots are due to one of the members. */
const due = (identity: string, members: readonly string[]): string[] =>
  names.filter((name) => ownerOf(slot(name), members) === identity);
const sorted = (list: Iterable<string>): string[] => [...new Set(list)].sort();
const putAll = (): void => {
  for (const name of names) server.put('widgets', widget(name));
};
const start = async (...replicas: readonly Replica[]): Promise<void> => {
  for (const one of replicas) one.start();
  await world.advance(20_000);
};

describe('with sharding', () => {
  it('each replica reconciles the keys of its slots, and all are reconciled', async () => {
    setUp();
    putAll();
    const [a, b] = [replica(writeStatus, shard('a')), replica(writeStatus, shard('b'))];
    await start(a, b);
    a.reconciled.length = b.reconciled.length = 0;
    for (const name of names) server.put('widgets', widget(name, 2));
    await world.advance(1_000);
    expect([sorted(a.reconciled), sorted(b.reconciled)]).toEqual([
      sorted(due('a', ['a', 'b'])),
      sorted(due('b', ['a', 'b'])),
    ]);
    for (const name of names) expect(server.get(path(name))?.['status']).toEqual({ ready: 2 });
    expect([a.manager.isLeader(), b.manager.isLeader()]).toEqual([true, true]);
    for (const name of names) {
      const key = { namespace: 'ns', name };
      expect([a, b].map(({ manager }) => manager.isLeader(key)).filter(Boolean)).toHaveLength(1);
    }
    await a.stop();
    await b.stop();
    expect([a.outcome(), b.outcome()]).toEqual(['stopped', 'stopped']);
  });

  it('a replica that comes has the keys of the slots that it gains enqueued, and no others', async () => {
    setUp();
    putAll();
    const [a, b] = [replica(writeStatus, shard('a')), replica(writeStatus, shard('b'))];
    await start(a);
    expect(sorted(a.reconciled)).toEqual(sorted(names));
    a.reconciled.length = 0;
    await start(b);
    expect(sorted(b.reconciled)).toEqual(sorted(due('b', ['a', 'b'])));
    expect(a.reconciled).toEqual([]);
    // And back, when it goes.
    await b.stop();
    await world.advance(5_000);
    expect(sorted(a.reconciled)).toEqual(sorted(due('b', ['a', 'b'])));
    await a.stop();
  });

  it('a slot is handed over when its reconciles have ended, which are told to', async () => {
    setUp();
    putAll();
    const order: string[] = [];
    const slow: Reconcile = async (request, { signal }) => {
      order.push(`a begins ${request.name}`);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      await pause(7_000);
      order.push(`a ends ${request.name}`);
      return done;
    };
    const fast: Reconcile = (request) => {
      order.push(`b begins ${request.name}`);
      return Promise.resolve(done);
    };
    const [moved = ''] = due('b', ['a', 'b']);
    for (const name of names) if (name !== moved) server.delete(path(name));
    const [a, b] = [replica(slow, shard('a')), replica(fast, shard('b'))];
    await start(a);
    await start(b);
    expect(order).toEqual([`a begins ${moved}`, `a ends ${moved}`, `b begins ${moved}`]);
    await b.stop();
    await world.advance(10_000);
    await a.stop();
  });

  it('a replica that is cut off is refused its writes in time, goes on running, and works again afterwards', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const grow: Reconcile = async (request, { client, signal }) => {
      while (!signal.aborted) {
        await pause(500);
        const object = await client.get(Widget, request);
        if (object !== undefined) {
          await client.update(Widget, object, (draft) => {
            draft.spec.size++;
          });
        }
      }
      return done;
    };
    const a = replica(grow, shard('a'));
    a.start();
    await world.advance(10_000);
    server.intercept = (exchange) => exchange.path.includes('/leases');
    await world.advance(12_000);
    const size = sizeOf('w');
    // A write each half second, for 10 s before and no more than 10 s after.
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThanOrEqual(41);
    await world.advance(60_000);
    expect(sizeOf('w')).toBe(size);
    expect([a.outcome(), a.manager.isLeader()]).toEqual([undefined, false]);
    server.intercept = () => false;
    await world.advance(10_000);
    expect(sizeOf('w')).toBeGreaterThan(size);
    await a.stop();
    expect(a.outcome()).toBe('stopped');
  });

  it('events of a slot are written before it is handed over or given back, and not at all when it is lost', async () => {
    setUp();
    const [moved = ''] = due('b', ['a', 'b']);
    const lease = `/${leases}/op-slot-${slot(moved)}-of-${slots}`;
    server.put('widgets', widget(moved));
    const sent: string[] = [];
    let cutOff = false;
    server.intercept = (exchange) => {
      const [who = ''] = (exchange.request.headers?.['user-agent'] ?? '').split('/');
      const { method } = exchange.request;
      if (exchange.path === lease && method === 'PUT') sent.push(`${who} lease`);
      if (exchange.path.includes('/leases')) return cutOff;
      if (!exchange.path.includes('/events')) return false;
      sent.push(`${who} event`);
      world.clock.setTimer(() => {
        exchange.answer(201, exchange.body);
      }, 100);
      return true;
    };
    const count = (what: string): number => sent.filter((one) => one === what).length;
    let recorded = 0;
    const record: Reconcile = async (_request, { events, signal }) => {
      // Different objects, since one may have a few events only.
      const say = (): void => {
        const object = { ...widget(`${moved}-${++recorded}`), metadata: { name: moved, uid: `uid-${recorded}` } };
        events.event(object, { reason: 'Seen', note: 'again' });
      };
      while (!signal.aborted) {
        say();
        await pause(500);
      }
      // More at once than are written at a time, and when the slot is no longer held, where it was lost.
      for (let more = 0; more < 10; more++) say();
      return done;
    };
    const [a, b] = [replica(record, shard('a')), replica(record, shard('b'))];
    await start(a);
    await start(b);
    expect(count('a event')).toBeGreaterThan(20);
    expect(sent.filter((one) => one.startsWith('a')).at(-1)).toBe('a lease');
    expect(count('b event')).toBeGreaterThan(0);
    expect(count('a event') + count('b event')).toBe(recorded);

    cutOff = true;
    const [before, last] = [count('b event'), recorded];
    await world.advance(60_000);
    // One each half second for as long as the lease lasts.
    expect(recorded - last).toBeGreaterThan(20);
    expect(count('b event') - before).toBeGreaterThan(10);
    expect(count('b event') - before).toBeLessThanOrEqual(21);
    cutOff = false;
    await world.advance(20_000);
    await b.stop();
    await a.stop();
    expect(sent.filter((one) => one.startsWith('b')).at(-1)).toBe('b lease');
    expect(sent.filter((one) => one.startsWith('a')).at(-1)).toBe('a lease');
  });

  it('a replica whose reconcile does not end when its slot is lost is gone before the next may begin', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(60_000);
      return done;
    }, shard('a'));
    a.start();
    await world.advance(10_000);
    const cutOff = world.clock.monotonic();
    server.intercept = (exchange) => exchange.path.includes('/leases');
    await world.runUntil(() => a.outcome() !== undefined);
    expect(a.outcome()).toMatchObject({
      reason: 'LeadershipLost',
      message: expect.stringContaining('still at work for it: ns/w') as string,
    });
    expect(world.clock.monotonic() - cutOff).toBeLessThanOrEqual(15_000);
    await world.advance(60_000);
  });

  it('all slots and the membership are given back at a stop, after the work', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(25_000);
      return done;
    }, shard('a'));
    a.start();
    await world.settle();
    await a.stop();
    expect([a.outcome(), world.clock.monotonic()]).toEqual(['stopped', 25_000]);
    for (let number = 0; number < slots; number++) {
      expect(server.get(`${leases}/op-slot-${number}-of-${slots}`)?.['spec']).toMatchObject({ holderIdentity: '' });
    }
  });

  it('slots are kept at a stop where that is wanted', async () => {
    setUp();
    const a = replica(writeStatus, {
      sharding: { id: 'op', namespace: 'ns', identity: 'a', slots, releaseOnStop: false },
    });
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    expect(server.get(`${leases}/op-slot-0-of-${slots}`)?.['spec']).toMatchObject({ holderIdentity: 'a' });
  });

  it('what does not end in time keeps its slots', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(
      async () => {
        await pause(20_000);
        return done;
      },
      { ...shard('a'), gracefulShutdownTimeout: 5_000 },
    );
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toMatchObject({ reason: 'ShutdownTimeout' });
    expect(server.get(`${leases}/op-slot-0-of-${slots}`)?.['spec']).toMatchObject({ holderIdentity: 'a' });
    await world.advance(20_000);
  });

  it('a runnable runs on one replica at a time, anew where its slot is gained, and may write', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const order: string[] = [];
    const run = (who: string): Replica => {
      const one = replica(() => Promise.resolve(done), shard(who));
      one.manager.add(
        async ({ signal, client }) => {
          order.push(`${who} begins`);
          const value = who === 'a' ? 10 : 20;
          await client.jsonPatch(Widget, { namespace: 'ns', name: 'w' }, [
            { op: 'replace', path: '/spec/size', value },
          ]);
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
          order.push(`${who} ends`);
        },
        { name: 'poller' },
      );
      return one;
    };
    const owner = ownerOf(slotOf({ name: 'poller' }, slots), ['a', 'b']) ?? '';
    const other = owner === 'a' ? 'b' : 'a';
    const [first, second] = [run(other), run(owner)];
    await start(first);
    await start(second);
    expect(order).toEqual([`${other} begins`, `${other} ends`, `${owner} begins`]);
    await second.stop();
    await world.advance(5_000);
    expect(order.slice(3)).toEqual([`${owner} ends`, `${other} begins`]);
    expect(sizeOf('w')).toBe(other === 'a' ? 10 : 20);
    await first.stop();
  });

  it('the manager’s own client does not write: a write belongs to a key', async () => {
    setUp();
    const a = replica(writeStatus, shard('a'));
    await start(a);
    const write = a.manager.client.mergePatch(Widget, { namespace: 'ns', name: 'w' }, {});
    await expect(write).rejects.toMatchObject({
      reason: 'NotLeader',
      message: expect.stringContaining('context') as string,
    });
    await a.stop();
  });

  it('metrics and inspection tell of slots and members', async () => {
    setUp();
    const [a, b] = [replica(writeStatus, shard('a')), replica(writeStatus, shard('b'))];
    await start(a, b);
    const all = Array.from({ length: slots }, (_, number) => number);
    const count = all.filter((number) => ownerOf(number, ['a', 'b']) === 'a').length;
    const text = a.manager.metrics.expose();
    expect(text).toContain(`operator_runtime_sharding_slots{name="op"} ${count}`);
    expect(text).toContain('operator_runtime_sharding_members{name="op"} 2');
    await a.stop();
    await b.stop();
  });

  it('inspection names the slots that are worked on, and the members', async () => {
    setUp();
    const work = new ShardedWork({
      slots,
      clock: world.clock,
      clientWith: () => {
        throw new Error('nothing runs here');
      },
      flushEvents: () => Promise.resolve(),
      leaseLeft: 5_000,
      onOverstay: (error) => {
        throw error;
      },
    });
    const shared = new SharedSlots({ id: 'op', slots }, work);
    expect(shared.inspect()).toMatchObject({ group: 'op', slots: [] });
    const candidate = { namespace: 'ns', identity: 'a', userAgent: undefined, environment: world, log: discardLogger };
    shared.prepare(candidate, { transport: server.transport });
    const stop = new AbortController();
    const running = shared.run({
      stopping: stop.signal,
      startWork: () => undefined,
      stopWork: () => Promise.resolve(true),
      watch: (_name, promise) => promise,
    });
    await world.settle();
    const all = Array.from({ length: slots }, (_, number) => number);
    expect(shared.inspect()).toEqual({ group: 'op', identity: 'a', slots: all, ofSlots: slots, members: ['a'] });
    stop.abort();
    await world.settle();
    await running;
  });

  it('settings that cannot be are refused', () => {
    const both = { leaderElection: { id: 'op' }, sharding: { id: 'op' } } as unknown as ManagerOptions;
    expect(() => createManager(both)).toThrow('exclude each other');
    expect(() => createManager({ sharding: { id: 'op', slots: 0 } })).toThrow('slots must be a whole number');
  });
});
