import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../test/support/faults.ts';
import { ShardServer } from '../../../../test/support/shard-server.ts';
import { discardLogger } from '../../environment/logger.ts';
import type { Logger } from '../../environment/logger.ts';
import { seededRandom } from '../../environment/virtual-random.ts';
import { createVirtualEnvironment } from '../../environment/virtual.ts';
import type { VirtualEnvironment } from '../../environment/virtual.ts';
import { NotLeaderError } from '../errors.ts';
import { ownerOf } from './hashing.ts';
import { createShardLeases } from './shard-leases.ts';
import { Sharder } from './sharder.ts';

interface Member {
  readonly sharder: Sharder;
  /** `+3`, `-3 (why)`, `?3`: gained, lost, asked to yield. */
  readonly events: string[];
  /** Lets the work on slots that were asked for end. */
  finish(): void;
  held(): number[];
  /** Ends it as a manager does. */
  stop(): Promise<void>;
  /** Ends it without giving anything back. */
  kill(): void;
}

interface Settings {
  readonly slots?: number;
  readonly log?: Logger;
  /** Whether work goes on until `finish` is called. */
  readonly busy?: boolean;
}

function setUp(): {
  world: VirtualEnvironment;
  server: ShardServer;
  start: (who: string, settings?: Settings) => Member;
} {
  const world = createVirtualEnvironment({ wall: 1_700_000_000_123 });
  const server = new ShardServer(world);
  const start = (who: string, { slots = 8, log = discardLogger, busy = false }: Settings = {}): Member => {
    const sharder = new Sharder({
      leases: createShardLeases({
        transport: server.transport(who),
        environment: world,
        logger: discardLogger,
        namespace: 'ns',
        id: 'op',
        slots,
      }),
      slots,
      identity: who,
      environment: world,
      log,
    });
    const events: string[] = [];
    const working: (() => void)[] = [];
    const end = new AbortController();
    const running = sharder.run(
      {
        gained: (numbers) => void events.push(...numbers.map((slot) => `+${slot}`)),
        lost: (numbers, why) => void events.push(...numbers.map((slot) => `-${slot} (${why})`)),
        yield(slot) {
          events.push(`?${slot}`);
          return busy ? new Promise<void>((resolve) => void working.push(resolve)) : Promise.resolve();
        },
      },
      end.signal,
    );
    return {
      sharder,
      events,
      finish() {
        for (const resolve of working.splice(0)) resolve();
      },
      held: () => Array.from({ length: slots }, (_, slot) => slot).filter((slot) => sharder.holds(slot)),
      async stop() {
        sharder.retire();
        end.abort(new Error('stop'));
        await running;
        await sharder.release();
      },
      kill: () => server.disturb(who, () => 'silence'),
    };
  };
  return { world, server, start };
}

const all = [0, 1, 2, 3, 4, 5, 6, 7];
const due = (who: string, members: readonly string[]): number[] => all.filter((slot) => ownerOf(slot, members) === who);

