import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { InformerLookup } from '../client/informer-lookup.ts';
import { mutable } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { isConflict } from '../client/errors.ts';
import type { Client, ObjectKey, ScaleClient, StatusClient, SubresourceClient, WriteOptions } from '../client/types.ts';
import type { Kind } from '../kind/kind.ts';
import type { Write } from './guard-patterns.ts';
import type { GuardedRun } from './guards.ts';
import { fieldsOfOperations, fieldsOfPatch, watchChange } from './written-fields.ts';

/** A write that is about to be sent. */
interface Intent {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly how: Write['how'];
  readonly subresource?: string;
  readonly before: Cached<KubernetesObject> | undefined;
  readonly fields: () => readonly string[];
  readonly options: WriteOptions | undefined;
}

/** A client that tells the guards what it writes. `lookup` says what the cache holds of an object before it is written. */
export function observedClient(client: Client, run: GuardedRun, lookup: Partial<InformerLookup>): Client {
  const cached = (kind: Kind, key: ObjectKey): Cached<KubernetesObject> | undefined =>
    lookup.existing?.(kind)?.indexer.get(key);
  const observe = async <A extends KubernetesObject>(
    intent: Intent,
    send: () => Promise<Cached<A>>,
  ): Promise<Cached<A>> => {
    const { kind, key, before, options, fields } = intent;
    let after: Cached<A>;
    try {
      after = await send();
    } catch (error) {
      if (isConflict(error)) {
        run.conflicted(kind.kind, key, before ?? cached(kind, key), fields);
      }
      throw error;
    }
    // A draft that changed nothing comes back as it was, without a request.
    if (options?.dryRun !== true && (after as unknown) !== before) {
      run.wrote({ ...intent, kind: kind.kind, of: kind, after });
    }
    return after;
  };
  const patchOf = (kind: Kind, key: ObjectKey, patch: unknown, options: WriteOptions | undefined): Intent => ({
    kind,
    key,
    how: 'patch',
    before: cached(kind, key),
    fields: () => fieldsOfPatch(patch),
    options,
  });
  const operationsOf = (
    kind: Kind,
    key: ObjectKey,
    operations: Parameters<Client['jsonPatch']>[2],
    options: WriteOptions | undefined,
  ): Intent => ({ ...patchOf(kind, key, undefined, options), fields: () => fieldsOfOperations(operations) });
  const applyOf = (kind: Kind, configuration: KeyedObject, options: WriteOptions | undefined): Intent => ({
    ...patchOf(kind, keyOf(configuration), configuration, options),
    how: 'apply',
  });
  const status: StatusClient = {
    mergePatch: (kind, key, patch, options) =>
      observe(patchOf(kind, key, patch, options), () => client.status.mergePatch(kind, key, patch, options)),
    jsonPatch: (kind, key, operations, options) =>
      observe(operationsOf(kind, key, operations, options), () =>
        client.status.jsonPatch(kind, key, operations, options),
      ),
    apply: (kind, configuration, options) =>
      observe(applyOf(kind, configuration, options), () => client.status.apply(kind, configuration, options)),
  };
  // What the cache has is no scale: only what was written before can be compared.
  const scaled = (intent: Intent): Intent => ({ ...intent, before: undefined, subresource: 'scale' });
  const scale: ScaleClient = {
    get: (kind, key, options) => client.scale.get(kind, key, options),
    mergePatch: (kind, key, patch, options) =>
      observe(scaled(patchOf(kind, key, patch, options)), () => client.scale.mergePatch(kind, key, patch, options)),
    jsonPatch: (kind, key, operations, options) =>
      observe(scaled(operationsOf(kind, key, operations, options)), () =>
        client.scale.jsonPatch(kind, key, operations, options),
      ),
  };
  return {
    ...plain(client),
    status,
    scale,
    subresource: (name) => observedSubresource(name, client.subresource(name), run),
    create: async (object, options) => {
      const after = await client.create(object, options);
      if (options?.dryRun !== true) {
        const generatedName = !object.metadata.name;
        run.wrote({ kind: object.kind, how: 'create', generatedName, before: undefined, after: asObject(after) });
      }
      return after;
    },
    update: (kind, object, change, options) => {
      const watched = watchChange(change);
      return observe(draftOf(kind, asObject(object), watched.fields, options), () =>
        client.update(kind, object, watched.change, options),
      );
    },
    updateStatus: (kind, object, change, options) => {
      const watched = watchChange(change);
      return observe(draftOf(kind, asObject(object), watched.fields, options), () =>
        client.updateStatus(kind, object, watched.change, options),
      );
    },
    updateScale: async (kind, object, change, options) => {
      // The scale that the draft is made of, which the client reads.
      let before: Cached<Scale> | undefined;
      const watched = watchChange<Scale>((draft) => {
        before = mutable(draft);
        return change(draft);
      });
      const fields = (): string[] => watched.fields(before);
      const key = keyOf(asObject(object));
      let after: Cached<Scale>;
      try {
        after = await client.updateScale(kind, object, watched.change, options);
      } catch (error) {
        if (isConflict(error)) {
          run.conflicted(kind.kind, key, asObject(object), fields);
        }
        throw error;
      }
      if (options?.dryRun !== true && fields().length > 0) {
        run.wrote({ kind: kind.kind, of: kind, how: 'patch', subresource: 'scale', before, after, fields });
      }
      return after;
    },
    mergePatch: (kind, key, patch, options) =>
      observe(patchOf(kind, key, patch, options), () => client.mergePatch(kind, key, patch, options)),
    jsonPatch: (kind, key, operations, options) =>
      observe(operationsOf(kind, key, operations, options), () => client.jsonPatch(kind, key, operations, options)),
    apply: (kind, configuration, options) =>
      observe(applyOf(kind, configuration, options), () => client.apply(kind, configuration, options)),
  };
}

