import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { InformerLookup } from '../client/cached-reads.ts';
import type { Cached } from '../client/cached.ts';
import { isConflict } from '../client/errors.ts';
import type { Client, ObjectKey, StatusClient, WriteOptions } from '../client/types.ts';
import type { Kind } from '../kind/kind.ts';
import type { GuardedRun, Write } from './guards.ts';

/** A client that tells the guards what it writes. `lookup` says what the cache holds of an object before it is written. */
export function observedClient(client: Client, run: GuardedRun, lookup: Partial<InformerLookup>): Client {
  const cached = (kind: Kind, key: ObjectKey): Cached<KubernetesObject> | undefined =>
    lookup.existing?.(kind)?.indexer.get(key);
  const observe = async <T extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    how: Write['how'],
    before: Cached<KubernetesObject> | undefined,
    options: WriteOptions | undefined,
    send: () => Promise<Cached<T>>,
  ): Promise<Cached<T>> => {
    let after: Cached<T>;
    try {
      after = await send();
    } catch (error) {
      if (isConflict(error)) {
        run.conflicted(kind.kind, key, before);
      }
      throw error;
    }
    // A draft that changed nothing comes back as it was, without a request.
    if (options?.dryRun !== true && (after as unknown) !== before) {
      run.wrote({ kind: kind.kind, of: kind, how, before, after });
    }
    return after;
  };
  const keyOf = ({ metadata }: { readonly metadata: Partial<ObjectKey> }): ObjectKey => {
    const { namespace, name = '' } = metadata;
    return namespace === undefined ? { name } : { namespace, name };
  };

  const status: StatusClient = {
    mergePatch: (kind, key, patch, options) =>
      observe(kind, key, 'patch', cached(kind, key), options, () =>
        client.status.mergePatch(kind, key, patch, options),
      ),
    jsonPatch: (kind, key, operations, options) =>
      observe(kind, key, 'patch', cached(kind, key), options, () =>
        client.status.jsonPatch(kind, key, operations, options),
      ),
    apply: (kind, configuration, options) => {
      const key = keyOf(configuration);
      return observe(kind, key, 'apply', cached(kind, key), options, () =>
        client.status.apply(kind, configuration, options),
      );
    },
  };
  return {
    ...plain(client),
    status,
    create: async (object, options) => {
      const after = await client.create(object, options);
      if (options?.dryRun !== true) {
        const generatedName = !object.metadata.name;
        run.wrote({ kind: object.kind, how: 'create', generatedName, before: undefined, after: asObject(after) });
      }
      return after;
    },
    update: (kind, object, change, options) =>
      observe(kind, keyOf(asObject(object)), 'patch', asObject(object), options, () =>
        client.update(kind, object, change, options),
      ),
    updateStatus: (kind, object, change, options) =>
      observe(kind, keyOf(asObject(object)), 'patch', asObject(object), options, () =>
        client.updateStatus(kind, object, change, options),
      ),
    mergePatch: (kind, key, patch, options) =>
      observe(kind, key, 'patch', cached(kind, key), options, () => client.mergePatch(kind, key, patch, options)),
    jsonPatch: (kind, key, operations, options) =>
      observe(kind, key, 'patch', cached(kind, key), options, () => client.jsonPatch(kind, key, operations, options)),
    apply: (kind, configuration, options) => {
      const key = keyOf(configuration);
      return observe(kind, key, 'apply', cached(kind, key), options, () => client.apply(kind, configuration, options));
    },
  };
}

/** The methods that are not watched, bound to the client. */
function plain(
  client: Client,
): Omit<Client, 'status' | 'create' | 'update' | 'updateStatus' | 'mergePatch' | 'jsonPatch' | 'apply'> {
  return {
    live: client.live,
    scale: client.scale,
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    delete: (kind, key, options) => client.delete(kind, key, options),
    deleteCollection: (kind, options) => client.deleteCollection(kind, options),
    updateScale: (kind, object, change, options) => client.updateScale(kind, object, change, options),
    subresource: (name) => client.subresource(name),
    kindFor: (apiVersion, kind, options) => client.kindFor(apiVersion, kind, options),
  };
}

function asObject(object: unknown): Cached<KubernetesObject> {
  return object as Cached<KubernetesObject>;
}
