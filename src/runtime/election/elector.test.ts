import { describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import { LeaseServer } from '../../../test/support/lease-server.ts';
import type { Fault } from '../../../test/support/faults.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { VirtualEnvironment } from '../environment/virtual.ts';
import { LeaderElector } from './elector.ts';
import type { ElectionTimes } from './times.ts';
import { LeadershipLostError, NotLeaderError } from './errors.ts';
import { createLeaseLock } from './lease-lock.ts';

interface Candidate {
  readonly elector: LeaderElector;
  /** What became of the run so far. */
  readonly events: string[];
  readonly lines: Line[];
  /** Ends the run as a manager does: stops renewing, gives the lease back. */
  stop(): Promise<void>;
  /** Ends it without giving the lease back. */
  kill(): void;
}

function setUp(): {
  world: VirtualEnvironment;
  server: LeaseServer;
  start: (who: string, times?: ElectionTimes) => Candidate;
} {
  const world = createVirtualEnvironment({ wall: 1_700_000_000_123 });
  const server = new LeaseServer(world);
  const start = (who: string, times: ElectionTimes = {}): Candidate => {
    const lines: Line[] = [];
    const elector = new LeaderElector({
      lock: createLeaseLock({ transport: server.transport(who), environment: world, namespace: 'ns', name: 'op' }),
      identity: who,
      environment: world,
      log: recorder(lines),
      ...times,
    });
    const controller = new AbortController();
    const events: string[] = [];
    const run = (async () => {
      try {
        await elector.acquire(controller.signal);
        events.push('leading');
        await elector.hold(controller.signal);
        events.push('stopped');
      } catch (error) {
        events.push(error instanceof LeadershipLostError ? 'lost' : 'aborted');
      }
    })();
    return {
      elector,
      events,
      lines,
      async stop() {
        controller.abort(new Error('stop'));
        await run;
        await elector.release();
      },
      kill() {
        server.disturb(who, () => 'silence');
      },
    };
  };
  return { world, server, start };
}

describe('acquiring', () => {
  it('creates the lease with times of six digits, and leads only then', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    expect(a.elector.isLeader()).toBe(false);
    await world.settle();
    expect(a.events).toEqual(['leading']);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2023-11-14T22:13:20.123000Z',
      renewTime: '2023-11-14T22:13:20.123000Z',
      leaseTransitions: 0,
    });
    await a.stop();
  });

  it('waits while another holds it, and takes over when it was seen unchanged for its duration', async () => {
    const { world, server, start } = setUp();
    // The other's clock is a year ahead: only the local observation counts.
    server.write({
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      acquireTime: '2024-11-14T00:00:00.123456Z',
      renewTime: '2024-11-14T00:00:00.123456Z',
      leaseTransitions: 4,
    });
    const a = start('a');
    await world.advance(14_999);
    expect(a.events).toEqual([]);
    await world.advance(4_401);
    expect(a.events).toEqual(['leading']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5 });
    await a.stop();
  });

  it('takes over at the next try when the lease was deleted', async () => {
    const { world, server, start } = setUp();
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
    const a = start('a');
    await world.advance(1_000);
    server.lease = undefined;
    await world.advance(4_400);
    expect(a.events).toEqual(['leading']);
    await a.stop();
  });

  it('tries again two seconds after a try, and up to 120 % later, so that not all come at once', async () => {
    const { world, server, start } = setUp();
    server.write({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
    const a = start('a');
    await world.advance(300_000);
    const gaps = server.requests.slice(1).map(({ at }, index) => at - (server.requests[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
    expect(Math.min(...gaps)).toBeLessThan(2_500);
    expect(Math.max(...gaps)).toBeGreaterThan(3_900);
    expect(Math.max(...gaps)).toBeLessThan(4_400);
    await a.stop();
  });

  it('gives a try half of the renew deadline, so that one without an answer leaves time for another', async () => {
    const { world, server, start } = setUp();
    const faults: Fault[] = ['silence'];
    server.disturb('a', () => faults.shift());
    const a = start('a');
    await world.advance(5_000 + 4_400);
    expect(a.events).toEqual(['leading']);
    await a.stop();
  });

  it('of a lease that is ours from an earlier life leads after the confirmed write only, and keeps when it began', async () => {
    const { world, server, start } = setUp();
    const spec = {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 2,
      renewTime: '2023-01-01T00:00:00.000001Z',
    };
    server.write({ ...spec, acquireTime: '2023-01-01T00:00:00.123456Z' });
    let raced = false;
    server.disturb('a', (request) => {
      if (request.method === 'PUT' && !raced) {
        raced = true;
        server.write({ ...spec, holderIdentity: 'b', acquireTime: '2023-01-01T00:00:00.123456Z', leaseTransitions: 3 });
      }
      return undefined;
    });
    const a = start('a');
    await world.advance(10_000);
    expect(a.events).toEqual([]);
    expect(a.elector.isLeader()).toBe(false);

    const second = setUp();
    second.server.write({ ...spec, acquireTime: '2023-01-01T00:00:00.123456Z' });
    const b = second.start('a');
    await second.world.settle();
    expect(b.events).toEqual(['leading']);
    expect(second.server.lease?.spec).toMatchObject({
      acquireTime: '2023-01-01T00:00:00.123456Z',
      leaseTransitions: 2,
    });
    await b.stop();
  });

  it('goes on through errors of any kind, and stops at once when asked', async () => {
    const { world, server, start } = setUp();
    const faults: Fault[] = ['refused', { status: 403 }, 'silence', { status: 500 }];
    server.disturb('a', () => faults.shift());
    const a = start('a');
    await world.runUntil(() => a.events.length > 0);
    expect(a.events).toEqual(['leading']);
    await a.stop();

    const b = start('b');
    server.disturb('b', () => 'silence');
    await world.settle();
    await b.stop();
    expect(b.events).toEqual(['aborted']);
    expect(world.pendingTimers).toBe(0);
  });
});

describe('holding', () => {
  it('renews every retry period, on top of its own last write, without reading', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(20_000);
    expect(server.writes.map(({ at }) => at)).toEqual([
      0, 2000, 4000, 6000, 8000, 10_000, 12_000, 14_000, 16_000, 18_000, 20_000,
    ]);
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect(server.lease?.spec).toMatchObject({ leaseTransitions: 0, acquireTime: '2023-11-14T22:13:20.123000Z' });
    await a.stop();
  });

  it('survives one answer after nine seconds', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(2_500);
    const faults: Fault[] = [{ delay: 9_000 }];
    server.disturb('a', () => faults.shift());
    await world.advance(60_000);
    expect(a.events).toEqual(['leading']);
    await a.stop();
  });

  it('survives a write whose answer was lost', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(2_500);
    const faults: Fault[] = ['answer lost'];
    server.disturb('a', () => faults.shift());
    await world.advance(60_000);
    expect(a.events).toEqual(['leading']);
    expect(server.lease?.spec?.leaseTransitions).toBe(0);
    await a.stop();
  });

  it.each(['silence', 'refused'] as const)(
    'ends by the deadline, counted from the last renewal sent, under %s',
    async (fault) => {
      const { world, server, start } = setUp();
      const a = start('a');
      await world.advance(4_000);
      server.disturb('a', () => fault);
      await world.advance(9_999);
      expect(a.events).toEqual(['leading']);
      expect(a.elector.isLeader()).toBe(true);
      await world.advance(2);
      expect(a.events).toEqual(['leading', 'lost']);
      expect(() => {
        a.elector.assertLeading();
      }).toThrow(NotLeaderError);
      expect(world.pendingTimers).toBe(0);
    },
  );

  it('ends at once when another is seen to hold the lease', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(3_000);
    server.write({ ...server.lease?.spec, holderIdentity: 'usurper' });
    await world.advance(1_000);
    expect(a.events).toEqual(['leading', 'lost']);
  });

  it('ends when the lease has no holder any more: it may have had others meanwhile', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(3_000);
    server.write({ ...server.lease?.spec, holderIdentity: '' });
    await world.advance(1_000);
    expect(a.events).toEqual(['leading', 'lost']);
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('says by how much the event loop was late, when that is much', async () => {
    const { world, start } = setUp();
    const a = start('a');
    const late = (): unknown[] =>
      a.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['lateMilliseconds']);
    const block = async (milliseconds: number): Promise<void> => {
      world.clock.setTimer(() => {
        (world.clock as unknown as { moveTo(moment: number): void }).moveTo(world.clock.monotonic() + milliseconds);
      }, 1_999);
      await world.advance(2_000);
    };
    await world.settle();
    await block(900);
    expect(late()).toEqual([]);
    await block(6_001);
    expect(late()).toEqual([6_000]);
    await a.stop();
  });

  it('makes the lease anew when somebody deleted it', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(3_000);
    server.lease = undefined;
    await world.advance(2_000);
    expect(a.events).toEqual(['leading']);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
    await a.stop();
  });
});

