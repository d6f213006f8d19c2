import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { discardLogger, type Logger } from '../environment/logger.ts';
import type { Kind, Subresource } from '../kind/kind.ts';
import { CachedReads } from './cached-reads.ts';
import type { InformerLookup } from './informer-lookup.ts';
import { freeze, type Cached } from './cached.ts';
import { KindResolver } from './discovery.ts';
import { checkIdentity, draftPatch, guardedPatch } from './draft.ts';
import { InvalidCallError } from './errors.ts';
import { labelSelectorString } from './labels.ts';
import { getLive, listLive } from './live-reads.ts';
import { watchLive } from './live-watch.ts';
import { OwnWrites, type CacheWait } from './own-writes.ts';
import type { JsonPatchOperation } from './patch-types.ts';
import { collectionPath, objectPath } from './paths.ts';
import { Rest } from './rest.ts';
import { scaleClient, statusClient, subresourceClient } from './subresources.ts';
import type {
  ApplyOptions,
  CachedReadOptions,
  CallOptions,
  Change,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  LiveReader,
  ObjectKey,
  ScaleClient,
  StatusClient,
  SubresourceClient,
  UnstructuredObject,
  WriteOptions,
} from './types.ts';
import { jsonPatchType, mergePatchType, Writer, type ApplyInput } from './writer.ts';

export interface ClientOptions {
  readonly transport: Transport;
  readonly environment: Environment;
  /** Default: none. */
  readonly logger?: Logger;
  /** Answers `get` and `list`. Without one they ask the server. */
  readonly cache?: InformerLookup;
  /** Kinds whose objects `create` may get; others are looked up on the server. */
  readonly kinds?: readonly Kind[];
  /** Who owns the fields that are written. Needed for `apply`, here or with each call. */
  readonly fieldManager?: string;
  /** What the server does about fields that the schema does not know, unless a call says otherwise. The server's default is `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Called for each try of a write, right before it is written to its connection; what it throws ends the call. */
  readonly beforeWrite?: () => void;
  /** How long a read waits for the cache to sync or to see this client's own writes, in milliseconds. Default 10 s. */
  readonly cacheWait?: number;
  /** Called after each such wait for own writes. May not throw. */
  readonly onCacheWait?: (wait: CacheWait) => void;
  readonly userAgent?: string;
  /** Another client of the same cache: reads of either wait for the writes of both. */
  readonly sharesWritesWith?: Client;
  /** How long one try of a request may take, in milliseconds. Default 60 s. */
  readonly requestTimeout?: number;
}

/** Makes a client of one cluster. */
export function createClient(options: ClientOptions): Client {
  return new ClusterClient(options);
}

type AnyChange = Change<unknown>;

class ClusterClient implements Client {
  readonly status: StatusClient;
  readonly scale: ScaleClient;
  readonly live: LiveReader;
  readonly #options: ClientOptions;
  readonly #rest: Rest;
  readonly #kinds: KindResolver;
  readonly #ownWrites: OwnWrites;
  readonly #reads: CachedReads;
  readonly #writer: Writer;

