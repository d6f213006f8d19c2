import type { Json, JsonObject } from '../model/index.ts';

/** Under this key a node keeps the JSON that it was read from; equality and dumps take no notice of it. */
export const source = Symbol('source');

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason?: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}

/** Stands for a list that is absent; Go tells it from an empty one, in dumps and where it compares. */
export const noItems: readonly never[] = [];
/** Stands for a map that is absent. */
export const noEntries: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * A node of a schema as the server decodes it (`apiextensions.JSONSchemaProps`): absent texts are '', absent flags false. It is the
 * structural tree, too, once {@link validateStructuralSchema} finds nothing.
 */
export interface SchemaNode {
  readonly [source]: JsonObject;
  readonly id: string;
  readonly schema: string;
  readonly ref?: string;
  readonly description: string;
  readonly type: string;
  readonly format: string;
  readonly title: string;
  readonly default?: Json;
  readonly example?: Json;
  readonly maximum?: number;
  readonly exclusiveMaximum: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum: boolean;
  readonly maxLength?: bigint;
  readonly minLength?: bigint;
  readonly pattern: string;
  readonly maxItems?: bigint;
  readonly minItems?: bigint;
  readonly uniqueItems: boolean;
  readonly multipleOf?: number;
  /** Nulls in an enum match nothing. */
  readonly enum?: readonly Json[];
  readonly maxProperties?: bigint;
  readonly minProperties?: bigint;
  readonly required: readonly string[];
  readonly items?: SchemaNode;
  /** `items` as a list of schemas, which is refused. */
  readonly itemSchemas: readonly SchemaNode[];
  /** Whether the schema has `items` at all. */
  readonly hasItems: boolean;
  readonly allOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties?: SchemaOrBoolean;
  readonly patternProperties: ReadonlyMap<string, SchemaNode>;
  /** Refused; a schema or names of properties. */
  readonly dependencies?: ReadonlyMap<string, SchemaNode | readonly string[]>;
  readonly additionalItems?: SchemaOrBoolean;
  readonly definitions: ReadonlyMap<string, SchemaNode>;
  readonly externalDocs?: JsonObject;
  readonly nullable: boolean;
  readonly xPreserveUnknownFields?: boolean;
  readonly xEmbeddedResource: boolean;
  readonly xIntOrString: boolean;
  readonly xListMapKeys: readonly string[];
  readonly xListType?: string;
  readonly xMapType?: string;
  readonly xValidations: readonly ValidationRule[];

  /** Whether this node or one below it (junctors aside) has a default. */
  readonly hasDefaults: boolean;
  /** The properties that have a default of their own. */
  readonly defaulted: readonly (readonly [name: string, property: SchemaNode])[];
  /** Whether this node or one below it is a set or a list map. */
  readonly hasListTypes: boolean;
  /** Whether this node or one below it is an embedded resource. */
  readonly hasEmbeddedResources: boolean;
}

/** `additionalProperties`: true, false or a schema (then `allows` is true). */
export interface SchemaOrBoolean {
  readonly allows: boolean;
  readonly schema?: SchemaNode;
}
