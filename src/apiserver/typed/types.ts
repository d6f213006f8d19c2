import { goTypes, schemas, type OpenApiSchema } from '../data/index.ts';
import { fromPlain, jsonObject, type Json } from '../json.ts';

/** What stands behind a member of a built-in kind. */
export type TypedNode =
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly atomic: boolean;
      readonly properties: ReadonlyMap<string, TypedProperty>;
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly values: TypedNode }
  | TypedList
  | { readonly kind: 'string'; readonly bytes: boolean; readonly values: readonly string[] | undefined }
  | { readonly kind: 'integer'; readonly bits: 32 | 64 }
  | { readonly kind: 'number' | 'boolean' | 'time' | 'microTime' | 'quantity' | 'intOrString' | 'any' | 'raw' };

export interface TypedList {
  readonly kind: 'list';
  readonly items: TypedNode;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
}

export interface TypedProperty {
  readonly node: TypedNode;
  /** Go prints it whatever its value: what it prints when nothing was given. */
  readonly absent: Json | undefined;
  /** Strategies of strategic merge patches, comma-separated in the documents: `merge`, `replace`, `retainKeys`. */
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey: string | undefined;
  /** What keys of list items count as when they are not there. */
  readonly keyDefault?: Json | undefined;
  /** Go leaves it out when it has the zero value of its type. */
  readonly omitsZero?: boolean;
  /** What messages call its type, where that has a name of its own: `v1.PullPolicy`. */
  readonly goType?: string | undefined;
  /** The embedded structs that messages put before its name: `ProbeHandler`. */
  readonly embedded?: string | undefined;
}

/** What Go says of a member beside its schema. */
interface GoMember {
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly type: string | undefined;
  readonly embedded: string | undefined;
}

type GoTypes = Readonly<Record<string, Readonly<Record<string, string>>>>;

function goMember(text: string | undefined): GoMember | undefined {
  if (text === undefined) return undefined;
  const [flags = '', type = '', embedded = ''] = text.split('|');
  return {
    pointer: flags.includes('p'),
    omitEmpty: flags.includes('o'),
    omitZero: flags.includes('z'),
    type: type === '' ? undefined : type,
    embedded: embedded === '' ? undefined : embedded,
  };
}

const prefix = '#/components/schemas/';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** The types of built-in kinds as their OpenAPI documents give them; a type is read when it is first needed. */
export class TypeCatalogue {
  readonly #schemas: Readonly<Record<string, OpenApiSchema>>;
  readonly #goTypes: GoTypes;
  readonly #nodes = new Map<string, TypedNode>();
  readonly #names = new Map<string, string>();

  constructor(documents: Readonly<Record<string, OpenApiSchema>>, goTypes: GoTypes) {
    this.#schemas = documents;
    this.#goTypes = goTypes;
    for (const [name, schema] of Object.entries(documents)) {
      const kinds = schema['x-kubernetes-group-version-kind'];
      if (!Array.isArray(kinds) || kinds.length !== 1) continue;
      const { group, version, kind } = kinds[0] as { group: string; version: string; kind: string };
      this.#names.set(`${group}/${version}/${kind}`, name);
    }
  }

  /** The name of a kind's schema (`io.k8s.api.apps.v1.Deployment`). */
  schemaName(group: string, version: string, kind: string): string | undefined {
    return this.#names.get(`${group}/${version}/${kind}`);
  }

  schema(name: string): OpenApiSchema | undefined {
    return this.#schemas[name];
  }

  kind(group: string, version: string, kind: string): TypedNode | undefined {
    const name = this.schemaName(group, version, kind);
    return name === undefined ? undefined : this.named(name);
  }

  named(name: string): TypedNode {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = this.#special(name) ?? this.#object(name);
    this.#nodes.set(name, node);
    return node;
  }

