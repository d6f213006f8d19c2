import type { Clock, Timer } from '../environment/environment.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { Delays } from './delays.ts';
import { itemOf, newEntry } from './entry.ts';
import type { Entry } from './entry.ts';
import { ExponentialBackoff } from './rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { ReadyList } from './ready-list.ts';
import { DrainTimeoutError } from './types.ts';
import type { AddOptions, DrainOptions, QueueItem, WorkQueueObserver, WorkQueueOptions } from './types.ts';
import { Waiters } from './waiters.ts';

/**
 * A queue of keys, first in, first out within each priority, that holds each key once, hands a key to one worker at a time, and can
 * delay keys (client-go's `TypedRateLimitingInterface`).
 *
 * Invariant: the ready list holds exactly the keys that are dirty (want a run) and not processing (handed out). A key that is added
 * while it is handed out becomes ready again at its `done`.
 *
 * A delay and a ready key are kept apart, as in client-go and unlike controller-runtime's priority queue: an event does not use up a
 * delayed run that is still to come. Of several delays of one key the earliest counts.
 *
 * `C` is the type of the causes. A user of the queue who needs none leaves it out.
 */
export class WorkQueue<K, C = never> {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #identity: ((key: K) => unknown) | undefined;
  readonly #rateLimiter: RateLimiter<K>;
  readonly #maxCauses: number;
  /** Every key that is dirty, processing or delayed. */
  readonly #entries = new Map<unknown, Entry<K, C>>();
  readonly #delays: Delays<Entry<K, C>>;
  readonly #ready: ReadyList<Entry<K, C>>;
  readonly #fairnessKey: ((key: K) => string) | undefined;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #budget: TurnBudget | undefined;
  /** The entry handed out last: most likely the one that is done next. */
  #last: Entry<K, C> | undefined;
  #processing = 0;
  readonly #waiters = new Waiters<K>();
  #shuttingDown = false;
  #drains: (() => void)[] = [];

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#name = options.name ?? 'queue';
    this.#identity = options.identity;
    const { maxCauses = 10 } = options;
    if (!(maxCauses >= 0 && (Number.isInteger(maxCauses) || maxCauses === Number.POSITIVE_INFINITY))) {
      throw new RangeError(`${this.#name}: maxCauses must be a whole number >= 0, or Infinity, not ${maxCauses}`);
    }
    this.#maxCauses = maxCauses;
    this.#fairnessKey = options.fairnessKey;
    this.#observer = options.observer;
    const { clock, scheduler } = options;
    this.#budget = scheduler === undefined ? undefined : TurnBudget.of({ clock, scheduler });
    this.#delays = new Delays(clock, (entry) => {
      entry.limited = false;
      this.#markDirty(entry, undefined, entry.delayedPriority);
    });
    const { ageing = 8 } = options;
    if (!(ageing >= 1 && (Number.isInteger(ageing) || ageing === Number.POSITIVE_INFINITY))) {
      throw new RangeError(`${this.#name}: ageing must be a whole number >= 1, or Infinity, not ${ageing}`);
    }
    this.#ready = new ReadyList(ageing);
    this.#rateLimiter =
      options.rateLimiter ??
      new ExponentialBackoff<K>({
        random: options.random,
        ...(options.identity === undefined ? {} : { identity: options.identity }),
      });
  }

  /** How many keys are ready to be handed out; delayed ones and those in work do not count. */
  get length(): number {
    return this.#ready.size;
  }

  /** How many keys of each priority are ready. */
  get lengths(): ReadonlyMap<number, number> {
    return this.#ready.sizes();
  }

  /** How many keys wait for their delay to pass. */
  get delayed(): number {
    return this.#delays.size;
  }

  /** How many keys are handed out. */
  get processing(): number {
    return this.#processing;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Asks for a run of the key: now, or after the run that is going on. Ignored when the queue was shut down. */
  add(key: K, options?: AddOptions<C>): void {
    if (!this.#shuttingDown) {
      const priority = this.#priorityOf(options);
      this.#markDirty(this.#entryOf(key), options?.cause, priority);
    }
  }

  /**
   * Asks for a run of the key after some milliseconds, of any size; 0 and less mean now. When the key is delayed already, the earlier
   * time stays. Throws a RangeError for what is no finite number. Ignored when the queue was shut down.
   */
  addAfter(key: K, milliseconds: number, options?: AddOptions<C>): void {
    if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds)) {
      throw new RangeError(
        `${this.#name}: a delay must be a finite number of milliseconds, not ${String(milliseconds)}`,
      );
    }
    if (this.#shuttingDown) {
      return;
    }
    this.#observer?.retried();
    if (milliseconds <= 0) {
      this.add(key, options);
      return;
    }
    const priority = this.#priorityOf(options);
    const entry = this.#entryOf(key);
    entry.delayedPriority = entry.heapIndex === -1 ? priority : Math.max(entry.delayedPriority, priority);
    this.#addCause(entry, options?.cause);
    this.#delays.delay(entry, milliseconds);
  }

  /**
   * Asks for a run after the delay that the rate limiter gives, or after `atLeast` if that is longer; counts one failure of the key.
   * Returns the delay in milliseconds. Limiters learn whether the key waits already, so that it takes no second token of a bucket.
   */
  addRateLimited(key: K, options?: AddOptions<C> & { readonly atLeast?: number }): number {
    const known = this.#entries.get(this.#identify(key));
    const waits = known !== undefined && (known.limited || (known.dirty && !known.processing));
    const delay = Math.max(this.#rateLimiter.when(key, waits), options?.atLeast ?? 0);
    this.addAfter(key, delay, options);
    const entry = known ?? this.#entries.get(this.#identify(key));
    if (entry !== undefined && entry.heapIndex !== -1) {
      entry.limited = true;
    }
    return delay;
  }

  /** The key's failures are over. It neither removes the key from the queue nor ends its run. */
  forget(key: K): void {
    this.#rateLimiter.forget(key);
  }

  /** Failures of the key since the last `forget`. */
  numRequeues(key: K): number {
    return this.#rateLimiter.numRequeues(key);
  }

  /**
   * The next ready key, or undefined when none is ready. It is the caller's until `done`: nobody else gets it meanwhile.
   */
  tryGet(): K | undefined {
    const entry = this.#ready.shift();
    if (entry === undefined) {
      return undefined;
    }
    this.#handOut(entry);
    return entry.key;
  }

  /**
   * Waits for the next key. Resolves with undefined when the queue was shut down and nothing is ready any more; rejects with the
   * signal's reason when it is aborted before a key came.
   *
   * With a `scheduler` it lets the event loop turn first when that has not turned for 10 ms: workers that find a key each time would
   * hold up timers and sockets otherwise.
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason as Error);
    }
    if (this.#ready.size > 0) {
      return this.#budget?.exhausted() === true ? this.#getLater(this.#budget, signal) : Promise.resolve(this.tryGet());
    }
    // A key in work that becomes ready again during a shutdown goes to the worker that calls `done`: nobody has to wait for it.
    return this.#shuttingDown ? Promise.resolve(undefined) : this.#waiters.wait(signal);
  }

  /** In place of `done`: the key is handed out again after the delay, with the causes and the priority that it has now. */
  postpone(key: K, milliseconds: number): void {
    const entry = this.#entries.get(this.#identify(key));
    if (entry?.processing === true) {
      entry.causes = [...(entry.currentCauses ?? []), ...(entry.causes ?? [])].slice(0, this.#maxCauses);
      this.addAfter(key, milliseconds, { priority: entry.currentPriority });
      this.done(key);
    }
  }

  /** Whether one more cause of the key would be kept: of many, those that came first are. */
  takesCause(key: K): boolean {
    return (this.#entries.get(this.#identify(key))?.causes?.length ?? 0) < this.#maxCauses;
  }

  /** The causes of the run that is going on: bounded, in the order of arrival; empty when the key is not handed out. */
  causes(key: K): readonly C[] {
    return this.#entries.get(this.#identify(key))?.currentCauses ?? [];
  }

  /** The priority of the run that is going on: what to give to `addAfter` so that the next run has it, too. 0 when there is none. */
  priority(key: K): number {
    return this.#entries.get(this.#identify(key))?.currentPriority ?? 0;
  }

  /** For how long a key that is handed out was ready before, in milliseconds. Only where there is an observer; 0 elsewhere. */
  waited(key: K): number {
    return this.#entries.get(this.#identify(key))?.waited ?? 0;
  }

  /** What the queue holds, in no particular order; at most `limit` keys. */
  items(limit = Number.POSITIVE_INFINITY): readonly QueueItem<K, C>[] {
    const now = this.#clock.monotonic();
    return this.#entries
      .values()
      .take(limit)
      .map((entry) => itemOf(entry, now))
      .toArray();
  }

  /** How long each run that goes on has taken until now, in milliseconds. Only where there is an observer. */
  workedFor(): readonly number[] {
    const now = this.#clock.monotonic();
    return this.#observer === undefined
      ? []
      : this.#entries
          .values()
          .filter(({ processing }) => processing)
          .map(({ since }) => now - since)
          .toArray();
  }

  /** For how long the key that is ready for longest has been so, in milliseconds. Only where there is an observer; 0 elsewhere. */
  longestWait(): number {
    const now = this.#clock.monotonic();
    const waits = (entry: Entry<K, C>): boolean => entry.dirty && !entry.processing;
    return this.#observer === undefined
      ? 0
      : this.#entries
          .values()
          .reduce((longest, entry) => (waits(entry) ? Math.max(longest, now - entry.since) : longest), 0);
  }

  /** The run of a key that `get` handed out is over. Ignored for a key that is not handed out. */
  done(key: K): void {
    const entry = this.#last?.key === key ? this.#last : this.#entries.get(this.#identify(key));
    if (entry === undefined || !entry.processing) {
      return;
    }
    this.#last = undefined;
    entry.processing = false;
    entry.currentCauses = undefined;
    this.#processing--;
    this.#observer?.done(this.#clock.monotonic() - entry.since);
    if (entry.dirty) {
      this.#push(entry);
    } else {
      this.#release(entry);
    }
    if (this.#drains.length > 0) {
      this.#settleDrains();
    }
  }

  /**
   * Takes no more keys. What is ready is still handed out, delayed keys are dropped, waiting calls of `get` resolve with undefined.
   * Ends a drain that is going on. Idempotent.
   */
  shutDown(): void {
    this.#close();
    this.#finishDrains();
  }

  /**
   * Like `shutDown`, and resolves when each ready key was handed out and is done. Workers must go on calling `get` until it gives
   * undefined. Rejects with a `DrainTimeoutError` that names the keys in work when the timeout passes first.
   */
  shutDownWithDrain(options: DrainOptions = {}): Promise<void> {
    this.#close();
    const { timeout } = options;
    return new Promise((resolve, reject) => {
      if (this.#isDrained()) {
        resolve();
        return;
      }
      let timer: Timer | undefined;
      const finish = (): void => {
        timer?.cancel();
        resolve();
      };
      this.#drains.push(finish);
      if (timeout !== undefined) {
        timer = this.#clock.setTimer(() => {
          this.#drains = this.#drains.filter((other) => other !== finish);
          const stuck = [...this.#entries.values()].filter((entry) => entry.processing).map((entry) => entry.identity);
          reject(new DrainTimeoutError(this.#name, timeout, stuck, this.#ready.size));
        }, timeout);
      }
    });
  }

  /** After a turn of the event loop, if there is a key still. */
  async #getLater(budget: TurnBudget, signal: AbortSignal | undefined): Promise<K | undefined> {
    await budget.turn();
    return this.get(signal);
  }

  #identify(key: K): unknown {
    return this.#identity === undefined ? key : this.#identity(key);
  }

  #entryOf(key: K): Entry<K, C> {
    const identity = this.#identity === undefined ? key : this.#identity(key);
    let entry = this.#entries.get(identity);
    if (entry === undefined) {
      entry = newEntry<K, C>(key, identity, this.#fairnessKey === undefined ? '' : this.#fairnessKey(key));
      this.#entries.set(identity, entry);
    }
    return entry;
  }

  #priorityOf(options: AddOptions<C> | undefined): number {
    const priority = options?.priority;
    if (priority === undefined) {
      return 0;
    }
    if (!Number.isFinite(priority)) {
      throw new RangeError(`${this.#name}: a priority must be a finite number, not ${String(priority)}`);
    }
    return priority;
  }

  #markDirty(entry: Entry<K, C>, cause: C | undefined, priority: number): void {
    this.#addCause(entry, cause);
    if (entry.dirty) {
      if (priority > entry.priority) {
        this.#raise(entry, priority);
      }
      return;
    }
    entry.dirty = true;
    entry.priority = priority;
    if (!entry.processing) {
      this.#push(entry);
    }
  }

  #raise(entry: Entry<K, C>, priority: number): void {
    if (entry.processing) {
      entry.priority = priority;
      return;
    }
    this.#ready.remove(entry);
    entry.priority = priority;
    this.#ready.push(entry);
  }

  #addCause(entry: Entry<K, C>, cause: C | undefined): void {
    if (cause === undefined) {
      return;
    }
    entry.causes ??= [];
    if (entry.causes.length < this.#maxCauses) {
      entry.causes.push(cause);
    }
  }

  #push(entry: Entry<K, C>): void {
    if (this.#observer !== undefined) {
      entry.since = this.#clock.monotonic();
      this.#observer.added();
    }
    const serve = this.#waiters.next();
    if (serve === undefined) {
      this.#ready.push(entry);
    } else {
      this.#handOut(entry);
      serve(entry.key);
    }
  }

  #handOut(entry: Entry<K, C>): void {
    entry.dirty = false;
    entry.processing = true;
    entry.currentCauses = entry.causes;
    entry.causes = undefined;
    entry.currentPriority = entry.priority;
    if (this.#observer !== undefined) {
      const now = this.#clock.monotonic();
      entry.waited = now - entry.since;
      this.#observer.handedOut(entry.waited);
      entry.since = now;
    }
    this.#last = entry;
    this.#processing++;
  }

  #release(entry: Entry<K, C>): void {
    if (!entry.dirty && !entry.processing && entry.heapIndex === -1) {
      this.#entries.delete(entry.identity);
    }
  }

  #close(): void {
    if (this.#shuttingDown) {
      return;
    }
    this.#shuttingDown = true;
    for (const entry of this.#delays.clear()) {
      this.#release(entry);
    }
    this.#waiters.dismiss();
  }

  #isDrained(): boolean {
    return this.#processing === 0 && this.#ready.size === 0;
  }

  #settleDrains(): void {
    if (this.#isDrained()) {
      this.#finishDrains();
    }
  }

  #finishDrains(): void {
    const drains = this.#drains;
    this.#drains = [];
    for (const drain of drains) {
      drain();
    }
  }
}
