import { inspect } from 'node:util';
import type { Duration, KubernetesObject } from '../apis/meta/v1.ts';
import { isConflict, isNotFound, isStaleCache } from '../client/errors.ts';
import type { ApiError } from '../client/errors.ts';
import type { InformerLookup } from '../client/cached-reads.ts';
import type { Cached } from '../client/cached.ts';
import type { Client } from '../client/types.ts';
import { childSignal } from '../environment/child-signal.ts';
import type { Environment, Timer } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { EventRecorder } from '../events/event.ts';
import type { Kind } from '../kind/kind.ts';
import type { ControllerMetrics, ControllersMetrics } from '../metrics/controller-metrics.ts';
import { ExponentialBackoff } from '../queue/rate-limiter.ts';
import type { RateLimiter } from '../queue/rate-limiter.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { waitForCaches } from './cache-wait.ts';
import { milliseconds } from './duration.ts';
import { InvalidResultError, ReconcileTimeoutError, explicitDelay, isTerminal, serverDelay } from './errors.ts';
import { reportTrip } from './guard-report.ts';
import type { GuardOptions } from './guard-types.ts';
import { Guards } from './guards.ts';
import { Inspection } from './inspection.ts';
import type { ControllerState } from './inspection.ts';
import { MappingRetries } from './mapping-retries.ts';
import { observedClient } from './observed-client.ts';
import type { OtherSource } from './other-sources.ts';
import { requestIdentity } from './reconcile.ts';
import type { Cause, Reconcile, Request } from './reconcile.ts';
import { isResult } from './result.ts';
import type { Result } from './result.ts';
import { scopedClient } from './scoped-client.ts';
import type { AttachedSource, InformerSource, Source, SourceTarget } from './sources.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';

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
  readonly events?: EventRecorder;
  readonly metrics?: ControllersMetrics;
}

/** When an object is tried again whose rate limiter fails, in milliseconds. */
const longestBackoff = 1_000_000;

/** How long a reconcile may go on after its signal was aborted before a guard tells of it, in milliseconds. */
const abortGrace = 10_000;

const noEvents: EventRecorder = { event() {} };

/** A queue of requests, the sources that fill it, and the workers that empty it. */
export class Controller {
  readonly name: string;
  readonly kind: Kind | undefined;
  readonly needLeaderElection: boolean;
  readonly #sources: readonly Source[];
  readonly #reconcile: Reconcile;
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #client: Client;
  readonly #informers: ControllerDependencies['informers'];
  readonly #others: readonly OtherSource[];
  readonly #events: EventRecorder | undefined;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #guards: Guards;
  readonly #inspection: Inspection;
  readonly #fairnessKey: ((request: Request) => string) | undefined;
  readonly #budget: TurnBudget;
  readonly #workers: number;
  readonly #reconcileTimeout: number | undefined;
  readonly #cacheSyncTimeout: number | undefined;
  readonly #rateLimiter: RateLimiter<Request>;
  #queue: WorkQueue<Request, Cause>;
  #attached: AttachedSource[] | undefined;
  #listening: Disposable[] = [];
  readonly #reconciling = new Set<Request>();
  #running = false;
  #mappings: MappingRetries;

