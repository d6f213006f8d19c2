import type { Clock, Random, Scheduler } from '../environment/environment.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface WorkQueueOptions<K> {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Lets `get` give the event loop its turns. One budget is shared with the caches and controllers of this scheduler: after 10 ms without
   * a turn whoever works next waits for one. Without it `get` gives keys as long as there are any.
   */
  readonly scheduler?: Scheduler;
  /** For messages; default `queue`. */
  readonly name?: string;
  /**
   * What makes two keys the same: returns a value that a Map compares as wanted. Default: the key itself, which is right for strings
   * and numbers.
   */
  readonly identity?: (key: K) => unknown;
  /** Default: `ExponentialBackoff`, 5 ms to 1000 s per key with a jitter of 0.1. */
  readonly rateLimiter?: RateLimiter<K>;
  /** How many causes are kept for one run of a key; later ones are dropped. Default 10. */
  readonly maxCauses?: number;
  /**
   * Every so many hand-outs, one goes to the priority that has waited longest for one: with L priorities that have ready keys each is
   * served at least once in `ageing` x L hand-outs, so that the n-th key of the lowest waits for at most n x `ageing` x L. A whole number
   * >= 1; `Infinity` is for strict priorities, under which low ones may wait for ever. Default 8.
   */
  readonly ageing?: number;
  /**
   * Keys for which it gives different values take turns within their priority (a namespace or a tenant with many keys does not hold up
   * the others). Default: all alike, first in, first out. Must always give the same for a key.
   */
  readonly fairnessKey?: (key: K) => string;
  /** Told of what happens, for metrics. */
  readonly observer?: WorkQueueObserver;
}

/** What is measured of a queue. All durations are milliseconds. */
export interface WorkQueueObserver {
  /** A key became ready, and was not before. */
  added(): void;
  /** A key was handed out after it was ready for so long. */
  handedOut(waited: number): void;
  /** The run of a key took so long. */
  done(worked: number): void;
  /** A key is to come back later (`addAfter`, `addRateLimited`). */
  retried(): void;
}

/** One key of a queue, for inspection. */
export interface QueueItem<K, C> {
  readonly key: K;
  readonly priority: number;
  /** Wants a run now: is ready, or becomes it when the run that goes on is over. */
  readonly ready: boolean;
  /** Is handed out. */
  readonly processing: boolean;
  /** Milliseconds until the delay is over; absent when it is not delayed. */
  readonly dueIn?: number;
  readonly causes: readonly C[];
}

export interface AddOptions<C> {
  /** Why the key is added; handed out with the run (`causes`). */
  readonly cause?: C;
  /**
   * The higher, the sooner; a finite number, default 0. A key that is queued already keeps the higher of both and, when its priority
   * rises, goes to the end of the new one.
   */
  readonly priority?: number;
}

export interface DrainOptions {
  /** Milliseconds; without it the drain waits for as long as it takes. */
  readonly timeout?: number;
}

/** A drain ran out of time: some keys were still queued or in work. */
export class DrainTimeoutError extends Error {
  override readonly name = 'DrainTimeoutError';
  /** What was handed out and not marked as done, as `identity` names it. */
  readonly processing: readonly unknown[];

  constructor(queue: string, timeout: number, processing: readonly unknown[], queued: number) {
    const stuck = processing.length === 0 ? 'none' : processing.slice(0, 10).map(String).join(', ');
    super(`${queue}: not drained within ${timeout} ms; in work: ${stuck}; queued: ${queued}`);
    this.processing = processing;
  }
}
