import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { ObjectKey } from '../client/types.ts';
import type { LazyObject } from './lazy-object.ts';
import type { Store } from './store.ts';
import type { IndexFunction, Indexer, SelectOptions } from './types.ts';

/** Several namespaces, each with a store of its own that is listed and replaced alone, as one. */
export class NamespacedStores<T extends KubernetesObject> implements Indexer<T> {
  readonly #stores: ReadonlyMap<string, Store<T>>;

  constructor(stores: ReadonlyMap<string, Store<T>>) {
    this.#stores = stores;
  }

  get size(): number {
    let size = 0;
    for (const store of this.#stores.values()) size += store.size;
    return size;
  }

  get(key: ObjectKey): Cached<T> | undefined {
    return this.#stores.get(key.namespace ?? '')?.get(key);
  }

  peek(key: ObjectKey): LazyObject<T> | undefined {
    return this.#stores.get(key.namespace ?? '')?.peek(key);
  }

  list({ namespace, ...options }: SelectOptions = {}): readonly Cached<T>[] {
    return this.#of(namespace).flatMap((store) => store.list(options));
  }

  byIndex(name: string, value: string, { namespace, ...options }: SelectOptions = {}): readonly Cached<T>[] {
    // An unknown index is an error whatever the namespace.
    const [first] = this.#stores.values();
    first?.byIndex(name, value, { ...options, labels: () => false });
    return this.#of(namespace).flatMap((store) => store.byIndex(name, value, options));
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    for (const store of this.#stores.values()) store.addIndex(name, index);
  }

  async whenIndexed(name: string): Promise<void> {
    await Promise.all(Array.from(this.#stores.values(), (store) => store.whenIndexed(name)));
  }

  #of(namespace: string | undefined): readonly Store<T>[] {
    if (!namespace) return [...this.#stores.values()];
    const store = this.#stores.get(namespace);
    return store === undefined ? [] : [store];
  }
}
