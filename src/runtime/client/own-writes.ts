import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import { childSignal } from '../environment/child-signal.ts';
import type { Clock } from '../environment/environment.ts';
import type { KindInfo } from '../kind/kind.ts';
import { compareResourceVersions } from '../kind/resource-version.ts';
import type { Cached } from './cached.ts';
import type { ObjectKey } from './types.ts';

/** A write of this client that the cache has perhaps not seen yet. */
interface OwnWrite {
  readonly key: ObjectKey;
  /** The version that the write gave, or the uid that it took away. */
  readonly seen: (informer: SharedInformer<KubernetesObject>) => boolean;
}

type KindName = Pick<KindInfo, 'group' | 'version' | 'kind'>;

/**
 * Remembers what this client wrote until the cache has seen it, so that reads can wait for it. Writes whose answer was lost, and
 * objects that the cache's selectors leave out, are not covered: the wait ends by its limit.
 */
export class OwnWrites {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #writes = new Map<string, Map<string, OwnWrite>>();

  /** `limit`: the longest wait of a read, in milliseconds. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** After an answer with the object as it is now. */
  wrote(kind: KindName, object: Cached<KubernetesObject>): void {
    const { name = '', namespace = '', resourceVersion } = object.metadata;
    if (!resourceVersion) return;
    const key = { namespace, name };
    this.#remember(kind, { key, seen: (informer) => hasSeen(informer, key, resourceVersion) });
  }

  /** After an object of this uid was deleted for good; without a uid nothing can be told. */
  deleted(kind: KindName, key: ObjectKey, uid: string | undefined): void {
    if (uid === undefined) return;
    this.#remember(kind, { key, seen: (informer) => informer.indexer.get(key)?.metadata.uid !== uid });
  }

  /** Whether the cache has seen the writes (of one object, or of all, or of a namespace); waits for it, bounded. */
  async settled(
    informer: SharedInformer<KubernetesObject>,
    scope: Partial<ObjectKey>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const id = idOf(informer.kind);
    const unseen = this.#unseen(id, informer, scope);
    if (unseen.length === 0) return true;
    using wait = childSignal(signal, this.#clock, this.#limit);
    try {
      await informer.waitUntil(() => unseen.every((write) => write.seen(informer)), wait.signal);
      this.#unseen(id, informer, scope);
      return true;
    } catch (error) {
      if (signal?.aborted === true || !wait.signal.aborted) throw error;
      return false;
    }
  }

  #remember(kind: KindName, write: OwnWrite): void {
    const id = idOf(kind);
    const writes = this.#writes.get(id) ?? new Map<string, OwnWrite>();
    this.#writes.set(id, writes);
    writes.set(`${write.key.namespace ?? ''}/${write.key.name}`, write);
  }

  /** The writes in scope that the cache lacks; those that it has are forgotten. */
  #unseen(id: string, informer: SharedInformer<KubernetesObject>, scope: Partial<ObjectKey>): readonly OwnWrite[] {
    const unseen: OwnWrite[] = [];
    for (const [name, write] of this.#writes.get(id) ?? []) {
      if (scope.name !== undefined && write.key.name !== scope.name) continue;
      if (scope.namespace && write.key.namespace !== scope.namespace) continue;
      if (write.seen(informer)) this.#writes.get(id)?.delete(name);
      else unseen.push(write);
    }
    return unseen;
  }
}

function hasSeen(informer: SharedInformer<KubernetesObject>, key: ObjectKey, resourceVersion: string): boolean {
  return (
    reached(informer.resourceVersion, resourceVersion) ||
    reached(informer.indexer.get(key)?.metadata.resourceVersion ?? '', resourceVersion)
  );
}

/** Versions that cannot be compared are taken as reached when they are equal; anything else would wait for nothing. */
function reached(current: string, wanted: string): boolean {
  return (compareResourceVersions(current, wanted) ?? (current === wanted ? 0 : -1)) >= 0;
}

function idOf(kind: KindName): string {
  return `${kind.group}/${kind.version}/${kind.kind}`;
}
