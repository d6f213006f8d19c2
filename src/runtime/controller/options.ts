import type { Duration } from '../apis/meta/v1.ts';
import type { InformerLookup } from '../client/informer-lookup.ts';
import type { Client } from '../client/types.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import type { EventRecorder } from '../events/event.ts';
import type { ControllersMetrics } from '../metrics/controller-metrics.ts';
import { ExponentialBackoff } from '../queue/rate-limiter.ts';
import type { RateLimiter } from '../queue/rate-limiter.ts';
import { MaxOf, TokenBucket } from '../queue/token-bucket.ts';
import { millisecondsOf } from './duration.ts';
import type { Partition } from './partition.ts';
import { guardNames } from './guard-types.ts';
import type { GuardOptions } from './guard-types.ts';
import { requestIdentity } from './reconcile.ts';
import type { Request } from './reconcile.ts';
import type { InformerSource } from './sources.ts';

export interface ControllerOptions {
  /** How many objects are reconciled at a time; one object never twice at a time. Default 1. */
  readonly maxConcurrentReconciles?: number;
  /** Aborts the signal of a reconcile that takes longer, and counts it as failed. Milliseconds or a duration; default: no limit. */
  readonly reconcileTimeout?: number | Duration;
  /**
   * Ends the manager with a `CacheSyncError` when the caches of the controller are not filled by then. Milliseconds or a duration.
   * Default: waits as long as it takes, and says what it waits for in the log; unlike controller-runtime (2 minutes), since a new start of
   * the process heals neither a missing CRD nor an API server that is down.
   */
  readonly cacheSyncTimeout?: number | Duration;
  /** The delay of keys that fail. Default: 5 ms to 1000 s for each key. */
  readonly rateLimiter?: RateLimiter<Request>;
  /**
   * A limit for the retries of all objects together, beside the delay of each: `qps` of them a second, `burst` at once (client-go has 10
   * and 100). An object that waits already takes nothing more of it. Default: none, as in controller-runtime.
   */
  readonly tokenBucket?: { readonly qps: number; readonly burst: number };
  /**
   * Requests for which it gives different values (`({ namespace }) => namespace`) take turns, so that one namespace or tenant with many
   * objects does not hold up the others. Default: first come, first served.
   */
  readonly fairnessKey?: (request: Request) => string;
  /**
   * Guards against patterns that keep a controller busy for nothing; all are on. One that trips tells of it in the log, by an event and
   * in the metrics, and spaces the runs of that object 1, 2, 4 ... 60 s until the pattern ends or the spec changes.
   */
  readonly guards?: GuardOptions;
  /** Whether to run only on the leader, where the manager has leader election. Default true. */
  readonly needLeaderElection?: boolean;
}

/** What a controller gets from its manager. */
export interface ControllerDependencies {
  readonly environment: Environment;
  readonly log: Logger;
  readonly client: Client;
  readonly informers: InformerSource & Partial<InformerLookup>;
  readonly budget: TurnBudget;
  /** The recorder whose events are written with this client. */
  readonly events?: (client: Client) => EventRecorder;
  readonly metrics?: ControllersMetrics;
  /** Default: all requests are the work of this process. */
  readonly partition?: Partition;
}

/** Throws a TypeError for what is no function where there must be one, and for guards that there are not. */
export function checkOptions(controller: string, { guards = {}, fairnessKey, rateLimiter }: ControllerOptions): void {
  const misuse = (message: string): TypeError => new TypeError(`controller ${controller}: ${message}`);
  for (const [guard, on] of Object.entries(guards)) {
    if (!(guardNames as readonly string[]).includes(guard)) {
      throw misuse(`there is no guard named ${JSON.stringify(guard)}; the guards are ${guardNames.join(', ')}`);
    }
    // Programs with looser types may name an option and leave it out.
    if (on !== undefined && typeof on !== 'boolean') {
      throw misuse(`the guard ${guard} is switched on and off by true and false, not ${JSON.stringify(on)}`);
    }
  }
  if (fairnessKey !== undefined && typeof fairnessKey !== 'function') {
    throw misuse('fairnessKey must be a function from a request to a string');
  }
  if (rateLimiter !== undefined && typeof rateLimiter.when !== 'function') {
    throw misuse('rateLimiter must be a RateLimiter, such as an ExponentialBackoff');
  }
}

/** The rate limiter that the options ask for. Throws a RangeError when they ask for none that there could be. */
export function rateLimiterOf(options: ControllerOptions, environment: Environment): RateLimiter<Request> {
  const { clock, random } = environment;
  const each = options.rateLimiter ?? new ExponentialBackoff<Request>({ random, identity: requestIdentity });
  return options.tokenBucket === undefined
    ? each
    : new MaxOf([each, new TokenBucket<Request>({ ...options.tokenBucket, clock, identity: requestIdentity })]);
}

/** Milliseconds of a time limit of a controller; undefined where there is none. Throws a RangeError for what is not longer than 0. */
export function timeLimit(
  controller: string,
  option: string,
  value: number | Duration | undefined,
): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const limit = millisecondsOf(`controller ${controller}: ${option}`, value);
  if (limit <= 0) {
    throw new RangeError(`controller ${controller}: ${option} must be longer than 0, not ${value}`);
  }
  return limit;
}
