import { hostname } from 'node:os';
import { createCache } from '../cache/cache.ts';
import type { Cache } from '../cache/cache.ts';
import { createClient } from '../client/client.ts';
import { reasonForError } from '../client/errors.ts';
import { createTransport } from '../client/transport.ts';
import type { Client } from '../client/types.ts';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/types.ts';
import type { ClusterConfiguration } from '../config/types.ts';
import { ControllerBuilder } from '../controller/builder.ts';
import { Controller } from '../controller/controller.ts';
import type { ControllerOptions } from '../controller/options.ts';
import { milliseconds } from '../controller/duration.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import type { Elector } from '../election/elector.ts';
import { electionDefaults } from '../election/times.ts';
import { NotLeaderError } from '../election/errors.ts';
import { childSignal, sleep } from '../environment/child-signal.ts';
import { defaultEnvironment } from '../environment/default.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { createLogger } from '../logging/logger.ts';
import { EventBroadcaster } from '../events/broadcaster.ts';
import { Event } from '../events/event.ts';
import type { EventRecorder } from '../events/event.ts';
import { ControllersMetrics } from '../metrics/controller-metrics.ts';
import { addInformerMetrics, cacheWaitMetrics } from '../metrics/informer-metrics.ts';
import { requestMetrics } from '../metrics/measured-transport.ts';
import type { MeasureTransport } from '../metrics/measured-transport.ts';
import { addProcessMetrics } from '../metrics/process-metrics.ts';
import { MetricsRegistry } from '../metrics/registry.ts';
import { tracedTransport } from '../tracing/traced-transport.ts';
import { DeferredTransport } from './deferred-transport.ts';
import { electOnItsOwnThread, electOnThisThread } from './election.ts';
import type { Election } from './election.ts';
import { Endpoints } from './endpoints.ts';
import type { HealthCheck } from './health-server.ts';
import { inspectInformers } from './inspect.ts';
import { ShutdownTimeoutError } from './options.ts';
import type { LeaderElectionOptions, ManagerOptions, StartOptions } from './options.ts';
import { assertInformersReady } from './readiness.ts';
import { onTermination } from './signals.ts';
import type { Manager, Runnable, RunnableOptions } from './types.ts';
import { TaskGroup } from './task-group.ts';

/** Makes a manager. Nothing happens before `start`: neither files nor network are touched. */
export function createManager(options: ManagerOptions = {}): Manager {
  return new ClusterManager(options);
}

/** How long events that are not written yet hold up a stop, in milliseconds. */
const longestEventFlush = 2_000;

