import { isArray, isObject, list, member, type Json } from '../json.ts';
import type { TypeCatalogue, TypedNode } from '../typed/types.ts';

/** What server-side apply must know of a type: how its parts are owned and merged. */
export type ApplyType =
  | { readonly kind: 'scalar' }
  /** Nothing is known: objects are merged member by member, lists are one piece. */
  | { readonly kind: 'deduced' }
  /** Any value, owned as one piece. */
  | { readonly kind: 'raw' }
  | {
      readonly kind: 'map';
      readonly atomic: boolean;
      /** The type of a declared member; nothing for others. */
      field(name: string): ApplyType | undefined;
      /** The type of members that are not declared; nothing where there may be none. */
      readonly values: ApplyType | undefined;
    }
  | {
      readonly kind: 'list';
      readonly listType: 'atomic' | 'set' | 'map';
      readonly keys: readonly string[];
      readonly items: ApplyType;
      /** The default of a key that an item leaves out. */
      keyDefault(key: string): Json | undefined;
    };

const scalar: ApplyType = { kind: 'scalar' };
export const deduced: ApplyType = { kind: 'deduced' };

const fromNodes = new WeakMap<TypedNode, ApplyType>();

/** The type of a built-in kind. */
export function typeOfNode(node: TypedNode): ApplyType {
  let type = fromNodes.get(node);
  if (type === undefined) fromNodes.set(node, (type = convert(node)));
  return type;
}

function convert(node: TypedNode): ApplyType {
  switch (node.kind) {
    case 'object':
      return {
        kind: 'map',
        atomic: node.atomic,
        values: undefined,
        field(name) {
          const property = node.properties.get(name);
          return property === undefined ? undefined : typeOfNode(property.node);
        },
      };
    case 'map':
      return { kind: 'map', atomic: node.atomic, values: typeOfNode(node.values), field: () => undefined };
    case 'list': {
      const { items } = node;
      return {
        kind: 'list',
        listType: node.listType,
        keys: node.keys,
        items: typeOfNode(items),
        keyDefault: (key) => (items.kind === 'object' ? items.properties.get(key)?.keyDefault : undefined),
      };
    }
    case 'any':
      return deduced;
    case 'raw':
      return { kind: 'raw' };
    default:
      return scalar;
  }
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The type of a custom kind from the schema in its definition. */
export function typeOfSchema(schema: Json, types: TypeCatalogue): ApplyType {
  return convertSchema(schema, types, true);
}

function convertSchema(schema: Json, types: TypeCatalogue, root: boolean): ApplyType {
  const preserves = member(schema, 'x-kubernetes-preserve-unknown-fields') === true;
  const embedded = root || member(schema, 'x-kubernetes-embedded-resource') === true;
  if (member(schema, 'x-kubernetes-int-or-string') === true) return scalar;
  const type = member(schema, 'type');
  if (type === 'array') {
    const listType = member(schema, 'x-kubernetes-list-type');
    const items = member(schema, 'items') ?? null;
    const converted = isArray(items) ? deduced : convertSchema(items, types, false);
    return {
      kind: 'list',
      listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
      keys: list(schema, 'x-kubernetes-list-map-keys').map(String),
      items: converted,
      keyDefault: (key) => member(member(member(items, 'properties'), key), 'default'),
    };
  }
  if (type === 'object' || embedded) {
    const properties = member(schema, 'properties');
    const additional = member(schema, 'additionalProperties');
    if (properties === undefined && additional === undefined && preserves && !embedded) return deduced;
    const known = new Map<string, ApplyType>();
    const values = isObject(additional)
      ? convertSchema(additional, types, false)
      : additional === true || preserves
        ? deduced
        : undefined;
    return {
      kind: 'map',
      atomic: member(schema, 'x-kubernetes-map-type') === 'atomic',
      values,
      field(name) {
        if (embedded && (name === 'apiVersion' || name === 'kind')) return scalar;
        if (embedded && name === 'metadata') return typeOfNode(types.named(objectMeta));
        const found = known.get(name);
        if (found !== undefined) return found;
        const inner = member(properties, name);
        if (inner === undefined) return undefined;
        const converted = convertSchema(inner, types, false);
        known.set(name, converted);
        return converted;
      },
    };
  }
  return type === undefined || preserves ? deduced : scalar;
}
