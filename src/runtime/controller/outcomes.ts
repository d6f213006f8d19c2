import { inspect } from 'node:util';
import { isConflict, isNotFound, isStaleCache } from '../client/errors.ts';
import type { ApiError } from '../client/errors.ts';
import type { Logger } from '../environment/logger.ts';
import type { Kind } from '../kind/kind.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { explicitDelay, isPanic, isTerminal, serverDelay } from './errors.ts';
import type { Cause, Request } from './reconcile.ts';
import type { Result } from './result.ts';

/** A run that is over. */
export interface FinishedRun {
  readonly request: Request;
  readonly log: Logger;
  /** Told of the cause of the run that follows, when there is one. */
  readonly leadsTo: (cause: Cause) => void;
}

/** When a request of one controller is run again, by what its run returned or threw. */
export class Outcomes {
  readonly #kind: Kind | undefined;
  readonly #queue: () => WorkQueue<Request, Cause>;
  readonly #metrics: ControllerMetrics | undefined;

  constructor(kind: Kind | undefined, queue: () => WorkQueue<Request, Cause>, metrics: ControllerMetrics | undefined) {
    this.#kind = kind;
    this.#queue = queue;
    this.#metrics = metrics;
  }

  succeeded({ request, log, leadsTo }: FinishedRun, result: Result): void {
    log.debug('Reconcile successful', { ...result });
    this.#queue().forget(request);
    if (result.result === 'requeueAfter') {
      this.runAgain(request, result.milliseconds, 'requeue', leadsTo);
    }
  }

  failed({ request, log, leadsTo }: FinishedRun, thrown: unknown): void {
    const queue = this.#queue();
    const error =
      thrown instanceof Error ? thrown : new Error(`the reconciler threw ${inspect(thrown)}`, { cause: thrown });
    if (isPanic(thrown)) {
      this.#metrics?.panic();
    }
    if (this.#isGone(request, error)) {
      log.debug('The object is gone; its deletion ends the work on it', { error });
      queue.forget(request);
      return;
    }
    if (isTerminal(error)) {
      // Unlike controller-runtime, which keeps the count: the next event starts afresh.
      queue.forget(request);
      this.#metrics?.terminalError();
      log.error('Reconciler error, not retried', { error });
      return;
    }
    const delay = explicitDelay(error);
    let retryIn: number;
    if (delay === undefined) {
      const cause = this.#causeOf(request, 'retry');
      leadsTo(cause);
      const priority = queue.priority(request);
      retryIn = queue.addRateLimited(request, { cause, priority, atLeast: serverDelay(error) });
    } else {
      retryIn = Math.max(0, delay);
      this.runAgain(request, retryIn, 'retry', leadsTo);
    }
    const fields = { error, retryInMilliseconds: Math.ceil(retryIn), failures: queue.numRequeues(request) };
    if (isConflict(error) || isStaleCache(error)) {
      // Part of normal work with a cache: somebody else was faster.
      log.debug('Reconcile is tried again', fields);
    } else {
      log.error('Reconciler error', fields);
    }
  }

  /** A run of its own accord: with the priority that the one that goes on has. */
  runAgain(request: Request, delay: number, event: 'requeue' | 'retry', leadsTo?: (cause: Cause) => void): void {
    const queue = this.#queue();
    const cause = this.#causeOf(request, event);
    leadsTo?.(cause);
    queue.addAfter(request, delay, { cause, priority: queue.priority(request) });
  }

  /** Whether the error says that the object of the request itself does not exist any more. */
  #isGone(request: Request, error: Error): boolean {
    if (this.#kind === undefined || !isNotFound(error)) {
      return false;
    }
    // Other packages have errors of this reason, too.
    const { status, request: call }: Partial<ApiError> = error;
    const details = status?.details;
    return (
      details?.name === request.name &&
      (details.group ?? '') === this.#kind.group &&
      (details.kind === this.#kind.plural || details.kind === this.#kind.kind) &&
      (request.namespace === '' || (call?.path ?? '').includes(`/namespaces/${request.namespace}/`))
    );
  }

  #causeOf(request: Request, event: 'requeue' | 'retry'): Cause {
    return { kind: this.#kind?.kind ?? '', ...request, event };
  }
}
