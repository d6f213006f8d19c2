import type { Cache } from '../cache/cache.ts';
import type { Client, ObjectKey } from '../client/types.ts';
import type { ControllerBuilder } from '../controller/builder.ts';
import type { ControllerOptions } from '../controller/options.ts';
import type { EventRecorder } from '../events/event.ts';
import type { Logger } from '../environment/logger.ts';
import type { MetricsRegistry } from '../metrics/registry.ts';
import type { HealthCheck } from './health-server.ts';
import type { StartOptions } from './options.ts';

/** What a runnable gets. */
export interface RunnableContext {
  /** Aborted when the manager stops or leadership is lost: then the runnable shall end. */
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly log: Logger;
  /** Records events about objects; they are reported under the runnable's name. */
  readonly events: EventRecorder;
}

/** Anything that runs for as long as the manager does. Failing, it ends the manager; it may also end by itself. */
export type Runnable = (context: RunnableContext) => Promise<void>;

export interface RunnableOptions {
  /** For messages. */
  readonly name: string;
  /** Whether to run only on the leader, where there is leader election; with sharding, on one replica at a time. Default true. */
  readonly needLeaderElection?: boolean;
}

/** Runs controllers over one cluster: shares informers and client among them, elects a leader, stops in order. */
export interface Manager {
  /**
   * Reads from the cache, writes to the API server. With leader election writes pass only while this process leads, and are a
   * `NotLeaderError` otherwise. With sharding they are always one: a write belongs to a key, and passes with the client in the context of a
   * reconcile or a runnable.
   */
  readonly client: Client;
  /** The informers. Kinds that no controller watches must be asked for here (`informerFor`) before the client can read them. */
  readonly cache: Cache;
  readonly log: Logger;
  /** The metrics of this manager, served at `metrics.bindAddress`; more can be added. */
  readonly metrics: MetricsRegistry;
  /** A recorder of events that are reported under this name. Controllers have theirs in `context.events`. */
  eventRecorder(name: string): EventRecorder;
  /**
   * Whether this process leads; always true without leader election. With sharding: whether the slot of the key is its own; without a key,
   * whether any slot is.
   */
  isLeader(key?: ObjectKey): boolean;
  /** Begins a controller. The name must be its own; it stands in logs. */
  controller(name: string, options?: ControllerOptions): ControllerBuilder;
  add(runnable: Runnable, options: RunnableOptions): void;
  addHealthzCheck(name: string, check: HealthCheck): void;
  addReadyzCheck(name: string, check: HealthCheck): void;
  /**
   * Runs until the signal is aborted, a signal of the operating system asks to end, or something fails. Resolves after an orderly stop.
   * Rejects with a `ConfigurationError`, a `LeadershipLostError`, a `CacheSyncError`, a `ShutdownTimeoutError`, or whatever a runnable
   * failed with first. Never ends the process. Once only.
   */
  start(options?: StartOptions): Promise<void>;
}
