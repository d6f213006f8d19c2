import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import { childSignal, raceSignal } from '../environment/child-signal.ts';
import type { Kind } from '../kind/kind.ts';
import type { Cached } from './cached.ts';
import { NotCachedError, StaleCacheError } from './errors.ts';
import { labelMatcher } from './labels.ts';
import { getLive, listLive } from './live-reads.ts';
import type { InformerLookup } from './informer-lookup.ts';
import type { OwnWrites } from './own-writes.ts';
import { collectionPath, objectPath } from './paths.ts';
import type { Rest } from './rest.ts';
import type { CachedReadOptions, ListOptions, ObjectKey } from './types.ts';

/** Reads that informers answer; without informers the server does. */
export class CachedReads {
  readonly #rest: Rest;
  readonly #cache: InformerLookup | undefined;
  readonly #ownWrites: OwnWrites;
  readonly #cacheWait: number;

  constructor(rest: Rest, cache: InformerLookup | undefined, ownWrites: OwnWrites, cacheWait: number) {
    this.#rest = rest;
    this.#cache = cache;
    this.#ownWrites = ownWrites;
    this.#cacheWait = cacheWait;
  }

  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: CachedReadOptions = {},
  ): Promise<Cached<T> | undefined> {
    const { signal } = options;
    // Refuses a wrong key, which the cache would call not found.
    objectPath(kind, key);
    const informer = await this.#synced(kind, 'get', signal);
    if (informer === undefined || !(await this.#seesOwnWrites(informer, key, options))) {
      return getLive(this.#rest, kind, key, signal);
    }
    return informer.indexer.get(key);
  }

  async list<T extends KubernetesObject>(kind: Kind<T>, options: ListOptions = {}): Promise<readonly Cached<T>[]> {
    const { namespace, labels, index, signal } = options;
    collectionPath(kind, namespace);
    const matches = labels === undefined ? undefined : labelMatcher(labels);
    const informer = await this.#synced(kind, 'list', signal);
    if (informer === undefined) {
      if (index !== undefined) throw new NotCachedError(`list of ${kind.kind}: an index needs a cache`);
      return listLive(this.#rest, kind, options);
    }
    if (index !== undefined) {
      const filled = informer.indexer.whenIndexed(index.name);
      await (signal === undefined ? filled : raceSignal(filled, signal));
    }
    const scope = namespace === undefined ? {} : { namespace };
    if (!(await this.#seesOwnWrites(informer, scope, options))) {
      throw new StaleCacheError(`list of ${kind.kind}: the cache has not seen all writes of this client yet`);
    }
    const { indexer } = informer;
    const selection = matches === undefined ? scope : { ...scope, labels: matches };
    return index === undefined ? indexer.list(selection) : indexer.byIndex(index.name, index.value, selection);
  }

  /** The informer that answers, filled; undefined for a client without cache. */
  async #synced<T extends KubernetesObject>(
    kind: Kind<T>,
    verb: 'get' | 'list',
    signal: AbortSignal | undefined,
  ): Promise<SharedInformer<T> | undefined> {
    if (this.#cache === undefined) return undefined;
    const informer = this.#cache.forRead === undefined ? this.#cache.existing(kind) : this.#cache.forRead(kind);
    if (informer === undefined) {
      throw new NotCachedError(
        `${verb} of ${kind.kind}: the kind is not in the cache; declare it with for, owns or watches, or read it with client.live.${verb}`,
      );
    }
    if (informer.hasSynced()) return informer;
    using wait = childSignal(signal, this.#rest.environment.clock, this.#cacheWait);
    try {
      await informer.waitForSync(wait.signal);
    } catch (error) {
      if (signal?.aborted === true || !wait.signal.aborted) throw error;
      const cause = informer.health().error;
      throw new StaleCacheError(
        `${verb} of ${kind.kind}: the cache is not filled yet${cause === undefined ? '' : ` (${cause.message})`}`,
      );
    }
    return informer;
  }

  async #seesOwnWrites<T extends KubernetesObject>(
    informer: SharedInformer<T>,
    scope: Partial<ObjectKey>,
    { readYourWrites, signal }: CachedReadOptions,
  ): Promise<boolean> {
    if (readYourWrites === false) return true;
    return this.#ownWrites.settled(informer as unknown as SharedInformer<KubernetesObject>, scope, signal);
  }
}
