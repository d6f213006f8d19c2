import { hostname } from 'node:os';
import { createCache } from '../cache/cache.ts';
import type { Cache } from '../cache/cache.ts';
import { createClient } from '../client/client.ts';
import { reasonForError } from '../client/errors.ts';
import { createTransport } from '../client/transport.ts';
import type { Client, ObjectKey } from '../client/types.ts';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/types.ts';
import type { ClusterConfiguration } from '../config/types.ts';
import { ControllerBuilder } from '../controller/builder.ts';
import { Controller } from '../controller/controller.ts';
import type { ControllerOptions } from '../controller/options.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { slotCount } from '../election/sharding/sharder.ts';
import { electionDefaults } from '../election/times.ts';
import { aborted, childSignal, sleep } from '../environment/child-signal.ts';
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
import { tooOldApi } from '../tracing/tracer.ts';
import { DeferredTransport } from './deferred-transport.ts';
import type { Candidate, ElectionPlace } from './election.ts';
import { Endpoints } from './endpoints.ts';
import type { HealthCheck } from './health-server.ts';
import { inspectInformers } from './inspect.ts';
import { ShutdownTimeoutError, shutdownTimeout } from './options.ts';
import { SharedSlots, SingleLeader } from './leadership.ts';
import type { Leadership, WorkHooks } from './leadership.ts';
import type { LeaseOptions, ManagerOptions, StartOptions } from './options.ts';
import { ShardedWork } from './sharded-work.ts';
import { assertInformersReady, describeInformers } from './readiness.ts';
import { onTermination } from './signals.ts';
import type { Manager, Runnable, RunnableOptions } from './types.ts';
import { StopRequested } from './stop-requested.ts';
import { TaskGroup } from './task-group.ts';

/** Makes a manager. Nothing happens before `start`: neither files nor network are touched. */
export function createManager(options: ManagerOptions = {}): Manager {
  return new ClusterManager(options);
}

