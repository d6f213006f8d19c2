import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { checkIdentity, draftPatch } from '../client/draft.ts';
import { InvalidCallError } from '../client/errors.ts';
import type { MergePatch } from '../client/patch-types.ts';
import type { Change, Client, KeyOf, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import { createOr } from './create-or.ts';
import type { EnsureResult } from './create-or.ts';
import { isKnownNoOp, rememberNoOp } from './known-no-ops.ts';
import { mergeDifference } from './merge-difference.ts';

/**
 * Like `createOrUpdate`, but what differs is sent as a JSON merge patch that holds whatever else happened to the object meanwhile: it
 * never conflicts with another version, and of two writers of one field the last one wins. Lists are replaced whole. A new object of the
 * same name is not touched (`InvalidError`: its uid is another).
 *
 * Unlike controller-runtime's `CreateOrPatch` it does not write the status as well: a draft that changes it is an `InvalidCallError`; use
 * `patchStatus`.
 */
export function createOrPatch<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  key: KeyOf<NoInfer<S>>,
  change: Change<NoInfer<T>>,
  options?: WriteOptions,
): Promise<EnsureResult<T>> {
  return createOr(client, kind, key, change, options, patch);

  async function patch(before: Cached<T>): Promise<EnsureResult<T>> {
    let draft: T = before as T;
    const operations = draftPatch<T>(before, (copy) => {
      draft = copy;
      return change(copy);
    });
    checkIdentity(operations);
    const body = mergeDifference(before as Readonly<Record<string, unknown>>, draft as Record<string, unknown>);
    if (body === undefined) {
      return { operation: 'unchanged', object: before };
    }
    if ('status' in body) {
      throw new InvalidCallError(
        `createOrPatch of ${kind.kind} ${before.metadata.name ?? ''} does not write the status: use patchStatus`,
      );
    }
    const write = `merge ${JSON.stringify(body)}`;
    if (isKnownNoOp(before, write, true)) {
      return { operation: 'unchanged', object: before };
    }
    // The server refuses to change a uid.
    const metadata = { ...(body['metadata'] as object | undefined), uid: before.metadata.uid };
    const object = await client.mergePatch<T, S, R>(kind, key, { ...body, metadata } as MergePatch<T>, options);
    const unchanged = rememberNoOp(before, object, write, true);
    return { operation: unchanged ? 'unchanged' : 'updated', object };
  }
}
