import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Environment, Random, Scheduler } from './environment.ts';

/** What Node's timers take at most; a longer delay fires at once there. */
const longestTimer = 2 ** 31 - 1;

const clock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  setTimer(callback, milliseconds, options) {
    let handle: NodeJS.Timeout;
    const arm = (remaining: number): void => {
      const step = Math.min(remaining, longestTimer);
      handle = setTimeout(() => {
        if (remaining > step) arm(remaining - step);
        else callback();
      }, step);
      if (options?.keepAlive === false) handle.unref();
    };
    if (Number.isNaN(milliseconds)) throw new RangeError('a timer needs a number of milliseconds');
    arm(Math.max(0, milliseconds));
    return {
      cancel() {
        clearTimeout(handle);
      },
    };
  },
};

const random: Random = { next: () => Math.random(), uuid: () => randomUUID() };

const scheduler: Scheduler = { yield: () => nextTurn() };

const environment: Environment = Object.freeze({ clock, random, scheduler });

/** The real world: Node's clocks, timers, randomness and event loop. */
export function defaultEnvironment(): Environment {
  return environment;
}

/**
 * The real world on another thread, whose monotonic clock counts from `epoch` (nanoseconds by `process.hrtime`): with the `monotonicEpoch`
 * of the main thread, both threads read the same time.
 */
export function environmentSince(epoch: bigint): Environment {
  const monotonic = (): number => Number(process.hrtime.bigint() - epoch) / 1e6;
  return { clock: { ...clock, monotonic }, random, scheduler };
}

/** By `process.hrtime`, which is one for all threads, the moment 0 of this thread's monotonic clock. */
export function monotonicEpoch(): bigint {
  return process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6));
}
