import { afterEach, describe, expect, it } from 'vitest';
import {
  Widget,
  expectNothingLeft,
  leaderElection,
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
import type { Reconcile } from '../controller/reconcile.ts';
import { done, requeueAfter } from '../controller/result.ts';
import { discardLogger } from '../environment/logger.ts';
import { createManager } from './manager.ts';
import type { ManagerOptions } from './options.ts';

afterEach(expectNothingLeft);

describe('with leader election', () => {
  const elect = (identity: string): ManagerOptions => ({
    leaderElection: { ...leaderElection, identity },
    userAgent: identity,
  });

  it('only the leader works, and the other takes over at once after an orderly stop, with a full queue', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const [a, b] = [replica(writeStatus, elect('a')), replica(writeStatus, elect('b'))];
    a.start();
    await world.settle();
    b.start();
    await world.advance(60_000);
    expect([a.manager.isLeader(), b.manager.isLeader()]).toEqual([true, false]);
    expect([a.reconciled.length > 0, b.reconciled]).toEqual([true, []]);
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    const stopped = world.clock.monotonic();
    await world.runUntil(() => b.reconciled.length > 0);
    expect(world.clock.monotonic() - stopped).toBeLessThanOrEqual(4_400);
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await b.stop();
  });

  it('the lease is renewed while a reconcile delays the stop, and given back after it', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(25_000);
      return done;
    }, elect('a'));
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    expect(world.clock.monotonic()).toBe(25_000);
    const renewals = server.writes.filter(({ method }) => method === 'PUT');
    expect(renewals.length).toBeGreaterThanOrEqual(12);
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: '' });
  });

  it('the lease is kept at a stop where that is wanted', async () => {
    setUp();
    const a = replica(writeStatus, { leaderElection: { ...leaderElection, identity: 'a', releaseOnStop: false } });
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15 });
  });

  it('the lease is not given back when a reconcile does not end in time', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(
      async () => {
        await pause(20_000);
        return done;
      },
      { ...elect('a'), gracefulShutdownTimeout: 5_000 },
    );
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toMatchObject({ reason: 'ShutdownTimeout' });
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: 'a' });
    await world.advance(20_000);
  });

  it('a leader that is cut off stops writing by its deadline and rejects, soon enough for the next one', async () => {
    setUp();
    server.put('widgets', widget('w'));
    let ended = 0;
    const a = replica(async (request, { client, signal }) => {
      // Writes on and on; ends late when told to.
      for (;;) {
        await pause(500);
        if (signal.aborted) {
          await pause(3_000);
          ended = world.clock.monotonic();
          return done;
        }
        const object = await client.get(Widget, request);
        if (object !== undefined) {
          await client.update(Widget, object, (draft) => {
            draft.spec.size++;
          });
        }
      }
    }, elect('a'));
    a.start();
    await world.advance(10_000);
    const cutOff = world.clock.monotonic();
    server.intercept = (exchange) => exchange.path.includes('/leases');
    const b = replica(writeStatus, elect('b'));
    await world.runUntil(() => a.outcome() !== undefined);
    expect(a.outcome()).toMatchObject({ reason: 'LeadershipLost' });
    const lastRenewal = cutOff;
    expect(world.clock.monotonic() - lastRenewal).toBeLessThanOrEqual(15_000);
    expect(ended).toBeGreaterThan(0);
    const size = sizeOf('w');
    // A write each half second, for 10 s before and no more than 10 s after.
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThanOrEqual(41);
    server.intercept = () => false;
    b.start();
    await world.advance(20_000);
    expect(b.manager.isLeader()).toBe(true);
    expect(sizeOf('w')).toBe(size);
    await b.stop();
  });

  it('a leader that is cut off while it stops waits no longer than its lease', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(60_000);
      return done;
    }, elect('a'));
    a.start();
    await world.advance(10_000);
    server.intercept = (exchange) => exchange.path.includes('/leases');
    await a.stop();
    expect(a.outcome()).toMatchObject({ reason: 'LeadershipLost' });
    expect(world.clock.monotonic()).toBeLessThanOrEqual(25_000);
    await world.advance(60_000);
  });

  it('events of a leader are written before it gives the lease back, and not at all when it has lost it', async () => {
    setUp();
    server.kinds.set('events', 'Event');
    server.put('widgets', widget('w'));
    let recorded = 0;
    const record: Reconcile = async (request, { client, events }) => {
      const object = await client.get(Widget, request);
      await pause(1_000);
      // The first one during the stop.
      if (object !== undefined) events.event(object, { type: 'Normal', reason: `Seen${++recorded}`, note: 'again' });
      return requeueAfter(1_000);
    };
    const writesOf = (who: string): string[] =>
      server.writes
        .filter(({ path: written, userAgent }) => userAgent.split('/')[0] === who && /events|leases/.test(written))
        .map(({ path: written }) => (written.includes('events') ? 'event' : 'lease'));
    const a = replica(record, elect('a'));
    a.start();
    await world.advance(500);
    await a.stop();
    expect(writesOf('a').at(-1)).toBe('lease');
    expect(writesOf('a')).toContain('event');

    const b = replica(record, elect('b'));
    b.start();
    await world.advance(20_000);
    expect(b.manager.isLeader()).toBe(true);
    const cutOff = world.clock.monotonic();
    server.intercept = (exchange) => exchange.path.includes('/leases');
    let last = 0;
    while (b.outcome() === undefined) {
      const before = writesOf('b').filter((what) => what === 'event').length;
      await world.advance(100);
      if (writesOf('b').filter((what) => what === 'event').length > before) last = world.clock.monotonic();
    }
    expect(last - cutOff).toBeGreaterThan(5_000);
    expect(last - cutOff).toBeLessThanOrEqual(10_100);
  });

  it('no write passes before leadership', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(writeStatus, elect('a'));
    const create = (): Promise<unknown> =>
      a.manager.client.mergePatch(Widget, { namespace: 'ns', name: 'w' }, { spec: { size: 2 } });
    await expect(create()).rejects.toMatchObject({ reason: 'NotLeader' });
    expect(server.writes).toEqual([]);
  });

  it('what does not need leadership runs on every replica, and may write', async () => {
    setUp();
    server.put('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'op', namespace: 'ns' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
    });
    server.put('widgets', widget('w'));
    const manager = createManager({
      environment: world,
      transport: server.transport,
      logger: discardLogger,
      leaderElection,
    });
    manager.controller('widget', { needLeaderElection: false }).for(Widget).reconcile(writeStatus);
    const abort = new AbortController();
    const ended = manager.start({ signal: abort.signal });
    await world.advance(10_000);
    expect(manager.isLeader()).toBe(false);
    expect(server.get(path('w'))?.['status']).toEqual({ ready: 1 });
    abort.abort();
    await ended;
  });

  it('needs a namespace, and says so', async () => {
    setUp();
    const a = replica(writeStatus, { leaderElection: { id: 'op' } });
    a.start();
    await world.settle();
    expect(a.outcome()).toMatchObject({
      reason: 'Configuration',
      message: expect.stringContaining('leaderElection.namespace') as string,
    });
  });
});