/** How long informers that do not end hold up a stop, in milliseconds. They hold no writes back, only connections and handlers. */
const longestCacheStop = 2_000;
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
  /** Of what needs leadership, or belongs to a slot: behind the fence. */
  readonly #leaderEvents: EventBroadcaster;
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
  readonly #cacheEnd = new AbortController();
  #caches = Promise.resolve();
  readonly #leadershipLost = Promise.withResolvers<void>();
  #started = false;
  /** Tasks did not end when they were asked to. */
  #outOfTime = false;
  #configuration: Promise<ClusterConfiguration> | undefined;
  readonly #leadership: Leadership | undefined;
  readonly #shards: ShardedWork | undefined;
  /** Work for a slot went on for as long as nobody else could begin with it. */
  #overstayed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#environment = options.environment ?? defaultEnvironment();
    this.log = options.logger ?? createLogger({ clock: this.#environment.clock });
    this.#gracefulShutdownTimeout = shutdownTimeout(options.gracefulShutdownTimeout);
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
    const fenced = (beforeWrite: () => void): Client =>
      // What one of them wrote, a runnable may read with the other.
      createClient({ ...clientOptions, sharesWritesWith: this.#unfenced, beforeWrite });
    const { leaderElection, sharding } = options;
    if (leaderElection !== undefined && sharding !== undefined) {
      throw new TypeError('leaderElection and sharding exclude each other: one replica works, or all share the work');
    }
    if (leaderElection !== undefined) {
      this.#leadership = new SingleLeader(leaderElection);
    } else if (sharding !== undefined) {
      this.#shards = new ShardedWork({
        slots: slotCount(sharding.slots),
        clock: this.#environment.clock,
        clientWith: fenced,
        flushEvents: async (client) => {
          using deadline = childSignal(undefined, this.#environment.clock, longestEventFlush);
          await this.#leaderEvents.flush(client, deadline.signal);
        },
        leaseLeft: this.#leaseLeft(),
        onOverstay: (error) => {
          this.#overstayed = true;
          this.#fail(error, 'sharding');
        },
      });
      this.#leadership = new SharedSlots(sharding, this.#shards);
    }
    const leadership = this.#leadership;
    this.client = leadership === undefined ? this.#unfenced : fenced(() => leadership.assertMayWrite());
    const broadcaster = (client: Client): EventBroadcaster =>
      new EventBroadcaster(client, this.#environment, this.log, hostname());
    this.#events = broadcaster(this.#unfenced);
    this.#leaderEvents = leadership === undefined ? this.#events : broadcaster(this.client);
    this.#endpoints = new Endpoints(options, {
      environment: this.#environment,
      log: this.log,
      metrics: this.metrics,
      transport: this.#transport,
      inspect: () => this.#inspect(),
    });
    this.#addMetrics();
    this.#addReadiness(options.servesConversion ?? false);
  }

  #addReadiness(servesConversion: boolean): void {
    this.#endpoints.health.add('readyz', 'running', () => {
      if (!this.#everywhere.running) {
        throw new Error('the manager is not running');
      }
    });
    if (!servesConversion) {
      const { clock } = this.#environment;
      this.#endpoints.health.add(
        'readyz',
        'caches',
        () => {
          assertInformersReady(this.cache.informers, clock.monotonic());
        },
        () => describeInformers(this.cache.informers, clock.monotonic()),
      );
    }
  }

  isLeader(key?: ObjectKey): boolean {
    return this.#leadership?.isLeader(key) ?? this.#started;
  }

  controller(name: string, options: ControllerOptions = {}): ControllerBuilder {
    if (typeof name !== 'string' || name === '') {
      throw new TypeError('a controller needs a name: it stands in logs and metrics');
    }
    if (this.#names.has(name)) {
      throw new Error(`there is a controller named ${JSON.stringify(name)} already`);
    }
    this.#names.add(name);
    return new ControllerBuilder(name, (kind, sources, reconcile, others) => {
      const partition = (options.needLeaderElection ?? true) ? this.#shards : undefined;
      const events = this.#eventsOf(options.needLeaderElection ?? true);
      const dependencies = {
        ...(partition === undefined ? {} : { partition }),
        environment: this.#environment,
        log: this.log,
        client: (options.needLeaderElection ?? true) ? this.client : this.#unfenced,
        informers: this.cache,
        budget: this.#budget,
        events: (client: Client) => events.recorder(name, client),
        metrics: this.#controllerMetrics,
      };
      const guards = { ...this.#options.guards, ...options.guards };
      const controller = new Controller(name, kind, sources, reconcile, { ...options, guards }, dependencies, others);
      this.#controllers.push(controller);
      partition?.addController(controller);
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
    const events = this.#eventsOf(needLeaderElection);
    if (needLeaderElection && this.#shards !== undefined) {
      this.#shards.addRunnable(
        options.name,
        (share) => runnable({ ...share, log: this.log, events: events.recorder(options.name, share.client) }),
        (task) => this.#onLeader.add(options.name, task),
      );
      return;
    }
    const group = needLeaderElection ? this.#onLeader : this.#everywhere;
    const client = needLeaderElection ? this.client : this.#unfenced;
    const recorder = events.recorder(options.name, client);
    group.add(options.name, (signal) => runnable({ signal, client, log: this.log, events: recorder }));
  }

  #eventsOf(needLeaderElection: boolean): EventBroadcaster {
    return needLeaderElection ? this.#leaderEvents : this.#events;
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
      // Some of it may run already.
      await this.#stopWork();
      await this.#closeEvents();
    } finally {
      signal?.removeEventListener('abort', stop);
      await this.#leadership?.close();
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
    const leadership = this.#leadership;
    const oldApi = tooOldApi();
    if (oldApi !== undefined) {
      this.log.warn('There will be no traces: the SDK uses an @opentelemetry/api older than 1.9; update it', {
        version: oldApi,
      });
    }
    await this.#transport.ready();
    await this.#endpoints.listen();
    leadership?.prepare(await this.#candidate(), await this.#electionPlace());
    this.#caches = this.#watchFailure('cache', this.cache.start(this.#cacheEnd.signal));
    for (const controller of this.#controllers) {
      controller.warmUp();
    }
    this.#everywhere.start();
    const work: WorkHooks = {
      stopping: this.#stopping.signal,
      startWork: () => this.#onLeader.start(),
      stopWork: () => this.#stopWork(),
      watch: (name, promise) => this.#watchFailure(name, promise),
    };
    if (leadership === undefined) {
      work.startWork();
      await aborted(work.stopping);
      await work.stopWork();
    } else {
      await leadership.run(work);
    }
    await this.#closeEvents();
  }

  async #closeEvents(): Promise<void> {
    // Where something of ours still runs, every moment counts.
    using deadline = childSignal(undefined, this.#environment.clock, this.#outOfTime ? 0 : longestEventFlush);
    await this.#events.close(deadline.signal);
  }

  #addMetrics(): void {
    addInformerMetrics(this.metrics, () => this.cache.informers);
    addProcessMetrics(this.metrics, this.#environment.clock);
    this.#leadership?.addMetrics(this.metrics);
  }

  #inspect(): unknown {
    return {
      leadership: { leading: this.isLeader(), ...this.#leadership?.inspect() },
      controllers: this.#controllers.map((controller) => controller.inspect()),
      informers: inspectInformers(this.cache.informers, this.#environment.clock),
    };
  }

  /** Ends what needs leadership while there still is some, and then the caches; false when something did not end in time. */
  async #stopWork(): Promise<boolean> {
    const tasksInTime = await this.#stopTasks();
    const inTime = (await this.#stopCaches()) && tasksInTime;
    if (this.#leaderEvents !== this.#events) {
      const flush = inTime && this.isLeader() ? longestEventFlush : 0;
      using deadline = childSignal(undefined, this.#environment.clock, flush);
      await this.#leaderEvents.close(deadline.signal);
    }
    return inTime;
  }

  /** Ends the informers; false when they did not end in time. */
  async #stopCaches(): Promise<boolean> {
    const { clock } = this.#environment;
    const begun = clock.monotonic();
    this.#cacheEnd.abort();
    using deadline = childSignal(undefined, clock, this.#outOfTime ? 0 : longestCacheStop);
    const inTime = await Promise.race([this.#caches.then(() => true), aborted(deadline.signal).then(() => false)]);
    if (!inTime && !this.#outOfTime) this.#overstayedStop(begun, ['caches']);
    return inTime;
  }

  #overstayedStop(begun: number, names: readonly string[]): void {
    this.#outOfTime = true;
    this.#fail(new ShutdownTimeoutError(Math.round(this.#environment.clock.monotonic() - begun), names), 'stop');
  }

  /** Ends controllers and runnables; false when they did not end in time. */
  async #stopTasks(): Promise<boolean> {
    const { clock } = this.#environment;
    const begun = clock.monotonic();
    const reason: unknown = this.#stopping.signal.reason;
    const stopped = Promise.all([this.#onLeader.stop(reason), this.#everywhere.stop(reason)]).then(() => true);
    const graceful = this.#gracefulShutdownTimeout;
    using deadline = childSignal(undefined, clock, graceful < 0 ? undefined : graceful);
    const left = this.#overstayed ? 0 : this.#leaseLeft();
    const overtaken = this.#leadershipLost.promise.then(async () => {
      await sleep(clock, left, deadline.signal).catch(() => undefined);
      return false;
    });
    const inTime = await Promise.race([stopped, aborted(deadline.signal).then(() => false), overtaken]);
    if (!inTime) this.#overstayedStop(begun, [...this.#onLeader.names, ...this.#everywhere.names]);
    deadline.abort();
    return inTime;
  }

  /**
   * How long after the loss of leadership the next leader begins at the earliest. By then we must be gone: the fence stops writes to the
   * API server, not those to other places.
   */
  #leaseLeft(): number {
    const { leaseDuration, renewDeadline } = { ...electionDefaults, ...this.#leaseOptions };
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

  async #candidate(): Promise<Candidate> {
    const { namespace, identity } = this.#leaseOptions;
    return {
      namespace: namespace ?? (await this.#electionNamespace()),
      identity: identity ?? `${hostname()}_${this.#environment.random.uuid()}`,
      userAgent: this.#options.userAgent,
      environment: this.#environment,
      log: this.log,
    };
  }

  get #leaseOptions(): LeaseOptions {
    return this.#options.leaderElection ?? this.#options.sharding ?? {};
  }

  async #electionPlace(): Promise<ElectionPlace> {
    const { transport } = this.#options;
    if (transport !== undefined) {
      return { transport: { ...this.#measure(transport, 'localhost'), close: () => Promise.resolve() } };
    }
    if (this.#options.environment !== undefined || this.#leaseOptions.thread === false) {
      return { transport: await this.#newTransport() };
    }
    const configuration = await this.#loadConfiguration();
    const { host } = new URL(configuration.server);
    return { configuration, onRequest: (method, code) => this.#measure.count({ method, code, host }) };
  }

  async #electionNamespace(): Promise<string> {
    const { transport, configuration } = this.#options;
    const { namespace } = transport !== undefined && configuration === undefined ? {} : await this.#loadConfiguration();
    if (namespace === undefined) {
      const option = this.#options.sharding === undefined ? 'leaderElection' : 'sharding';
      throw new ConfigurationError(`leader election needs a namespace for its Lease: set ${option}.namespace`);
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
