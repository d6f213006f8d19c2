import type { Json, JsonObject } from '../model/index.ts';
import {
  type DecodeContext,
  DecodeError,
  decodeBoolean,
  decodeCustom,
  decodeFloat,
  decodeInteger,
  decodeList,
  decodeMap,
  decodeString,
  decodeStrings,
  decodeStruct,
  decodeWhole,
  type FieldTable,
} from './go-decoder.ts';
import { isList, isObject } from './json.ts';
import {
  noEntries,
  noItems,
  source,
  type SchemaNode,
  type SchemaOrBoolean,
  type ValidationRule,
} from './schema-node.ts';

type Draft<T> = { -readonly [name in keyof T]: T[name] };
type NodeDraft = Draft<SchemaNode>;

/** Reads a schema as the server decodes it into `JSONSchemaProps`. Throws a {@link DecodeError} where a keyword has the wrong type. */
export function decodeSchema(value: Json): SchemaNode {
  return decodeWhole((context) => decodeNode(value, context));
}

/** {@link decodeSchema} inside of another value. */
export function decodeNode(value: Json, context: DecodeContext): SchemaNode {
  const { decoded, mismatches } = context;
  if (decoded === undefined || !isObject(value)) return decodeAnew(value, context);
  const known = decoded.get(value) as SchemaNode | undefined;
  if (known !== undefined) return known;
  const before = mismatches.length;
  const node = decodeAnew(value, context);
  if (mismatches.length === before) decoded.set(value, node);
  return node;
}

function decodeAnew(value: Json, context: DecodeContext): SchemaNode {
  const draft = emptyNode(isObject(value) ? value : {});
  const node = decodeStruct(value, 'v1.JSONSchemaProps', context, schemaFields, draft);
  return Object.assign(node, summaryOf(node));
}

function emptyNode(json: JsonObject): NodeDraft {
  return {
    [source]: json,
    id: '',
    schema: '',
    description: '',
    type: '',
    format: '',
    title: '',
    exclusiveMaximum: false,
    exclusiveMinimum: false,
    pattern: '',
    uniqueItems: false,
    required: noItems,
    itemSchemas: noItems,
    hasItems: false,
    allOf: noItems,
    oneOf: noItems,
    anyOf: noItems,
    properties: noEntries,
    patternProperties: noEntries,
    definitions: noEntries,
    nullable: false,
    xEmbeddedResource: false,
    xIntOrString: false,
    xListMapKeys: noItems,
    xValidations: noItems,
    hasDefaults: false,
    defaulted: [],
    hasListTypes: false,
    hasEmbeddedResources: false,
  };
}

/** Sums up what is below a node, so that values are walked only where something is to be done. */
export function summarize(node: SchemaNode): SchemaNode {
  return { ...node, ...summaryOf(node) };
}

type Summary = Pick<SchemaNode, 'hasDefaults' | 'defaulted' | 'hasListTypes' | 'hasEmbeddedResources'>;

function summaryOf(node: SchemaNode): Summary {
  const below = [...node.properties.values(), node.items, node.additionalProperties?.schema].filter(
    (item) => item !== undefined,
  );
  return {
    hasDefaults: node.default !== undefined || below.some((item) => item.hasDefaults),
    defaulted: [...node.properties].filter(([, property]) => property.default !== undefined),
    hasListTypes: node.xListType === 'set' || node.xListType === 'map' || below.some((item) => item.hasListTypes),
    hasEmbeddedResources: node.xEmbeddedResource || below.some((item) => item.hasEmbeddedResources),
  };
}

const schemaFields: FieldTable<NodeDraft> = new Map<
  string,
  (value: Json, context: DecodeContext, draft: NodeDraft) => void
