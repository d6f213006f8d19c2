import { clone, type JsonObject, type MutableObject, object as objectAt, plain } from '../json.ts';

/** Where an object stands within its resource: the namespace is `''` for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** One committed write. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: ObjectKey;
  /** The object after the write; for a deletion its last state, with the revision of the deletion. */
  readonly object: JsonObject;
  /** The object before the write. */
  readonly previous: JsonObject | undefined;
}

/** Reading at a revision whose history is gone. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  readonly oldest: number;

  constructor(revision: number, oldest: number) {
    super(`revision ${revision} is compacted, the oldest is ${oldest}`);
    this.oldest = oldest;
  }
}

export interface StoreOptions {
  /** Events kept of each resource (default 10,000): older ones are compacted away. */
  readonly historyLimit?: number;
}

/**
 * All objects, in memory. One counter of revisions counts every write whatever its resource, as etcd does; each resource keeps its
 * events, which serve watches and reads at an earlier revision. Nothing here waits: a caller that reads and writes in one turn of
 * the event loop has a transaction. Objects that were handed in or out are never changed.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;
  readonly #listeners = new Set<(resource: string, event: StoreEvent) => void>();
  #revision = 1;

  constructor(options: StoreOptions = {}) {
    this.#historyLimit = options.historyLimit ?? 10_000;
  }

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** The objects of a resource; `resource` is any name that stands for one storage, such as `apps/deployments`. */
  collection(resource: string): Collection {
    let found = this.#collections.get(resource);
    if (found === undefined) {
      found = new Collection(
        () => ++this.#revision,
        this.#historyLimit,
        (event) => {
          for (const listener of this.#listeners) listener(resource, event);
        },
      );
      this.#collections.set(resource, found);
    }
    return found;
  }

  /** Forgets an empty collection that nothing watches any more (a deleted definition's). */
  drop(resource: string): void {
    this.#collections.delete(resource);
  }

  /** Calls `listener` with each committed write until the returned function is called. */
  onEvent(listener: (resource: string, event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the history up to `revision` (default: all of it), as etcd's compaction does. */
  compact(revision = this.#revision): void {
    for (const collection of this.#collections.values()) collection.compact(Math.min(revision, this.#revision));
  }

  /** Every object by resource: what `restore` takes. */
  dump(): { readonly revision: number; readonly objects: ReadonlyMap<string, readonly JsonObject[]> } {
    const objects = new Map<string, readonly JsonObject[]>();
    for (const [resource, collection] of this.#collections) {
      const items = collection.list();
      if (items.length > 0) objects.set(resource, items);
    }
    return { revision: this.#revision, objects };
  }

  /** Takes over a dump, with the revisions that the objects had. The store must be empty. */
  restore(dump: { readonly revision: number; readonly objects: ReadonlyMap<string, readonly JsonObject[]> }): void {
    for (const [resource, objects] of dump.objects) this.collection(resource).load(objects);
    this.#revision = dump.revision;
    this.compact();
  }
}

/** The objects of one resource. */
export class Collection {
  readonly #namespaces = new Map<string, Map<string, JsonObject>>();
  readonly #subscribers = new Set<(event: StoreEvent) => void>();
  readonly #nextRevision: () => number;
  readonly #historyLimit: number;
  readonly #committed: (event: StoreEvent) => void;
  #events: StoreEvent[] = [];
  #compacted = 0;
  #size = 0;

  constructor(nextRevision: () => number, historyLimit: number, committed: (event: StoreEvent) => void) {
    this.#nextRevision = nextRevision;
    this.#historyLimit = historyLimit;
    this.#committed = committed;
  }

  get size(): number {
    return this.#size;
  }

  /** Events up to this revision are gone. */
  get compactedRevision(): number {
    return this.#compacted;
  }

  get(key: ObjectKey): JsonObject | undefined {
    return this.#namespaces.get(key.namespace)?.get(key.name);
  }

  /** Stores an object that is not there yet and gives it back with its resourceVersion. */
  create(key: ObjectKey, object: JsonObject): JsonObject {
    if (this.get(key) !== undefined) throw new Error(`${key.namespace}/${key.name} is there already`);
    return this.#put('ADDED', key, object, undefined);
  }

  /** Stores a new state of an object that is there. */
  update(key: ObjectKey, object: JsonObject): JsonObject {
    const previous = this.get(key);
    if (previous === undefined) throw new Error(`${key.namespace}/${key.name} is not there`);
    return this.#put('MODIFIED', key, object, previous);
  }

  /** Takes an object away and gives its last state. */
  delete(key: ObjectKey): JsonObject {
    const previous = this.get(key);
    const objects = this.#namespaces.get(key.namespace);
    if (previous === undefined || objects === undefined) throw new Error(`${key.namespace}/${key.name} is not there`);
    const revision = this.#nextRevision();
    objects.delete(key.name);
    if (objects.size === 0) this.#namespaces.delete(key.namespace);
    this.#size--;
    const object = withRevision(previous, revision);
    this.#record({ type: 'DELETED', revision, key, object, previous });
    return object;
  }

  /**
   * The objects of a namespace (or of all) in the order of their keys, now or as they were at a revision.
   *
   * @throws CompactedError when the history does not reach back that far
   */
  list(namespace?: string, revision?: number): readonly JsonObject[] {
    const latest = this.#events.at(-1)?.revision ?? this.#compacted;
    if (revision === undefined || revision >= latest) return sorted(this.#namespaces, namespace);
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    const then = new Map<string, Map<string, JsonObject>>();
    for (const [name, objects] of this.#namespaces)
      if (namespace === undefined || name === namespace) then.set(name, new Map(objects));
    for (let index = this.#events.length - 1; index >= 0; index--) {
      const event = this.#events[index];
      if (event === undefined || event.revision <= revision) break;
      if (namespace !== undefined && event.key.namespace !== namespace) continue;
      let objects = then.get(event.key.namespace);
      if (objects === undefined) then.set(event.key.namespace, (objects = new Map()));
      if (event.previous === undefined) objects.delete(event.key.name);
      else objects.set(event.key.name, event.previous);
    }
    return sorted(then, namespace);
  }

  /**
   * The events after a revision.
   *
   * @throws CompactedError when some of them are gone
   */
  eventsAfter(revision: number): readonly StoreEvent[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  /** Calls `subscriber` with each write to come until the returned function is called. */
  subscribe(subscriber: (event: StoreEvent) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  compact(revision: number): void {
    if (revision <= this.#compacted) return;
    this.#events = this.#events.filter((event) => event.revision > revision);
    this.#compacted = revision;
  }

  /** Puts objects in as they are, without events. */
  load(objects: readonly JsonObject[]): void {
    for (const object of objects) {
      const metadata = objectAt(object, 'metadata');
      this.#set({ namespace: plain(metadata['namespace']), name: plain(metadata['name']) }, object);
      this.#size++;
    }
  }

  #put(type: 'ADDED' | 'MODIFIED', key: ObjectKey, object: JsonObject, previous: JsonObject | undefined): JsonObject {
    const revision = this.#nextRevision();
    const stored = withRevision(object, revision);
    this.#set(key, stored);
    if (previous === undefined) this.#size++;
    this.#record({ type, revision, key, object: stored, previous });
    return stored;
  }

  #set(key: ObjectKey, object: JsonObject): void {
    let objects = this.#namespaces.get(key.namespace);
    if (objects === undefined) this.#namespaces.set(key.namespace, (objects = new Map()));
    objects.set(key.name, object);
  }

  #record(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length > this.#historyLimit + this.#historyLimit / 8) {
      const dropped = this.#events.splice(0, this.#events.length - this.#historyLimit);
      this.#compacted = dropped.at(-1)?.revision ?? this.#compacted;
    }
    for (const subscriber of this.#subscribers) subscriber(event);
    this.#committed(event);
  }
}

function withRevision(object: JsonObject, revision: number): JsonObject {
  const result: MutableObject = Object.assign(Object.create(null), object) as MutableObject;
  const metadata = Object.assign(Object.create(null), objectAt(object, 'metadata')) as MutableObject;
  metadata['resourceVersion'] = String(revision);
  result['metadata'] = metadata;
  return result;
}

function sorted(
  namespaces: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>,
  namespace: string | undefined,
): readonly JsonObject[] {
  const result: JsonObject[] = [];
  const chosen = namespace === undefined ? [...namespaces.keys()].sort(byKey) : [namespace];
  for (const name of chosen) {
    const objects = namespaces.get(name);
    if (objects !== undefined)
      for (const key of [...objects.keys()].sort(byText)) result.push(objects.get(key) as JsonObject);
  }
  return result;
}

/** Keys are sorted with the slash behind the namespace, as etcd has them: `a-b/x` comes before `a/x`. */
function byKey(left: string, right: string): number {
  return byText(`${left}/`, `${right}/`);
}

export function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Where an object is kept. */
export function keyOf(object: JsonObject): ObjectKey {
  const metadata = objectAt(object, 'metadata');
  return {
    namespace: typeof metadata['namespace'] === 'string' ? metadata['namespace'] : '',
    name: plain(metadata['name']),
  };
}

/** A copy of a stored object that may be changed. */
export function draft(stored: JsonObject): MutableObject {
  return clone<MutableObject>(stored);
}
