import { deleteObject } from '../objects/deletion.ts';
import { copyOf, type Operations } from '../objects/operations.ts';
import { controllerOptions } from '../objects/write-options.ts';
import { isTerminating } from '../objects/metadata.ts';
import { isObject, list, member, text, texts, type Json, type JsonObject, type MutableObject } from '../json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError } from '../status.ts';
import type { ClusterWrites } from '../workloads/cluster.ts';
import type { ObjectKey, StoreEvent } from '../storage/store.ts';

interface Place {
  readonly storage: string;
  readonly key: ObjectKey;
}

type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown';

/**
 * Deletes what belongs to objects that are gone, by the uid of owner references: in the background, before the owner (foreground),
 * or not at all (orphan).
 */
export class GarbageCollector {
  readonly #operations: Operations;
  readonly #registry: ResourceRegistry;
  readonly #record: ClusterWrites['record'] | undefined;
  /** The dependents of each uid. */
  readonly #dependents = new Map<string, Map<string, Place>>();
  readonly #queue = new Map<string, Place>();

  constructor(operations: Operations, registry: ResourceRegistry, record?: ClusterWrites['record']) {
    this.#operations = operations;
    this.#registry = registry;
    this.#record = record;
  }

  /** Notes a write. Work is done by `run`. */
  observe(storage: string, event: StoreEvent): void {
    const place: Place = { storage, key: event.key };
    const id = idOf(place);
    if (event.previous !== undefined) {
      for (const owner of ownersOf(event.previous)) {
        const uid = text(owner, 'uid');
        const dependents = this.#dependents.get(uid);
        dependents?.delete(id);
        // An owner in foreground deletion may have waited for this one.
        this.#enqueueOwner(event.key, owner);
      }
    }
    if (event.type === 'DELETED') {
      for (const dependent of this.#dependents.get(text(event.object, 'metadata', 'uid'))?.values() ?? [])
        this.#queue.set(idOf(dependent), dependent);
      return;
    }
    const owners = ownersOf(event.object);
    for (const owner of owners) {
      const uid = text(owner, 'uid');
      let dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, (dependents = new Map()));
      dependents.set(id, place);
    }
    const finalizers = texts(event.object, 'metadata', 'finalizers');
    const special =
      isTerminating(event.object) &&
      finalizers.some((finalizer) => finalizer === 'orphan' || finalizer === 'foregroundDeletion');
    if (owners.length > 0 || special) this.#queue.set(id, place);
  }

  get busy(): boolean {
    return this.#queue.size > 0;
  }

  async run(): Promise<void> {
    while (this.#queue.size > 0) {
      const places = [...this.#queue.values()];
      this.#queue.clear();
      for (const place of places) {
        try {
          await this.#process(place);
        } catch (error) {
          // Somebody else was quicker: the event of that write brings the object here again.
          if (!(error instanceof ApiError) || (error.reason !== 'Conflict' && error.reason !== 'NotFound')) throw error;
        }
      }
    }
  }

  #enqueueOwner(dependent: ObjectKey, reference: Json): void {
    const resource = this.#registry.findKind(text(reference, 'apiVersion'), text(reference, 'kind'));
    if (resource === undefined) return;
    const place: Place = {
      storage: resource.storage,
      key: { namespace: resource.namespaced ? dependent.namespace : '', name: text(reference, 'name') },
    };
    const owner = this.#operations.store.collection(place.storage).get(place.key);
    if (owner !== undefined && isTerminating(owner)) this.#queue.set(idOf(place), place);
  }

