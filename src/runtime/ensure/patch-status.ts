import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { Change, Client, KeyOf, KindWith, WriteOptions } from '../client/types.ts';
import type { Scope, Subresource } from '../kind/kind.ts';

/** As client-go's `retry.DefaultRetry`. */
const tries = 5;

/**
 * Changes the status of an object, whatever else happens to it meanwhile: after a conflict it reads the object from the server and runs
 * `change` again, five times in all, then rejects with the `ConflictError`. So `change` must decide by the draft that it gets, not by an
 * object that was read before. A status that does not differ is not written.
 *
 * Resolves with the object as it is then, or with undefined when it is gone, or when another object has its name: that one is
 * reconciled on its own.
 */
export async function patchStatus<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: KindWith<'status', T, S, R>,
  key: KeyOf<NoInfer<S>>,
  change: Change<NoInfer<T>>,
  options: WriteOptions = {},
): Promise<Cached<T> | undefined> {
  const read = options.signal === undefined ? {} : { signal: options.signal };
  let object: Cached<T> | undefined = await client.get<T, S, R>(kind, key, read);
  const uid = uidOf(object);
  for (let attempt = 1; object !== undefined && uidOf(object) === uid; attempt++) {
    try {
      return await client.updateStatus<T, S, R>(kind, object, change, options);
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      if (!isConflict(error) || attempt === tries) {
        throw error;
      }
      object = await client.live.get<T, S, R>(kind, key, read);
    }
  }
  return undefined;
}

function uidOf(object: unknown): string | undefined {
  return (object as Cached<KubernetesObject> | undefined)?.metadata.uid;
}
