import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { draftPatch } from '../client/draft.ts';
import { InvalidCallError, isAlreadyExists } from '../client/errors.ts';
import type { Change, Client, KeyOf, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import { isKnownNoOp, rememberNoOp } from './known-no-ops.ts';

export interface EnsureResult<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  /** As the server has it, or as the cache has it when nothing was sent or changed. */
  readonly object: Cached<T>;
}

/**
 * Makes an object be as `change` makes it: creates it from a draft that has only its type and name, or updates what the draft then
 * differs in (never the status). `change` sets what shall be, works on either draft, and may be called more than once.
 *
 * An unchanged draft is no request. Unlike controller-runtime's `CreateOrUpdate`, a whole subtree may be set without the fields that the
 * server defaults: the server is asked once whether that changes the object, and not again until its spec, or what `change` makes, is another. A
 * `ConflictError` says that the object was changed since it was read; let the reconcile fail with it.
 */
export async function createOrUpdate<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  key: KeyOf<NoInfer<S>>,
  change: Change<NoInfer<T>>,
  options?: WriteOptions,
): Promise<EnsureResult<T>> {
  const existing = await client.get(kind, key, signalOf(options));
  if (existing !== undefined) {
    return update(client, kind, existing, change, options);
  }
  const { namespace, name } = nameOf(key);
  const draft = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(namespace === undefined || namespace === '' ? {} : { namespace }) },
  } as T;
  change(draft);
  if (draft.metadata.name !== name || (draft.metadata.namespace ?? '') !== (namespace ?? '')) {
    throw new InvalidCallError(`createOrUpdate of ${kind.kind} ${name}: its name and namespace cannot be changed`);
  }
  try {
    const object = await client.create<T>(freeze(draft), options);
    return { operation: 'created', object };
  } catch (error) {
    // The cache is behind: it was created meanwhile, perhaps by an earlier run of our own.
    const live = isAlreadyExists(error) ? await client.live.get(kind, key, signalOf(options)) : undefined;
    if (live === undefined) {
      throw error;
    }
    return update(client, kind, live, change, options);
  }
}

async function update<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  before: Cached<T>,
  change: Change<NoInfer<T>>,
  options: WriteOptions | undefined,
): Promise<EnsureResult<T>> {
  const write = JSON.stringify(draftPatch<T>(before, change));
  if (isKnownNoOp(before, write, true)) {
    return { operation: 'unchanged', object: before };
  }
  const object = await client.update(kind, before, change, options);
  const unchanged = object === before || rememberNoOp(before, object, write, true);
  return { operation: unchanged ? 'unchanged' : 'updated', object };
}

function signalOf(options: WriteOptions | undefined): { readonly signal?: AbortSignal } {
  return options?.signal === undefined ? {} : { signal: options.signal };
}

function nameOf(key: object): { readonly namespace?: string; readonly name: string } {
  return key as { readonly namespace?: string; readonly name: string };
}