class ClusterManager implements Manager {
  readonly client: Client;
  readonly cache: Cache;
  readonly log: Logger;
  readonly #options: ManagerOptions;
  readonly #environment: Environment;
  readonly #transport: DeferredTransport;
  /** Without the fence: for what runs on every replica. */
  readonly #unfenced: Client;
  readonly #budget: TurnBudget;
  readonly metrics = new MetricsRegistry();
  readonly #controllerMetrics = new ControllersMetrics(this.metrics);
  readonly #measure: MeasureTransport = requestMetrics(this.metrics);
  readonly #endpoints: Endpoints;
  readonly #events: EventBroadcaster;
  readonly #gracefulShutdownTimeout: number;
  readonly #names = new Set<string>();
  readonly #controllers: Controller[] = [];
  readonly #everywhere = new TaskGroup((error, name) => {
    this.#fail(error, name);
  });
  readonly #onLeader = new TaskGroup((error, name) => {
    this.#fail(error, name);
  });
  readonly #stopping = new AbortController();
  readonly #leadershipLost = Promise.withResolvers<void>();
  #started = false;
  /** Tasks did not end when they were asked to. */
  #outOfTime = false;
  #configuration: Promise<ClusterConfiguration> | undefined;
  #elector: Elector | undefined;
  #election: Election | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#environment = options.environment ?? defaultEnvironment();
    this.log = options.logger ?? createLogger({ clock: this.#environment.clock });
    this.#gracefulShutdownTimeout = milliseconds(options.gracefulShutdownTimeout ?? 30_000);
    this.#budget = TurnBudget.of(this.#environment);
    this.#transport = new DeferredTransport(() => this.#newTransport());
    const shared = {
      transport: this.#transport,
      environment: this.#environment,
      logger: this.log,
      ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
    };
    this.cache = createCache({
      ...shared,
      ...options.cache,
    });
    const clientOptions = {
      ...shared,
      cache: this.cache,
      kinds: [Event],
      onCacheWait: cacheWaitMetrics(this.metrics),
      ...(options.fieldManager === undefined ? {} : { fieldManager: options.fieldManager }),
    };
    this.#unfenced = createClient(clientOptions);
    this.client =
      options.leaderElection === undefined
        ? this.#unfenced
        : createClient({
            ...clientOptions,
            // What one of them wrote, a runnable may read with the other.
            sharesWritesWith: this.#unfenced,
            beforeWrite: () => {
              this.#assertLeading();
            },
          });
    this.#events = new EventBroadcaster(this.#unfenced, this.#environment, this.log, hostname());
    this.#endpoints = new Endpoints(options, {
      environment: this.#environment,
      log: this.log,
      metrics: this.metrics,
      transport: this.#transport,
      inspect: () => this.#inspect(),
    });
    this.#addMetrics();
    this.#endpoints.health.add('readyz', 'caches', () => {
      if (!this.#everywhere.running) {
        throw new Error('the manager is not running');
      }
      assertInformersReady(this.cache.informers, this.#environment.clock.monotonic());
    });
  }

  isLeader(): boolean {
    return this.#options.leaderElection === undefined ? this.#started : (this.#elector?.isLeader() ?? false);
  }

  controller(name: string, options: ControllerOptions = {}): ControllerBuilder {
    if (this.#names.has(name)) {
      throw new Error(`there is a controller named ${JSON.stringify(name)} already`);
    }
    this.#names.add(name);
    return new ControllerBuilder(name, (kind, sources, reconcile, others) => {
      const dependencies = {
        environment: this.#environment,
        log: this.log,
        client: (options.needLeaderElection ?? true) ? this.client : this.#unfenced,
        informers: this.cache,
        budget: this.#budget,
        events: this.#events.recorder(name),
        metrics: this.#controllerMetrics,
      };
      const guards = { ...this.#options.guards, ...options.guards };
      const controller = new Controller(name, kind, sources, reconcile, { ...options, guards }, dependencies, others);
      this.#controllers.push(controller);
      if (this.#everywhere.running) {
        controller.warmUp();
      }
      const group = controller.needLeaderElection ? this.#onLeader : this.#everywhere;
      group.add(
        () => describe(controller),
        (signal) => controller.run(signal),
      );
      return controller;
    });
  }

  add(runnable: Runnable, options: RunnableOptions): void {
    const needLeaderElection = options.needLeaderElection ?? true;
    const group = needLeaderElection ? this.#onLeader : this.#everywhere;
    const client = needLeaderElection ? this.client : this.#unfenced;
    const events = this.#events.recorder(options.name);
    group.add(options.name, (signal) => runnable({ signal, client, log: this.log, events }));
  }

  eventRecorder(name: string): EventRecorder {
    return this.#events.recorder(name);
  }

  addHealthzCheck(name: string, check: HealthCheck): void {
    this.#endpoints.health.add('healthz', name, check);
  }

  addReadyzCheck(name: string, check: HealthCheck): void {
    this.#endpoints.health.add('readyz', name, check);
  }

  async start(options: StartOptions = {}): Promise<void> {
    if (this.#started) {
      throw new Error('a manager starts once only; make a new one');
    }
    this.#started = true;
    const { signal } = options;
    const stop = (): void => {
      this.#stopping.abort(new StopRequested());
    };
    signal?.addEventListener('abort', stop, { once: true });
    using _signals =
      options.handleSignals === true ? onTermination(stop, this.log, this.#environment.clock) : undefined;
    try {
      if (signal?.aborted !== true) {
        await this.#run();
      }
    } catch (error) {
      this.#fail(error, 'start');
    } finally {
      signal?.removeEventListener('abort', stop);
      await this.#election?.close();
      await this.#endpoints.close();
      await this.#transport.close();
    }
    if (this.#failure !== undefined) {
      throw this.#failure.error;
    }
    this.log.info('Stopped');
  }

  /** From the first request to the last. */
  async #run(): Promise<void> {
    const { leaderElection } = this.#options;
    await this.#transport.ready();
    await this.#endpoints.listen();
    const election = leaderElection === undefined ? undefined : await this.#newElection(leaderElection);
    this.#election = election;
    const cacheEnd = new AbortController();
    const caches = this.#watchFailure('cache', this.cache.start(cacheEnd.signal));
    for (const controller of this.#controllers) {
      controller.warmUp();
    }
    this.#everywhere.start();
    if (election === undefined) {
      this.#onLeader.start();
      await aborted(this.#stopping.signal);
      await this.#stopTasks();
    } else {
      await this.#runElected(election);
    }
    cacheEnd.abort();
    await caches;
    // Where something of ours still runs, every moment counts.
    using deadline = childSignal(undefined, this.#environment.clock, this.#outOfTime ? 0 : longestEventFlush);
    await this.#events.close(deadline.signal);
  }

  #addMetrics(): void {
    const { leaderElection } = this.#options;
    addInformerMetrics(this.metrics, () => this.cache.informers);
    addProcessMetrics(this.metrics, this.#environment.clock);
    if (leaderElection !== undefined) {
      const status = this.metrics.gauge({
        name: 'leader_election_master_status',
        help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
        labels: ['name'],
      });
      this.metrics.collect(() => {
        status.set({ name: leaderElection.id }, this.isLeader() ? 1 : 0);
      });
    }
  }

  #inspect(): unknown {
    const { leaderElection } = this.#options;
    return {
      leadership: {
        leading: this.isLeader(),
        ...(leaderElection === undefined ? {} : { lease: leaderElection.id, identity: this.#elector?.identity }),
      },
      controllers: this.#controllers.map((controller) => controller.inspect()),
      informers: inspectInformers(this.cache.informers, this.#environment.clock),
    };
  }

  /** Competes, leads, and gives the lease back when all that needed it has ended. Never rejects. */
  async #runElected({ elector, releaseOnStop }: Election): Promise<void> {
    this.#elector = elector;
    const holdEnd = new AbortController();
    const leading = this.#watchFailure('leader election', this.#lead(elector, holdEnd.signal));
    await aborted(this.#stopping.signal);
    const inTime = await this.#stopTasks();
    // Renewed until here: nobody else began while something of ours was still at work.
    holdEnd.abort();
    await leading;
    if (inTime && releaseOnStop) {
      await elector.release();
    }
  }

  async #lead(elector: Elector, holdEnd: AbortSignal): Promise<void> {
    try {
      await elector.acquire(this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) {
        return;
      }
      throw error;
    }
    if (!this.#stopping.signal.aborted) {
      this.#onLeader.start();
    }
    await elector.hold(holdEnd);
  }

  /** Ends controllers and runnables; false when they did not end in time. */
  async #stopTasks(): Promise<boolean> {
    const { clock } = this.#environment;
    const begun = clock.monotonic();
    const reason: unknown = this.#stopping.signal.reason;
    const stopped = Promise.all([this.#onLeader.stop(reason), this.#everywhere.stop(reason)]).then(() => true);
    const graceful = this.#gracefulShutdownTimeout;
    using deadline = childSignal(undefined, clock, graceful < 0 ? undefined : graceful);
    const left = this.#leaseLeft();
    const overtaken = this.#leadershipLost.promise.then(async () => {
      await sleep(clock, left, deadline.signal).catch(() => undefined);
      return false;
    });
    const inTime = await Promise.race([stopped, aborted(deadline.signal).then(() => false), overtaken]);
    if (!inTime) {
      this.#outOfTime = true;
      const names = [...this.#onLeader.names, ...this.#everywhere.names];
      this.#fail(new ShutdownTimeoutError(Math.round(clock.monotonic() - begun), names), 'stop');
    }
    deadline.abort();
    return inTime;
  }

  /**
   * How long after the loss of leadership the next leader begins at the earliest. By then we must be gone: the fence stops writes to the
   * API server, not those to other places.
   */
  #leaseLeft(): number {
    const { leaseDuration, renewDeadline } = { ...electionDefaults, ...this.#options.leaderElection };
    return leaseDuration - renewDeadline;
  }

  #fail(error: unknown, name: string): void {
    if (this.#failure === undefined) {
      this.#failure = { error };
      this.log.error('The manager stops', { failed: name, error });
    } else if (this.#failure.error !== error) {
      this.log.error('Failed while the manager stops', { failed: name, error });
    }
    if (reasonForError(error) === 'LeadershipLost') {
      this.#leadershipLost.resolve();
    }
    this.#stopping.abort(error);
  }

  /** Takes the promise's rejection as a failure of the manager. */
  async #watchFailure(name: string, promise: Promise<void>): Promise<void> {
    try {
      await promise;
    } catch (error) {
      this.#fail(error, name);
    }
  }

  #assertLeading(): void {
    if (this.#elector === undefined) {
      throw new NotLeaderError('not the leader: the manager has not started');
    }
    this.#elector.assertLeading();
  }

  #loadConfiguration(): Promise<ClusterConfiguration> {
    const { configuration } = this.#options;
    this.#configuration ??=
      configuration === undefined
        ? loadConfiguration({ environment: this.#environment })
        : Promise.resolve(configuration);
    return this.#configuration;
  }

  async #newTransport(): Promise<Transport> {
    const { transport } = this.#options;
    if (transport !== undefined) {
      return this.#observe(transport, new URL('http://localhost'));
    }
    const configuration = await this.#loadConfiguration();
    return this.#observe(createTransport(configuration), new URL(configuration.server));
  }

  /** Counts the requests and traces those of reconciles. */
  #observe(transport: Transport, server: URL): Transport {
    return tracedTransport(this.#measure(transport, server.host), server);
  }

  async #newElection(options: LeaderElectionOptions): Promise<Election> {
    const environment = this.#environment;
    const dependencies = {
      options,
      namespace: options.namespace ?? (await this.#electionNamespace()),
      identity: options.identity ?? `${hostname()}_${environment.random.uuid()}`,
      userAgent: this.#options.userAgent,
      environment,
      log: this.log,
    };
    const { transport } = this.#options;
    if (transport !== undefined) {
      const shared = this.#measure(transport, 'localhost');
      return electOnThisThread(dependencies, { ...shared, close: () => Promise.resolve() });
    }
    if (this.#options.environment !== undefined || options.thread === false) {
      return electOnThisThread(dependencies, await this.#newTransport());
    }
    const configuration = await this.#loadConfiguration();
    const { host } = new URL(configuration.server);
    return electOnItsOwnThread(dependencies, configuration, (method, code) => {
      this.#measure.count({ method, code, host });
    });
  }

  async #electionNamespace(): Promise<string> {
    const { transport, configuration } = this.#options;
    const { namespace } = transport !== undefined && configuration === undefined ? {} : await this.#loadConfiguration();
    if (namespace === undefined) {
      throw new ConfigurationError('leader election needs a namespace for its Lease: set leaderElection.namespace');
    }
    return namespace;
  }
}

/** `controller widget (ns/a, ns/b)`: with the objects that are being reconciled. */
function describe({ name, reconciling }: Controller): string {
  const keys = reconciling.map((request) =>
    request.namespace === '' ? request.name : `${request.namespace}/${request.name}`,
  );
  return `controller ${name}${keys.length === 0 ? '' : ` (${keys.join(', ')})`}`;
}

/** Why the signals of tasks are aborted in an orderly stop. */
class StopRequested extends Error {
  override readonly name = 'StopRequested';

  constructor() {
    super('the manager stops');
  }
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    }
  });
}