  async #process(place: Place): Promise<void> {
    const resource = this.#registry.byStorage(place.storage);
    const found = this.#operations.store.collection(place.storage).get(place.key);
    if (resource === undefined || found === undefined) return;
    const finalizers = texts(found, 'metadata', 'finalizers');
    if (isTerminating(found)) {
      if (finalizers.includes('orphan')) await this.#orphan(resource, place.key, found);
      else if (finalizers.includes('foregroundDeletion')) await this.#foreground(resource, place.key, found);
      return;
    }
    const owners = ownersOf(found);
    if (owners.length === 0 || !resource.strategy.garbageCollected) return;
    const states = owners.map((owner) => this.#state(resource, place.key, owner));
    if (states.includes('unknown')) return;
    if (states.includes('solid')) {
      const kept = owners.filter((_, index) => states[index] === 'solid');
      if (kept.length < owners.length)
        await this.#rewrite(resource, place.key, (metadata) => (metadata['ownerReferences'] = kept));
      return;
    }
    const uid = text(found, 'metadata', 'uid');
    const hasDependents = (this.#dependents.get(uid)?.size ?? 0) > 0;
    const policy =
      states.includes('waiting') && hasDependents
        ? 'Foreground'
        : finalizers.includes('orphan')
          ? 'Orphan'
          : finalizers.includes('foregroundDeletion')
            ? 'Foreground'
            : 'Background';
    await deleteObject(this.#operations, resource, place.key, { uid, propagationPolicy: policy }, controllerOptions);
  }

  #state(resource: Resource, key: ObjectKey, reference: Json): OwnerState {
    const owner = this.#registry.findKind(text(reference, 'apiVersion'), text(reference, 'kind'));
    if (owner === undefined) return 'unknown';
    // A cluster-scoped object cannot belong to a namespaced one: such a reference means nothing.
    if (owner.namespaced && !resource.namespaced) return 'unknown';
    const found = this.#operations
      .collection(owner)
      .get({ namespace: owner.namespaced ? key.namespace : '', name: text(reference, 'name') });
    if (found === undefined || text(found, 'metadata', 'uid') !== text(reference, 'uid')) return 'dangling';
    return isTerminating(found) && texts(found, 'metadata', 'finalizers').includes('foregroundDeletion')
      ? 'waiting'
      : 'solid';
  }

  #placesOf(owner: JsonObject): readonly Place[] {
    return [...(this.#dependents.get(text(owner, 'metadata', 'uid'))?.values() ?? [])];
  }

  async #foreground(resource: Resource, key: ObjectKey, owner: JsonObject): Promise<void> {
    const uid = text(owner, 'metadata', 'uid');
    let blocked = false;
    for (const place of this.#placesOf(owner)) {
      const dependent = this.#operations.store.collection(place.storage).get(place.key);
      if (dependent === undefined) continue;
      const blocks = ownersOf(dependent).some(
        (reference) => text(reference, 'uid') === uid && member(reference, 'blockOwnerDeletion') === true,
      );
      if (blocks) blocked = true;
      if (!isTerminating(dependent)) this.#queue.set(idOf(place), place);
    }
    if (!blocked) await this.#removeFinalizer(resource, key, 'foregroundDeletion');
  }

  async #orphan(resource: Resource, key: ObjectKey, owner: JsonObject): Promise<void> {
    const uid = text(owner, 'metadata', 'uid');
    for (const place of this.#placesOf(owner)) {
      const dependent = this.#registry.byStorage(place.storage);
      if (dependent === undefined) continue;
      await this.#rewrite(dependent, place.key, (metadata) => {
        const kept = list(metadata, 'ownerReferences').filter((reference) => text(reference, 'uid') !== uid);
        if (kept.length === 0) delete metadata['ownerReferences'];
        else metadata['ownerReferences'] = kept;
      });
    }
    await this.#removeFinalizer(resource, key, 'orphan');
  }

  #removeFinalizer(resource: Resource, key: ObjectKey, finalizer: string): Promise<void> {
    return this.#rewrite(resource, key, (metadata) => {
      const kept = texts(metadata, 'finalizers').filter((other) => other !== finalizer);
      if (kept.length === 0) delete metadata['finalizers'];
      else metadata['finalizers'] = kept;
    });
  }

  async #rewrite(resource: Resource, key: ObjectKey, change: (metadata: MutableObject) => void): Promise<void> {
    await this.#operations.update(
      resource,
      key,
      '',
      (old) => {
        const next = copyOf(old);
        if (isObject(next['metadata'])) change(next['metadata']);
        return next;
      },
      { ...controllerOptions, ...this.#record?.(resource, ''), retry: true },
    );
  }
}

function ownersOf(value: JsonObject): readonly Json[] {
  return list(value, 'metadata', 'ownerReferences');
}

function idOf({ storage, key }: Place): string {
  return `${storage}/${key.namespace}/${key.name}`;
}
