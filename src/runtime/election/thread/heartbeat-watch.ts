import type { Clock } from '../../environment/environment.ts';
import { sleep } from '../../environment/child-signal.ts';
import type { SharedState } from './shared-state.ts';

/** How often the main thread tells that it has a turn, in milliseconds. */
export function heartbeatPeriod(renewDeadline: number): number {
  return Math.min(500, renewDeadline / 10);
}

/** How often one who waits for a heartbeat looks, in milliseconds. */
const lookPeriod = 20;

/** The main thread has not had a turn of its event loop for too long. */
export class MainThreadBlockedError extends Error {
  override readonly name = 'MainThreadBlockedError';
  readonly reason = 'MainThreadBlocked';
}

/** Watches the heartbeat of the main thread, on another thread. */
export class HeartbeatWatch {
  readonly #state: SharedState;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #period: number;
  #last: number;
  #looked: number;
  #silence = 0;

  /** `limit` is the renew deadline. */
  constructor(state: SharedState, clock: Clock, limit: number) {
    this.#state = state;
    this.#clock = clock;
    this.#limit = limit;
    this.#period = heartbeatPeriod(limit);
    this.#last = state.heartbeat;
    this.#looked = clock.monotonic();
  }

  /** Whether the last heartbeat is younger than the limit. */
  get fresh(): boolean {
    return this.#age() < this.#limit;
  }

  /** Resolves at once while the heartbeat is fresh, otherwise with the next one. Rejects when the signal is aborted first. */
  async untilFresh(signal: AbortSignal): Promise<void> {
    while (!this.fresh) {
      const age = Math.round(this.#age());
      try {
        await sleep(this.#clock, lookPeriod, signal);
      } catch (error) {
        throw new MainThreadBlockedError(`the main thread has not had a turn for ${age} ms`, { cause: error });
      }
    }
  }

  /**
   * Looks at the heartbeat, and says for how long it has been seen not to change. To be called every `heartbeatPeriod`: what this thread
   * was late itself does not count, so that after a pause of the whole process the main thread has its time to answer.
   */
  silence(): number {
    const now = this.#clock.monotonic();
    const { heartbeat } = this.#state;
    if (heartbeat === this.#last) {
      this.#silence += Math.min(now - this.#looked, 2 * this.#period);
    } else {
      this.#last = heartbeat;
      this.#silence = 0;
    }
    this.#looked = now;
    return this.#silence;
  }

  #age(): number {
    return this.#clock.monotonic() - this.#state.heartbeat;
  }
}