/** Writes of other subresources count where the answer is the object, or shows its version (`resize`, `approval`). */
function observedSubresource(name: string, client: SubresourceClient, run: GuardedRun): SubresourceClient {
  const observe = async <B extends KubernetesObject>(
    kind: Kind,
    key: ObjectKey,
    fields: () => readonly string[],
    options: WriteOptions | undefined,
    send: () => Promise<Cached<B>>,
  ): Promise<Cached<B>> => {
    const after = await send();
    const { metadata }: Partial<Cached<KubernetesObject>> = after;
    if (options?.dryRun !== true && metadata?.resourceVersion !== undefined && metadata.name === key.name) {
      run.wrote({ kind: kind.kind, of: kind, how: 'patch', subresource: name, before: undefined, after, fields });
    }
    return after;
  };
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    // Asks for something to happen (`eviction`, `token`, `binding`); nothing is written over.
    create: (kind, key, body, options) => client.create(kind, key, body, options),
    update: (kind, key, body, options) =>
      observe(
        kind,
        key,
        () => [],
        options,
        () => client.update(kind, key, body, options),
      ),
    mergePatch: (kind, key, patch, options) =>
      observe(
        kind,
        key,
        () => fieldsOfPatch(patch),
        options,
        () => client.mergePatch(kind, key, patch, options),
      ),
    jsonPatch: (kind, key, operations, options) =>
      observe(
        kind,
        key,
        () => fieldsOfOperations(operations),
        options,
        () => client.jsonPatch(kind, key, operations, options),
      ),
  };
}

interface KeyedObject {
  readonly metadata: Partial<ObjectKey>;
}

function keyOf({ metadata }: KeyedObject): ObjectKey {
  const { namespace, name = '' } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

function draftOf(
  kind: Kind,
  before: Cached<KubernetesObject>,
  fields: (before: unknown) => readonly string[],
  options: WriteOptions | undefined,
): Intent {
  return { kind, key: keyOf(before), how: 'patch', before, fields: () => fields(before), options };
}

/** The methods that are not watched, bound to the client. */
function plain(client: Client): Pick<Client, 'live' | 'get' | 'list' | 'delete' | 'deleteCollection' | 'kindFor'> {
  return {
    live: client.live,
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    delete: (kind, key, options) => client.delete(kind, key, options),
    deleteCollection: (kind, options) => client.deleteCollection(kind, options),
    kindFor: (apiVersion, kind, options) => client.kindFor(apiVersion, kind, options),
  };
}

function asObject(object: unknown): Cached<KubernetesObject> {
  return object as Cached<KubernetesObject>;
}