describe('a member', () => {
  it('alone takes all slots, each by a Lease of its own, and lives by another', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.settle();
    expect(a.held()).toEqual(all);
    expect(a.events).toEqual(all.map((slot) => `+${slot}`));
    expect(server.leases.size).toBe(9);
    expect(server.leases.get('op-slot-3-of-8')).toMatchObject({
      metadata: { labels: { 'operator-runtime/sharding': 'op' } },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2023-11-14T22:13:20.123000Z' },
    });
    await world.advance(60_000);
    expect(a.held()).toEqual(all);
    expect(server.leases.get('op-slot-3-of-8')?.spec?.leaseTransitions).toBe(0);
    await a.stop();
    expect(a.held()).toEqual([]);
    expect([...server.leases.keys()].filter((name) => name.includes('member'))).toEqual([]);
    expect(all.map((slot) => server.holder(`op-slot-${slot}-of-8`))).toEqual(all.map(() => ''));
    expect(world.pendingTimers).toBe(0);
  });

  it('that comes gets its share, when the work of the others on it has ended, and no more moves', async () => {
    const { world, server, start } = setUp();
    const a = start('a', { busy: true });
    await world.advance(10_000);
    const b = start('b');
    await world.advance(30_000);
    const share = due('b', ['a', 'b']);
    expect(share.length).toBeGreaterThan(0);
    // Asked for, and held and renewed until it is let go.
    expect(a.events.slice(8)).toEqual(share.map((slot) => `?${slot}`));
    expect([a.held(), b.held()]).toEqual([all, []]);
    a.finish();
    await world.advance(5_000);
    expect([a.held(), b.held()]).toEqual([due('a', ['a', 'b']), share]);
    for (const slot of all) {
      const transitions = share.includes(slot) ? 1 : 0;
      expect(server.leases.get(`op-slot-${slot}-of-8`)?.spec?.leaseTransitions).toBe(transitions);
    }
    await Promise.all([a.stop(), b.stop()]);
  });

  it('that stops hands over at the next look of the others', async () => {
    const { world, start } = setUp();
    const [a, b] = [start('a'), start('b')];
    await world.advance(20_000);
    await a.stop();
    await world.advance(2_200);
    expect(b.held()).toEqual(all);
    await b.stop();
  });

  it('that dies is followed when its leases have run out, and not before', async () => {
    const { world, start } = setUp();
    const [a, b] = [start('a'), start('b')];
    await world.advance(20_000);
    a.kill();
    await world.advance(12_500);
    expect([a.held(), b.held()]).toEqual([[], due('b', ['a', 'b'])]);
    await world.advance(7_500);
    expect(b.held()).toEqual(all);
    expect(a.events.filter((event) => event.startsWith('-'))).toEqual(
      due('a', ['a', 'b']).map((slot) => `-${slot} (they were not renewed within 10000 ms)`),
    );
    await b.stop();
  });

  it('that is cut off loses its slots in time, and gets them again afterwards', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(4_000);
    server.disturb('a', () => 'refused');
    await world.advance(12_000);
    expect(a.held()).toEqual([]);
    expect(() => {
      a.sharder.assertHeld(0);
    }).toThrow(NotLeaderError);
    server.disturb('a', undefined);
    await world.advance(3_000);
    expect(a.held()).toEqual(all);
    expect(a.events.slice(16)).toEqual(all.map((slot) => `+${slot}`));
    await a.stop();
  });

  it('goes on when its membership was deleted, or a Lease was written by somebody else', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(3_000);
    for (const [name, lease] of server.leases) {
      if (name.includes('member')) server.leases.delete(name);
      else
        server.put({
          ...lease,
          metadata: { ...lease.metadata, annotations: { ...lease.metadata.annotations, x: 'y' } },
        });
    }
    await world.advance(20_000);
    expect(a.held()).toEqual(all);
    expect(a.events).toHaveLength(8);
    expect(server.leases.get('op-slot-0-of-8')?.metadata.annotations).toMatchObject({ x: 'y' });
    expect(a.sharder.members).toEqual(['a']);
    await a.stop();
  });

  it('gives up at once what another one is seen to hold', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(3_000);
    const lease = server.leases.get('op-slot-5-of-8');
    server.put({
      ...lease,
      metadata: { ...lease?.metadata },
      spec: { ...lease?.spec, holderIdentity: 'usurper' },
    } as never);
    await world.advance(2_500);
    expect(a.held()).toEqual(all.filter((slot) => slot !== 5));
    expect(a.events.at(-1)).toMatch(/^-5/);
    await a.stop();
  });

  it('removes what dead members have left, after a while', async () => {
    const { world, server, start } = setUp();
    const [a, b] = [start('a'), start('b')];
    await world.advance(10_000);
    b.kill();
    await world.advance(100_000);
    expect([...server.leases.keys()].filter((name) => name.includes('member'))).toHaveLength(2);
    await world.advance(70_000);
    expect([...server.leases.keys()].filter((name) => name.includes('member'))).toHaveLength(1);
    await a.stop();
  });

  it('waits for those that count other slots, and says so', async () => {
    const { world, server, start } = setUp();
    const errors: unknown[] = [];
    const log: Logger = {
      ...discardLogger,
      error: (message, fields) => void errors.push([message, fields]),
      child: () => log,
    };
    const old = start('old');
    await world.advance(5_000);
    const fresh = start('fresh', { slots: 16, log });
    await world.advance(60_000);
    expect([old.held(), fresh.held()]).toEqual([all, []]);
    expect(errors).toEqual([
      [expect.stringContaining('another number of slots') as string, { slots: 16, members: 'old' }],
    ]);
    await old.stop();
    await world.advance(20_000);
    expect(fresh.held()).toHaveLength(16);
    await world.advance(200_000);
    expect([...server.leases.keys()].filter((name) => name.endsWith('-of-8'))).toEqual([]);
    await fresh.stop();
  });

  it('goes on through errors of any kind', async () => {
    const { world, server, start } = setUp();
    const faults: Fault[] = ['refused', { status: 500 }, 'silence', 'answer lost', { delay: 2_000 }];
    server.disturb('a', () => faults.shift());
    const a = start('a');
    await world.advance(60_000);
    expect(a.held()).toEqual(all);
    await a.stop();
    expect(world.pendingTimers).toBe(0);
  });
});