  constructor(options: ClientOptions) {
    const { cacheWait = 10_000, userAgent, requestTimeout, beforeWrite } = options;
    this.#options = options;
    this.#rest = new Rest({
      transport: options.transport,
      environment: options.environment,
      logger: options.logger ?? discardLogger,
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(requestTimeout === undefined ? {} : { requestTimeout }),
      ...(beforeWrite === undefined ? {} : { beforeWrite }),
    });
    this.#kinds = new KindResolver(this.#rest, () => [
      ...(options.kinds ?? []),
      ...(options.cache?.informers ?? []).map(({ kind }) => kind),
    ]);
    const { sharesWritesWith: other } = options;
    this.#ownWrites =
      other instanceof ClusterClient
        ? other.#ownWrites
        : new OwnWrites(options.cache, options.environment.clock, cacheWait, options.onCacheWait);
    this.live = {
      get: (kind, key, callOptions) => getLive(this.#rest, kind, key, callOptions?.signal),
      list: (kind, listOptions) => listLive(this.#rest, kind, listOptions),
      watch: (kind, watchOptions) => watchLive(this.#rest, kind, watchOptions),
    };
    this.#reads = new CachedReads(this.#rest, options.cache, this.#ownWrites, cacheWait);
    this.#writer = new Writer(this.#rest, this.#ownWrites, options);
    this.status = statusClient(this.#writer);
    this.scale = scaleClient(this.#rest, this.#writer);
  }

  subresource(name: string): SubresourceClient {
    return subresourceClient(this.#rest, this.#writer, name);
  }

  async kindFor(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Kind<UnstructuredObject>> {
    return (await this.#kinds.resolve(apiVersion, kind, options.signal)) as Kind<UnstructuredObject>;
  }

  get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: CachedReadOptions,
  ): Promise<Cached<T> | undefined> {
    return this.#reads.get(kind, key, options);
  }

  list<T extends KubernetesObject>(kind: Kind<T>, options?: ListOptions): Promise<readonly Cached<T>[]> {
    return this.#reads.list(kind, options);
  }

  async create<T extends KubernetesObject>(object: Cached<T>, options: WriteOptions = {}): Promise<Cached<T>> {
    const { apiVersion, kind: name, metadata } = object;
    const kind = await this.#kinds.resolve(apiVersion, name, options.signal);
    if (kind.scope === 'Namespaced' && !metadata.namespace) {
      throw new InvalidCallError(`create of ${name} ${metadata.name ?? ''}: a namespaced kind needs a namespace`);
    }
    if (!metadata.name && !metadata.generateName) {
      throw new InvalidCallError(`create of ${name}: it needs a name or a generateName`);
    }
    const { namespace = '' } = metadata;
    const answer = await this.#writer.send(
      kind,
      metadata.name ? { namespace, name: metadata.name } : { namespace },
      {
        verb: 'create',
        method: 'POST',
        path: collectionPath(kind, metadata.namespace),
        query: this.#writer.query(options),
        body: object,
        signal: options.signal,
      },
      options.dryRun,
      (created) => this.#writer.wrote(kind, created),
    );
    return freeze(answer as unknown as T);
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const before = this.#options.cache?.existing(kind)?.indexer.peek(key);
    await this.#writer.send(
      kind,
      key,
      {
        verb: 'delete',
        method: 'DELETE',
        path: objectPath(kind, key),
        body: deleteBody(options),
        signal: options.signal,
      },
      options.dryRun,
      (answer) => {
        // An object as the answer: finalizers, or a grace period, keep it a while.
        if (answer['kind'] === kind.kind) this.#writer.wrote(kind, answer);
        else this.#ownWrites.deleted(kind, key, before?.uid);
      },
    );
  }

  async deleteCollection<T extends KubernetesObject>(kind: Kind<T>, options: DeleteCollectionOptions): Promise<void> {
    const { namespace, labels, fields, signal } = options;
    if (kind.scope === 'Namespaced' && !namespace) {
      throw new InvalidCallError(`deleteCollection of ${kind.kind}: the server does it in one namespace at a time`);
    }
    await this.#rest.json({
      verb: 'deletecollection',
      method: 'DELETE',
      path: collectionPath(kind, namespace),
      query: {
        labelSelector: labels === undefined ? undefined : labelSelectorString(labels) || undefined,
        fieldSelector: fields,
      },
      body: deleteBody(options),
      signal,
    });
  }

  async update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Cached<T>,
    change: Change<T>,
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    const operations = draftPatch(object, change as AnyChange);
    checkIdentity(operations);
    if (kind.subresources.includes('status') && operations.some(({ path }) => isBelow(path, '/status'))) {
      throw new InvalidCallError(`update of ${kind.kind}: the server ignores changes of status here, use updateStatus`);
    }
    return this.#updateWith(kind, object, undefined, operations, options);
  }

  async updateStatus<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Cached<T>,
    change: Change<T>,
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    const operations = draftPatch(object, change as AnyChange);
    const outside = operations.find(({ path }) => !isBelow(path, '/status'));
    if (outside !== undefined) {
      throw new InvalidCallError(`updateStatus of ${kind.kind}: ${outside.path} is not below /status, use update`);
    }
    return this.#updateWith(kind, object, 'status', operations, options);
  }

  async updateScale<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Cached<T>,
    change: Change<Scale>,
    options: WriteOptions = {},
  ): Promise<Cached<Scale>> {
    const path = objectPath(kind, keyOf(object), 'scale');
    const answer = await this.#rest.json({ verb: 'get', method: 'GET', path, signal: options.signal });
    const scale = freeze(answer as unknown as Scale);
    const operations = draftPatch(scale, change);
    checkIdentity(operations);
    if (operations.length === 0) return scale;
    // Under the version of the object that the caller decided on, which the scale carries, too.
    const body = guardedPatch(object, operations);
    return this.#writer.patch(kind, keyOf(object), 'scale', jsonPatchType, body, options);
  }

  mergePatch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    return this.#writer.patch(kind, key, undefined, mergePatchType, patch, options);
  }

  jsonPatch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    return this.#writer.patch(kind, key, undefined, jsonPatchType, operations, options);
  }

  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: ApplyInput,
    options?: ApplyOptions,
  ): Promise<Cached<T>> {
    return this.#writer.apply(kind, configuration, undefined, options);
  }

  async #updateWith<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Cached<T>,
    subresource: Subresource | undefined,
    operations: readonly JsonPatchOperation[],
    options: WriteOptions | undefined,
  ): Promise<Cached<T>> {
    if (operations.length === 0) return object;
    const body = guardedPatch(object, operations);
    return this.#writer.patch(kind, keyOf(object), subresource, jsonPatchType, body, options);
  }
}

function deleteBody(options: DeleteOptions): object {
  const { propagation, preconditions, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

function keyOf<T extends KubernetesObject>(object: Cached<T>): ObjectKey {
  const { name = '', namespace } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
