import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { LazyObject, ObjectVersion } from '../cache/lazy-object.ts';
import type { Cached } from '../client/cached.ts';

type Metadata = LazyObject['metadata'];
type WithMetadata = ObjectVersion & { readonly metadata: Metadata };

/**
 * The metadata of a cached object for predicates that look at nothing else. What is known of every version is given as it is; for the rest
 * the metadata are parsed, once, and the body never.
 */
export function metadataView(lazy: WithMetadata): Cached<KubernetesObject> {
  return { apiVersion: '', kind: '', metadata: new LazyMetadata(lazy) } as Cached<KubernetesObject>;
}

class LazyMetadata {
  readonly #lazy: WithMetadata;
  #parsed: Metadata | undefined;

  constructor(lazy: WithMetadata) {
    this.#lazy = lazy;
  }

  get generation(): number | undefined {
    return this.#lazy.generation;
  }

  get resourceVersion(): string | undefined {
    return this.#lazy.resourceVersion;
  }

  get deletionTimestamp(): string | undefined {
    return this.#lazy.deletionTimestamp;
  }

  get labels(): Metadata['labels'] {
    return this.#all.labels;
  }

  get annotations(): Metadata['annotations'] {
    return this.#all.annotations;
  }

  get finalizers(): Metadata['finalizers'] {
    return this.#all.finalizers;
  }

  get ownerReferences(): Metadata['ownerReferences'] {
    return this.#all.ownerReferences;
  }

  get #all(): Metadata {
    return (this.#parsed ??= this.#lazy.metadata);
  }
}
