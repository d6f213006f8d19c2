import { isObject, object, text, type JsonObject } from '../json.ts';
import type { Operations } from '../objects/operations.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { ApiError } from '../status.ts';
import type { ObjectKey, StoreEvent } from '../storage/store.ts';
import { reconcileClaim } from './claims.ts';
import { Cluster, controllerOf, kinds, nodeName, type ClusterWrites, type Kind } from './cluster.ts';
import { reconcileCronJob } from './cron-jobs.ts';
import { reconcileDaemonSet } from './daemon-sets.ts';
import { reconcileDeployment } from './deployments.ts';
import { reconcileDisruptionBudget } from './disruption-budgets.ts';
import { reconcileService, removeEndpoints } from './endpoints.ts';
import { reconcileJob } from './jobs.ts';
import { ensureNode, reconcilePod } from './pods.ts';
import { checkPolicyTypes } from './policies.ts';
import { reconcileReplicaSet, reconcileReplicationController } from './replica-sets.ts';
import { reconcileStatefulSet } from './stateful-sets.ts';

/** Looks at one object; gives the milliseconds after which it is to be looked at again without an event. */
type Reconcile = (cluster: Cluster, found: JsonObject) => Promise<number | void | undefined>;

const reconcilers: Partial<Readonly<Record<Kind, Reconcile>>> = {
  [kinds.pods]: reconcilePod,
  [kinds.claims]: reconcileClaim,
  [kinds.services]: reconcileService,
  [kinds.replicationControllers]: reconcileReplicationController,
  [kinds.replicaSets]: reconcileReplicaSet,
  [kinds.deployments]: reconcileDeployment,
  [kinds.statefulSets]: reconcileStatefulSet,
  [kinds.daemonSets]: reconcileDaemonSet,
  [kinds.jobs]: reconcileJob,
  [kinds.cronJobs]: reconcileCronJob,
  [kinds.disruptionBudgets]: reconcileDisruptionBudget,
  [kinds.policies]: checkPolicyTypes,
};

/** What a node and its volumes do: not there when pods stay pending. */
const ofNodes: readonly Kind[] = [kinds.pods, kinds.claims];

/** The kinds that owner references name. */
const ownerKinds: Readonly<Record<string, Kind>> = {
  ReplicationController: kinds.replicationControllers,
  ReplicaSet: kinds.replicaSets,
  Deployment: kinds.deployments,
  StatefulSet: kinds.statefulSets,
  DaemonSet: kinds.daemonSets,
  Job: kinds.jobs,
  CronJob: kinds.cronJobs,
};

/** What adopts pods that belong to nobody. */
const podOwners = [
  kinds.replicationControllers,
  kinds.replicaSets,
  kinds.statefulSets,
  kinds.daemonSets,
  kinds.jobs,
] as const;

interface Item {
  readonly kind: Kind;
  readonly key: ObjectKey;
}

const slowestRetry = 60_000;
/** Timers run for no longer, and wake up too often then. */
const longestTimer = 86_400_000;

/**
 * Makes workloads look alive: the loops of a controller manager, a scheduler and a kubelet, as far as owners of workloads see them.
 * Pods run as soon as they are made, and are through at once where their containers are not to be started again; without a node that
 * runs them they stay pending, as where only a controller manager stands beside a server.
 */
export class Workloads {
  readonly #cluster: Cluster;
  readonly #reconcilers: Partial<Readonly<Record<Kind, Reconcile>>>;
  readonly #wake: () => void;
  readonly #queue = new Map<string, Item>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  #started = false;
  #stopped = false;