describe('a slot', () => {
  it('is as old as its last renewal was when that was sent, however late the answer comes', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.settle();
    const sent: number[] = [];
    // Each request of one round is answered four seconds later; then nothing is answered.
    server.disturb('a', ({ method }) => {
      if (method !== 'PUT' || sent.length === all.length) return sent.length === 0 ? undefined : 'silence';
      sent.push(world.clock.monotonic());
      return { delay: 4_000 };
    });
    await world.runUntil(() => sent.length === all.length);
    const [at = 0] = sent;
    await world.advance(9_999);
    expect(a.held()).toEqual(all);
    await world.advance(at + 10_001 - world.clock.monotonic());
    expect(a.held()).toEqual([]);
    server.disturb('a');
    await a.stop();
  });

  it('is given back as soon as the work for it has ended, not a round later', async () => {
    const { world, server, start } = setUp();
    const a = start('a', { busy: true });
    await world.advance(10_000);
    const b = start('b');
    await world.advance(10_500);
    const share = due('b', ['a', 'b']);
    expect(share.length).toBeGreaterThan(0);
    a.finish();
    await world.settle();
    expect(share.map((slot) => server.holder(`op-slot-${slot}-of-8`))).toEqual(share.map(() => ''));
    await a.stop();
    await b.stop();
  });

  it('is held no longer when it could not be given back', async () => {
    const { world, start } = setUp();
    const a = start('a');
    await world.advance(1_000);
    a.kill();
    const stopped = a.stop();
    await world.advance(6_000);
    await stopped;
    expect(a.held()).toEqual([]);
    expect(world.pendingTimers).toBe(0);
  });

  it('is not taken by a member that retires, which lets its membership run out, and holds on to what it has', async () => {
    const { world, server, start } = setUp();
    const [a, b] = [start('a'), start('b')];
    await world.advance(20_000);
    a.sharder.retire();
    const membership = (): unknown => [...server.leases].find(([name]) => name.includes('member'))?.[1].spec?.renewTime;
    await world.advance(3_000);
    const renewed = membership();
    await b.stop();
    await world.advance(10_000);
    expect(a.held()).toEqual(due('a', ['a', 'b']));
    expect(membership()).toBe(renewed);
    await a.stop();
  });
});

describe('a group that changes', () => {
  it('moves the slots that it must, and no others', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { world, server, start } = setUp();
      const random = seededRandom(seed);
      const members = new Map<string, Member>();
      const owners = new Map<number, string>();
      let names = 0;
      for (let change = 0; change < 8; change++) {
        const leaving = [...members.keys()][Math.floor(random.next() * members.size)];
        if (members.size > 1 && leaving !== undefined && random.next() < 0.5) {
          await members.get(leaving)?.stop();
          members.delete(leaving);
        } else {
          const name = `m${names++}`;
          members.set(name, start(name));
        }
        await world.advance(10_000);
        for (const slot of all) {
          const owner = ownerOf(slot, members.keys()) ?? '';
          const lease = server.leases.get(`op-slot-${slot}-of-8`);
          expect(lease?.spec?.holderIdentity, `seed ${seed}, change ${change}, slot ${slot}`).toBe(owner);
          owners.set(slot, owner);
        }
        for (const [name, member] of members) {
          expect(member.held()).toEqual(all.filter((slot) => owners.get(slot) === name));
          // Nothing was taken that was not kept, and nothing was lost.
          expect(member.events.filter((event) => event.startsWith('-'))).toEqual([]);
          const gained = member.events.filter((event) => event.startsWith('+')).length;
          const yielded = member.events.filter((event) => event.startsWith('?')).length;
          expect(gained - yielded).toBe(member.held().length);
        }
      }
      await Promise.all([...members.values()].map((member) => member.stop()));
      expect(world.pendingTimers).toBe(0);
    }
  });

  it('counts no more changes of holders than its members do', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(10_000);
    const b = start('b');
    await world.advance(10_000);
    const c = start('c');
    await world.advance(10_000);
    await b.stop();
    await world.advance(10_000);
    const groups = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'c']];
    for (const slot of all) {
      const owners = groups.map((members) => ownerOf(slot, members));
      const changes = owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length;
      expect(server.leases.get(`op-slot-${slot}-of-8`)?.spec?.leaseTransitions, `slot ${slot}`).toBe(changes);
    }
    await Promise.all([a.stop(), c.stop()]);
  });
});

describe('settings', () => {
  it.each([[0], [1.5], [Number.NaN], [1025]])('%d slots are refused', (slots) => {
    expect(() => setUp().start('a', { slots })).toThrow('slots must be a whole number from 1 to 1024');
  });

  it.each(['', 'x'.repeat(221)])('an id must leave room for names: %#', (id) => {
    const { world, server } = setUp();
    const options = { environment: world, logger: discardLogger, namespace: 'ns', slots: 8 };
    expect(() => createShardLeases({ ...options, transport: server.transport('a'), id })).toThrow(
      '1 to 220 characters',
    );
  });

  it('need an identity', () => {
    expect(() => setUp().start('')).toThrow('identity');
  });
});
