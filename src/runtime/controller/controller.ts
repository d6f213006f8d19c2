import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { Client } from '../client/types.ts';
import { childSignal } from '../environment/child-signal.ts';
import type { Environment, Timer } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import type { EventRecorder } from '../events/event.ts';
import type { Kind } from '../kind/kind.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { RateLimiter } from '../queue/rate-limiter.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { traceRun } from '../tracing/spans.ts';
import { waitForCaches } from './cache-wait.ts';
import { InvalidResultError, ReconcileTimeoutError } from './errors.ts';
import type { Write } from './guard-patterns.ts';
import { reportTrip } from './guard-report.ts';
import type { GuardTrip } from './guard-types.ts';
import { Guards } from './guards.ts';
import { Inspection } from './inspection.ts';
import type { ControllerState, RunOutcome } from './inspection.ts';
import { MappingRetries } from './mapping-retries.ts';
import { observedClient } from './observed-client.ts';
import { checkOptions, rateLimiterOf, timeLimit } from './options.ts';
import type { ControllerDependencies, ControllerOptions } from './options.ts';
import type { OtherSource } from './other-sources.ts';
import { Outcomes } from './outcomes.ts';
import type { Partition } from './partition.ts';
import { requestIdentity } from './reconcile.ts';
import type { Cause, Reconcile, Request } from './reconcile.ts';
import { isResult } from './result.ts';
import type { Result } from './result.ts';
import { scopedClient } from './scoped-client.ts';
import type { AttachedSource, Source, SourceTarget } from './sources.ts';

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
  readonly #events: (client: Client) => EventRecorder;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #guards: Guards;
  readonly #inspection: Inspection;
  readonly #fairnessKey: ((request: Request) => string) | undefined;
  readonly #budget: TurnBudget;
  readonly #partition: Partition | undefined;
  readonly #workers: number;
  readonly #reconcileTimeout: number | undefined;
  readonly #cacheSyncTimeout: number | undefined;
  readonly #rateLimiter: RateLimiter<Request>;
  readonly #outcomes: Outcomes;
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
    checkOptions(name, options);
    this.name = name;
    this.kind = kind;
    this.needLeaderElection = options.needLeaderElection ?? true;
    this.#sources = sources;
    this.#reconcile = reconcile;
    this.#environment = dependencies.environment;
    this.#client = dependencies.client;
    this.#informers = dependencies.informers;
    this.#budget = dependencies.budget;
    this.#partition = dependencies.partition;
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
    this.#rateLimiter = rateLimiterOf(options, this.#environment);
    this.#others = others;
    this.#events = dependencies.events ?? (() => noEvents);
    this.#fairnessKey = options.fairnessKey;
    this.#inspection = new Inspection(this.#environment.clock);
    this.#metrics = dependencies.metrics?.of(name, this.#workers, {
      queueLengths: () => this.#queue.lengths,
      delayed: () => this.#queue.delayed,
      longestWait: () => this.#queue.longestWait(),
      workedFor: () => this.#queue.workedFor(),
      activeWorkers: () => this.#reconciling.size,
    });
    this.#guards = new Guards(this.#environment.clock, kind?.kind, options.guards ?? {}, (request, trip, write) => {
      this.#metrics?.guardTripped(trip.guard);
      void this.#reportTrip(request, trip, write);
    });
    this.#queue = this.#newQueue();
    this.#outcomes = new Outcomes(kind, () => this.#queue, this.#metrics);
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
    const target = this.#target((request) => this.#isOurs(request));
    this.#attached = this.#sources.map((source) => source.attach(this.#informers, target));
    this.#listening = this.#others.map((source) => source.attach(target, this.#environment.clock));
  }

  /** Asks for a run of each object for which `accepts` holds, as at the start of a process. Does nothing before `warmUp`. */
  replay(accepts: (request: Request) => boolean): void {
    if (this.#attached === undefined) {
      return;
    }
    const target = this.#target((request) => accepts(request) && this.#isOurs(request));
    for (const source of this.#sources) {
      // A new handler is told of all that is there.
      source.attach(this.#informers, target).registration.remove();
    }
  }

  #target(accepts: (request: Request) => boolean): SourceTarget {
    return {
      log: this.#log,
      enqueue: (request, cause, priority = 0, complete) => {
        if (accepts(request)) {
          if (complete !== undefined && this.#queue.takesCause(request)) {
            complete();
          }
          this.#queue.add(request, { cause, priority });
        }
      },
      retry: (what, attempt) => {
        this.#mappings.start(what, attempt);
      },
    };
  }

  #isOurs(request: Request): boolean {
    return this.#partition?.includes(request) ?? true;
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
      if (!this.#isOurs(request)) {
        // It became another process's while it waited.
        this.#queue.forget(request);
        this.#queue.done(request);
        continue;
      }
      const pause = this.#guards.holdOff(request, () => this.#cached(request));
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
        this.#outcomes.runAgain(request, longestBackoff, 'retry');
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
    using share = this.#partition?.begin(request);
    const client = share?.client ?? this.#client;
    const { clock, random } = this.#environment;
    const reconcileID = random.uuid();
    const causes = this.#queue.causes(request);
    const span = traceRun({
      controller: this.name,
      object: () => ({
        kind: this.kind?.kind ?? '',
        apiVersion: this.kind?.apiVersion,
        ...request,
        uid: this.#cached(request)?.metadata.uid,
      }),
      reconcileID,
      causes,
      waited: this.#queue.waited(request),
      now: clock.wall(),
    });
    const log = this.#log.child({
      ...(this.kind === undefined ? {} : { [this.kind.kind]: request }),
      namespace: request.namespace,
      name: request.name,
      reconcileID,
      ...span?.fields,
    });
    const timeout = this.#reconcileTimeout;
    using run = childSignal(signal, clock);
    const takenAway = (): void => {
      run.abort(share?.signal.reason);
    };
    share?.signal.addEventListener('abort', takenAway, { once: true });
    const timer =
      timeout === undefined
        ? undefined
        : clock.setTimer(() => {
            this.#metrics?.timeout();
            run.abort(new ReconcileTimeoutError(this.name, timeout));
          }, timeout);
    using _grace = this.#watchAbort(request, run.signal);
    const guarded = this.#guards.begin(request, causes, () => this.#cached(request));
    const finishInspection = this.#inspection.begin(request, reconcileID, causes);
    const finish = (outcome: RunOutcome, error?: unknown): number => {
      span?.end(outcome, error);
      return finishInspection(outcome, error);
    };
    const finished = { request, log, leadsTo: (cause: Cause) => span?.leadsTo(cause) };
    const reconcile = (): Promise<unknown> =>
      this.#reconcile(request, {
        client: scopedClient(observedClient(client, guarded, this.#informers), run.signal),
        signal: run.signal,
        log,
        events: this.#events(client),
        reconcileID,
        causes,
      });
    log.debug('Reconciling');
    let result: Result;
    try {
      const returned = await (span === undefined ? reconcile() : span.run(reconcile));
      if (!isResult(returned)) {
        throw new InvalidResultError(this.name, returned);
      }
      result = returned;
    } catch (thrown) {
      if (signal.aborted) {
        // The controller stops: the error is the abort's, or of no use to anybody. The object is reconciled at the next start.
        log.debug('Reconcile ended by the stop of the controller', { error: thrown });
        finish('stopped', thrown);
      } else if (share?.signal.aborted === true) {
        log.debug('Reconcile ended: another process works on the object now', { error: thrown });
        finish('stopped', thrown);
        this.#queue.forget(request);
      } else {
        const error = run.signal.aborted && isAbort(thrown, run.signal) ? run.signal.reason : thrown;
        this.#metrics?.reconciled('error', finish('error', error));
        this.#outcomes.failed(finished, error);
      }
      return;
    } finally {
      timer?.cancel();
      share?.signal.removeEventListener('abort', takenAway);
      guarded.end();
    }
    const outcome = result.result === 'done' ? 'success' : 'requeue_after';
    this.#metrics?.reconciled(outcome, finish(outcome));
    this.#outcomes.succeeded(finished, result);
  }

  /** Never rejects. Where the object is another process's by now, the event is left out: it would be a write for that one. */
  async #reportTrip(request: Request, trip: GuardTrip, write: Write | undefined): Promise<void> {
    using share = this.#partition?.begin(request);
    const client = share?.client ?? this.#client;
    const mayWrite = this.#partition === undefined || share !== undefined;
    await reportTrip(request, trip, write, {
      client,
      log: this.#log,
      events: this.#events(client),
      object: mayWrite ? this.#cached(request) : undefined,
    });
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
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return (
    error === signal.reason ||
    (error instanceof Error && (error.name === 'AbortError' || error.cause === signal.reason))
  );
}
