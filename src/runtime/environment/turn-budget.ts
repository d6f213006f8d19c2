import type { Clock, Scheduler } from './environment.ts';

/** How long code may go on without a turn of the event loop, in milliseconds. */
export const longestSlice = 10;

interface TimeAndTurns {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

const shared = new WeakMap<Scheduler, TurnBudget>();

/**
 * Keeps the event loop alive under synchronous work: whoever loops over much asks after each piece, and after 10 ms without a turn of
 * the loop waits for one, so that timers and sockets are served. Those who wait go on one at a time, one with each turn: twenty caches
 * that fill together hold the loop up no longer than one.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #waiting: (() => void)[] = [];
  #turning = false;
  #since: number;

  constructor(environment: TimeAndTurns) {
    this.#clock = environment.clock;
    this.#scheduler = environment.scheduler;
    this.#since = this.#clock.monotonic();
  }

  /** The one budget of everybody who works in this environment's event loop. */
  static of(environment: TimeAndTurns): TurnBudget {
    const known = shared.get(environment.scheduler);
    if (known !== undefined) return known;
    const budget = new TurnBudget(environment);
    shared.set(environment.scheduler, budget);
    return budget;
  }

  /** Whether it is time to let others run. */
  exhausted(): boolean {
    return this.#clock.monotonic() - this.#since >= longestSlice;
  }

  /** Begins a slice of its own, which does not count what was done before: the answer says whether it has taken long enough. */
  slice(): () => boolean {
    const start = this.#clock.monotonic();
    return () => this.#clock.monotonic() - start >= longestSlice;
  }

  /** Waits for a turn of the event loop of one's own. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#turning) void this.#wake();
    });
  }

  async #wake(): Promise<void> {
    this.#turning = true;
    while (this.#waiting.length > 0) {
      await this.#scheduler.yield();
      this.#since = this.#clock.monotonic();
      this.#waiting.shift()?.();
    }
    this.#turning = false;
  }
}
