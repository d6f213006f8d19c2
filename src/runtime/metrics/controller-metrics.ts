import type { Counter, Gauge, Histogram, MetricsRegistry } from './registry.ts';
import type { WorkQueueObserver } from '../queue/types.ts';

/** controller-runtime's buckets, in seconds. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Seconds. Finer between a millisecond and a minute than client-go's powers of ten, where the waits of a queue are. */
const queueBuckets = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1000];

/** How a run ended, as the label `result` of `controller_runtime_reconcile_total`. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error';

/** What is asked of a controller at each scrape. */
export interface MeasuredController {
  /** How many requests are ready, by priority. */
  queueLengths(): ReadonlyMap<number, number>;
  /** How long each run has taken until now, in milliseconds. */
  workedFor(): readonly number[];
  /** How many runs are going on. */
  activeWorkers(): number;
}

/** The numbers of one controller and its queue. */
export interface ControllerMetrics {
  readonly queue: WorkQueueObserver;
  /** A run took so many milliseconds. */
  reconciled(outcome: ReconcileOutcome, milliseconds: number): void;
  terminalError(): void;
  timeout(): void;
  /** A guard tripped. */
  guardTripped(guard: string): void;
}

/**
 * The metrics of controllers, with the names of controller-runtime and client-go, so that dashboards made for these work. What JavaScript
 * does not have (`..._reconcile_panics_total`) is left out.
 */
export class ControllersMetrics {
  readonly #reconciles: Counter<'controller' | 'result'>;
  readonly #errors: Counter<'controller'>;
  readonly #terminalErrors: Counter<'controller'>;
  readonly #timeouts: Counter<'controller'>;
  readonly #time: Histogram<'controller'>;
  readonly #maximum: Gauge<'controller'>;
  readonly #active: Gauge<'controller'>;
  readonly #guards: Counter<'controller' | 'guard'>;
  readonly #depth: Gauge<'name' | 'controller' | 'priority'>;
  readonly #adds: Counter<'name' | 'controller'>;
  readonly #waits: Histogram<'name' | 'controller'>;
  readonly #work: Histogram<'name' | 'controller'>;
  readonly #unfinished: Gauge<'name' | 'controller'>;
  readonly #longest: Gauge<'name' | 'controller'>;
  readonly #retries: Counter<'name' | 'controller'>;
  readonly #measured = new Map<string, MeasuredController>();

  constructor(registry: MetricsRegistry) {
    const controller = ['controller'] as const;
    const queue = ['name', 'controller'] as const;
    this.#reconciles = registry.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciliations per controller',
      labels: ['controller', 'result'],
    });
    this.#errors = registry.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of reconciliation errors per controller',
      labels: controller,
    });
    this.#terminalErrors = registry.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of terminal reconciliation errors per controller',
      labels: controller,
    });
    this.#timeouts = registry.counter({
      name: 'controller_runtime_reconcile_timeouts_total',
      help: 'Total number of reconciliation timeouts per controller',
      labels: controller,
    });
    this.#time = registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller',
      labels: controller,
      buckets: reconcileBuckets,
    });
    this.#maximum = registry.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller',
      labels: controller,
    });
    this.#active = registry.gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of currently used workers per controller',
      labels: controller,
    });
    this.#guards = registry.counter({
      name: 'operator_runtime_guard_trips_total',
      help: 'How often a guard against a harmful pattern of reconciles tripped',
      labels: ['controller', 'guard'],
    });
    this.#depth = registry.gauge({
      name: 'workqueue_depth',
      help: 'Current depth of workqueue by workqueue and priority',
      labels: ['name', 'controller', 'priority'],
    });
    this.#adds = registry.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      labels: queue,
    });
    this.#waits = registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested',
      labels: queue,
      buckets: queueBuckets,
    });
    this.#work = registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes',
      labels: queue,
      buckets: queueBuckets,
    });
    this.#unfinished = registry.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'How many seconds of work has been done that is in progress and has not been observed by work_duration',
      labels: queue,
    });
    this.#longest = registry.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How many seconds has the longest running processor for workqueue been running',
      labels: queue,
    });
    this.#retries = registry.counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      labels: queue,
    });
    registry.collect(() => {
      this.#collect();
    });
  }

  /** Begins the series of a controller, all at zero. */
  of(name: string, workers: number, measured: MeasuredController): ControllerMetrics {
    const controller = { controller: name };
    const queue = { name, controller: name };
    this.#measured.set(name, measured);
    const results = {
      success: this.#reconciles.series({ ...controller, result: 'success' }),
      requeue_after: this.#reconciles.series({ ...controller, result: 'requeue_after' }),
      error: this.#reconciles.series({ ...controller, result: 'error' }),
    } satisfies Record<ReconcileOutcome, unknown>;
    const errors = this.#errors.series(controller);
    const terminalErrors = this.#terminalErrors.series(controller);
    const timeouts = this.#timeouts.series(controller);
    const time = this.#time.series(controller);
    const adds = this.#adds.series(queue);
    const retries = this.#retries.series(queue);
    const waits = this.#waits.series(queue);
    const work = this.#work.series(queue);
    this.#maximum.set(controller, workers);
    return {
      queue: {
        added: () => {
          adds.inc();
        },
        handedOut: (waited) => {
          waits.observe(waited / 1000);
        },
        done: (worked) => {
          work.observe(worked / 1000);
        },
        retried: () => {
          retries.inc();
        },
      },
      reconciled: (outcome, milliseconds) => {
        results[outcome].inc();
        time.observe(milliseconds / 1000);
        if (outcome === 'error') {
          errors.inc();
        }
      },
      terminalError: () => {
        terminalErrors.inc();
      },
      timeout: () => {
        timeouts.inc();
      },
      guardTripped: (guard) => {
        this.#guards.inc({ controller: name, guard });
      },
    };
  }

  #collect(): void {
    this.#depth.clear();
    for (const [name, measured] of this.#measured) {
      const queueLengths = measured.queueLengths();
      const workedFor = measured.workedFor();
      this.#active.set({ controller: name }, measured.activeWorkers());
      const queue = { name, controller: name };
      for (const [priority, length] of queueLengths.size === 0 ? [[0, 0] as const] : queueLengths) {
        this.#depth.set({ ...queue, priority: String(priority) }, length);
      }
      this.#unfinished.set(queue, workedFor.reduce((sum, worked) => sum + worked, 0) / 1000);
      this.#longest.set(queue, Math.max(0, ...workedFor) / 1000);
    }
  }
}
