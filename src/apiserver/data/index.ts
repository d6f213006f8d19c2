import { brotliDecompressSync } from 'node:zlib';

function unpack(packed: string): string {
  return brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');
}

export interface DiscoverySubresource {
  readonly subresource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** A resource as aggregated discovery describes it. */
export interface DiscoveryResource {
  readonly resource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoverySubresource[];
}

export interface DiscoveryGroup {
  /** `''` for the core group. */
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveryResource[] }[];
}

/** A schema of the OpenAPI documents: plain data, references included. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description?: string;
  readonly priority: number;
}

/** The field of a protobuf message: its number, its type, and whether it stands more than once. */
export type ProtobufField = readonly [number: number, type: string, repeated?: 'repeated'];

/** What a real API server has from its start: the groups and resources in the order of discovery. */
export async function discovery(): Promise<readonly DiscoveryGroup[]> {
  return JSON.parse(unpack((await import('./discovery.generated.ts')).packed)) as DiscoveryGroup[];
}

/** The OpenAPI schemas of all built-in kinds by name (`io.k8s.api.apps.v1.Deployment`). */
export async function schemas(): Promise<Readonly<Record<string, OpenApiSchema>>> {
  return JSON.parse(unpack((await import('./schemas.generated.ts')).packed)) as Record<string, OpenApiSchema>;
}

/**
 * What the documents do not say of the members of Go's types, by the name of the schema and of the member: flags (`p` pointer, `o`
 * omitempty, `z` omitzero), the type where it has a name of its own, and the embedded structs on the way to it, as `flags|type|embedded`.
 */
export async function goTypes(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  return JSON.parse(unpack((await import('./go-types.generated.ts')).packed)) as Record<string, Record<string, string>>;
}

/** The paths of each OpenAPI v3 document by the document's path (`apis/apps/v1`). */
export async function paths(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  return JSON.parse(unpack((await import('./paths.generated.ts')).packed)) as Record<string, Record<string, unknown>>;
}

/** The protobuf messages of all kinds by name (`k8s.io.api.apps.v1.Deployment`). */
export async function protobuf(): Promise<Readonly<Record<string, Readonly<Record<string, ProtobufField>>>>> {
  return JSON.parse(unpack((await import('./protobuf.generated.ts')).packed)) as Record<
    string,
    Record<string, ProtobufField>
  >;
}

/** The columns of each built-in resource's table by `<group/version>/<resource>`. */
export async function columns(): Promise<Readonly<Record<string, readonly TableColumn[]>>> {
  return JSON.parse(unpack((await import('./columns.generated.ts')).packed)) as Record<string, TableColumn[]>;
}

/** The text of the lists of objects that exist from the start, as one JSON array. */
export async function bootstrap(): Promise<string> {
  return unpack((await import('./bootstrap.generated.ts')).packed);
}
