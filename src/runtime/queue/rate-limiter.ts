import type { Random } from '../environment/environment.ts';

/** Decides how long a key waits before it is tried again (client-go's `TypedRateLimiter`). */
export interface RateLimiter<K> {
  /**
   * Counts one more failure of the key and returns the milliseconds that it shall wait. `waits`: an earlier answer is still being waited
   * for, or the key is ready; a limit for all keys together takes nothing more for it.
   */
  when(key: K, waits?: boolean): number;
  /** The key succeeded, or is given up: its count starts again at 0. */
  forget(key: K): void;
  /** Failures counted since the last `forget`. */
  numRequeues(key: K): number;
}

export interface ExponentialBackoffOptions<K> {
  readonly random: Random;
  /** The first delay in milliseconds; default 5. */
  readonly baseDelay?: number;
  /** No delay is longer (before jitter); milliseconds, default 1,000,000 (1000 s). */
  readonly maxDelay?: number;
  /** Each delay is multiplied by a random factor in [1, 1 + jitter); default 0.1. 0 gives client-go's exact numbers. */
  readonly jitter?: number;
  /** What makes two keys the same; default: the key itself (right for strings and numbers). */
  readonly identity?: (key: K) => unknown;
}

/**
 * `min(baseDelay x 2^n, maxDelay)` with n the failures of this key before: client-go's `ItemExponentialFailureRateLimiter` with the
 * numbers of its default controller limiter, and a little jitter, so that keys that failed together do not come back together.
 */
export class ExponentialBackoff<K> implements RateLimiter<K> {
  readonly #failures = new Map<unknown, number>();
  readonly #random: Random;
  readonly #baseDelay: number;
  readonly #maxDelay: number;
  readonly #jitter: number;
  readonly #identity: (key: K) => unknown;

  constructor(options: ExponentialBackoffOptions<K>) {
    this.#random = options.random;
    this.#baseDelay = positive('baseDelay', options.baseDelay ?? 5);
    this.#maxDelay = positive('maxDelay', options.maxDelay ?? 1_000_000);
    this.#jitter = options.jitter ?? 0.1;
    if (!(this.#jitter >= 0 && Number.isFinite(this.#jitter))) {
      throw new RangeError(`jitter must be a number >= 0, not ${this.#jitter}`);
    }
    this.#identity = options.identity ?? ((key) => key);
  }

  when(key: K): number {
    const identity = this.#identity(key);
    const failures = this.#failures.get(identity) ?? 0;
    this.#failures.set(identity, failures + 1);
    const delay = Math.min(this.#baseDelay * 2 ** failures, this.#maxDelay);
    return this.#jitter === 0 ? delay : delay * (1 + this.#jitter * this.#random.next());
  }

  forget(key: K): void {
    this.#failures.delete(this.#identity(key));
  }

  numRequeues(key: K): number {
    return this.#failures.get(this.#identity(key)) ?? 0;
  }
}

function positive(name: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) {
    throw new RangeError(`${name} must be a finite number of milliseconds > 0, not ${value}`);
  }
  return value;
}
