import type { KubernetesObject } from '../apis/meta/v1.ts';

export type Scope = 'Namespaced' | 'Cluster';
export type Subresource = 'status' | 'scale';

/** What the API server calls a kind: enough to build every URL, and nothing that must be looked up. */
export interface KindInfo {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly subresources: readonly Subresource[];
}

declare const object: unique symbol;
declare const scope: unique symbol;
declare const subresource: unique symbol;
declare const listKeys: unique symbol;

/**
 * A kind as a value: what `for`, `owns` and the client take. `T` is the object's type, `S` its scope, `R` the subresources that it
 * has (`never` for none), `L` the keys of its lists that are maps, as `ApplyConfiguration` has them; the type parameters exist at
 * compile time only.
 */
export interface Kind<
  T extends KubernetesObject = KubernetesObject,
  S extends Scope = Scope,
  R extends Subresource = Subresource,
  L = unknown,
> extends KindInfo {
  /** `<group>/<version>`, or the version alone in the core group. */
  readonly apiVersion: string;
  readonly [object]?: T;
  readonly [scope]?: S;
  readonly [subresource]?: R;
  readonly [listKeys]?: L;
}

/** Makes the value of a kind; frozen. Generated code calls it, marked as pure so that bundlers drop unused kinds. */
export function defineKind<
  T extends KubernetesObject,
  S extends Scope = Scope,
  R extends Subresource = never,
  L = unknown,
>(info: KindInfo): Kind<T, S, R, L> {
  return Object.freeze({
    ...info,
    apiVersion: info.group === '' ? info.version : `${info.group}/${info.version}`,
    subresources: Object.freeze([...info.subresources]),
  });
}