describe('the fence', () => {
  it.each([
    ['', false],
    [', nor when the wall clock was set back', true],
  ])('closes with the age of the renewal, though nothing of the elector has run since%s', async (_, setBack) => {
    const { world, start } = setUp();
    const a = start('a');
    await world.settle();
    if (setBack) {
      world.setWall(0);
    }
    world.clock.setTimer(() => {
      // The event loop was blocked for 10 seconds and 1 millisecond: this is the first thing that runs.
      (world.clock as unknown as { moveTo(moment: number): void }).moveTo(world.clock.monotonic() + 10_000);
      expect(a.elector.isLeader()).toBe(false);
      expect(() => {
        a.elector.assertLeading();
      }).toThrow('renewed 10001 ms ago');
    }, 1);
    await world.advance(1);
    await world.settle();
    await world.advance(2_000);
    expect(a.events).toEqual(['leading', 'lost']);
  });

  it('closes when the wall clock jumps ahead, and opens again with the next renewal', async () => {
    const { world, start } = setUp();
    const a = start('a');
    await world.advance(500);
    world.setWall(world.clock.wall() + 3_600_000);
    expect(a.elector.isLeader()).toBe(false);
    await world.advance(1_500);
    expect(a.elector.isLeader()).toBe(true);
    world.setWall(0);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.events).toEqual(['leading']);
    await a.stop();
  });
});

