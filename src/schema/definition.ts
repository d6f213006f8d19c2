import type { JsonObject } from '../model/index.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * A CustomResourceDefinition as the server holds it inside (`apiextensions.CustomResourceDefinition`): what all versions have alike
 * stands at `spec` and not in the versions.
 */
export interface Definition {
  /** Decoded metadata. */
  readonly metadata: JsonObject;
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

export interface DefinitionSpec {
  readonly group: string;
  /** The name of the first version. */
  readonly version: string;
  readonly names: DefinitionNames;
  readonly scope: string;
  readonly validation?: DefinitionSchema;
  readonly subresources?: Subresources;
  readonly versions: readonly DefinitionVersion[];
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
  readonly conversion?: Conversion;
  readonly preserveUnknownFields: boolean;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: DefinitionSchema;
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
}

export interface DefinitionSchema {
  readonly openAPIV3Schema?: SchemaNode;
}

export interface Subresources {
  readonly status?: true;
  readonly scale?: ScaleSubresource;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

export interface SelectableField {
  readonly jsonPath: string;
}

export interface Conversion {
  readonly strategy: string;
  readonly clientConfig?: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** Base64. */
  readonly caBundle: string;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port: number;
}

export interface DefinitionStatus {
  readonly acceptedNames: DefinitionNames;
  readonly storedVersions: readonly string[];
  readonly isEstablished: boolean;
}