  #special(name: string): TypedNode | undefined {
    if (name === `${meta}Time`) return { kind: 'time' };
    if (name === `${meta}MicroTime`) return { kind: 'microTime' };
    if (name === 'io.k8s.apimachinery.pkg.api.resource.Quantity') return { kind: 'quantity' };
    if (name === 'io.k8s.apimachinery.pkg.runtime.RawExtension') return { kind: 'raw' };
    if (name === 'io.k8s.apimachinery.pkg.util.intstr.IntOrString') return { kind: 'intOrString' };
    return undefined;
  }

  #object(name: string): TypedNode {
    const schema = this.#schemas[name];
    if (schema === undefined) return { kind: 'any' };
    if (schema.properties === undefined) return this.#inline(schema);
    const properties = new Map<string, TypedProperty>();
    const short = name.split('.').slice(-2).join('.');
    const node: TypedNode = {
      kind: 'object',
      name: short,
      atomic: schema['x-kubernetes-map-type'] === 'atomic',
      properties,
    };
    // Types refer to themselves (JSONSchemaProps): the node is known before its members are read.
    this.#nodes.set(name, node);
    const required = new Set(schema.required);
    const members = this.#goTypes[name];
    for (const [property, inner] of Object.entries(schema.properties))
      properties.set(property, this.#property(inner, required.has(property), goMember(members?.[property])));
    return node;
  }

  #property(schema: OpenApiSchema, required: boolean, member: GoMember | undefined): TypedProperty {
    const node = this.#inline(schema);
    const mergeKey = schema['x-kubernetes-patch-merge-key'];
    const strategies = schema['x-kubernetes-patch-strategy'];
    return {
      node,
      absent: absentValue(node, schema, required, member),
      patchStrategies: typeof strategies === 'string' ? strategies.split(',') : [],
      patchMergeKey: typeof mergeKey === 'string' ? mergeKey : undefined,
      keyDefault: schema.default === undefined ? undefined : fromPlain(schema.default),
      omitsZero: member !== undefined && !member.pointer && (member.omitEmpty || member.omitZero),
      goType: member?.type,
      embedded: member?.embedded,
    };
  }

  #inline(schema: OpenApiSchema): TypedNode {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) {
      const target = this.named(reference.slice(prefix.length));
      const mapType = schema['x-kubernetes-map-type'];
      return target.kind === 'object' && mapType === 'atomic' ? { ...target, atomic: true } : target;
    }
    switch (schema.type) {
      case 'array': {
        const listType = schema['x-kubernetes-list-type'];
        const keys = schema['x-kubernetes-list-map-keys'];
        return {
          kind: 'list',
          items: this.#inline(schema.items ?? {}),
          listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
          keys: Array.isArray(keys) ? (keys as string[]) : [],
        };
      }
      case 'object':
        return schema.additionalProperties === undefined
          ? { kind: 'any' }
          : {
              kind: 'map',
              atomic: schema['x-kubernetes-map-type'] === 'atomic',
              values: this.#inline(schema.additionalProperties),
            };
      case 'string':
        return schema.format === 'date-time'
          ? { kind: 'time' }
          : { kind: 'string', bytes: schema.format === 'byte', values: schema.enum };
      case 'integer':
        return { kind: 'integer', bits: schema.format === 'int32' ? 32 : 64 };
      case 'number':
        return { kind: 'number' };
      case 'boolean':
        return { kind: 'boolean' };
      default:
        return { kind: 'any' };
    }
  }
}

/**
 * What Go prints of a member that nothing was given for: pointers and lists that are not left out are `null`, structs are printed
 * whatever they hold, and so is what has no `omitempty`. Defaults of the documents that are no zero values come first.
 */
function absentValue(
  node: TypedNode,
  schema: OpenApiSchema,
  required: boolean,
  member: GoMember | undefined,
): Json | undefined {
  const value = schema.default;
  const meansNothing = value === '' || value === 0 || value === false || typeof value === 'object';
  // Numbers come from the defaults of their kinds: whoever makes an object owns them.
  if (value !== undefined && !meansNothing && typeof value !== 'number') return fromPlain(value);
  if (member === undefined) return value === undefined || !required ? undefined : fromPlain(value);
  if (member.pointer) return member.omitEmpty || member.omitZero ? undefined : null;
  if (member.omitZero) return undefined;
  switch (node.kind) {
    case 'time':
    case 'microTime':
      return null;
    case 'object':
      return jsonObject();
    case 'quantity':
      return '0';
    case 'intOrString':
      return 0;
    default:
      return member.omitEmpty ? undefined : zeroOf(node);
  }
}

function zeroOf(node: TypedNode): Json | undefined {
  switch (node.kind) {
    case 'list':
    case 'map':
      return null;
    case 'string':
      return node.bytes ? null : '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

/** Reads the catalogue of all built-in kinds. */
export async function loadTypes(): Promise<TypeCatalogue> {
  const [documents, types] = await Promise.all([schemas(), goTypes()]);
  return new TypeCatalogue(documents, types);
}
