import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import type { Cached } from './cached.ts';
import type { ApplyConfiguration, JsonPatchOperation, MergePatch } from './patch-types.ts';

/** The name of an object. `namespace` is absent or `''` for cluster-scoped objects. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The key that a kind of scope `S` takes: the namespace is needed for namespaced kinds. */
export type KeyOf<S extends Scope> = [S] extends ['Namespaced']
  ? { readonly namespace: string; readonly name: string }
  : [S] extends ['Cluster']
    ? { readonly name: string }
    : ObjectKey;

/** A kind that has the subresource `N`; anything else is a compile error that names the marker. */
export type KindWith<
  N extends Subresource,
  T extends KubernetesObject,
  S extends Scope,
  R extends Subresource,
  L = unknown,
> = Kind<T, S, R, L> &
  ([N] extends [R] ? unknown : { readonly __missing: `add the marker ${Capitalize<N>}Subresource() to the kind` });

/** For every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** For reads that the cache answers. */
export interface CachedReadOptions extends CallOptions {
  /**
   * Whether to wait, bounded, until the cache has seen this client's own writes (default true). Then `get` asks the server and `list`
   * throws a `StaleCacheError`.
   */
  readonly readYourWrites?: boolean;
}

/** For everything that changes an object. */
export interface WriteOptions extends CallOptions {
  /** The server does everything but store the result. */
  readonly dryRun?: boolean;
  /** Who owns the fields that are set. Default: the client's own field manager. */
  readonly fieldManager?: string;
  /** What the server does about fields that the schema does not know. The server's default is `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over that others own; without it these are a `ConflictError`. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** What happens to the objects that this one owns. The server's default for most kinds is `Background`. */
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** The delete is a `ConflictError` unless they hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}

/** Labels that must be equal, or a selector in kubectl's notation (`tier in (web, db), !legacy`). */
export type LabelSelectorLike = Readonly<Record<string, string>> | string;

/** An index of the cache and the value to look up. */
export interface IndexQuery {
  readonly name: string;
  readonly value: string;
}

interface Selection<S extends Scope> {
  /** All namespaces when left out. Not for cluster-scoped kinds. */
  readonly namespace?: [S] extends ['Cluster'] ? never : string;
  readonly labels?: LabelSelectorLike;
}

export interface ListOptions<S extends Scope = Scope> extends Selection<S>, CachedReadOptions {
  readonly index?: IndexQuery;
}

export interface LiveListOptions<S extends Scope = Scope> extends Selection<S>, CallOptions {
  /** A field selector as the server takes it: `spec.nodeName=a`. */
  readonly fields?: string;
}

export interface LiveWatchOptions<S extends Scope = Scope> extends LiveListOptions<S> {
  /** Where to begin. Left out, the watch begins with an `ADDED` for each object that is there. */
  readonly resourceVersion?: string;
  /** Whether to ask for bookmarks. Default false. */
  readonly bookmarks?: boolean;
  /** The server ends the watch after so many seconds. Its default is 30 to 60 minutes. */
  readonly timeoutSeconds?: number;
}

/** What a live watch brings. */
export type LiveWatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Cached<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Which objects `deleteCollection` deletes: all of a kind that the selectors name, in one namespace for namespaced kinds. */
export type DeleteCollectionOptions<S extends Scope = Scope> = Omit<DeleteOptions, 'preconditions'> & {
  readonly labels?: LabelSelectorLike;
  /** A field selector as the server takes it. */
  readonly fields?: string;
} & ([S] extends ['Namespaced']
    ? { readonly namespace: string }
    : [S] extends ['Cluster']
      ? { readonly namespace?: never }
      : { readonly namespace?: string });

/** What a draft's function may return: anything but a promise, since the draft is compared as soon as the function returns. */
// eslint-disable-next-line typescript/no-invalid-void-type
export type NotAPromise = void | string | number | boolean | null | undefined | { readonly then?: never };

/** Changes a copy of an object in place. Not called asynchronously. */
export type Change<T> = (draft: T) => NotAPromise;

/** Reads that go to the API server. */
export interface LiveReader {
  /** Undefined when the object does not exist. */
  get<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    key: KeyOf<NoInfer<S>>,
    options?: CallOptions,
  ): Promise<Cached<T> | undefined>;
  /** Reads all pages. */
  list<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    options?: LiveListOptions<NoInfer<S>>,
  ): Promise<readonly Cached<T>[]>;
  /**
   * The events of one watch, until the server ends it; an ERROR event is thrown. Ending the iteration, or the signal, closes it. Nothing is
   * resumed: to follow a kind for long, use an informer (`for`, `owns`, `watches`, or the cache).
   */
  watch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    options?: LiveWatchOptions<NoInfer<S>>,
  ): AsyncIterable<LiveWatchEvent<T>>;
}

/** Writes to the status subresource that need no cached object. */
export interface StatusClient {
  mergePatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'status', T, S, R>,
    key: KeyOf<NoInfer<S>>,
    patch: MergePatch<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  jsonPatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'status', T, S, R>,
    key: KeyOf<NoInfer<S>>,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  apply<T extends KubernetesObject, S extends Scope, R extends Subresource, L = unknown>(
    kind: KindWith<'status', T, S, R, L>,
    configuration: ApplyConfiguration<NoInfer<T>, NoInfer<S>, NoInfer<L>>,
    options?: ApplyOptions,
  ): Promise<Cached<T>>;
}

