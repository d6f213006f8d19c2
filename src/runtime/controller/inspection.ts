import { inspect } from 'node:util';
import type { Clock } from '../environment/environment.ts';
import type { Kind } from '../kind/kind.ts';
import type { QueueItem } from '../queue/types.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { requestIdentity } from './reconcile.ts';
import type { Cause, Request } from './reconcile.ts';

/** Results that are remembered, and queue entries that are shown. */
const maxShown = 1000;

export type RunOutcome = 'success' | 'requeue_after' | 'error' | 'stopped';

interface RunningReconcile {
  readonly request: Request;
  readonly reconcileID: string;
  readonly causes: readonly Cause[];
  readonly milliseconds: number;
}

interface LastResult {
  readonly request: Request;
  readonly reconcileID: string;
  readonly outcome: RunOutcome;
  /** RFC 3339. */
  readonly endedAt: string;
  readonly milliseconds: number;
  readonly error?: string;
}

/** A controller as `/debug/controllers` shows it. */
export interface ControllerState {
  readonly name: string;
  readonly kind?: { readonly group: string; readonly kind: string };
  readonly workers: number;
  readonly synced: boolean;
  /** Requests whose runs are spaced since a guard has tripped. */
  readonly heldOff: number;
  readonly queue: {
    readonly ready: number;
    readonly delayed: number;
    readonly processing: number;
    /** At most a thousand. */
    readonly items: readonly (QueueItem<Request, Cause> & { readonly failures: number })[];
  };
  readonly running: readonly RunningReconcile[];
  /** Of the requests that ran last, at most a thousand, the latest at the end. */
  readonly lastResults: readonly LastResult[];
}

/** Remembers runs of a controller for people to look at. */
export class Inspection {
  readonly #clock: Clock;
  readonly #running = new Set<Omit<RunningReconcile, 'milliseconds'> & { readonly since: number }>();
  readonly #results = new Map<string, LastResult>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A run begins; what comes back ends it and gives the milliseconds that it took. */
  begin(
    request: Request,
    reconcileID: string,
    causes: readonly Cause[],
  ): (outcome: RunOutcome, error?: unknown) => number {
    const run = { request, reconcileID, causes, since: this.#clock.monotonic() };
    this.#running.add(run);
    return (outcome, error) => {
      this.#running.delete(run);
      const milliseconds = this.#clock.monotonic() - run.since;
      const id = requestIdentity(request);
      this.#results.delete(id);
      this.#results.set(id, {
        request,
        reconcileID,
        outcome,
        endedAt: new Date(this.#clock.wall()).toISOString(),
        milliseconds,
        ...(error === undefined ? {} : { error: error instanceof Error ? error.message : inspect(error) }),
      });
      const [oldest] = this.#results.keys();
      if (this.#results.size > maxShown && oldest !== undefined) {
        this.#results.delete(oldest);
      }
      return milliseconds;
    };
  }

  state(
    controller: { readonly name: string; readonly kind: Kind | undefined; hasSynced(): boolean },
    workers: number,
    heldOff: number,
    queue: WorkQueue<Request, Cause>,
  ): ControllerState {
    const now = this.#clock.monotonic();
    const { name, kind } = controller;
    return {
      name,
      ...(kind === undefined ? {} : { kind: { group: kind.group, kind: kind.kind } }),
      workers,
      synced: controller.hasSynced(),
      heldOff,
      queue: {
        ready: queue.length,
        delayed: queue.delayed,
        processing: queue.processing,
        items: queue.items(maxShown).map((item) => ({ ...item, failures: queue.numRequeues(item.key) })),
      },
      running: [...this.#running].map(({ since, ...run }) => ({ ...run, milliseconds: now - since })),
      lastResults: [...this.#results.values()],
    };
  }
}
