import { expect } from 'vitest';
import { ShardServer } from './shard-server.ts';
import { disturb } from './disturbances.ts';
import { VirtualProcess } from './virtual-process.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import { seededRandom } from '../../src/runtime/environment/virtual-random.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { electionDefaults } from '../../src/runtime/election/times.ts';
import { ownerOf } from '../../src/runtime/election/sharding/hashing.ts';
import type { createShardLeases } from '../../src/runtime/election/sharding/shard-leases.ts';
import type { Sharder, SharderOptions } from '../../src/runtime/election/sharding/sharder.ts';

/** What is put to the test: from the sources, or from a bundle. */
export interface ShardingCode {
  readonly Sharder: new (options: SharderOptions) => Sharder;
  readonly createShardLeases: typeof createShardLeases;
}

const steps = 16;
const slots = 6;
const all = Array.from({ length: slots }, (_, slot) => slot);
const slotName = (slot: number): string => `op-slot-${slot}-of-${slots}`;

const round = electionDefaults.retryPeriod * 1.1;
/**
 * The longest time until every slot has its owner once nothing is disturbed any more: a round that met a silent server has to end first
 * (5 s), a lease of one that is gone runs out as the others see it (15 s), they look again; then each gives back what is due to another,
 * who takes it at its next look.
 */
const bound = electionDefaults.renewDeadline / 2 + electionDefaults.leaseDuration + 3 * round;

class Replica {
  readonly name: string;
  readonly process: VirtualProcess;
  readonly sharder: Sharder;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(name: string, world: VirtualEnvironment, server: ShardServer, code: ShardingCode) {
    this.name = name;
    this.process = new VirtualProcess(world);
    const { environment } = this.process;
    const transport = this.process.transport(server.transport(name));
    this.sharder = new code.Sharder({
      leases: code.createShardLeases({
        transport,
        environment,
        logger: discardLogger,
        namespace: 'ns',
        id: 'op',
        slots,
      }),
      slots,
      identity: name,
      environment,
      log: discardLogger,
    });
    this.#running = this.sharder.run(
      { gained: () => undefined, lost: () => undefined, yield: () => Promise.resolve() },
      this.#end.signal,
    );
  }

  /** What a reconciler does right before it writes for a key of the slot. */
  passesFence(slot: number): boolean {
    try {
      this.sharder.assertHeld(slot);
      return true;
    } catch {
      return false;
    }
  }

  async end(): Promise<void> {
    this.process.continue();
    this.#end.abort(new Error('end'));
    await this.#running;
    await this.sharder.release();
  }
}

/**
 * Three members under seeded schedules of pauses, partitions, clock jumps and errors: each write that passes the fence of a slot is checked
 * against what the server knows, and all slots have their owners again within the bound.
 */
export async function runShardingSchedules(code: ShardingCode, schedules: number): Promise<void> {
  let writes = 0;
  let moves = 0;
  let longest = 0;
  for (let seed = 1; seed <= schedules; seed++) {
    const random = seededRandom(seed);
    const world = createVirtualEnvironment({ seed, wall: 1_700_000_000_000 });
    const server = new ShardServer(world);
    const replicas = ['a', 'b', 'c'].map((name) => new Replica(name, world, server, code));
    const write = (replica: Replica): void => {
      for (const slot of replica.process.stopped ? [] : all) {
        if (replica.passesFence(slot)) {
          writes++;
          expect(server.holder(slotName(slot)), `seed ${seed}, slot ${slot}`).toBe(replica.name);
        }
      }
    };
    for (let step = 0; step < steps; step++) {
      for (const replica of replicas) {
        // The very first thing after a SIGCONT is a write.
        disturb(replica, server, random, 1_000, () => {
          write(replica);
        });
      }
      await world.advance(random.next() * 5_000);
      for (const replica of replicas) write(replica);
    }
    for (const replica of replicas) {
      replica.process.continue();
      server.disturb(replica.name);
    }
    const healed = world.clock.monotonic();
    const members = replicas.map(({ name }) => name);
    const isShared = (): boolean =>
      all.every((slot) =>
        replicas.every((replica) => replica.passesFence(slot) === (ownerOf(slot, members) === replica.name)),
      );
    await world.runUntil(isShared, bound);
    longest = Math.max(longest, world.clock.monotonic() - healed);
    for (const slot of all) moves += server.leases.get(slotName(slot))?.spec?.leaseTransitions ?? 0;
    const ended = Promise.all(replicas.map((replica) => replica.end()));
    await world.settle();
    await ended;
    expect(world.pendingTimers).toBe(0);
  }
  // That the schedules are of use: members worked, slots moved, and not at once.
  expect(writes).toBeGreaterThan(schedules * steps);
  expect(moves).toBeGreaterThan(schedules);
  expect(longest).toBeGreaterThan(electionDefaults.leaseDuration / 2);
}
