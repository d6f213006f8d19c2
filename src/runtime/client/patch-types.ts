import type { KubernetesObject, ObjectMeta } from '../apis/meta/v1.ts';
import type { Scope } from '../kind/kind.ts';
import type { Cached } from './cached.ts';

type Primitive = string | number | boolean | bigint | symbol | null | undefined;

/** A JSON merge patch of a `T`: any part of it, with `null` for what is to be removed. Arrays are replaced whole. */
export type MergePatch<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly unknown[]
      ? Cached<T>
      : { readonly [K in keyof T]?: MergePatch<Exclude<T[K], undefined>> | null };

/** A JSON pointer (RFC 6901): `/metadata/annotations/example.com~1key`. */
export type JsonPointer = '' | `/${string}`;

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: JsonPointer; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: JsonPointer }
  | { readonly op: 'move' | 'copy'; readonly from: JsonPointer; readonly path: JsonPointer };

/**
 * Any part of a `T`; what is left out is left alone. Lists may hold parts of their items, and no gaps.
 *
 * `L` names the keys of lists that are maps, without which the server cannot tell what an item belongs to: for each member that has such
 * lists below it the same of that member, for a list `[keys, the same of its items]`, with `never` for a list that is no map.
 */
export type ApplyPart<T, L = unknown> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: ApplyItem<T[K], L> }
      : { readonly [K in keyof T]?: ApplyPart<Exclude<T[K], undefined>, K extends keyof L ? L[K] : unknown> };

/** A part of an item of a list, with its keys. */
type ApplyItem<T, L> = L extends readonly [infer Keys, (infer Inner)?]
  ? ApplyPart<T, Inner> & { readonly [K in Keys & keyof T]-?: ApplyPart<Exclude<T[K], undefined>> }
  : ApplyPart<T>;

/** The metadata that a configuration may have: a name, and nothing that only the server sets. */
export type ApplyMetadata<S extends Scope> = Omit<
  ApplyPart<ObjectMeta, { ownerReferences: ['uid'] }>,
  | 'name'
  | 'namespace'
  | 'generateName'
  | 'generation'
  | 'creationTimestamp'
  | 'deletionTimestamp'
  | 'managedFields'
  | 'selfLink'
> & { readonly name: string } & ([S] extends ['Namespaced']
    ? { readonly namespace: string }
    : { readonly namespace?: string });

/**
 * What server-side apply takes: the fields that this field manager wants to own, the object's name, and the keys of items of lists that are
 * maps, where `L` says which these are.
 */
export type ApplyConfiguration<T extends KubernetesObject, S extends Scope = Scope, L = unknown> = {
  readonly [K in Exclude<keyof T, 'apiVersion' | 'kind' | 'metadata'>]?: ApplyPart<
    Exclude<T[K], undefined>,
    K extends keyof L ? L[K] : unknown
  >;
} & {
  /** Default: the kind's. */
  readonly apiVersion?: T['apiVersion'];
  readonly kind?: T['kind'];
  readonly metadata: ApplyMetadata<S>;
};
