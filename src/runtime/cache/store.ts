import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { TurnBudget } from '../environment/turn-budget.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import { inSlices } from './in-slices.ts';
import { IndexSet } from './index-set.ts';
import { storeKey, type StoredObject } from './lazy-object.ts';
import type { ObjectVersion } from './object-version.ts';
import { NamespaceIndex } from './object-index.ts';
import type { IndexFunction, Indexer, SelectOptions } from './types.ts';

/** What changed in a store. */
export type Delta<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: StoredObject<T> }
  | { readonly type: 'update'; readonly previous: StoredObject<T>; readonly object: StoredObject<T> }
  | { readonly type: 'delete'; readonly object: StoredObject<T>; readonly finalStateUnknown: boolean };

export interface StoreOptions {
  readonly onIndexError: (name: string, error: unknown) => void;
  /** For indexes that come late. */
  readonly budget: TurnBudget;
}

/**
 * The objects of one kind (or of one of its namespaces) with their indexes. Whatever leaves by the `Indexer` methods is parsed and frozen
 * then. Each change says what it changed; an object that comes again in the same version changes nothing.
 */
export class Store<T extends KubernetesObject> implements Indexer<T> {
  #objects = new Map<string, StoredObject<T>>();
  #namespaces = new NamespaceIndex();
  readonly #indexes: IndexSet<T>;

  constructor({ onIndexError, budget }: StoreOptions) {
    this.#indexes = new IndexSet(onIndexError, budget);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): Cached<T> | undefined {
    const object = this.#objects.get(storeKey(key.namespace, key.name));
    return object?.object;
  }

  peek(key: ObjectKey): StoredObject<T> | undefined {
    return this.#objects.get(storeKey(key.namespace, key.name));
  }

  list({ namespace, labels }: SelectOptions = {}): readonly Cached<T>[] {
    const objects = namespace ? this.#in(namespace) : this.#objects.values();
    if (labels === undefined) return Array.from(objects, read);
    return Array.from(
      Iterator.from(objects).filter((object) => labels(object.labels)),
      read,
    );
  }

  byIndex(name: string, value: string, { namespace, labels }: SelectOptions = {}): readonly Cached<T>[] {
    const found: Cached<T>[] = [];
    for (const object of this.#indexes.get(name).lookup(value)) {
      if (namespace && object.namespace !== namespace) continue;
      if (labels === undefined || labels(object.labels)) found.push(object.object);
    }
    return found;
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#indexes.add(name, index, this.#objects);
  }

  whenIndexed(name: string): Promise<void> {
    return this.#indexes.whenFilled(name);
  }

  /** Adds an object or takes a newer version of it. An older one, as a watch may repeat it, changes nothing. */
  upsert(object: StoredObject<T>): readonly Delta<T>[] {
    const { key } = object;
    const previous = this.#objects.get(key);
    if (previous !== undefined && isSame(previous, object) && previous.isUnreadable) {
      previous.heal(object);
      this.#put(key, previous);
      return [{ type: 'update', previous, object: previous }];
    }
    if (previous !== undefined && isStale(object, previous)) {
      object.supersede();
      return [];
    }
    if (previous !== undefined) {
      object.shareKey(previous);
      previous.supersede();
    } else {
      this.#namespaces.add(key, object.namespace);
    }
    this.#put(object.key, object);
    return change(previous, object);
  }

  /** Takes the object out. `final` is its last state, unless it is older than what the store has. */
  delete(final: StoredObject<T>): readonly Delta<T>[] {
    const { key } = final;
    const previous = this.#objects.get(key);
    final.supersede();
    if (previous === undefined || isOlder(final, previous)) return [];
    previous.supersede();
    this.#objects.delete(key);
    this.#namespaces.remove(key, previous.namespace);
    this.#indexes.remove(key);
    // The delete of another object of this name: what the store had is gone, too, unseen.
    if (previous.uid !== final.uid) return [{ type: 'delete', object: previous, finalStateUnknown: true }];
    return [{ type: 'delete', object: final, finalStateUnknown: false }];
  }

