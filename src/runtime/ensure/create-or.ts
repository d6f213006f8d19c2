import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { InvalidCallError, isAlreadyExists } from '../client/errors.ts';
import { applyChange } from '../client/draft.ts';
import type { Change, Client, KeyOf, WriteOptions } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';

export interface EnsureResult<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  /** As the server has it, or as the cache has it when nothing was sent or changed. */
  readonly object: Cached<T>;
}

/** Creates an object from a draft that has only its type and name, or hands the one that is there to `changeExisting`. */
export async function createOr<T extends KubernetesObject, S extends Scope, R extends Subresource>(
  client: Client,
  kind: Kind<T, S, R>,
  key: KeyOf<NoInfer<S>>,
  change: Change<NoInfer<T>>,
  options: WriteOptions | undefined,
  changeExisting: (existing: Cached<T>) => Promise<EnsureResult<T>>,
): Promise<EnsureResult<T>> {
  const read = options?.signal === undefined ? {} : { signal: options.signal };
  const existing = await client.get(kind, key, read);
  if (existing !== undefined) {
    return changeExisting(existing);
  }
  const { namespace, name }: { readonly namespace?: string; readonly name: string } = key;
  const draft = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(namespace === undefined || namespace === '' ? {} : { namespace }) },
  } as T;
  applyChange(draft, change);
  if (draft.metadata.name !== name || (draft.metadata.namespace ?? '') !== (namespace ?? '')) {
    throw new InvalidCallError(`${kind.kind} ${name}: its name and namespace cannot be changed`);
  }
  try {
    const object = await client.create<T>(freeze(draft), options);
    return { operation: 'created', object };
  } catch (error) {
    // The cache is behind: it was created meanwhile, perhaps by an earlier run of our own.
    const live = isAlreadyExists(error) ? await client.live.get(kind, key, read) : undefined;
    if (live === undefined) {
      throw error;
    }
    return changeExisting(live);
  }
}