/** The scale subresource of any kind that has it. */
export interface ScaleClient {
  get<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'scale', T, S, R>,
    key: KeyOf<NoInfer<S>>,
    options?: CallOptions,
  ): Promise<Cached<Scale>>;
  mergePatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'scale', T, S, R>,
    key: KeyOf<NoInfer<S>>,
    patch: MergePatch<Scale>,
    options?: WriteOptions,
  ): Promise<Cached<Scale>>;
  jsonPatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'scale', T, S, R>,
    key: KeyOf<NoInfer<S>>,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<Scale>>;
}

/** Any subresource by its name: `eviction`, `token`, `binding`, `ephemeralcontainers`. `B` is what it answers with. */
export interface SubresourceClient {
  /** A subresource that is not there is a `NotFoundError`. */
  get<B extends KubernetesObject>(kind: Kind, key: ObjectKey, options?: CallOptions): Promise<Cached<B>>;
  create<B extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    body: unknown,
    options?: WriteOptions,
  ): Promise<Cached<B>>;
  /** Replaces it whole. */
  update<B extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    body: unknown,
    options?: WriteOptions,
  ): Promise<Cached<B>>;
  mergePatch<B extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<Cached<B>>;
  jsonPatch<B extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<B>>;
}

/** An object of a kind that is known only at run time. */
export interface UnstructuredObject extends KubernetesObject {
  [member: string]: unknown;
}

/**
 * Reads from the cache, writes to the API server. Objects that come out are frozen and typed `Cached<T>`; everything that goes in may
 * be made of such parts without a copy. Every method throws a `ClientError`, or rejects with the reason of `options.signal`.
 */
export interface Client {
  /** Undefined when the object does not exist. */
  get<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    key: KeyOf<NoInfer<S>>,
    options?: CachedReadOptions,
  ): Promise<Cached<T> | undefined>;
  /** In no particular order. */
  list<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    options?: ListOptions<NoInfer<S>>,
  ): Promise<readonly Cached<T>[]>;

  /** `apiVersion` and `kind` of the object say where it goes; write `create<ConfigMap>({...})` to have the literal checked. */
  create<T extends KubernetesObject>(object: Cached<T>, options?: WriteOptions): Promise<Cached<T>>;
  /** Resolves when the server has accepted the delete; finalizers may keep the object a while. */
  delete<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    key: KeyOf<NoInfer<S>>,
    options?: DeleteOptions,
  ): Promise<void>;

  /**
   * Sends what `change` changed in a copy of `object`, under the condition that the object is still the one that was read: a
   * `ConflictError` otherwise. Nothing is sent, and `object` comes back, when nothing was changed.
   */
  update<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    object: Cached<NoInfer<T>>,
    change: Change<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  /** Like `update`, for what stands under `status`; changes elsewhere in the draft are an `InvalidCallError`. */
  updateStatus<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'status', T, S, R>,
    object: Cached<NoInfer<T>>,
    change: Change<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  /** Like `update`, for the scale subresource, which is read from the server first. */
  updateScale<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: KindWith<'scale', T, S, R>,
    object: Cached<NoInfer<T>>,
    change: Change<Scale>,
    options?: WriteOptions,
  ): Promise<Cached<Scale>>;

  /** A JSON merge patch (RFC 7386): `null` removes a member, arrays are replaced whole. */
  mergePatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    key: KeyOf<NoInfer<S>>,
    patch: MergePatch<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  /** A JSON patch (RFC 6902). */
  jsonPatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    key: KeyOf<NoInfer<S>>,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<T>>;
  /** Server-side apply: creates the object, or makes the fields given what the configuration says. Needs a field manager. */
  apply<T extends KubernetesObject, S extends Scope, R extends Subresource, L = unknown>(
    kind: Kind<T, S, R, L>,
    configuration: ApplyConfiguration<NoInfer<T>, NoInfer<S>, NoInfer<L>>,
    options?: ApplyOptions,
  ): Promise<Cached<T>>;

  /**
   * Deletes many objects with one request; resolves when the server has accepted it. Reads of this client do not wait for the cache to
   * see it.
   */
  deleteCollection<T extends KubernetesObject, S extends Scope, R extends Subresource>(
    kind: Kind<T, S, R>,
    options: DeleteCollectionOptions<NoInfer<S>>,
  ): Promise<void>;

  readonly status: StatusClient;
  readonly scale: ScaleClient;
  subresource(name: string): SubresourceClient;
  readonly live: LiveReader;
  /**
   * The kind of an apiVersion and a name, for programs that learn of kinds only at run time; every method takes it. Kinds that the
   * program does not know are looked up on the server, once. An `InvalidCallError` when the server has no such kind.
   */
  kindFor(apiVersion: string, kind: string, options?: CallOptions): Promise<Kind<UnstructuredObject>>;
}
