import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Subresource } from '../kind/kind.ts';
import type { Cached } from './cached.ts';
import type { ApplyConfiguration, JsonPatchOperation, MergePatch } from './patch-types.ts';
import type {
  ApplyOptions,
  CachedReadOptions,
  CallOptions,
  Change,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  LiveListOptions,
  LiveWatchEvent,
  LiveWatchOptions,
  WriteOptions,
} from './types.ts';

/** An object that is to be created: the client of a kind knows its `apiVersion`, its `kind` and its namespace. */
export type NewObject<T extends KubernetesObject> = Cached<Omit<T, 'apiVersion' | 'kind'>> & {
  readonly apiVersion?: T['apiVersion'];
  readonly kind?: T['kind'];
};

/** The objects of one kind in one namespace, or all of a cluster-scoped kind: the methods of `Client`, with names for keys. */
export interface KindMethods<T extends KubernetesObject, L = unknown> {
  /** Undefined when the object does not exist. */
  get(name: string, options?: CachedReadOptions): Promise<Cached<T> | undefined>;
  /** In no particular order. */
  list(options?: Omit<ListOptions, 'namespace'>): Promise<readonly Cached<T>[]>;
  create(object: NewObject<T>, options?: WriteOptions): Promise<Cached<T>>;
  /** Resolves when the server has accepted the delete; finalizers may keep the object a while. */
  delete(name: string, options?: DeleteOptions): Promise<void>;
  /** Sends what `change` changed in a copy of `object`, if it is still the one that was read. */
  update(object: Cached<T>, change: Change<T>, options?: WriteOptions): Promise<Cached<T>>;
  /** A JSON merge patch (RFC 7386): `null` removes a member, arrays are replaced whole. */
  mergePatch(name: string, patch: MergePatch<T>, options?: WriteOptions): Promise<Cached<T>>;
  /** A JSON patch (RFC 6902). */
  jsonPatch(name: string, operations: readonly JsonPatchOperation[], options?: WriteOptions): Promise<Cached<T>>;
  /** Server-side apply. Needs a field manager. */
  apply(configuration: ApplyConfiguration<T, 'Cluster', L>, options?: ApplyOptions): Promise<Cached<T>>;
  /** Deletes all objects that the selectors name with one request. */
  deleteCollection(options?: Omit<DeleteCollectionOptions, 'namespace'>): Promise<void>;
  readonly live: KindLiveReader<T>;
}

/** Reads of one kind that go to the API server. */
export interface KindLiveReader<T extends KubernetesObject> {
  /** Undefined when the object does not exist. */
  get(name: string, options?: CallOptions): Promise<Cached<T> | undefined>;
  /** Reads all pages. */
  list(options?: Omit<LiveListOptions, 'namespace'>): Promise<readonly Cached<T>[]>;
  /** The events of one watch, until the server ends it. */
  watch(options?: Omit<LiveWatchOptions, 'namespace'>): AsyncIterable<LiveWatchEvent<T>>;
}

/** Writes to the status of the objects of one kind. */
export interface KindStatusClient<T extends KubernetesObject, L = unknown> {
  /** As `Client.updateStatus`. */
  update(object: Cached<T>, change: Change<T>, options?: WriteOptions): Promise<Cached<T>>;
  mergePatch(name: string, patch: MergePatch<T>, options?: WriteOptions): Promise<Cached<T>>;
  jsonPatch(name: string, operations: readonly JsonPatchOperation[], options?: WriteOptions): Promise<Cached<T>>;
  apply(configuration: ApplyConfiguration<T, 'Cluster', L>, options?: ApplyOptions): Promise<Cached<T>>;
}

/** The scale of the objects of one kind. */
export interface KindScaleClient<T extends KubernetesObject> {
  get(name: string, options?: CallOptions): Promise<Cached<Scale>>;
  /** As `Client.updateScale`. */
  update(object: Cached<T>, change: Change<Scale>, options?: WriteOptions): Promise<Cached<Scale>>;
  mergePatch(name: string, patch: MergePatch<Scale>, options?: WriteOptions): Promise<Cached<Scale>>;
  jsonPatch(name: string, operations: readonly JsonPatchOperation[], options?: WriteOptions): Promise<Cached<Scale>>;
}

/** The client of one kind, with `status` and `scale` where the kind has these subresources. */
export type KindClient<T extends KubernetesObject, R extends Subresource = never, L = unknown> = KindMethods<T, L> &
  (['status'] extends [R] ? { readonly status: KindStatusClient<T, L> } : unknown) &
  (['scale'] extends [R] ? { readonly scale: KindScaleClient<T> } : unknown);
