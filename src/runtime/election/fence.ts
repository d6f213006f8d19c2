import type { Clock } from '../environment/environment.ts';
import { NotLeaderError } from './errors.ts';

/** One moment by both clocks, in milliseconds. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** What the fence of one lease stands on. Kept in memory, or in memory that two threads share. */
export interface FenceState {
  /** Whether the lease is held, as far as the one who renews it knows. */
  held: boolean;
  /** When the last renewal that succeeded was sent. */
  renewed: Moment | undefined;
}

/**
 * Whether the lease is held and young enough for writes. It closes by the age of the lease alone: nothing has to run, on no thread, for
 * it to close.
 */
export class Fence {
  readonly #lease: string;
  readonly #clock: Clock;
  readonly #renewDeadline: number;
  readonly #state: FenceState;

  /** `lease` is for messages. */
  constructor(lease: string, renewDeadline: number, clock: Clock, state: FenceState) {
    this.#lease = lease;
    this.#renewDeadline = renewDeadline;
    this.#clock = clock;
    this.#state = state;
  }

  get open(): boolean {
    return this.#state.held && this.#age() <= this.#renewDeadline;
  }

  /** Throws a `NotLeaderError` unless it is open. To be called in the tick in which a write is sent. */
  assertOpen(): void {
    if (!this.#state.held) {
      throw new NotLeaderError(`not the leader of ${this.#lease}`);
    }
    const age = this.#age();
    if (age > this.#renewDeadline) {
      throw new NotLeaderError(
        `the lease ${this.#lease} was renewed ${Math.round(age)} ms ago, longer than the renew deadline of ${this.#renewDeadline} ms`,
      );
    }
  }

  /**
   * How much longer a renewal may be tried. By the monotonic clock alone: a jump of the wall clock closes the fence until the next
   * renewal, which is safe to try, since it fails when anybody else wrote the lease meanwhile.
   */
  untilDeadline(): number {
    return (this.#state.renewed?.monotonic ?? Number.NEGATIVE_INFINITY) + this.#renewDeadline - this.#clock.monotonic();
  }

  /** How old the lease may be at most, by either clock: a machine that slept may find that its monotonic clock did not run. */
  #age(): number {
    const { renewed } = this.#state;
    return renewed === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(this.#clock.monotonic() - renewed.monotonic, this.#clock.wall() - renewed.wall);
  }
}
