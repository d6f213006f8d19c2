import {
  at,
  equal,
  fromPlain,
  isObject,
  list,
  numeric,
  object,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { deleteObject } from '../objects/deletion.ts';
import { isTerminating } from '../objects/metadata.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import { controllerOptions, type WriteOptions } from '../objects/write-options.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { ApiError } from '../status.ts';
import { keyOf, type ObjectKey } from '../storage/store.ts';

/** Says who writes an object, for its `managedFields`. */
export type RecordManager = (resource: Resource, subresource: string) => Pick<WriteOptions, 'manageFields'>;

/** How controllers write, and what they know of kinds. */
export interface ClusterWrites {
  readonly record: RecordManager;
  readonly applyStatus: (resource: Resource, key: ObjectKey, status: JsonObject, manager: string) => Promise<void>;
  /** The schema of a kind without references; undefined when there is none. */
  readonly schemaOf: (resource: Resource) => Promise<JsonObject | undefined>;
  /** Whether there is a node that runs pods; otherwise they stay pending. */
  readonly runsPods: boolean;
}

/** The built-in kinds that workloads are made of, by the names of their storages. */
export const kinds = {
  pods: 'pods',
  nodes: 'nodes',
  services: 'services',
  endpoints: 'endpoints',
  claims: 'persistentvolumeclaims',
  endpointSlices: 'endpointslices.discovery.k8s.io',
  revisions: 'controllerrevisions.apps',
  replicationControllers: 'replicationcontrollers',
  replicaSets: 'replicasets.apps',
  deployments: 'deployments.apps',
  statefulSets: 'statefulsets.apps',
  daemonSets: 'daemonsets.apps',
  jobs: 'jobs.batch',
  cronJobs: 'cronjobs.batch',
  disruptionBudgets: 'poddisruptionbudgets.policy',
  events: 'events',
  policies: 'validatingadmissionpolicies.admissionregistration.k8s.io',
} as const;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** The node on which all pods run. */
export const nodeName = 'embedded';

/** Reads and writes objects as the controllers of a cluster do. */
export class Cluster {
  readonly #operations: Operations;
  readonly #registry: ResourceRegistry;
  readonly #writes: ClusterWrites;

  constructor(operations: Operations, registry: ResourceRegistry, writes: ClusterWrites) {
    this.#operations = operations;
    this.#registry = registry;
    this.#writes = writes;
  }

  /** Whether there is a node that runs pods; otherwise they stay pending. */
  get runsPods(): boolean {
    return this.#writes.runsPods;
  }

  get now(): number {
    return this.#operations.sources.now();
  }

  /** The time as objects carry it. */
  get timestamp(): string {
    return timestamp(this.now);
  }

  /** A name for an event about an object: another one each time. */
  eventName(name: string): string {
    const random = this.#operations.sources.uuid().replaceAll('-', '').slice(0, 16);
    return `${name}.${random}`;
  }

  get(kind: Kind, key: ObjectKey): JsonObject | undefined {
    return this.#operations.store.collection(kind).get(key);
  }

  list(kind: Kind, namespace?: string): readonly JsonObject[] {
    return this.#operations.store.collection(kind).list(namespace);
  }

  /** Creates an object; one that is there already is given back as it is. */
  async create(kind: Kind, namespace: string, value: Readonly<Record<string, unknown>>): Promise<JsonObject> {
    const resource = this.#resource(kind);
    const document = fromPlain({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...value }) as JsonObject;
    const { object: decoded } = resource.strategy.decode(document);
    try {
      return await this.#operations.create(resource, namespace, decoded, {
        ...controllerOptions,
        ...this.#writes.record(resource, ''),
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
      const present = this.get(kind, { namespace, name: text(document, 'metadata', 'name') });
      if (present === undefined) throw error;
      return present;
    }
  }

  /** Changes an object; one that is gone is none of our business any more. */
  async update(kind: Kind, found: JsonObject, change: (draft: MutableObject) => void, subresource = ''): Promise<void> {
    const resource = this.#resource(kind);
    try {
      await this.#operations.update(
        resource,
        keyOf(found),
        subresource,
        (old) => {
          const draft = copyOf(old);
          change(draft);
          return draft;
        },
        { ...controllerOptions, ...this.#writes.record(resource, subresource), retry: true },
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
    }
  }

  /** Gives an object a status; nothing is written when it has it already. */
  async updateStatus(kind: Kind, found: JsonObject, status: Readonly<Record<string, unknown>>): Promise<void> {
    const next = fromPlain(status);
    if (equal(object(found, 'status'), next)) return;
    await this.update(kind, found, (draft) => void (draft['status'] = next), 'status');
  }

  /** Applies a status under the name of a manager. */
  async applyStatus(kind: Kind, found: JsonObject, status: Readonly<Record<string, unknown>>, manager: string) {
    try {
      await this.#writes.applyStatus(this.#resource(kind), keyOf(found), fromPlain(status) as JsonObject, manager);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
    }
  }

  /** All resources that are served. */
  resources(): readonly Resource[] {
    return this.#registry.all();
  }

  async schemaOf(resource: Resource): Promise<JsonObject | undefined> {
    return this.#writes.schemaOf(resource);
  }

  async delete(kind: Kind, found: JsonObject, gracePeriodSeconds?: number): Promise<void> {
    const deletion = {
      propagationPolicy: 'Background',
      uid: uidOf(found),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    };
    try {
      await deleteObject(this.#operations, this.#resource(kind), keyOf(found), deletion, controllerOptions);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
    }
  }

  #resource(kind: Kind): Resource {
    const found = this.#registry.byStorage(kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  }
}

export function uidOf(value: JsonObject): string {
  return text(value, 'metadata', 'uid');
}

export function nameOf(value: JsonObject): string {
  return text(value, 'metadata', 'name');
}

export function namespaceOf(value: JsonObject): string {
  return text(value, 'metadata', 'namespace');
}

/** A whole number at a path; `absent` when there is none. */
export function numberAt(value: JsonObject, absent: number, ...path: readonly string[]): number {
  return numeric(at(value, ...path)) ?? absent;
}

/** The reference of the controller that an object belongs to. */
export function controllerOf(value: JsonObject): Json | undefined {
  return list(value, 'metadata', 'ownerReferences').find((owner) => object(owner)['controller'] === true);
}

/** What an object's children carry as the reference to it. */
export function ownerReference(owner: JsonObject): Readonly<Record<string, unknown>> {
  return {
    apiVersion: owner['apiVersion'],
    kind: owner['kind'],
    name: nameOf(owner),
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A condition of a status, by its type. */
export function conditionOf(value: JsonObject, type: string): Json | undefined {
  return list(value, 'status', 'conditions').find((condition) => text(condition, 'type') === type);
}

export function isConditionTrue(value: JsonObject, type: string): boolean {
  return text(conditionOf(value, type), 'status') === 'True';
}

/** Whether a pod is one that counts: neither finished nor being deleted. */
export function isActive(pod: JsonObject): boolean {
  return !isTerminating(pod) && !isFinished(pod);
}

export function isFinished(pod: JsonObject): boolean {
  return ['Succeeded', 'Failed'].includes(text(pod, 'status', 'phase'));
}

export function isReady(pod: JsonObject): boolean {
  return isConditionTrue(pod, 'Ready');
}

/** For how many milliseconds a pod still has to be ready before it counts as available; 0 when it does. */
export function untilAvailable(pod: JsonObject, minReadySeconds: number, now: number): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY;
  const since = Date.parse(text(conditionOf(pod, 'Ready'), 'lastTransitionTime'));
  return Number.isNaN(since) ? 0 : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** A number of pods, or a share of them in percent. */
export function scaled(value: Json | undefined, total: number, up: boolean): number {
  if (typeof value === 'string' && value.endsWith('%')) {
    const share = (Number(value.slice(0, -1)) * total) / 100;
    return up ? Math.ceil(share) : Math.floor(share);
  }
  return numeric(value) ?? 0;
}

/** The pod of a template, with more labels and annotations and its owner. */
export function podOf(
  template: Json | undefined,
  owner: JsonObject,
  more: {
    readonly name?: string;
    readonly generateName?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec?: Readonly<Record<string, unknown>>;
  },
): Readonly<Record<string, unknown>> {
  const labels = { ...object(template, 'metadata', 'labels'), ...more.labels };
  const annotations = { ...object(template, 'metadata', 'annotations'), ...more.annotations };
  const finalizers = list(template, 'metadata', 'finalizers');
  return {
    metadata: {
      ...(more.name !== undefined && { name: more.name }),
      ...(more.generateName !== undefined && { generateName: more.generateName }),
      labels,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(finalizers.length > 0 && { finalizers }),
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...object(template, 'spec'), ...more.spec },
  };
}

export { isObject, isTerminating };
