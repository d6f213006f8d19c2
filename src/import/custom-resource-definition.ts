import type { JsonObject, SourcePosition } from '../model/index.ts';

/** A CustomResourceDefinition (apiextensions.k8s.io/v1) as it was read: its names checked, its schemas as they stand. */
export interface CustomResourceDefinition {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  readonly versions: readonly DefinitionVersion[];
  /** `spec`, for what none of the members above has. */
  readonly spec: JsonObject;
  readonly position: SourcePosition;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  /** `schema.openAPIV3Schema`; a version without one takes any object. */
  readonly schema: JsonObject;
  readonly status: boolean;
  readonly scale: JsonObject | undefined;
  readonly printerColumns: readonly JsonObject[];
  readonly selectableFields: readonly JsonObject[];
}
