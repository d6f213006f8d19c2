import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import { childSignal, raceSignal } from '../environment/child-signal.ts';
import type { Clock } from '../environment/environment.ts';
import type { Kind } from '../kind/kind.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import type { InformerLookup } from './informer-lookup.ts';
import type { Cached } from './cached.ts';
import type { ObjectKey } from './types.ts';

/** A read that waited until the cache had seen this client's own writes, for metrics. */
export interface CacheWait {
  readonly kind: Kind;
  readonly milliseconds: number;
  /** False: the time was up, the read went to the server or failed. */
  readonly seen: boolean;
}

/** A write that has no answer yet. */
interface Flight {
  readonly key: Partial<ObjectKey>;
  readonly done: Promise<void>;
}

/** A write of this client that the cache has perhaps not seen yet. */
interface OwnWrite {
  readonly key: ObjectKey;
  /** The version that the write gave, or the uid that it took away. */
  readonly seen: (informer: SharedInformer<KubernetesObject>) => boolean;
}

/** From so many remembered writes of a kind on it is looked which of them the cache has seen meanwhile. */
const pruneFrom = 256;

interface Writes {
  readonly byName: Map<string, OwnWrite>;
  pruneAt: number;
}

/**
 * Remembers what this client writes until the cache has seen it, so that reads can wait for it. Writes whose answer was lost are not
 * covered, nor is `deleteCollection`; for objects that the cache's selectors leave out the wait ends by its limit.
 */
export class OwnWrites {
  readonly #cache: InformerLookup | undefined;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #writes = new Map<string, Writes>();
  readonly #flights = new Map<string, Set<Flight>>();

  readonly #onWait: ((wait: CacheWait) => void) | undefined;

  /** `limit`: the longest wait of a read, in milliseconds. */
  constructor(cache: InformerLookup | undefined, clock: Clock, limit: number, onWait?: (wait: CacheWait) => void) {
    this.#onWait = onWait;
    this.#cache = cache;
    this.#clock = clock;
    this.#limit = limit;
  }

  /** How many writes are remembered. */
  get size(): number {
    let size = 0;
    for (const { byName } of this.#writes.values()) size += byName.size;
    return size;
  }

  /**
   * Before a write is sent: reads of the object, and lists of its kind, that begin before `end` wait for it. The name may be left out when
   * the server gives it.
   */
  begin(kind: Kind, key: Partial<ObjectKey>): { end(): void } {
    if (this.#cache?.existing(kind) === undefined) return { end() {} };
    const id = idOf(kind);
    const { promise, resolve } = Promise.withResolvers<void>();
    const flight: Flight = { key, done: promise };
    const flights = this.#flights.get(id) ?? new Set<Flight>();
    this.#flights.set(id, flights.add(flight));
    return {
      end: () => {
        flights.delete(flight);
        if (flights.size === 0) this.#flights.delete(id);
        resolve();
      },
    };
  }

  /** After an answer with the object as it is now. */
  wrote(kind: Kind, object: Cached<KubernetesObject>): void {
    const { name = '', namespace = '', resourceVersion } = object.metadata;
    // Of versions that have no order it cannot be told whether the cache has passed them.
    if (!resourceVersion || compareResourceVersions(resourceVersion, resourceVersion) === undefined) return;
    const key = { namespace, name };
    this.#remember(kind, { key, seen: (informer) => hasSeen(informer, key, resourceVersion) });
  }

  /** After an object of this uid was deleted for good; without a uid nothing can be told. */
  deleted(kind: Kind, key: ObjectKey, uid: string | undefined): void {
    if (uid === undefined) return;
    this.#remember(kind, { key, seen: (informer) => informer.indexer.peek(key)?.uid !== uid });
  }

  /** Whether the cache has seen the writes (of one object, or of all, or of a namespace); waits for it, bounded. */
  async settled(
    informer: SharedInformer<KubernetesObject>,
    scope: Partial<ObjectKey>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const id = idOf(informer.kind);
    // Those of now: writes that begin later do not make the wait longer.
    const flights = [...(this.#flights.get(id) ?? [])].filter(({ key }) => isInScope(key, scope));
    if (flights.length === 0 && this.#unseen(id, informer, scope).length === 0) return true;
    const start = this.#clock.monotonic();
    const done = (seen: boolean): boolean => {
      this.#onWait?.({ kind: informer.kind, milliseconds: this.#clock.monotonic() - start, seen });
      return seen;
    };
    using wait = childSignal(signal, this.#clock, this.#limit);
    try {
      await raceSignal(Promise.all(flights.map(({ done }) => done)), wait.signal);
      const unseen = this.#unseen(id, informer, scope);
      await informer.waitUntil(() => unseen.every((write) => write.seen(informer)), wait.signal);
      this.#unseen(id, informer, scope);
    } catch (error) {
      if (signal?.aborted === true || !wait.signal.aborted) throw error;
      return done(false);
    }
    return done(true);
  }

  #remember(kind: Kind, write: OwnWrite): void {
    const informer = this.#cache?.existing(kind);
    // What is not cached is never read from the cache.
    if (informer === undefined) return;
    const id = idOf(kind);
    const writes = this.#writes.get(id) ?? { byName: new Map<string, OwnWrite>(), pruneAt: pruneFrom };
    this.#writes.set(id, writes);
    writes.byName.set(`${write.key.namespace ?? ''}/${write.key.name}`, write);
    if (writes.byName.size < writes.pruneAt) return;
    this.#unseen(id, informer, {});
    writes.pruneAt = Math.max(pruneFrom, writes.byName.size * 2);
  }

  /** The writes in scope that the cache lacks; those that it has are forgotten. */
  #unseen(id: string, informer: SharedInformer<KubernetesObject>, scope: Partial<ObjectKey>): readonly OwnWrite[] {
    const unseen: OwnWrite[] = [];
    const byName = this.#writes.get(id)?.byName;
    for (const [name, write] of byName ?? []) {
      if (!isInScope(write.key, scope)) continue;
      if (write.seen(informer)) byName?.delete(name);
      else unseen.push(write);
    }
    return unseen;
  }
}

function isInScope(key: Partial<ObjectKey>, scope: Partial<ObjectKey>): boolean {
  if (scope.name !== undefined && key.name !== scope.name) return false;
  return !scope.namespace || key.namespace === scope.namespace;
}

function hasSeen(informer: SharedInformer<KubernetesObject>, key: ObjectKey, resourceVersion: string): boolean {
  return (
    reached(informer.resourceVersion, resourceVersion) ||
    reached(informer.indexer.peek(key)?.resourceVersion ?? '', resourceVersion)
  );
}

function reached(current: string, wanted: string): boolean {
  return (compareResourceVersions(current, wanted) ?? -1) >= 0;
}

function idOf({ apiVersion, kind }: Kind): string {
  return `${apiVersion} ${kind}`;
}
