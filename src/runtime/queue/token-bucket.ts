import type { Clock } from '../environment/environment.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenBucketOptions<K> {
  readonly clock: Clock;
  /** Tokens in a second. */
  readonly qps: number;
  /** Tokens that may be saved up. */
  readonly burst: number;
  /** No key waits longer for a token; milliseconds, default 1,000,000 (1000 s). */
  readonly maxDelay?: number;
  /** What makes two keys the same; default: the key itself. */
  readonly identity?: (key: K) => unknown;
}

/**
 * A limit for all keys together: each waits for a token (client-go's `TypedBucketRateLimiter`). Unlike there, a key that waits for its
 * token already takes no other: asking again and again pushes neither it nor the others into the future. Use it with a backoff for each
 * key: `new MaxOf([new ExponentialBackoff(...), new TokenBucket(...)])`.
 */
export class TokenBucket<K> implements RateLimiter<K> {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #saved: number;
  readonly #maxDelay: number;
  readonly #identity: (key: K) => unknown;
  /** When the keys that wait get their tokens; in the order of these times, since tokens are given out in order. */
  readonly #reserved = new Map<unknown, number>();
  /** When the bucket would be full again. */
  #full = Number.NEGATIVE_INFINITY;

  constructor(options: TokenBucketOptions<K>) {
    const { clock, qps, burst, maxDelay = 1_000_000, identity = (key) => key } = options;
    if (!(qps > 0 && Number.isFinite(qps)) || !(burst >= 1 && Number.isFinite(burst)) || !(maxDelay > 0)) {
      throw new RangeError(
        `a token bucket needs qps > 0, burst >= 1 and maxDelay > 0, not ${qps}, ${burst} and ${maxDelay}`,
      );
    }
    this.#clock = clock;
    this.#interval = 1000 / qps;
    this.#saved = (burst - 1) * this.#interval;
    this.#maxDelay = maxDelay;
    this.#identity = identity;
  }

  when(key: K, waits = false): number {
    const now = this.#clock.monotonic();
    this.#forgetPast(now);
    const identity = this.#identity(key);
    const reserved = this.#reserved.get(identity);
    if (reserved !== undefined) {
      return reserved - now;
    }
    if (waits) {
      return 0; // It has its token, and waits for something else.
    }
    const at = Math.max(now, this.#full - this.#saved);
    if (at - now > this.#maxDelay) {
      return this.#maxDelay; // Without a token: the queue for them shall not grow without end.
    }
    this.#full = Math.max(now, this.#full) + this.#interval;
    if (at > now) {
      this.#reserved.set(identity, at);
    }
    return at - now;
  }

  /** Nothing to forget: tokens know no failures. */
  forget(): void {}

  numRequeues(): number {
    return 0;
  }

  #forgetPast(now: number): void {
    for (const [identity, at] of this.#reserved) {
      if (at > now) {
        return;
      }
      this.#reserved.delete(identity);
    }
  }
}

/** Asks several limiters; the longest delay counts (client-go's `TypedMaxOfRateLimiter`). */
export class MaxOf<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(key: K, waits?: boolean): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key, waits)));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) {
      limiter.forget(key);
    }
  }

  numRequeues(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.numRequeues(key)));
  }
}
