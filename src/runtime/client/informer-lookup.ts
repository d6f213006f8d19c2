import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import type { Kind } from '../kind/kind.ts';

/** Where a client finds the informers that answer its reads. */
export interface InformerLookup {
  existing<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined;
  /** The one that answers reads, perhaps made for that. Default: the existing one. */
  forRead?<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined;
  /** Their kinds are known to `create`. */
  readonly informers?: readonly { readonly kind: Kind }[];
}
