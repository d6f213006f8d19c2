import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { StoredObject } from './lazy-object.ts';
import { looksAtMetadataOnly, metadataView } from './metadata-view.ts';
import type { IndexFunction } from './types.ts';

/** The keys of each namespace, which stay when an object changes. Has little memory of its own. */
export class NamespaceIndex {
  readonly #keys = new Map<string, Set<string>>();

  lookup(namespace: string): Iterable<string> {
    return this.#keys.get(namespace) ?? [];
  }

  add(key: string, namespace: string): void {
    if (namespace === '') return;
    const found = this.#keys.get(namespace);
    if (found === undefined) this.#keys.set(namespace, new Set([key]));
    else found.add(key);
  }

  remove(key: string, namespace: string): void {
    const found = this.#keys.get(namespace);
    found?.delete(key);
    if (found?.size === 0) this.#keys.delete(namespace);
  }
}

/**
 * So many objects, and so many characters of them, wait for the function of an index at most (or one object, however large): a lookup
 * asks about all of them, without a turn of the event loop.
 */
const maxPending = 1024;
const maxPendingSize = 2 * 1024 * 1024;

interface Pending<T extends KubernetesObject> {
  readonly object: StoredObject<T>;
  readonly size: number;
}

/**
 * Finds objects by the values that a function gives for them. An object whose body is not parsed is asked about at the next lookup: of
 * many versions that come before it only the last is parsed.
 */
export class ObjectIndex<T extends KubernetesObject> {
  readonly function: IndexFunction<T>;
  readonly #onError: (error: unknown) => void;
  readonly #isOfMetadata: boolean;
  readonly #objects = new Map<string, Map<string, StoredObject<T>>>();
  /** The values of each object, so that it is found again even by a function that is not pure. */
  readonly #values = new Map<string, readonly string[]>();
  /** Those about which the function was not asked yet, the one that changed last at the end. */
  readonly #pending = new Map<string, Pending<T>>();
  #pendingSize = 0;

  constructor(index: IndexFunction<T>, onError: (error: unknown) => void) {
    this.function = index;
    this.#isOfMetadata = looksAtMetadataOnly(index);
    this.#onError = onError;
  }

  /** An index with the same function and no objects. */
  empty(): ObjectIndex<T> {
    return new ObjectIndex(this.function, this.#onError);
  }

  lookup(value: string): Iterable<StoredObject<T>> {
    for (const [key, { object }] of this.#pending) this.putNow(key, object);
    return this.#objects.get(value)?.values() ?? [];
  }

  put(key: string, object: StoredObject<T>): void {
    if (object.isParsed || this.#isOfMetadata) {
      this.putNow(key, object);
      return;
    }
    this.#settle(key);
    const size = object.size();
    this.#pending.set(key, { object, size });
    this.#pendingSize += size;
    for (const [oldest, { object: waiting }] of this.#pending) {
      if (oldest === key || (this.#pending.size <= maxPending && this.#pendingSize <= maxPendingSize)) break;
      this.putNow(oldest, waiting);
    }
  }

  /** Asks the function at once. */
  putNow(key: string, object: StoredObject<T>): void {
    const values = this.#valuesOf(object);
    const before = this.#values.get(key);
    // Most changes leave an object where it is.
    if (before !== undefined && isEqual(before, values)) {
      this.#settle(key);
      for (const value of values) this.#objects.get(value)?.set(key, object);
      return;
    }
    this.remove(key);
    if (values.length === 0) return;
    this.#values.set(key, values);
    for (const value of values) {
      const found = this.#objects.get(value);
      if (found === undefined) this.#objects.set(value, new Map([[key, object]]));
      else found.set(key, object);
    }
  }

  remove(key: string): void {
    this.#settle(key);
    const values = this.#values.get(key);
    if (values === undefined) return;
    this.#values.delete(key);
    for (const value of values) {
      const found = this.#objects.get(value);
      found?.delete(key);
      if (found?.size === 0) this.#objects.delete(value);
    }
  }

  #settle(key: string): void {
    if (this.#pending.size === 0) return;
    this.#pendingSize -= this.#pending.get(key)?.size ?? 0;
    this.#pending.delete(key);
  }

  /** An object for which the function throws is in the cache, but not found by this index. */
  #valuesOf(object: StoredObject<T>): readonly string[] {
    try {
      return this.function(this.#isOfMetadata ? (metadataView(object) as Cached<T>) : object.object);
    } catch (error) {
      this.#onError(error);
      return [];
    }
  }
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