describe('the age of the lease', () => {
  it('counts from when the renewal was sent, however late its answer comes', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(1_000);
    const faults: Fault[] = [{ delay: 4_000 }];
    // The renewal of 2,000 ms is answered at 6,000 ms; nothing is answered after it.
    server.disturb('a', () => faults.shift() ?? 'silence');
    await world.advance(10_999);
    expect(a.elector.isLeader()).toBe(true);
    await world.advance(2);
    expect(a.elector.isLeader()).toBe(false);
    expect(a.events).toEqual(['leading', 'lost']);
  });
});

describe('releasing', () => {
  it('hands over at the next try of another', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(5_000);
    const b = start('b');
    await world.advance(5_000);
    await a.stop();
    expect(a.elector.isLeader()).toBe(false);
    // However young its last renewal is.
    expect(() => {
      a.elector.assertLeading();
    }).toThrow('not the leader of ns/op');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await world.advance(4_400);
    expect(b.events).toEqual(['leading']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 15 });
    await b.stop();
  });

  it('reads again once when the version is not the last', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(1_000);
    server.write({ ...server.lease?.spec });
    await a.stop();
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('leaves a lease alone that another has taken meanwhile', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(1_000);
    server.write({ ...server.lease?.spec, holderIdentity: 'usurper' });
    await a.stop();
    expect(server.lease?.spec?.holderIdentity).toBe('usurper');
    expect(await a.elector.release()).toBe(false);
  });

  it('gives up after its own short deadline', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(1_000);
    server.disturb('a', () => 'silence');
    let stopped = false;
    void a.stop().then(() => (stopped = true));
    await world.advance(5_000);
    expect(stopped).toBe(true);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    expect(world.pendingTimers).toBe(0);
  });

  it('lets the same candidate compete again', async () => {
    const { world, start } = setUp();
    const first = start('a');
    await world.advance(1_000);
    await first.stop();
    const second = start('a');
    await world.advance(1_000);
    expect(second.events).toEqual(['leading']);
    await second.stop();
  });
});

describe('two candidates', () => {
  it('take over from one that died, within the lease and one retry', async () => {
    const { world, server, start } = setUp();
    const a = start('a');
    await world.advance(7_000);
    const b = start('b');
    await world.advance(1_000);
    a.kill();
    const death = world.clock.monotonic();
    await world.runUntil(() => b.events.includes('leading'));
    expect(world.clock.monotonic() - death).toBeLessThanOrEqual(15_000 + 4_400);
    expect(a.events).toEqual(['leading', 'lost']);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
    await b.stop();
  });

  it('never pass the fence at the same time, under random partitions, delays and jumps of the wall clock', async () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { world, server, start } = setUp();
      let state = seed;
      const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
      const candidates = ['a', 'b', 'c'].map((who) => start(who));
      for (let round = 0; round < 25; round++) {
        for (const who of ['a', 'b', 'c']) {
          const dice = random();
          server.disturb(
            who,
            dice < 0.3
              ? () => 'silence'
              : dice < 0.4
                ? () => 'answer lost'
                : dice < 0.5
                  ? () => ({ delay: 3_000 })
                  : undefined,
          );
        }
        if (random() < 0.1) {
          world.setWall(world.clock.wall() + (random() - 0.5) * 7_200_000);
        }
        for (let step = 0; step < 16; step++) {
          await world.advance(500 * random());
          expect(candidates.filter(({ elector }) => elector.isLeader()).length).toBeLessThanOrEqual(1);
        }
      }
      for (const who of ['a', 'b', 'c']) {
        server.disturb(who, undefined);
      }
      await Promise.all(candidates.map((candidate) => candidate.stop()));
      expect(world.pendingTimers).toBe(0);
    }
  });
});

describe('settings', () => {
  it.each([
    [{ leaseDuration: 10_000, renewDeadline: 10_000 }, 'leaseDuration'],
    [{ renewDeadline: 2_400, retryPeriod: 2_000 }, 'renewDeadline'],
    [{ retryPeriod: 0 }, 'retryPeriod'],
    [{ retryPeriod: Number.NaN }, 'retryPeriod'],
    [{ leaseDuration: 900, renewDeadline: 500, retryPeriod: 100 }, 'at least 1000'],
  ])('%o are refused', (times, message) => {
    expect(() => setUp().start('a', times)).toThrow(message);
  });

  it('need an identity', () => {
    expect(() => setUp().start('')).toThrow('identity');
  });
});
