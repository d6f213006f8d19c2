import type { Json } from '../model/index.ts';
import type { DefinitionVersion, Subresources } from './definition.ts';
import { goJson } from './go-format.ts';
import { noEntries, noItems, type SchemaNode, type SchemaOrBoolean, type ValidationRule } from './schema-node.ts';

/** How Go writes the server's own types as JSON: by the names of the Go fields, in their order. Some messages hold this. */

function struct(fields: readonly (readonly [name: string, value: string])[]): string {
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

function value(item: Json | undefined): string {
  return item === undefined ? 'null' : goJson(item);
}

function list<T>(items: readonly T[] | undefined, dump: (item: T) => string): string {
  return items === undefined || items === noItems ? 'null' : `[${items.map(dump).join(',')}]`;
}

function map<T>(items: ReadonlyMap<string, T> | undefined, dump: (item: T) => string): string {
  if (items === undefined || items === noEntries) return 'null';
  const names = [...items.keys()].sort();
  return `{${names.map((name) => `${goJson(name)}:${dump(items.get(name) as T)}`).join(',')}}`;
}

export function dumpSchema(node: SchemaNode): string {
  return struct([
    ['ID', value(node.id)],
    ['Schema', value(node.schema)],
    ['Ref', value(node.ref)],
    ['Description', value(node.description)],
    ['Type', value(node.type)],
    ['Nullable', value(node.nullable)],
    ['Format', value(node.format)],
    ['Title', value(node.title)],
    ['Default', value(node.default)],
    ['Maximum', value(node.maximum)],
    ['ExclusiveMaximum', value(node.exclusiveMaximum)],
    ['Minimum', value(node.minimum)],
    ['ExclusiveMinimum', value(node.exclusiveMinimum)],
    ['MaxLength', value(node.maxLength)],
    ['MinLength', value(node.minLength)],
    ['Pattern', value(node.pattern)],
    ['MaxItems', value(node.maxItems)],
    ['MinItems', value(node.minItems)],
    ['UniqueItems', value(node.uniqueItems)],
    ['MultipleOf', value(node.multipleOf)],
    ['Enum', list(node.enum, goJson)],
    ['MaxProperties', value(node.maxProperties)],
    ['MinProperties', value(node.minProperties)],
    ['Required', list(node.required, goJson)],
    ['Items', dumpItems(node)],
    ['AllOf', list(node.allOf, dumpSchema)],
    ['OneOf', list(node.oneOf, dumpSchema)],
    ['AnyOf', list(node.anyOf, dumpSchema)],
    ['Not', node.not === undefined ? 'null' : dumpSchema(node.not)],
    ['Properties', map(node.properties, dumpSchema)],
    ['AdditionalProperties', dumpSchemaOrBoolean(node.additionalProperties)],
    ['PatternProperties', map(node.patternProperties, dumpSchema)],
    [
      'Dependencies',
      map(node.dependencies, (item) =>
        struct([
          ['Schema', isNames(item) ? 'null' : dumpSchema(item)],
          ['Property', isNames(item) ? list(item, goJson) : 'null'],
        ]),
      ),
    ],
    ['AdditionalItems', dumpSchemaOrBoolean(node.additionalItems)],
    ['Definitions', map(node.definitions, dumpSchema)],
    [
      'ExternalDocs',
      node.externalDocs === undefined
        ? 'null'
        : struct([
            ['Description', value(node.externalDocs['description'])],
            ['URL', value(node.externalDocs['url'])],
          ]),
    ],
    ['Example', value(node.example)],
    ['XPreserveUnknownFields', value(node.xPreserveUnknownFields)],
    ['XEmbeddedResource', value(node.xEmbeddedResource)],
    ['XIntOrString', value(node.xIntOrString)],
    ['XListMapKeys', list(node.xListMapKeys, goJson)],
    ['XListType', value(node.xListType)],
    ['XMapType', value(node.xMapType)],
    ['XValidations', list(node.xValidations, dumpRule)],
  ]);
}

function isNames(item: SchemaNode | readonly string[]): item is readonly string[] {
  return Array.isArray(item);
}

function dumpItems(node: SchemaNode): string {
  return node.hasItems ? dumpSchemaOrList(node) : 'null';
}

/** `JSONSchemaPropsOrArray` of `items`. */
export function dumpSchemaOrList(node: SchemaNode): string {
  return struct([
    ['Schema', node.items === undefined ? 'null' : dumpSchema(node.items)],
    ['JSONSchemas', list(node.itemSchemas, dumpSchema)],
  ]);
}

function dumpSchemaOrBoolean(item: SchemaOrBoolean | undefined): string {
  if (item === undefined) return 'null';
  return struct([
    ['Allows', value(item.allows)],
    ['Schema', item.schema === undefined ? 'null' : dumpSchema(item.schema)],
  ]);
}

function dumpRule(rule: ValidationRule): string {
  return struct([
    ['Rule', value(rule.rule)],
    ['Message', value(rule.message)],
    ['MessageExpression', value(rule.messageExpression)],
    ['Reason', value(rule.reason)],
    ['FieldPath', value(rule.fieldPath)],
    ['OptionalOldSelf', value(rule.optionalOldSelf)],
  ]);
}

export function dumpVersions(versions: readonly DefinitionVersion[]): string {
  return list(versions, dumpVersion);
}

function dumpVersion(version: DefinitionVersion): string {
  const schema = version.schema?.openAPIV3Schema;
  return struct([
    ['Name', value(version.name)],
    ['Served', value(version.served)],
    ['Storage', value(version.storage)],
    ['Deprecated', value(version.deprecated)],
    ['DeprecationWarning', value(version.deprecationWarning)],
    [
      'Schema',
      version.schema === undefined
        ? 'null'
        : struct([['OpenAPIV3Schema', schema === undefined ? 'null' : dumpSchema(schema)]]),
    ],
    ['Subresources', version.subresources === undefined ? 'null' : dumpSubresources(version.subresources)],
    [
      'AdditionalPrinterColumns',
      list(version.additionalPrinterColumns, (column) =>
        struct([
          ['Name', value(column.name)],
          ['Type', value(column.type)],
          ['Format', value(column.format)],
          ['Description', value(column.description)],
          ['Priority', value(column.priority)],
          ['JSONPath', value(column.jsonPath)],
        ]),
      ),
    ],
    ['SelectableFields', list(version.selectableFields, (field) => struct([['JSONPath', value(field.jsonPath)]]))],
  ]);
}

function dumpSubresources({ status, scale }: Subresources): string {
  return struct([
    ['Status', status === true ? '{}' : 'null'],
    [
      'Scale',
      scale === undefined
        ? 'null'
        : struct([
            ['SpecReplicasPath', value(scale.specReplicasPath)],
            ['StatusReplicasPath', value(scale.statusReplicasPath)],
            ['LabelSelectorPath', value(scale.labelSelectorPath)],
          ]),
    ],
  ]);
}
