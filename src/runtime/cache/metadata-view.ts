import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { LazyObject } from './lazy-object.ts';
import type { ObjectVersion } from './object-version.ts';

type Metadata = LazyObject['metadata'];
type WithMetadata = ObjectVersion & {
  readonly metadata: Metadata;
  /** Gives one member without the others, where that is less work. */
  readonly metadataMember?: <N extends 'labels' | 'ownerReferences'>(name: N) => Metadata[N];
};

/** Functions of objects that look at nothing but these metadata. */
const metadataFunctions = new WeakSet<(...objects: never[]) => unknown>();

/** Notes that a function of objects looks at nothing but what `metadataView` gives: for it no body has to be parsed. Gives it back. */
export function ofMetadata<F extends (...objects: never[]) => unknown>(of: F): F {
  metadataFunctions.add(of);
  return of;
}

/** Whether `ofMetadata` was said of the function. */
export function looksAtMetadataOnly(of: (...objects: never[]) => unknown): boolean {
  return metadataFunctions.has(of);
}

/**
 * The metadata of a cached object for functions that look at nothing else. What is known of every version is given as it is; for the rest
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

  get name(): string {
    return this.#lazy.name;
  }

  get namespace(): string | undefined {
    return this.#lazy.namespace || undefined;
  }

  get uid(): string | undefined {
    return this.#lazy.uid;
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
    return this.#member('labels');
  }

  get annotations(): Metadata['annotations'] {
    return this.#all.annotations;
  }

  get finalizers(): Metadata['finalizers'] {
    return this.#all.finalizers;
  }

  get ownerReferences(): Metadata['ownerReferences'] {
    return this.#member('ownerReferences');
  }

  #member<N extends 'labels' | 'ownerReferences'>(name: N): Metadata[N] {
    if (this.#parsed !== undefined) return this.#parsed[name];
    return this.#lazy.metadataMember === undefined ? this.#all[name] : this.#lazy.metadataMember(name);
  }

  get #all(): Metadata {
    return (this.#parsed ??= this.#lazy.metadata);
  }
}
