import { clusterRoles } from '../access/rbac.ts';
import type { ConversionParts } from '../custom/conversion.ts';
import { definitions } from '../custom/definition.ts';
import { list, text, type JsonObject, type MutableObject } from '../json.ts';
import { isTerminating } from '../objects/metadata.ts';
import { timestamp, type Operations } from '../objects/operations.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { keyOf, type StoreEvent } from '../storage/store.ts';
import { aggregateRoles } from './aggregation.ts';
import { populateNamespace } from './bootstrap.ts';
import { DefinitionController } from './definitions.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { cleanUpNamespaces } from './namespaces.ts';
import { mayFreeStorage, releaseStorage } from './storage-protection.ts';
import type { ClusterWrites } from '../workloads/cluster.ts';
import { Workloads } from '../workloads/workloads.ts';

export interface ControllersOptions {
  readonly operations: Operations;
  readonly registry: ResourceRegistry;
  readonly endWatches: (storage: string) => void;
  /** Notes who writes the status of a definition. */
  readonly recordStatus: (value: MutableObject, old: JsonObject) => void;
  readonly conversion: ConversionParts;
  /** Notes that kube-controller-manager writes. */
  readonly record: ClusterWrites['record'];
  readonly garbageCollection: boolean;
  /** Makes workloads look alive; they stay as they are without it. */
  readonly workloads?: ClusterWrites;
  /** Resolves when the types of built-in kinds are there. */
  readonly loaded: () => Promise<unknown>;
  /** What becomes of an error that no controller expects. */
  readonly onError: (error: unknown) => void;
}

/** The controllers inside of the server: they follow the store's writes and work one after the other, each write in its turn. */
export class Controllers {
  readonly definitions: DefinitionController;
  readonly #options: ControllersOptions;
  readonly #collector: GarbageCollector;
  readonly #workloads: Workloads | undefined;
  readonly #observe: (storage: string, event: StoreEvent) => void;
  readonly #stop: () => void;
  readonly #tasks: (() => void | Promise<void>)[] = [];
  readonly #pending = new Set<string>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: ControllersOptions) {
    const { operations, registry } = options;
    this.#options = options;
    this.definitions = new DefinitionController(
      operations,
      registry,
      options.endWatches,
      options.recordStatus,
      options.conversion,
    );
    this.#collector = new GarbageCollector(operations, registry, options.record);
    this.#workloads =
      options.workloads === undefined
        ? undefined
        : new Workloads(operations, registry, options.workloads, () => this.#runWorkloads());
    this.#observe = (storage, event) => {
      if (storage === definitions) {
        this.#schedule(`definition ${event.key.name}`, () => this.definitions.reconcile(event.key.name));
        if (isTerminating(event.object)) this.#schedule('definitions', () => this.definitions.cleanUp());
      } else if (storage === clusterRoles) {
        this.#schedule('roles', () => aggregateRoles(operations.store, timestamp(operations.sources.now())));
      } else if (storage === 'namespaces') {
        if (event.type === 'ADDED') this.#schedule(`namespace ${event.key.name}`, () => this.#populate(event.key.name));
      } else if (storage === 'serviceaccounts' && event.type === 'DELETED') {
        this.#schedule(`namespace ${event.key.namespace}`, () => this.#populate(event.key.namespace));
      }
      if (event.type === 'DELETED' && storage !== definitions)
        this.#schedule('definitions', () => this.definitions.cleanUp());
      const inTerminating =
        storage === 'namespaces'
          ? isTerminating(event.object)
          : event.type === 'DELETED' || isTerminating(event.object);
      if (inTerminating) {
        this.#schedule('namespaces', async () => {
          await options.loaded();
          await cleanUpNamespaces(operations, registry, options.record);
        });
      }
      if (options.garbageCollection) {
        this.#collector.observe(storage, event);
        if (this.#collector.busy) this.#collectGarbage();
        if (mayFreeStorage(storage, event)) this.#schedule('storage', () => releaseStorage(operations, registry));
      }
      this.#workloads?.observe(storage, event);
      if (this.#workloads?.busy === true) this.#runWorkloads();
    };
    this.#stop = operations.store.onEvent(this.#observe);
  }

  /** Looks at all objects that are there already, as if they had just come. */
  takeOver(): void {
    const { store } = this.#options.operations;
    for (const [storage, objects] of store.dump().objects)
      for (const object of objects) {
        const revision = Number(text(object, 'metadata', 'resourceVersion'));
        this.#observe(storage, { type: 'ADDED', revision, key: keyOf(object), object, previous: undefined });
      }
  }

  /** The time jumped: what waits for a time may be due. */
  clockChanged(): void {
    if (this.#workloads === undefined) return;
    this.#workloads.checkAll();
    this.#runWorkloads();
  }

  /** Lets the workloads start: they need what the server loads while it starts. */
  startWorkloads(): void {
    if (this.#workloads !== undefined) this.#runWorkloads();
  }

  #runWorkloads(): void {
    this.#schedule('workloads', async () => {
      await this.#options.loaded();
      await this.#workloads?.run();
    });
  }

  #collectGarbage(): void {
    this.#schedule('garbage', async () => {
      // Who owned what can only be noted once the types are there.
      await this.#options.loaded();
      await this.#collector.run();
    });
  }

  /** Resolves when there is nothing left to do. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop();
    this.#workloads?.stop();
    this.#tasks.length = 0;
    await this.idle();
  }

  #populate(name: string): void {
    const { operations } = this.#options;
    const namespace = operations.store.collection('namespaces').get({ namespace: '', name });
    if (
      namespace === undefined ||
      isTerminating(namespace) ||
      text(namespace, 'status', 'phase') === 'Terminating' ||
      list(namespace, 'spec', 'finalizers').length === 0
    )
      return;
    populateNamespace(operations.store, operations.sources, name);
  }

  /** Does a task later in this turn of the event loop or after those before it; a task that waits already is not doubled. */
  #schedule(name: string, task: () => void | Promise<void>): void {
    if (this.#stopped || this.#pending.has(name)) return;
    this.#pending.add(name);
    this.#tasks.push(() => {
      this.#pending.delete(name);
      return task();
    });
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // The write that woke us is still being told to others.
    await Promise.resolve();
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      try {
        // Tasks that do not wait are done at once: a definition is served before the answer to its creation is sent.
        const waiting = task();
        if (waiting !== undefined) await waiting;
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#running = undefined;
  }
}