>([
  ['id', (value, context, node) => (node.id = decodeString(value, context))],
  ['$schema', (value, context, node) => (node.schema = decodeString(value, context, 'v1.JSONSchemaURL'))],
  ['$ref', (value, context, node) => (node.ref = decodeString(value, context))],
  ['description', (value, context, node) => (node.description = decodeString(value, context))],
  ['type', (value, context, node) => (node.type = decodeString(value, context))],
  ['format', (value, context, node) => (node.format = decodeString(value, context))],
  ['title', (value, context, node) => (node.title = decodeString(value, context))],
  ['default', (value, _context, node) => (node.default = value)],
  ['example', (value, _context, node) => (node.example = value)],
  ['maximum', (value, context, node) => (node.maximum = decodeFloat(value, context))],
  ['exclusiveMaximum', (value, context, node) => (node.exclusiveMaximum = decodeBoolean(value, context))],
  ['minimum', (value, context, node) => (node.minimum = decodeFloat(value, context))],
  ['exclusiveMinimum', (value, context, node) => (node.exclusiveMinimum = decodeBoolean(value, context))],
  ['maxLength', (value, context, node) => (node.maxLength = decodeInteger(value, context, 64))],
  ['minLength', (value, context, node) => (node.minLength = decodeInteger(value, context, 64))],
  ['pattern', (value, context, node) => (node.pattern = decodeString(value, context))],
  ['maxItems', (value, context, node) => (node.maxItems = decodeInteger(value, context, 64))],
  ['minItems', (value, context, node) => (node.minItems = decodeInteger(value, context, 64))],
  ['uniqueItems', (value, context, node) => (node.uniqueItems = decodeBoolean(value, context))],
  ['multipleOf', (value, context, node) => (node.multipleOf = decodeFloat(value, context))],
  ['enum', (value, context, node) => (node.enum = decodeList(value, context, '[]v1.JSON', (item) => item))],
  ['maxProperties', (value, context, node) => (node.maxProperties = decodeInteger(value, context, 64))],
  ['minProperties', (value, context, node) => (node.minProperties = decodeInteger(value, context, 64))],
  ['required', (value, context, node) => (node.required = decodeStrings(value, context))],
  ['items', (value, context, node) => decodeCustom(context, (inner) => decodeItems(value, inner, node))],
  ['allOf', (value, context, node) => (node.allOf = decodeSchemas(value, context))],
  ['oneOf', (value, context, node) => (node.oneOf = decodeSchemas(value, context))],
  ['anyOf', (value, context, node) => (node.anyOf = decodeSchemas(value, context))],
  ['not', (value, context, node) => (node.not = decodeNode(value, context))],
  ['properties', (value, context, node) => (node.properties = decodeSchemaMap(value, context))],
  [
    'additionalProperties',
    (value, context, node) => (node.additionalProperties = decodeSchemaOrBoolean(value, context)),
  ],
  ['patternProperties', (value, context, node) => (node.patternProperties = decodeSchemaMap(value, context))],
  [
    'dependencies',
    (value, context, node) => {
      node.dependencies = decodeMap(value, context, 'v1.JSONSchemaDependencies', (entry, at) =>
        decodeCustom(at, (inner) => decodeDependency(entry, inner)),
      );
    },
  ],
  ['additionalItems', (value, context, node) => (node.additionalItems = decodeSchemaOrBoolean(value, context))],
  [
    'definitions',
    (value, context, node) => {
      node.definitions = decodeMap(value, context, 'v1.JSONSchemaDefinitions', decodeNode);
    },
  ],
  ['externalDocs', (value, context, node) => (node.externalDocs = decodeExternalDocs(value, context))],
  ['nullable', (value, context, node) => (node.nullable = decodeBoolean(value, context))],
  [
    'x-kubernetes-preserve-unknown-fields',
    (value, context, node) => (node.xPreserveUnknownFields = decodeBoolean(value, context)),
  ],
  [
    'x-kubernetes-embedded-resource',
    (value, context, node) => (node.xEmbeddedResource = decodeBoolean(value, context)),
  ],
  ['x-kubernetes-int-or-string', (value, context, node) => (node.xIntOrString = decodeBoolean(value, context))],
  ['x-kubernetes-list-map-keys', (value, context, node) => (node.xListMapKeys = decodeStrings(value, context))],
  ['x-kubernetes-list-type', (value, context, node) => (node.xListType = decodeString(value, context))],
  ['x-kubernetes-map-type', (value, context, node) => (node.xMapType = decodeString(value, context))],
  [
    'x-kubernetes-validations',
    (value, context, node) => {
      node.xValidations = decodeList(value, context, 'v1.ValidationRules', decodeRule);
    },
  ],
]);

function decodeSchemas(value: Json, context: DecodeContext): SchemaNode[] {
  return decodeList(value, context, '[]v1.JSONSchemaProps', decodeNode);
}

function decodeSchemaMap(value: Json, context: DecodeContext): Map<string, SchemaNode> {
  return decodeMap(value, context, 'map[string]v1.JSONSchemaProps', decodeNode);
}

function decodeDependency(value: Json, context: DecodeContext): SchemaNode | readonly string[] {
  if (isObject(value)) return decodeNode(value, context);
  return isList(value) ? decodeStrings(value, context) : noItems;
}

/** Neither an object nor a list: the server takes no notice, but `items` is there. */
function decodeItems(value: Json, context: DecodeContext, node: NodeDraft): void {
  node.hasItems = true;
  if (isObject(value)) node.items = decodeNode(value, context);
  else if (isList(value)) node.itemSchemas = decodeSchemas(value, context);
}

function decodeSchemaOrBoolean(value: Json, context: DecodeContext): SchemaOrBoolean {
  if (isObject(value)) return { allows: true, schema: decodeCustom(context, (inner) => decodeNode(value, inner)) };
  if (typeof value !== 'boolean') throw new DecodeError('boolean or JSON schema expected');
  return { allows: value };
}

function decodeExternalDocs(value: Json, context: DecodeContext): JsonObject {
  const docs: { description: string; url: string } = { description: '', url: '' };
  return decodeStruct(
    value,
    'v1.ExternalDocumentation',
    context,
    new Map([
      [
        'description',
        (text: Json, at: DecodeContext, draft: typeof docs) => void (draft.description = decodeString(text, at)),
      ],
      ['url', (text: Json, at: DecodeContext, draft: typeof docs) => void (draft.url = decodeString(text, at))],
    ]),
    docs,
  );
}

type RuleDraft = Draft<ValidationRule>;

const ruleFields: FieldTable<RuleDraft> = new Map<
  string,
  (value: Json, context: DecodeContext, draft: RuleDraft) => void
>([
  ['rule', (value, context, rule) => (rule.rule = decodeString(value, context))],
  ['message', (value, context, rule) => (rule.message = decodeString(value, context))],
  ['messageExpression', (value, context, rule) => (rule.messageExpression = decodeString(value, context))],
  ['reason', (value, context, rule) => (rule.reason = decodeString(value, context, 'v1.FieldValueErrorReason'))],
  ['fieldPath', (value, context, rule) => (rule.fieldPath = decodeString(value, context))],
  ['optionalOldSelf', (value, context, rule) => (rule.optionalOldSelf = decodeBoolean(value, context))],
]);

function decodeRule(value: Json, context: DecodeContext): ValidationRule {
  const rule: RuleDraft = { rule: '', message: '', messageExpression: '', fieldPath: '' };
  return decodeStruct(value, 'v1.ValidationRule', context, ruleFields, rule);
}
