import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { ApplyConfiguration } from '../client/patch-types.ts';
import type { ApplyOptions, Client, KeyOf, ObjectKey } from '../client/types.ts';
import type { Kind, Scope, Subresource } from '../kind/kind.ts';
import type { EnsureResult } from './create-or.ts';
import { isKnownNoOp, rememberNoOp } from './known-no-ops.ts';

/**
 * Server-side apply that sends nothing when the server has already said that this configuration changes nothing of the version that the
 * cache has. Any change of the object, by whomever, makes it be sent again.
 */
export async function applyIfChanged<T extends KubernetesObject, S extends Scope, R extends Subresource, L = unknown>(
  client: Client,
  kind: Kind<T, S, R, L>,
  configuration: ApplyConfiguration<NoInfer<T>, NoInfer<S>, NoInfer<L>>,
  options: ApplyOptions = {},
): Promise<EnsureResult<T>> {
  const { signal, fieldManager = '', force = false } = options;
  const { namespace, name } = (configuration as unknown as { readonly metadata: ObjectKey }).metadata;
  const key = (namespace === undefined ? { name } : { namespace, name }) as unknown as KeyOf<S>;
  const before = await client.get(kind, key, signal === undefined ? {} : { signal });
  const write = JSON.stringify([fieldManager, force, configuration]);
  if (before !== undefined && isKnownNoOp(before, write)) {
    return { operation: 'unchanged', object: before };
  }
  const object = await client.apply(kind, configuration, options);
  if (before === undefined) {
    return { operation: 'created', object };
  }
  const unchanged = rememberNoOp(before, object, write);
  return { operation: unchanged ? 'unchanged' : 'updated', object };
}
