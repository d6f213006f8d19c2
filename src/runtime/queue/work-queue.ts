import type { Clock, Timer } from '../environment/environment.ts';
import { DelayHeap } from './delay-heap.ts';
import type { Delayed } from './delay-heap.ts';
import { ExponentialBackoff } from './rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { ReadyList } from './ready-list.ts';
import type { Ready } from './ready-list.ts';
import { DrainTimeoutError } from './types.ts';
import type { AddOptions, DrainOptions, QueueItem, WorkQueueObserver, WorkQueueOptions } from './types.ts';

interface Entry<K, C> extends Delayed, Ready<Entry<K, C>> {
  readonly key: K;
  readonly identity: unknown;
  /** Wants a run. */
  dirty: boolean;
  /** Is handed out. */
  processing: boolean;
  /** Of the delayed run. */
  delayedPriority: number;
  /** Of the run that is going on. */
  currentPriority: number;
  /** When it became ready, or was handed out; kept only for an observer. */
  since: number;
  /** For how long it was ready before it was handed out; kept only for an observer. */
  waited: number;
  /** Of the run that is wanted. */
  causes: C[] | undefined;
  /** Of the run that is going on. */
  currentCauses: readonly C[] | undefined;
}

interface Waiter<K> {
  readonly resolve: (key: K | undefined) => void;
}

/**
 * A queue of keys, first in, first out within each priority, that holds each key once, hands a key to one worker at a time, and can delay keys (client-go's
 * `TypedRateLimitingInterface`).
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
  readonly #delayed = new DelayHeap<Entry<K, C>>();
  readonly #ready: ReadyList<Entry<K, C>>;
  readonly #fairnessKey: ((key: K) => string) | undefined;
  readonly #observer: WorkQueueObserver | undefined;
  /** The entry handed out last: most likely the one that is done next. */
  #last: Entry<K, C> | undefined;
  #processing = 0;
  #sequence = 0;
  #waiters: Waiter<K>[] = [];
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #shuttingDown = false;
  #drains: (() => void)[] = [];

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#name = options.name ?? 'queue';
    this.#identity = options.identity;
    this.#maxCauses = options.maxCauses ?? 10;
    this.#fairnessKey = options.fairnessKey;
    this.#observer = options.observer;
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
    return this.#delayed.size;
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
    const readyAt = this.#clock.monotonic() + milliseconds;
    if (entry.heapIndex === -1) {
      entry.readyAt = readyAt;
      entry.sequence = this.#sequence++;
      this.#delayed.push(entry);
    } else if (readyAt < entry.readyAt) {
      entry.readyAt = readyAt;
      entry.sequence = this.#sequence++;
      this.#delayed.advanced(entry);
    }
    this.#addCause(entry, options?.cause);
    this.#schedule();
  }

  /**
   * Asks for a run after the delay that the rate limiter gives, or after `atLeast` if that is longer; counts one failure of the key.
   * Returns the delay in milliseconds.
   */
  addRateLimited(key: K, options?: AddOptions<C> & { readonly atLeast?: number }): number {
    const delay = Math.max(this.#rateLimiter.when(key), options?.atLeast ?? 0);
    this.addAfter(key, delay, options);
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
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason as Error);
    }
    if (this.#ready.size > 0) {
      return Promise.resolve(this.tryGet());
    }
    // A key in work that becomes ready again during a shutdown goes to the worker that calls `done`: nobody has to wait for it.
    return this.#shuttingDown ? Promise.resolve(undefined) : this.#wait(signal);
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
      .map((entry) => ({
        key: entry.key,
        priority: entry.dirty ? entry.priority : entry.processing ? entry.currentPriority : entry.delayedPriority,
        ready: entry.dirty,
        processing: entry.processing,
        ...(entry.heapIndex === -1 ? {} : { dueIn: Math.max(0, entry.readyAt - now) }),
        causes: [...(entry.currentCauses ?? []), ...(entry.causes ?? [])],
      }))
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

  #identify(key: K): unknown {
    return this.#identity === undefined ? key : this.#identity(key);
  }

  #entryOf(key: K): Entry<K, C> {
    const identity = this.#identity === undefined ? key : this.#identity(key);
    let entry = this.#entries.get(identity);
    if (entry === undefined) {
      entry = {
        key,
        identity,
        dirty: false,
        processing: false,
        readyAt: 0,
        sequence: 0,
        heapIndex: -1,
        priority: 0,
        group: this.#fairnessKey === undefined ? '' : this.#fairnessKey(key),
        delayedPriority: 0,
        currentPriority: 0,
        since: 0,
        waited: 0,
        next: undefined,
        previous: undefined,
        causes: undefined,
        currentCauses: undefined,
      };
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
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#ready.push(entry);
    } else {
      this.#handOut(entry);
      waiter.resolve(entry.key);
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

  #wait(signal: AbortSignal | undefined): Promise<K | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<K> = {
        resolve: (key) => {
          signal?.removeEventListener('abort', abort);
          resolve(key);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** One timer for all delays, set for the earliest. */
  #schedule(): void {
    const next = this.#delayed.peek()?.readyAt ?? Number.POSITIVE_INFINITY;
    if (next >= this.#timerAt && this.#timer !== undefined) {
      return; // The timer rings earlier, or just right, and looks again.
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = next;
    if (next !== Number.POSITIVE_INFINITY) {
      this.#timer = this.#clock.setTimer(() => {
        this.#ring();
      }, next - this.#clock.monotonic());
    }
  }

  #ring(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (let entry = this.#delayed.peek(); entry !== undefined && entry.readyAt <= now; entry = this.#delayed.peek()) {
      this.#delayed.pop();
      this.#markDirty(entry, undefined, entry.delayedPriority);
    }
    this.#schedule();
  }

  #close(): void {
    if (this.#shuttingDown) {
      return;
    }
    this.#shuttingDown = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    for (const entry of this.#delayed.clear()) {
      this.#release(entry);
    }
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      waiter.resolve(undefined);
    }
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
