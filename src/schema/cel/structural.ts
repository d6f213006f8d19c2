import { Float, type Json, type JsonObject } from '../../model/index.ts';

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly fieldPath: string;
  readonly reason: string | undefined;
  readonly optionalOldSelf: boolean | undefined;
}

/** What the rules need to know of a structural schema. */
export interface StructuralSchema {
  readonly type: string;
  readonly format: string;
  readonly nullable: boolean;
  readonly items: StructuralSchema | undefined;
  readonly properties: ReadonlyMap<string, StructuralSchema> | undefined;
  /** The schema of the values; `true` when anything goes. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly required: ReadonlySet<string>;
  readonly enum: readonly Json[];
  readonly hasDefault: boolean;
  readonly maxLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknownFields: boolean;
  readonly rules: readonly ValidationRule[];
  readonly allOf: readonly StructuralSchema[];
}

export const emptySchema: StructuralSchema = {
  type: '',
  format: '',
  nullable: false,
  items: undefined,
  properties: undefined,
  additionalProperties: undefined,
  required: new Set(),
  enum: [],
  hasDefault: false,
  maxLength: undefined,
  maxItems: undefined,
  maxProperties: undefined,
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  embeddedResource: false,
  intOrString: false,
  preserveUnknownFields: false,
  rules: [],
  allOf: [],
};

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function text(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === 'string' ? value : '';
}

function count(object: JsonObject, name: string): number | undefined {
  const value = member(object, name);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function list(object: JsonObject, name: string): readonly Json[] {
  const value = member(object, name);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function strings(object: JsonObject, name: string): string[] {
  return list(object, name).filter((value) => typeof value === 'string');
}

/** Reads the parts of an OpenAPI v3 schema that rules depend on. What is not of the right kind counts as absent. */
export function readSchema(json: JsonObject): StructuralSchema {
  const items = member(json, 'items');
  const properties = member(json, 'properties');
  const values = member(json, 'additionalProperties');
  const defaultValue = member(json, 'default');
  return {
    type: text(json, 'type'),
    format: text(json, 'format'),
    nullable: member(json, 'nullable') === true,
    items: isJsonObject(items) ? readSchema(items) : undefined,
    properties: isJsonObject(properties) ? readProperties(properties) : undefined,
    additionalProperties: isJsonObject(values) ? readSchema(values) : typeof values === 'boolean' ? values : undefined,
    required: new Set(strings(json, 'required')),
    enum: list(json, 'enum'),
    hasDefault: defaultValue !== undefined && defaultValue !== null,
    maxLength: count(json, 'maxLength'),
    maxItems: count(json, 'maxItems'),
    maxProperties: count(json, 'maxProperties'),
    listType: text(json, 'x-kubernetes-list-type') || undefined,
    listMapKeys: strings(json, 'x-kubernetes-list-map-keys'),
    mapType: text(json, 'x-kubernetes-map-type') || undefined,
    embeddedResource: member(json, 'x-kubernetes-embedded-resource') === true,
    intOrString: member(json, 'x-kubernetes-int-or-string') === true,
    preserveUnknownFields: member(json, 'x-kubernetes-preserve-unknown-fields') === true,
    rules: list(json, 'x-kubernetes-validations').filter(isJsonObject).map(readRule),
    allOf: list(json, 'allOf').filter(isJsonObject).map(readSchema),
  };
}

function readProperties(properties: JsonObject): Map<string, StructuralSchema> | undefined {
  const result = new Map<string, StructuralSchema>();
  for (const [name, schema] of Object.entries(properties))
    if (isJsonObject(schema)) result.set(name, readSchema(schema));
  return result.size === 0 ? undefined : result;
}

function readRule(json: JsonObject): ValidationRule {
  const reason = member(json, 'reason');
  const optionalOldSelf = member(json, 'optionalOldSelf');
  return {
    rule: text(json, 'rule'),
    message: text(json, 'message'),
    messageExpression: text(json, 'messageExpression'),
    fieldPath: text(json, 'fieldPath'),
    reason: typeof reason === 'string' ? reason : undefined,
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** The schema of the values of a map, if there is one. */
export function valuesSchema(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

const maximumNameLength = 253;

/** A schema with `apiVersion`, `kind` and the names in `metadata`: what rules at the root of a resource always see. */
export function withTypeAndObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { properties } = schema;
  const metadata = properties?.get('metadata');
  const typed = (parent: StructuralSchema | undefined, name: string, type: string) =>
    parent?.properties?.get(name)?.type === type;
  if (
    typed(schema, 'kind', 'string') &&
    typed(schema, 'apiVersion', 'string') &&
    typed(schema, 'metadata', 'object') &&
    typed(metadata, 'name', 'string') &&
    typed(metadata, 'generateName', 'string')
  ) {
    return schema;
  }
  const stringSchema = { ...emptySchema, type: 'string' };
  const named = (name: string, limit: number) => ({
    ...stringSchema,
    maxLength: Math.min(limit, metadata?.properties?.get(name)?.maxLength ?? limit),
  });
  const result = new Map(properties);
  result.set('kind', stringSchema);
  result.set('apiVersion', stringSchema);
  result.set('metadata', {
    ...emptySchema,
    type: 'object',
    properties: new Map([
      ['name', named('name', maximumNameLength)],
      ['generateName', named('generateName', maximumNameLength - 1)],
    ]),
  });
  return { ...schema, properties: result };
}
