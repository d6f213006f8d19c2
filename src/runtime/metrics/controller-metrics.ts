import { guardNames } from '../controller/guard-types.ts';
import type { GuardName } from '../controller/guard-types.ts';
import type { WorkQueueObserver } from '../queue/types.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { MeasuredQueue } from './queue-metrics.ts';
import type { Counter, Gauge, Histogram, MetricsRegistry } from './registry.ts';

/** controller-runtime's buckets, in seconds. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** How a run ended, as the label `result` of `controller_runtime_reconcile_total`. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error';

/** What is asked of a controller at each scrape. */
export interface MeasuredController extends MeasuredQueue {
  /** How many runs are going on. */
  activeWorkers(): number;
}

/** The numbers of one controller and its queue. */
export interface ControllerMetrics {
  readonly queue: WorkQueueObserver;
  /** A run took so many milliseconds. */
  reconciled(outcome: ReconcileOutcome, milliseconds: number): void;
  terminalError(): void;
  /** A run threw what Go would call a panic. */
  panic(): void;
  timeout(): void;
  /** A guard tripped. */
  guardTripped(guard: GuardName): void;
}

/** The metrics of controllers, with the names of controller-runtime and client-go, so that dashboards made for these work. */
export class ControllersMetrics {
  readonly #reconciles: Counter<'controller' | 'result'>;
  readonly #errors: Counter<'controller'>;
  readonly #terminalErrors: Counter<'controller'>;
  readonly #panics: Counter<'controller'>;
  readonly #timeouts: Counter<'controller'>;
  readonly #time: Histogram<'controller'>;
  readonly #maximum: Gauge<'controller'>;
  readonly #active: Gauge<'controller'>;
  readonly #guards: Counter<'controller' | 'guard'>;
  readonly #queues: QueueMetrics;
  readonly #measured = new Map<string, MeasuredController>();

  constructor(registry: MetricsRegistry) {
    const controller = ['controller'] as const;
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
    this.#panics = registry.counter({
      name: 'controller_runtime_reconcile_panics_total',
      help: 'Total number of reconciliation panics per controller: what was thrown is a fault of the program, such as a TypeError',
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
    this.#queues = new QueueMetrics(registry);
    registry.collect(() => {
      this.#collect();
    });
  }

  /** Begins the series of a controller, all at zero. */
  of(name: string, workers: number, measured: MeasuredController): ControllerMetrics {
    const controller = { controller: name };
    this.#measured.set(name, measured);
    const results = {
      success: this.#reconciles.series({ ...controller, result: 'success' }),
      requeue_after: this.#reconciles.series({ ...controller, result: 'requeue_after' }),
      error: this.#reconciles.series({ ...controller, result: 'error' }),
    } satisfies Record<ReconcileOutcome, unknown>;
    // What controller-runtime has of a result that is deprecated there, and does not exist here: dashboards find no gap.
    this.#reconciles.series({ ...controller, result: 'requeue' });
    const errors = this.#errors.series(controller);
    const terminalErrors = this.#terminalErrors.series(controller);
    const panics = this.#panics.series(controller);
    const timeouts = this.#timeouts.series(controller);
    const time = this.#time.series(controller);
    for (const guard of guardNames) this.#guards.series({ ...controller, guard });
    this.#maximum.set(controller, workers);
    return {
      queue: this.#queues.of(name),
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
      panic: () => {
        panics.inc();
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
    this.#queues.collect(this.#measured);
    for (const [name, measured] of this.#measured) {
      this.#active.set({ controller: name }, measured.activeWorkers());
    }
  }
}