  /** @param wake asks for `run`, after a time that no event ends */
  constructor(operations: Operations, registry: ResourceRegistry, writes: ClusterWrites, wake: () => void) {
    this.#cluster = new Cluster(operations, registry, writes);
    this.#reconcilers = Object.fromEntries(
      Object.entries(reconcilers).filter(([kind]) => writes.runsPods || !(ofNodes as readonly string[]).includes(kind)),
    );
    this.#wake = wake;
  }

  get busy(): boolean {
    return !this.#started || this.#queue.size > 0;
  }

  /** Notes a write. Work is done by `run`. */
  observe(storage: string, event: StoreEvent): void {
    const kind = Object.values(kinds).find((known) => known === storage);
    if (kind === undefined) return;
    const { key, object: value, previous, type } = event;
    this.#add(kind, key);
    for (const state of [value, previous]) if (state !== undefined) this.#addOwner(key.namespace, state);
    if (kind === kinds.pods || Object.values(ownerKinds).includes(kind))
      this.#addAll(kinds.disruptionBudgets, key.namespace);
    if (kind === kinds.pods) {
      for (const service of this.#cluster.list(kinds.services, key.namespace))
        this.#add(kinds.services, { namespace: key.namespace, name: text(service, 'metadata', 'name') });
      if (type !== 'DELETED' && controllerOf(value) === undefined)
        for (const owner of podOwners) this.#addAll(owner, key.namespace);
    } else if (kind === kinds.replicaSets && type !== 'DELETED' && controllerOf(value) === undefined)
      this.#addAll(kinds.deployments, key.namespace);
    else if (kind === kinds.nodes) {
      this.#addAll(kinds.daemonSets);
      if (key.name === nodeName) this.#addAll(kinds.pods);
    }
  }

  /** Looks at everything again. */
  checkAll(): void {
    for (const kind of Object.values(kinds)) this.#addAll(kind);
  }

  async run(): Promise<void> {
    if (!this.#started) {
      this.#started = true;
      if (this.#cluster.runsPods) await ensureNode(this.#cluster);
      // What was there before us.
      this.checkAll();
    }
    while (this.#queue.size > 0 && !this.#stopped) {
      const items = [...this.#queue];
      this.#queue.clear();
      for (const [id, item] of items) if (!this.#stopped) await this.#process(id, item);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #add(kind: Kind, key: ObjectKey): void {
    if (this.#reconcilers[kind] === undefined) return;
    this.#queue.set(`${kind}/${key.namespace}/${key.name}`, { kind, key });
  }

  #addAll(kind: Kind, namespace?: string): void {
    for (const found of this.#cluster.list(kind, namespace))
      this.#add(kind, { namespace: text(found, 'metadata', 'namespace'), name: text(found, 'metadata', 'name') });
  }

  #addOwner(namespace: string, value: JsonObject): void {
    const owner = controllerOf(value);
    const kind = isObject(owner) ? ownerKinds[text(owner, 'kind')] : undefined;
    if (kind !== undefined) this.#add(kind, { namespace, name: text(object(owner), 'name') });
  }

  async #process(id: string, { kind, key }: Item): Promise<void> {
    const found = this.#cluster.get(kind, key);
    if (found === undefined) {
      if (kind === kinds.services) await removeEndpoints(this.#cluster, key.namespace, key.name);
      return;
    }
    let wait: number | void | undefined;
    try {
      wait = await this.#reconcilers[kind]?.(this.#cluster, found);
      this.#failures.delete(id);
    } catch (error) {
      // Admission, or a namespace that goes away, may refuse what a controller writes: it tries again.
      if (!(error instanceof ApiError)) throw error;
      const failures = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, failures);
      wait = Math.min(slowestRetry, 1000 * 2 ** (failures - 1));
    }
    if (typeof wait === 'number') this.#later(id, { kind, key }, wait);
  }

  #later(id: string, item: Item, milliseconds: number): void {
    clearTimeout(this.#timers.get(id));
    if (this.#stopped) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(id);
        this.#queue.set(id, item);
        this.#wake();
      },
      Math.min(milliseconds, longestTimer),
    );
    timer.unref();
    this.#timers.set(id, timer);
  }
}
