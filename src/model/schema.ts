import type { SourcePosition } from './diagnostic.ts';
import type { Json } from './json.ts';

/** A CEL rule of `x-kubernetes-validations` (apiextensions.k8s.io/v1 ValidationRule). */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/**
 * An OpenAPI v3 schema as it stands in a CRD (apiextensions.k8s.io/v1 JSONSchemaProps): the keywords keep their wire names.
 *
 * `properties` is a Map, in the order of declaration, so that members of any name (`__proto__`) are safe. `origin` is ours and never
 * written: where in the user's sources this schema, and each of its keywords, was decided.
 */
export interface Schema {
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly example?: Json;
  readonly enum?: readonly Json[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly properties?: ReadonlyMap<string, Schema>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly origin?: SchemaOrigin;
}

/** Where a schema comes from. `keywords` has the position of the marker that set a keyword, by the keyword's name. */
export interface SchemaOrigin {
  readonly position: SourcePosition;
  readonly keywords?: ReadonlyMap<string, SourcePosition>;
  /** The name of the declared type, where it has one. */
  readonly typeName?: string;
}
