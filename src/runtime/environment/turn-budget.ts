import type { Clock, Scheduler } from './environment.ts';

/** How long code may go on without a turn of the event loop, in milliseconds. */
const longestSlice = 10;

/**
 * Keeps the event loop alive under synchronous work: whoever loops over much asks after each piece, and after 10 ms without a turn of
 * the loop waits for one, so that timers and sockets are served. Shared by all who do so.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  #since: number;

  constructor(environment: { readonly clock: Clock; readonly scheduler: Scheduler }) {
    this.#clock = environment.clock;
    this.#scheduler = environment.scheduler;
    this.#since = this.#clock.monotonic();
  }

  /** Whether it is time to let others run. */
  exhausted(): boolean {
    return this.#clock.monotonic() - this.#since >= longestSlice;
  }

  /** Waits for a turn of the event loop. */
  async turn(): Promise<void> {
    await this.#scheduler.yield();
    this.#since = this.#clock.monotonic();
  }
}
