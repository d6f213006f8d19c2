import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { Kind } from '../kind/kind.ts';
import type { LazyObject } from './lazy-object.ts';
import type { InformerStatistics } from './statistics.ts';

/**
 * Told of every change after the store has it, in order, one after the other. A handler should only compute keys: it runs on the
 * path of the watch. One that throws, or returns a promise that rejects, is logged and does not disturb the others.
 */
export interface EventHandler<T extends KubernetesObject> {
  /** `isInInitialList` is true for what was there when the handler, or the informer, started. */
  add?(object: Cached<T>, isInInitialList: boolean): void;
  /** `previous` and `object` have the same uid and differ in their version: what a relist finds unchanged is no update. */
  update?(previous: Cached<T>, object: Cached<T>): void;
  /**
   * With `finalStateUnknown` the delete itself was missed and `object` is the last state that was seen; of one whose body was no JSON it
   * has the metadata only.
   */
  delete?(object: Cached<T>, finalStateUnknown: boolean): void;
  /** Called once in each resync period for each object that is cached, when the policy has one; nothing has changed. */
  resync?(object: Cached<T>): void;
}

/**
 * An `EventHandler` for which the body of an object is parsed only when it reads it: for handlers that decide by key, version or
 * generation, as those of controllers do. Called at the same moments and in the same order.
 */
export interface LazyEventHandler<T extends KubernetesObject> {
  add?(object: LazyObject<T>, isInInitialList: boolean): void;
  update?(previous: LazyObject<T>, object: LazyObject<T>): void;
  delete?(object: LazyObject<T>, finalStateUnknown: boolean): void;
  resync?(object: LazyObject<T>): void;
}

/** A handler's place at its informer. Disposing it is `remove`. */
export interface HandlerRegistration extends Disposable {
  /** Whether the informer is synced and this handler was told of everything in its own initial list, which a late one gets later. */
  hasSynced(): boolean;
  /** Idempotent; the handler is not called after it. */
  remove(): void;
}

/**
 * Gives the values under which an object is found in an index. Pure; called at most once for each version of an object, at the latest when
 * the index is next asked.
 */
export type IndexFunction<T extends KubernetesObject> = (object: Cached<T>) => readonly string[];

/** Which of the objects to give. */
export interface SelectOptions {
  /** Default: all. */
  readonly namespace?: string;
  /** Whether an object with these labels is wanted. Of those that are not the body is not parsed. */
  readonly labels?: (labels: Readonly<Record<string, string>> | undefined) => boolean;
}

/** The store of one kind: reads are synchronous, shared and frozen. */
export interface Indexer<T extends KubernetesObject> {
  get(key: ObjectKey): Cached<T> | undefined;
  /** The object without its body being parsed, for who needs its version, uid or generation only. */
  peek(key: ObjectKey): LazyObject<T> | undefined;
  /** All objects, or a selection; in no particular order. */
  list(options?: SelectOptions): readonly Cached<T>[];
  /** The objects for which the index function gave `value`. An unknown index is an error. */
  byIndex(name: string, value: string, options?: SelectOptions): readonly Cached<T>[];
  /**
   * May come at any time; a name that is taken by another function is an error. When there are so many objects that they cannot be indexed
   * within a turn of the event loop (10 ms), that is done in later turns: `byIndex` throws until then, and `client.list` waits.
   */
  addIndex(name: string, index: IndexFunction<T>): void;
  /** Resolves once `byIndex` answers for an index that was added. */
  whenIndexed(name: string): Promise<void>;
  /** Number of objects. */
  readonly size: number;
}

/** What an informer says of itself, for logs, metrics and readyz. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly synced: boolean;
  /** The latest error, until the next success. Its message holds no secrets. */
  readonly error?: Error;
  /** The clock's monotonic time of the latest sign of life of the server: an answer, an event, a bookmark. */
  readonly lastProgress?: number;
}

export type InformerState = 'idle' | 'listing' | 'connecting' | 'watching' | 'backoff' | 'stopped';

/** One list and watch for everybody who is interested in a kind. */
export interface SharedInformer<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly indexer: Indexer<T>;
  /**
   * May come at any time: of what is in the store already the handler is told as adds. Those that take no longer than a turn of the event
   * loop may (10 ms) come before the call returns, the others in later turns.
   */
  addEventHandler(handler: EventHandler<T>): HandlerRegistration;
  /** The same for a handler that reads bodies only when it needs them. */
  addLazyEventHandler(handler: LazyEventHandler<T>): HandlerRegistration;
  /** Whether the first list is in the store and every handler of then was told. */
  hasSynced(): boolean;
  /** Resolves once `hasSynced`; rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves once the condition holds; it is asked again after each change and each bookmark. Rejects with what the condition throws, or
   * with the signal's reason.
   */
  waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<void>;
  /** Lists and watches until the signal is aborted, through every error; then resolves. Running already: the same promise. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is left: no request, timer or call. Idempotent; `start` may follow. */
  stop(): Promise<void>;
  health(): InformerHealth;
  /** Counters since the informer was made. */
  statistics(): InformerStatistics;
  /**
   * The size of the cached objects, in bytes, estimated from some of them: as JSON, or compressed where they are kept so. The heap holds
   * about twice as much of those that were read.
   */
  cachedBytes(): number;
  /** The version that the store has reached (the oldest, with several namespaces); opaque, `''` before the first list. */
  readonly resourceVersion: string;
}
