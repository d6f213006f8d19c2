import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { IndexFunction } from './types.ts';

/** Finds objects by their namespace, with little memory of its own. */
export class NamespaceIndex<T extends KubernetesObject> {
  readonly #objects = new Map<string, Map<string, T>>();

  lookup(namespace: string): Iterable<T> {
    return this.#objects.get(namespace)?.values() ?? [];
  }

  put(key: string, object: T): void {
    const { namespace } = object.metadata;
    if (!namespace) return;
    const found = this.#objects.get(namespace);
    if (found === undefined) this.#objects.set(namespace, new Map([[key, object]]));
    else found.set(key, object);
  }

  remove(key: string, { metadata: { namespace = '' } }: T): void {
    const found = this.#objects.get(namespace);
    found?.delete(key);
    if (found?.size === 0) this.#objects.delete(namespace);
  }
}

/** Finds objects by the values that a function gives for them. */
export class ObjectIndex<T extends KubernetesObject> {
  readonly function: IndexFunction<T>;
  readonly #onError: (error: unknown) => void;
  readonly #objects = new Map<string, Map<string, T>>();
  /** The values of each object, so that it is found again even by a function that is not pure. */
  readonly #values = new Map<string, readonly string[]>();

  constructor(index: IndexFunction<T>, onError: (error: unknown) => void) {
    this.function = index;
    this.#onError = onError;
  }

  /** An index with the same function and no objects. */
  empty(): ObjectIndex<T> {
    return new ObjectIndex(this.function, this.#onError);
  }

  lookup(value: string): Iterable<T> {
    return this.#objects.get(value)?.values() ?? [];
  }

  put(key: string, object: T): void {
    if (this.#values.has(key)) this.remove(key);
    const values = this.#valuesOf(object);
    if (values.length === 0) return;
    this.#values.set(key, values);
    for (const value of values) {
      const found = this.#objects.get(value);
      if (found === undefined) this.#objects.set(value, new Map([[key, object]]));
      else found.set(key, object);
    }
  }

  remove(key: string): void {
    const values = this.#values.get(key);
    if (values === undefined) return;
    this.#values.delete(key);
    for (const value of values) {
      const found = this.#objects.get(value);
      found?.delete(key);
      if (found?.size === 0) this.#objects.delete(value);
    }
  }

  /** An object for which the function throws is in the cache, but not found by this index. */
  #valuesOf(object: T): readonly string[] {
    try {
      return this.function(freeze(object));
    } catch (error) {
      this.#onError(error);
      return [];
    }
  }
}
