import type { WorkQueueObserver } from '../queue/types.ts';
import type { Counter, Gauge, Histogram, MetricsRegistry } from './registry.ts';

/** Seconds. Finer between a millisecond and a minute than client-go's powers of ten, where the waits of a queue are. */
const queueBuckets = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1000];

/** What is asked of a queue at each scrape; milliseconds. */
export interface MeasuredQueue {
  /** How many requests are ready, by priority. */
  queueLengths(): ReadonlyMap<number, number>;
  /** How many requests wait for their time. */
  delayed(): number;
  /** For how long the request that waits longest has been ready. */
  longestWait(): number;
  /** How long each run has taken until now. */
  workedFor(): readonly number[];
}

type QueueLabel = 'name' | 'controller';

/** The metrics of work queues, with the names and labels of client-go and controller-runtime, and two more. */
export class QueueMetrics {
  readonly #depth: Gauge<QueueLabel | 'priority'>;
  readonly #adds: Counter<QueueLabel>;
  readonly #waits: Histogram<QueueLabel>;
  readonly #work: Histogram<QueueLabel>;
  readonly #unfinished: Gauge<QueueLabel>;
  readonly #longest: Gauge<QueueLabel>;
  readonly #retries: Counter<QueueLabel>;
  readonly #delayed: Gauge<'controller'>;
  readonly #longestWait: Gauge<'controller'>;

  constructor(registry: MetricsRegistry) {
    const labels = ['name', 'controller'] as const;
    this.#depth = registry.gauge({
      name: 'workqueue_depth',
      help: 'Current depth of workqueue by workqueue and priority',
      labels: ['name', 'controller', 'priority'],
    });
    this.#adds = registry.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      labels,
    });
    this.#waits = registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested',
      labels,
      buckets: queueBuckets,
    });
    this.#work = registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes',
      labels,
      buckets: queueBuckets,
    });
    this.#unfinished = registry.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'How many seconds of work has been done that is in progress and has not been observed by work_duration',
      labels,
    });
    this.#longest = registry.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How many seconds has the longest running processor for workqueue been running',
      labels,
    });
    this.#retries = registry.counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      labels,
    });
    this.#delayed = registry.gauge({
      name: 'operator_runtime_queue_delayed',
      help: 'Requests that wait for their time: retries and runs that were asked for',
      labels: ['controller'],
    });
    this.#longestWait = registry.gauge({
      name: 'operator_runtime_queue_longest_wait_seconds',
      help: 'For how long the request that waits longest has been ready',
      labels: ['controller'],
    });
  }

  /** Begins the series of a queue, all at zero. */
  of(name: string): WorkQueueObserver {
    const labels = { name, controller: name };
    const adds = this.#adds.series(labels);
    const retries = this.#retries.series(labels);
    const waits = this.#waits.series(labels);
    const work = this.#work.series(labels);
    return {
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
    };
  }

  /** Looks at all queues, by name. */
  collect(queues: ReadonlyMap<string, MeasuredQueue>): void {
    this.#depth.clear();
    for (const [name, queue] of queues) {
      const lengths = queue.queueLengths();
      const workedFor = queue.workedFor();
      const labels = { name, controller: name };
      for (const [priority, length] of lengths.size === 0 ? [[0, 0] as const] : lengths) {
        this.#depth.set({ ...labels, priority: String(priority) }, length);
      }
      this.#unfinished.set(labels, workedFor.reduce((sum, worked) => sum + worked, 0) / 1000);
      this.#longest.set(labels, Math.max(0, ...workedFor) / 1000);
      this.#delayed.set({ controller: name }, queue.delayed());
      this.#longestWait.set({ controller: name }, queue.longestWait() / 1000);
    }
  }
}
