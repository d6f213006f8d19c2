import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Environment, Random, Scheduler } from './environment.ts';
import { VirtualClock } from './virtual-clock.ts';
import { seededRandom } from './virtual-random.ts';

export interface VirtualEnvironmentOptions {
  /** Equal seeds give equal runs. Default 1. */
  readonly seed?: number;
  /** The wall clock at the start, in milliseconds since 1970. Default 2026-01-01T00:00:00Z. */
  readonly wall?: number;
}

/**
 * A world for tests: time stands still until the test moves it, randomness and ids follow from the seed, and whatever waits for a
 * later turn of the event loop gets it in the order of asking. Nothing in it depends on the machine's speed.
 *
 * Code under test may only wait for promises, for this clock and for this scheduler; waiting for real I/O is not seen.
 */
export interface VirtualEnvironment extends Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** Runs all that can run without the clock moving. */
  settle(): Promise<void>;
  /** Moves the clock, stopping at each timer that falls due on the way, and settles after each. */
  advance(milliseconds: number): Promise<void>;
  /**
   * Runs timers, however far ahead, until none is left. Throws after `limit` milliseconds of virtual time (default one day), since
   * what repeats itself never ends.
   */
  runUntilIdle(limit?: number): Promise<void>;
  /** Runs timers until the condition holds. Throws when it does not within `limit` milliseconds of virtual time (default one day). */
  runUntil(condition: () => boolean, limit?: number): Promise<void>;
  /** Moves the wall clock alone, as an administrator or NTP does. */
  setWall(milliseconds: number): void;
  /** How many timers are set: 0 when everything was stopped and cleaned up. */
  readonly pendingTimers: number;
}

const oneDay = 24 * 60 * 60 * 1000;

/** Makes a virtual environment. */
export function createVirtualEnvironment(options: VirtualEnvironmentOptions = {}): VirtualEnvironment {
  const clock = new VirtualClock(options.wall ?? Date.UTC(2026, 0, 1));
  const turns: (() => void)[] = [];

  const settle = async (): Promise<void> => {
    for (;;) {
      // A real turn of the loop runs every promise job that is ready, however long the chain.
      await nextTurn();
      const turn = turns.shift();
      if (turn === undefined) return;
      turn();
    }
  };

  const runNextTimer = async (deadline: number): Promise<boolean> => {
    if (!clock.fireNext(deadline)) return false;
    await settle();
    return true;
  };

  return {
    clock,
    random: seededRandom(options.seed ?? 1),
    scheduler: {
      yield: () =>
        new Promise((resolve) => {
          turns.push(resolve);
        }),
    },
    settle,
    async advance(milliseconds) {
      const deadline = clock.monotonic() + milliseconds;
      await settle();
      while (await runNextTimer(deadline));
      clock.moveTo(deadline);
    },
    async runUntilIdle(limit = oneDay) {
      const deadline = clock.monotonic() + limit;
      await settle();
      while (await runNextTimer(deadline));
      if (clock.pending > 0) throw new Error(`${clock.pending} timers are left after ${limit} ms of virtual time`);
    },
    async runUntil(condition, limit = oneDay) {
      const deadline = clock.monotonic() + limit;
      await settle();
      while (!condition()) {
        if (!(await runNextTimer(deadline))) {
          throw new Error(`the condition does not hold after ${limit} ms of virtual time, or nothing is left to run`);
        }
      }
    },
    setWall(milliseconds) {
      clock.setWall(milliseconds);
    },
    get pendingTimers() {
      return clock.pending;
    },
  };
}
