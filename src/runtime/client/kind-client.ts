import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import type { Cached } from './cached.ts';
import { InvalidCallError } from './errors.ts';
import type {
  KindClient,
  KindLiveReader,
  KindMethods,
  KindScaleClient,
  KindStatusClient,
  NewObject,
} from './kind-client-types.ts';
import type { ApplyConfiguration } from './patch-types.ts';
import type { Client, ListOptions, LiveListOptions, ObjectKey } from './types.ts';

/**
 * The client of one kind: of its objects in one namespace, or of all where it is cluster-scoped. Everything goes through `client`: its cache,
 * its field manager, its fence. Generated clients call it.
 *
 * @throws InvalidCallError where a namespaced kind has no namespace, or a cluster-scoped one has any.
 */
export function kindClient<T extends KubernetesObject, R extends Subresource, L = unknown>(
  client: Client,
  kind: Kind<T, 'Cluster', R, L>,
): KindClient<T, R, L>;
export function kindClient<T extends KubernetesObject, R extends Subresource, L = unknown>(
  client: Client,
  kind: Kind<T, 'Namespaced', R, L>,
  namespace: string,
): KindClient<T, R, L>;
export function kindClient(
  client: Client,
  kind: Kind<KubernetesObject, Scope, Subresource>,
  namespace = '',
): KindClient<KubernetesObject, Subresource> {
  if ((kind.scope === 'Namespaced') === (namespace === '')) {
    throw new InvalidCallError(
      namespace === ''
        ? `a client of the namespaced kind ${kind.kind} needs a namespace`
        : `${kind.kind} is cluster-scoped, its client has no namespace`,
    );
  }
  return new ClientOfKind(client, kind, namespace);
}

/** The kind with all subresources: the type of `KindClient` says which of them it has. */
type AnyKind = Kind<KubernetesObject, Scope, Subresource>;

class ClientOfKind implements KindMethods<KubernetesObject> {
  readonly live: KindLiveReader<KubernetesObject>;
  readonly status: KindStatusClient<KubernetesObject>;
  readonly scale: KindScaleClient<KubernetesObject>;
  readonly #client: Client;
  readonly #kind: AnyKind;
  readonly #namespace: string;

  constructor(client: Client, kind: AnyKind, namespace: string) {
    this.#client = client;
    this.#kind = kind;
    this.#namespace = namespace;
    const key = (name: string): ObjectKey => this.#key(name);
    this.live = {
      get: (name, options) => client.live.get(kind, key(name), options),
      list: (options) => client.live.list(kind, this.#selection<LiveListOptions>(options)),
      watch: (options) => client.live.watch(kind, this.#selection(options)),
    };
    this.status = {
      update: async (object, change, options) => client.updateStatus(kind, this.#own(object), change, options),
      mergePatch: (name, patch, options) => client.status.mergePatch(kind, key(name), patch, options),
      jsonPatch: (name, operations, options) => client.status.jsonPatch(kind, key(name), operations, options),
      apply: async (configuration, options) => client.status.apply(kind, this.#placed(configuration), options),
    };
    this.scale = {
      get: (name, options) => client.scale.get(kind, key(name), options),
      update: async (object, change, options) => client.updateScale(kind, this.#own(object), change, options),
      mergePatch: (name, patch, options) => client.scale.mergePatch(kind, key(name), patch, options),
      jsonPatch: (name, operations, options) => client.scale.jsonPatch(kind, key(name), operations, options),
    };
  }

  readonly get: KindMethods<KubernetesObject>['get'] = (name, options) =>
    this.#client.get(this.#kind, this.#key(name), options);

  readonly list: KindMethods<KubernetesObject>['list'] = (options) =>
    this.#client.list(this.#kind, this.#selection<ListOptions>(options));

  readonly create: KindMethods<KubernetesObject>['create'] = async (object, options) =>
    this.#client.create(this.#identified(object), options);

  readonly delete: KindMethods<KubernetesObject>['delete'] = (name, options) =>
    this.#client.delete(this.#kind, this.#key(name), options);

  readonly update: KindMethods<KubernetesObject>['update'] = async (object, change, options) =>
    this.#client.update(this.#kind, this.#own(object), change, options);

  readonly mergePatch: KindMethods<KubernetesObject>['mergePatch'] = (name, patch, options) =>
    this.#client.mergePatch(this.#kind, this.#key(name), patch, options);

  readonly jsonPatch: KindMethods<KubernetesObject>['jsonPatch'] = (name, operations, options) =>
    this.#client.jsonPatch(this.#kind, this.#key(name), operations, options);

  readonly apply: KindMethods<KubernetesObject>['apply'] = async (configuration, options) =>
    this.#client.apply(this.#kind, this.#placed(configuration), options);

  readonly deleteCollection: KindMethods<KubernetesObject>['deleteCollection'] = (options) =>
    this.#client.deleteCollection(this.#kind, this.#selection(options));

  #key(name: string): ObjectKey {
    return this.#namespace === '' ? { name } : { namespace: this.#namespace, name };
  }

  #selection<O extends { readonly namespace?: string }>(options: Omit<O, 'namespace'> | undefined): O {
    return { ...options, ...(this.#namespace === '' ? {} : { namespace: this.#namespace }) } as O;
  }

  /** An object that may be written through this client. */
  #own<O extends { readonly metadata: { readonly namespace?: string | undefined } }>(object: O): O {
    const { namespace = '' } = object.metadata;
    if (namespace !== this.#namespace) {
      throw new InvalidCallError(
        `the object is in ${where(namespace)}, and the client of ${this.#kind.kind} is for ${where(this.#namespace)}`,
      );
    }
    return object;
  }

  #placed(configuration: ApplyConfiguration<KubernetesObject, 'Cluster'>): ApplyConfiguration<KubernetesObject> {
    const metadata = { ...configuration.metadata, namespace: configuration.metadata.namespace ?? this.#namespace };
    this.#own({ metadata });
    return this.#namespace === '' ? configuration : { ...configuration, metadata };
  }

  #identified(object: NewObject<KubernetesObject>): Cached<KubernetesObject> {
    const { apiVersion, kind } = this.#kind;
    if ((object.apiVersion ?? apiVersion) !== apiVersion || (object.kind ?? kind) !== kind) {
      throw new InvalidCallError(
        `the object is a ${object.kind ?? kind}, and the client is of ${kind} (${apiVersion})`,
      );
    }
    const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? this.#namespace };
    this.#own({ metadata });
    return { ...object, apiVersion, kind, ...(this.#namespace === '' ? {} : { metadata }) };
  }
}

function where(namespace: string): string {
  return namespace === '' ? 'no namespace' : `the namespace ${namespace}`;
}