  constructor(
    name: string,
    kind: Kind | undefined,
    sources: readonly Source[],
    reconcile: Reconcile,
    options: ControllerOptions,
    dependencies: ControllerDependencies,
    others: readonly OtherSource[] = [],
  ) {
    this.name = name;
    this.kind = kind;
    this.needLeaderElection = options.needLeaderElection ?? true;
    this.#sources = sources;
    this.#reconcile = reconcile;
    this.#environment = dependencies.environment;
    this.#client = dependencies.client;
    this.#informers = dependencies.informers;
    this.#budget = dependencies.budget;
    this.#log = dependencies.log.child({
      controller: name,
      ...(kind === undefined ? {} : { controllerGroup: kind.group, controllerKind: kind.kind }),
    });
    this.#workers = options.maxConcurrentReconciles ?? 1;
    if (!Number.isInteger(this.#workers) || this.#workers < 1) {
      throw new RangeError(
        `controller ${name}: maxConcurrentReconciles must be a whole number >= 1, not ${this.#workers}`,
      );
    }
    this.#reconcileTimeout = timeLimit(name, 'reconcileTimeout', options.reconcileTimeout);
    this.#cacheSyncTimeout = timeLimit(name, 'cacheSyncTimeout', options.cacheSyncTimeout);
    this.#rateLimiter =
      options.rateLimiter ??
      new ExponentialBackoff<Request>({ random: this.#environment.random, identity: requestIdentity });
    this.#others = others;
    this.#events = dependencies.events;
    this.#fairnessKey = options.fairnessKey;
    this.#inspection = new Inspection(this.#environment.clock);
    this.#metrics = dependencies.metrics?.of(name, this.#workers, {
      queueLengths: () => this.#queue.lengths,
      workedFor: () => this.#queue.workedFor(),
      activeWorkers: () => this.#reconciling.size,
    });
    this.#guards = new Guards(this.#environment.clock, options.guards ?? {}, (request, trip, write) => {
      this.#metrics?.guardTripped(trip.guard);
      const report = { client: this.#client, log: this.#log, events: this.#events, object: this.#cached(request) };
      void reportTrip(request, trip, write, report);
    });
    this.#queue = this.#newQueue();
    this.#mappings = new MappingRetries(this.#environment, this.#log);
  }

  /** The kinds that it watches. */
  get kinds(): readonly Kind[] {
    return this.#sources.map(({ kind }) => kind);
  }

  /** How many requests are ready to be reconciled. */
  get queueLength(): number {
    return this.#queue.length;
  }

  /** What is being reconciled now. */
  get reconciling(): readonly Request[] {
    return [...this.#reconciling];
  }

  /** For people who look into a running process. */
  inspect(): ControllerState {
    return this.#inspection.state(this, this.#workers, this.#guards.spaced, this.#queue);
  }

  /** Whether each of its caches is filled. */
  hasSynced(): boolean {
    return this.#attached?.every(({ registration }) => registration.hasSynced()) ?? false;
  }

  /**
   * Fills the queue from now on, without working on it: what a replica that is not the leader does, so that it can take over at once.
   * Idempotent; `run` does it as well.
   */
  warmUp(): void {
    if (this.#attached !== undefined) {
      return;
    }
    const target: SourceTarget = {
      log: this.#log,
      enqueue: (request, cause, priority = 0) => {
        this.#queue.add(request, { cause, priority });
      },
      retry: (what, attempt) => {
        this.#mappings.start(what, attempt);
      },
    };
    this.#attached = this.#sources.map((source) => source.attach(this.#informers, target));
    this.#listening = this.#others.map((source) => source.attach(target, this.#environment.clock));
  }

  /**
   * Waits for the caches, then works until the signal is aborted: takes no further request, aborts the signals of the reconciles that
   * are going on, and resolves when they have ended. Rejects with a `CacheSyncError`. May be called again afterwards.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) {
      throw new Error(`controller ${this.name} is running already`);
    }
    this.#running = true;
    try {
      this.warmUp();
      await waitForCaches(this.name, this.#attached ?? [], {
        signal,
        clock: this.#environment.clock,
        log: this.#log,
        timeout: this.#cacheSyncTimeout,
      });
      if (!signal.aborted) {
        this.#log.info('Starting workers', { workerCount: this.#workers });
        await Promise.all(Array.from({ length: this.#workers }, () => this.#work(signal)));
        this.#log.info('All workers finished');
      }
    } finally {
      await this.#stop();
      this.#running = false;
    }
  }

  async #stop(): Promise<void> {
    for (const { registration } of this.#attached ?? []) {
      registration.remove();
    }
    this.#attached = undefined;
    for (const listening of this.#listening) {
      listening[Symbol.dispose]();
    }
    this.#listening = [];
    await this.#mappings.stop();
    this.#mappings = new MappingRetries(this.#environment, this.#log);
    this.#queue.shutDown();
    this.#queue = this.#newQueue();
  }

  #newQueue(): WorkQueue<Request, Cause> {
    const { clock, random } = this.#environment;
    return new WorkQueue({
      clock,
      random,
      name: this.name,
      identity: requestIdentity,
      rateLimiter: this.#rateLimiter,
      ...(this.#fairnessKey === undefined ? {} : { fairnessKey: this.#fairnessKey }),
      ...(this.#metrics === undefined ? {} : { observer: this.#metrics.queue }),
    });
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#budget.exhausted()) {
        await this.#budget.turn();
        continue;
      }
      const request = this.#queue.tryGet() ?? (await this.#next(signal));
      if (request === undefined) {
        return;
      }
      if (signal.aborted) {
        this.#queue.done(request); // It came in the moment of the stop.
        return;
      }
      const pause = this.#guards.holdOff(request, this.#cached(request)?.metadata.generation);
      if (pause > 0) {
        this.#queue.postpone(request, pause);
        continue;
      }
      this.#reconciling.add(request);
      try {
        await this.#runOnce(request, signal);
      } catch (error) {
        // Not the reconciler's: a rate limiter of the user's threw. The object must not be lost, nor the worker.
        this.#log.error('The outcome of a reconcile could not be dealt with', {
          error,
          retryInMilliseconds: longestBackoff,
        });
        this.#addAfter(request, longestBackoff, 'retry');
      } finally {
        this.#reconciling.delete(request);
        this.#queue.done(request);
      }
    }
  }

  /** The object of a request as the cache has it. */
  #cached(request: Request): Cached<KubernetesObject> | undefined {
    return this.kind === undefined ? undefined : this.#informers.existing?.(this.kind)?.indexer.get(request);
  }

  /** A run of its own accord: with the priority that the one that goes on has. */
  #addAfter(request: Request, delay: number, event: Cause['event']): void {
    const cause = this.#causeOf(request, event);
    this.#queue.addAfter(request, delay, { cause, priority: this.#queue.priority(request) });
  }

  async #next(signal: AbortSignal): Promise<Request | undefined> {
    try {
      return await this.#queue.get(signal);
    } catch (error) {
      if (signal.aborted) {
        return undefined;
      }
      throw error;
    }
  }

  /** Whatever goes wrong in the reconciler belongs to the one request. */
  async #runOnce(request: Request, signal: AbortSignal): Promise<void> {
    const reconcileID = this.#environment.random.uuid();
    const log = this.#log.child({
      ...(this.kind === undefined ? {} : { [this.kind.kind]: request }),
      namespace: request.namespace,
      name: request.name,
      reconcileID,
    });
    const timeout = this.#reconcileTimeout;
    using run = childSignal(signal, this.#environment.clock);
    const timer =
      timeout === undefined
        ? undefined
        : this.#environment.clock.setTimer(() => {
            this.#metrics?.timeout();
            run.abort(new ReconcileTimeoutError(this.name, timeout));
          }, timeout);
    using _grace = this.#watchAbort(request, run.signal);
    const causes = this.#queue.causes(request);
    const guarded = this.#guards.begin(request, causes, this.#cached(request)?.metadata.generation);
    const finish = this.#inspection.begin(request, reconcileID, causes);
    log.debug('Reconciling');
    let result: Result;
    try {
      const returned: unknown = await this.#reconcile(request, {
        client: scopedClient(observedClient(this.#client, guarded, this.#informers), run.signal),
        signal: run.signal,
        log,
        events: this.#events ?? noEvents,
        reconcileID,
        causes,
      });
      if (!isResult(returned)) {
        throw new InvalidResultError(this.name, returned);
      }
      result = returned;
    } catch (thrown) {
      if (signal.aborted) {
        // The controller stops: the error is the abort's, or of no use to anybody. The object is reconciled at the next start.
        log.debug('Reconcile ended by the stop of the controller', { error: thrown });
        finish('stopped', thrown);
      } else {
        this.#metrics?.reconciled('error', finish('error', thrown));
        this.#failed(
          request,
          run.signal.aborted && isAbort(thrown, run.signal) ? (run.signal.reason as Error) : thrown,
          log,
        );
      }
      return;
    } finally {
      timer?.cancel();
      guarded.end();
    }
    const outcome = result.result === 'done' ? 'success' : 'requeue_after';
    this.#metrics?.reconciled(outcome, finish(outcome));
    this.#succeeded(request, result, log);
  }

  /** Tells of a reconcile that goes on long after its signal was aborted. */
  #watchAbort(request: Request, signal: AbortSignal): Disposable {
    const { clock } = this.#environment;
    let timer: Timer | undefined;
    const aborted = (): void => {
      timer = clock.setTimer(() => this.#guards.ignoredAbort(request), abortGrace, { keepAlive: false });
    };
    signal.addEventListener('abort', aborted, { once: true });
    return {
      [Symbol.dispose]() {
        signal.removeEventListener('abort', aborted);
        timer?.cancel();
      },
    };
  }

  #succeeded(request: Request, result: Result, log: Logger): void {
    log.debug('Reconcile successful', { ...result });
    this.#queue.forget(request);
    if (result.result === 'requeueAfter') {
      this.#addAfter(request, result.milliseconds, 'requeue');
    }
  }

  #failed(request: Request, thrown: unknown, log: Logger): void {
    const error =
      thrown instanceof Error ? thrown : new Error(`the reconciler threw ${inspect(thrown)}`, { cause: thrown });
    if (this.#isGone(request, error)) {
      log.debug('The object is gone; its deletion ends the work on it', { error });
      this.#queue.forget(request);
      return;
    }
    if (isTerminal(error)) {
      // Unlike controller-runtime, which keeps the count: the next event starts afresh.
      this.#queue.forget(request);
      this.#metrics?.terminalError();
      log.error('Reconciler error, not retried', { error });
      return;
    }
    const cause = this.#causeOf(request, 'retry');
    const delay = explicitDelay(error);
    let retryIn: number;
    if (delay === undefined) {
      const priority = this.#queue.priority(request);
      retryIn = this.#queue.addRateLimited(request, { cause, priority, atLeast: serverDelay(error) });
    } else {
      retryIn = Math.max(0, delay);
      this.#addAfter(request, retryIn, 'retry');
    }
    const fields = { error, retryInMilliseconds: Math.ceil(retryIn), failures: this.#queue.numRequeues(request) };
    if (isConflict(error) || isStaleCache(error)) {
      // Part of normal work with a cache: somebody else was faster.
      log.debug('Reconcile is tried again', fields);
    } else {
      log.error('Reconciler error', fields);
    }
  }

  /** Whether the error says that the object of the request itself does not exist any more. */
  #isGone(request: Request, error: Error): boolean {
    if (this.kind === undefined || !isNotFound(error)) {
      return false;
    }
    // Other packages have errors of this reason, too.
    const { status, request: call }: Partial<ApiError> = error;
    const details = status?.details;
    return (
      details?.name === request.name &&
      (details.group ?? '') === this.kind.group &&
      (details.kind === this.kind.plural || details.kind === this.kind.kind) &&
      (request.namespace === '' || (call?.path ?? '').includes(`/namespaces/${request.namespace}/`))
    );
  }

  #causeOf(request: Request, event: Cause['event']): Cause {
    return { kind: this.kind?.kind ?? '', ...request, event };
  }
}

function timeLimit(controller: string, option: string, value: number | Duration | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const limit = milliseconds(value);
  if (limit <= 0) {
    throw new RangeError(`controller ${controller}: ${option} must be longer than 0, not ${value}`);
  }
  return limit;
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return (
    error === signal.reason ||
    (error instanceof Error && (error.name === 'AbortError' || error.cause === signal.reason))
  );
}
