import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { draftPatch } from '../client/draft.ts';
import type { Change, Client, KeyOf, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import { createOr } from './create-or.ts';
import type { EnsureResult } from './create-or.ts';
import { isKnownNoOp, rememberNoOp } from './known-no-ops.ts';

/**
 * Makes an object be as `change` makes it: creates it from a draft that has only its type and name, or updates what the draft then
 * differs in (never the status). `change` sets what shall be, works on either draft, and may be called more than once.
 *
 * An unchanged draft is no request. Unlike controller-runtime's `CreateOrUpdate`, a whole subtree may be set without the fields that the
 * server defaults: the server is asked once whether that changes the object, and not again until its spec, or what `change` makes, is another. A
 * `ConflictError` says that the object was changed since it was read; let the reconcile fail with it.
 */
export function createOrUpdate<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  key: KeyOf<NoInfer<S>>,
  change: Change<NoInfer<T>>,
  options?: WriteOptions,
): Promise<EnsureResult<T>> {
  return createOr(client, kind, key, change, options, update);

  async function update(before: Cached<T>): Promise<EnsureResult<T>> {
    const write = JSON.stringify(draftPatch<T>(before, change));
    if (isKnownNoOp(before, write, true)) {
      return { operation: 'unchanged', object: before };
    }
    const object = await client.update(kind, before, change, options);
    const unchanged = object === before || rememberNoOp(before, object, write, true);
    return { operation: unchanged ? 'unchanged' : 'updated', object };
  }
}