  /** All objects of now, as they are stored. */
  stored(): readonly StoredObject<T>[] {
    return [...this.#objects.values()];
  }

  /** Some of the objects, as they are stored. */
  *sample(count: number): Generator<StoredObject<T>, void, undefined> {
    let left = count;
    for (const object of this.#objects.values()) {
      if (left-- <= 0) return;
      yield object;
    }
  }

  /** The stored object of the same uid and version, when there is one: a relist need not keep two copies of it. */
  same(object: StoredObject<KubernetesObject>): StoredObject<T> | undefined {
    if (this.#objects.size === 0) return undefined;
    const stored = this.#objects.get(object.key);
    return stored !== undefined && isSame(stored, object) && !stored.isUnreadable ? stored : undefined;
  }

  /**
   * Makes the store hold exactly these objects, which it takes over. Indexes are built aside, with turns of the event loop, and swapped in
   * at one moment: no reader sees a state between. Nobody else may write meanwhile. Deletes come first in the answer. `onSwap` is called in
   * that moment: who asks the store later finds the new state.
   */
  async replace(
    objects: Map<string, StoredObject<T>>,
    budget: TurnBudget,
    onSwap?: () => void,
  ): Promise<readonly Delta<T>[]> {
    const deltas: Delta<T>[] = [];
    const namespaces = new NamespaceIndex();
    await inSlices(this.#objects.values(), budget, (object) => {
      if (!objects.has(object.key)) deltas.push({ type: 'delete', object, finalStateUnknown: true });
    });
    await inSlices(objects.values(), budget, (listed) => {
      const { key } = listed;
      const previous = this.#objects.get(key);
      const object = previous !== undefined && isSame(previous, listed) ? previous : listed;
      if (object !== listed) objects.set(key, object);
      namespaces.add(key, object.namespace);
      if (previous === undefined) deltas.push({ type: 'add', object });
      else if (previous !== listed && previous === object && previous.isUnreadable) {
        previous.heal(listed);
        deltas.push({ type: 'update', previous, object });
      } else if (previous !== object) deltas.push(...change(previous, object));
    });
    await this.#indexes.rebuild(objects, budget, () => {
      this.#objects = objects;
      this.#namespaces = namespaces;
      onSwap?.();
    });
    return deltas;
  }

  *#in(namespace: string): Generator<StoredObject<T>, void, undefined> {
    for (const key of this.#namespaces.lookup(namespace)) {
      const object = this.#objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  #put(key: string, object: StoredObject<T>): void {
    this.#objects.set(key, object);
    this.#indexes.put(key, object);
  }
}

function read<T extends KubernetesObject>(object: StoredObject<T>): Cached<T> {
  return object.object;
}

/** Another uid under the same name is another object: a delete that was missed, and an add. */
function change<T extends KubernetesObject>(
  previous: StoredObject<T> | undefined,
  object: StoredObject<T>,
): readonly Delta<T>[] {
  if (previous === undefined) return [{ type: 'add', object }];
  if (previous.uid === object.uid) return [{ type: 'update', previous, object }];
  return [
    { type: 'delete', object: previous, finalStateUnknown: true },
    { type: 'add', object },
  ];
}

function isSame(one: ObjectVersion, other: ObjectVersion): boolean {
  return one.resourceVersion !== undefined && one.resourceVersion === other.resourceVersion && one.uid === other.uid;
}

function isStale(object: ObjectVersion, stored: ObjectVersion): boolean {
  return isSame(object, stored) || isOlder(object, stored);
}

function isOlder(object: ObjectVersion, stored: ObjectVersion): boolean {
  const order = compareResourceVersions(object.resourceVersion ?? '', stored.resourceVersion ?? '');
  return order !== undefined && order < 0;
}
