import { expect } from 'vitest';
import { LeaseServer } from './lease-server.ts';
import { disturb } from './disturbances.ts';
import { VirtualProcess } from './virtual-process.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import { seededRandom } from '../../src/runtime/environment/virtual-random.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { LeaderElector, LeaderElectorOptions } from '../../src/runtime/election/elector.ts';
import type { createLeaseLock } from '../../src/runtime/election/lease-lock.ts';
import { electionDefaults } from '../../src/runtime/election/times.ts';

/** What is put to the test: from the sources, or from a bundle. */
export interface ElectionCode {
  readonly LeaderElector: new (options: LeaderElectorOptions) => LeaderElector;
  readonly createLeaseLock: typeof createLeaseLock;
}

const steps = 24;

/**
 * The longest time without a leader once nothing is disturbed any more: the lease of a leader that is gone runs out as the others see it
 * (15 s), they look again (2 s, late by up to 1.2 times as much), and a try that met a silent server has to end first (5 s).
 */
const bound =
  electionDefaults.leaseDuration + electionDefaults.retryPeriod * (1 + 1.2) + electionDefaults.renewDeadline / 2;

/** A process that competes, works while it leads, and is started anew whenever it has lost. */
class Replica {
  readonly name: string;
  readonly process: VirtualProcess;
  elector: LeaderElector;
  lives = 0;
  readonly #code: ElectionCode;
  readonly #server: LeaseServer;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(name: string, world: VirtualEnvironment, server: LeaseServer, code: ElectionCode) {
    this.#code = code;
    this.name = name;
    this.#server = server;
    this.process = new VirtualProcess(world);
    this.elector = this.#born();
    this.#running = this.#live();
  }

  #born(): LeaderElector {
    const { environment } = this.process;
    const transport = this.process.transport(this.#server.transport(this.name));
    this.lives++;
    return new this.#code.LeaderElector({
      lock: this.#code.createLeaseLock({ transport, environment, namespace: 'ns', name: 'op' }),
      identity: `${this.name}-${this.lives}`,
      environment,
      log: discardLogger,
    });
  }

  async #live(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.elector.acquire(signal);
        await this.elector.hold(signal);
      } catch {
        // Lost, or the end.
      }
      if (!signal.aborted) {
        this.elector = this.#born();
      }
    }
  }

  /** What a reconciler does right before it writes. */
  passesFence(): boolean {
    try {
      this.elector.assertLeading();
      return true;
    } catch {
      return false;
    }
  }

  async end(): Promise<void> {
    this.process.continue();
    this.#end.abort(new Error('end'));
    await this.#running;
  }
}

/**
 * Three replicas under seeded schedules of pauses, partitions, clock jumps and errors: each write that passes the fence is checked against
 * what the server knows, and there is a leader again within the bound.
 */
export async function runElectionSchedules(code: ElectionCode, schedules: number): Promise<void> {
  let writes = 0;
  let terms = 0;
  let longest = 0;
  for (let seed = 1; seed <= schedules; seed++) {
    const random = seededRandom(seed);
    const world = createVirtualEnvironment({ seed, wall: 1_700_000_000_000 });
    const server = new LeaseServer(world);
    const replicas = ['a', 'b', 'c'].map((name) => new Replica(name, world, server, code));
    const write = (replica: Replica): void => {
      if (!replica.process.stopped && replica.passesFence()) {
        writes++;
        expect(server.lease?.spec?.holderIdentity, `seed ${seed}`).toBe(replica.elector.identity);
      }
    };
    for (let step = 0; step < steps; step++) {
      for (const replica of replicas) {
        // The very first thing after a SIGCONT is a write.
        disturb(replica, server, random, 4_000, () => {
          write(replica);
        });
      }
      await world.advance(random.next() * 4_000);
      for (const replica of replicas) {
        write(replica);
      }
    }
    for (const replica of replicas) {
      replica.process.continue();
      server.disturb(replica.name);
    }
    const healed = world.clock.monotonic();
    await world.runUntil(() => replicas.some((replica) => replica.passesFence()), bound);
    longest = Math.max(longest, world.clock.monotonic() - healed);
    for (const replica of replicas) {
      write(replica);
    }
    terms += server.lease?.spec?.leaseTransitions ?? 0;
    const ended = Promise.all(replicas.map((replica) => replica.end()));
    await world.settle();
    await ended;
    expect(world.pendingTimers).toBe(0);
  }
  // That the schedules are of use: leaders worked, and changed.
  expect(writes).toBeGreaterThan(schedules * 5);
  expect(terms).toBeGreaterThan(schedules / 2);
  expect(longest).toBeGreaterThan(electionDefaults.leaseDuration / 2);
}
