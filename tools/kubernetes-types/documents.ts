/** A schema of an API server's OpenAPI v3 document. */
export interface DocumentSchema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly additionalProperties?: DocumentSchema;
  readonly items?: DocumentSchema;
  readonly allOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

export interface TypeName {
  /** The module of operator-runtime: `apis/core/v1`. */
  readonly module: string;
  readonly name: string;
}

export type TypesByModule = Readonly<Record<string, Readonly<Record<string, DocumentSchema>>>>;

/** Where a type of a document stands: `io.k8s.api.core.v1.Pod` is Pod of `apis/core/v1`. */
export function moduleOf(definition: string): TypeName {
  const parts = definition.split('.');
  const name = parts.at(-1) ?? '';
  const version = parts.at(-2) ?? '';
  const group = parts.at(-3) ?? '';
  if (/^v\d/.test(version)) return { module: `apis/${group}/${version}`, name };
  return { module: 'scalars', name };
}

/** The type that a schema refers to, be it alone or with siblings. */
export function referenceOf(schema: DocumentSchema): TypeName | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? undefined : moduleOf(reference.slice(reference.lastIndexOf('/') + 1));
}

/** All types of all documents. One that several documents have is the same in all of them, but for the groups that it lists. */
export function readDocuments(
  documents: readonly { readonly components?: { readonly schemas?: Readonly<Record<string, DocumentSchema>> } }[],
): TypesByModule {
  const types: Record<string, Record<string, DocumentSchema>> = {};
  for (const document of documents) {
    for (const [definition, schema] of Object.entries(document.components?.schemas ?? {})) {
      const { module, name } = moduleOf(definition);
      types[module] = { ...types[module], [name]: schema };
    }
  }
  const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(Object.fromEntries(Object.entries(types).map(([module, schemas]) => [module, sorted(schemas)])));
}
