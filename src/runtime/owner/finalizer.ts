import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { isNotFound } from '../client/errors.ts';
import type { Client, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';

/** Whether somebody asked to delete the object; it stays until its finalizers are gone. */
export function isBeingDeleted(object: Cached<KubernetesObject>): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer(object: Cached<KubernetesObject>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Adds a finalizer unless it is there, and gives the object as it is then. Do it before anything outside the cluster exists that a
 * deletion must clean up. A `ConflictError` says that the object was changed since it was read; let the reconcile fail with it, and the
 * next one reads again. Throws when the object is being deleted, since no server takes a new finalizer then.
 */
export async function addFinalizer<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  object: Cached<NoInfer<T>>,
  finalizer: string,
  options?: WriteOptions,
): Promise<Cached<T>> {
  if (hasFinalizer(object, finalizer)) {
    return object;
  }
  if (isBeingDeleted(object)) {
    throw new Error(
      `${kind.kind} ${object.metadata.name ?? ''} is being deleted and takes no new finalizer; check isBeingDeleted(object) first`,
    );
  }
  return client.update(
    kind,
    object,
    (draft) => {
      draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), finalizer];
    },
    options,
  );
}

/**
 * Removes a finalizer, once what it stands for is cleaned up. Nothing happens when it is not there. An object that is gone counts as
 * success; a new object of the same name is not touched (`ConflictError`, as for any change since the object was read).
 */
export async function removeFinalizer<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  object: Cached<NoInfer<T>>,
  finalizer: string,
  options?: WriteOptions,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) {
    return;
  }
  try {
    await client.update(
      kind,
      object,
      (draft) => {
        draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((other) => other !== finalizer);
      },
      options,
    );
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
  }
}
