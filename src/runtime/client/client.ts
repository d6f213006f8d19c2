import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { discardLogger, type Logger } from '../environment/logger.ts';
import type { Kind, Subresource } from '../kind/kind.ts';
import { CachedReads, type InformerLookup } from './cached-reads.ts';
import { freeze, type Cached } from './cached.ts';
import { KindResolver } from './discovery.ts';
import { checkIdentity, draftPatch, guardedPatch } from './draft.ts';
import { InvalidCallError } from './errors.ts';
import { getLive, listLive } from './live-reads.ts';
import { OwnWrites } from './own-writes.ts';
import type { JsonPatchOperation } from './patch-types.ts';
import { collectionPath, objectPath, type Query } from './paths.ts';
import { Rest } from './rest.ts';
import type {
  ApplyOptions,
  CachedReadOptions,
  Change,
  Client,
  DeleteOptions,
  ListOptions,
  LiveReader,
  ObjectKey,
  StatusClient,
  WriteOptions,
} from './types.ts';

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
  /** Called for each try of a write, right before it is written to its connection; what it throws ends the call. */
  readonly beforeWrite?: () => void;
  /** How long a read waits for the cache to sync or to see this client's own writes, in milliseconds. Default 10 s. */
  readonly cacheWait?: number;
  readonly userAgent?: string;
  /** How long one try of a request may take, in milliseconds. Default 60 s. */
  readonly requestTimeout?: number;
}

/** Makes a client of one cluster. */
export function createClient(options: ClientOptions): Client {
  return new ClusterClient(options);
}

type AnyChange = Change<unknown>;
const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
/** JSON is YAML, so that nothing must be converted. */
const applyPatchType = 'application/apply-patch+yaml';

class ClusterClient implements Client {
  readonly status: StatusClient;
  readonly live: LiveReader;
  readonly #options: ClientOptions;
  readonly #rest: Rest;
  readonly #kinds: KindResolver;
  readonly #ownWrites: OwnWrites;
  readonly #reads: CachedReads;

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
    this.#ownWrites = new OwnWrites(options.cache, options.environment.clock, cacheWait);
    this.live = {
      get: (kind, key, callOptions) => getLive(this.#rest, kind, key, callOptions?.signal),
      list: (kind, listOptions) => listLive(this.#rest, kind, listOptions),
    };
    this.#reads = new CachedReads(this.#rest, options.cache, this.#ownWrites, cacheWait);
    this.status = {
      mergePatch: (kind, key, patch, write) => this.#patch(kind, key, 'status', mergePatchType, patch, write),
      jsonPatch: (kind, key, operations, write) => this.#patch(kind, key, 'status', jsonPatchType, operations, write),
      apply: (kind, configuration, write) => this.#apply(kind, configuration, 'status', write),
    };
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
    const answer = await this.#rest.json({
      verb: 'create',
      method: 'POST',
      path: collectionPath(kind, metadata.namespace),
      query: this.#writeQuery(options),
      body: object,
      signal: options.signal,
    });
    return this.#wrote(kind, answer, options) as Cached<T>;
  }

  async delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { propagation, preconditions, gracePeriodSeconds, dryRun, signal } = options;
    const before = this.#options.cache?.existing(kind)?.indexer.get(key);
    const answer = await this.#rest.json({
      verb: 'delete',
      method: 'DELETE',
      path: objectPath(kind, key),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
        ...(preconditions === undefined ? {} : { preconditions }),
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(dryRun === true ? { dryRun: ['All'] } : {}),
      },
      signal,
    });
    if (dryRun === true) return;
    // An object as the answer: finalizers, or a grace period, keep it a while.
    if (answer['kind'] === kind.kind) this.#ownWrites.wrote(kind, answer as unknown as KubernetesObject);
    else this.#ownWrites.deleted(kind, key, before === undefined ? undefined : before.metadata.uid);
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
    const patched = await this.#rest.json({
      verb: 'patch',
      method: 'PATCH',
      path,
      query: this.#writeQuery(options),
      // The version of the object that the caller decided on, which the scale carries, too.
      body: guardedPatch(object, operations),
      contentType: jsonPatchType,
      signal: options.signal,
    });
    const result = freeze(patched as unknown as Scale);
    if (options.dryRun !== true) this.#ownWrites.wrote(kind, result);
    return result;
  }

  mergePatch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    return this.#patch(kind, key, undefined, mergePatchType, patch, options);
  }

  jsonPatch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<Cached<T>> {
    return this.#patch(kind, key, undefined, jsonPatchType, operations, options);
  }

  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: ApplyInput,
    options?: ApplyOptions,
  ): Promise<Cached<T>> {
    return this.#apply(kind, configuration, undefined, options);
  }

  async #apply<T extends KubernetesObject>(
    kind: Kind<T>,
    configuration: ApplyInput,
    subresource: Subresource | undefined,
    options: ApplyOptions = {},
  ): Promise<Cached<T>> {
    if ((options.fieldManager ?? this.#options.fieldManager) === undefined) {
      throw new InvalidCallError(`apply of ${kind.kind}: it needs a fieldManager, of the client or of the call`);
    }
    const { apiVersion = kind.apiVersion, kind: name = kind.kind } = configuration;
    if (apiVersion !== kind.apiVersion || name !== kind.kind) {
      throw new InvalidCallError(`apply of ${kind.kind}: the configuration is a ${name} of ${apiVersion}`);
    }
    const body = { ...configuration, apiVersion, kind: name };
    const query = options.force === true ? { force: true } : {};
    return this.#patch(kind, configuration.metadata, subresource, applyPatchType, body, options, query);
  }

  async #patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    subresource: Subresource | undefined,
    contentType: string,
    body: unknown,
    options: WriteOptions = {},
    query: Query = {},
  ): Promise<Cached<T>> {
    if ((contentType === jsonPatchType) !== Array.isArray(body)) {
      throw new InvalidCallError(`patch of ${kind.kind}: a JSON patch is an array, any other patch an object`);
    }
    const answer = await this.#rest.json({
      verb: 'patch',
      method: 'PATCH',
      path: objectPath(kind, key, subresource),
      query: { ...this.#writeQuery(options), ...query },
      body,
      contentType,
      signal: options.signal,
    });
    return this.#wrote(kind, answer, options);
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
    return this.#patch(kind, keyOf(object), subresource, jsonPatchType, body, options);
  }

  #writeQuery(options: WriteOptions): Query {
    return {
      dryRun: options.dryRun === true ? 'All' : undefined,
      fieldManager: options.fieldManager ?? this.#options.fieldManager,
      fieldValidation: options.fieldValidation,
    };
  }

  #wrote<T extends KubernetesObject>(kind: Kind<T>, answer: Record<string, unknown>, options: WriteOptions): Cached<T> {
    const object = answer as unknown as T;
    if (options.dryRun !== true) this.#ownWrites.wrote(kind, object);
    return freeze(object);
  }
}

/** What `apply` reads of a configuration. */
interface ApplyInput {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectKey;
}

function keyOf<T extends KubernetesObject>(object: Cached<T>): ObjectKey {
  const { name = '', namespace } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
