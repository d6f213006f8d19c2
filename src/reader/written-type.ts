import type { ts } from 'ts-morph';

/**
 * A type as it is written, and what the type parameters in it stand for. The checker knows every type but forgets the aliases of
 * primitives, lists and interfaces; what is written remembers them, through generics, mapped and conditional types.
 */
export interface WrittenType {
  readonly node: ts.TypeNode;
  readonly bindings: Bindings;
}

/** What a type parameter stands for: a written type, or where a mapped type is: at a member, at the items of a list, at the values of a map. */
export type Binding = WrittenType | { readonly key: MappedKey };
export type MappedKey = string | typeof itemKey | typeof valueKey;
export type Bindings = ReadonlyMap<ts.Symbol, Binding>;

export const noBindings: Bindings = new Map();

export const itemKey = Symbol('items');
export const valueKey = Symbol('values');
