import { isRecognizedFormat } from './formats.ts';
import type { SchemaNode } from './schema-node.ts';

/** What of a schema node bears on values, as kube-openapi's validator sees it. */
export interface ValueSchema {
  readonly types: readonly string[];
  readonly format: string;
  readonly node: SchemaNode;
  readonly items?: ValueSchema;
  readonly properties: ReadonlyMap<string, ValueSchema>;
  readonly additional?: { readonly allows: boolean; readonly schema?: ValueSchema };
  readonly allOf: readonly ValueSchema[];
  readonly anyOf: readonly ValueSchema[];
  readonly oneOf: readonly ValueSchema[];
  readonly not?: ValueSchema;
}

/**
 * How the server came to the schema. Objects are validated by the definition as it stands, with formats that it does not know left
 * out. Defaults are validated by the structural schema: int-or-string says nothing of the type there, formats stay, and
 * additionalProperties inside of junctors are lost.
 */
export type ValueSchemaSource = 'definition' | 'structural';

export function compileValueSchema(
  node: SchemaNode,
  source: ValueSchemaSource = 'definition',
  isClause = false,
): ValueSchema {
  const isStructural = source === 'structural';
  const types = node.xIntOrString && !isStructural ? ['integer', 'string'] : node.type === '' ? [] : [node.type];
  const isFormatKept = isStructural || isRecognizedFormat(node.format, types.length === 1 ? (types[0] ?? '') : '');
  const below = (schema: SchemaNode) => compileValueSchema(schema, source, isClause);
  const clause = (schema: SchemaNode) => compileValueSchema(schema, source, true);
  const additional = isClause && isStructural ? undefined : node.additionalProperties;
  return {
    types,
    format: isFormatKept ? node.format : '',
    node,
    ...(node.items === undefined ? {} : { items: below(node.items) }),
    properties: new Map([...node.properties].map(([name, property]) => [name, below(property)] as const)),
    ...(additional === undefined
      ? {}
      : {
          additional: {
            allows: additional.allows,
            ...(additional.schema === undefined ? {} : { schema: below(additional.schema) }),
          },
        }),
    allOf: node.allOf.map(clause),
    anyOf: node.anyOf.map(clause),
    oneOf: node.oneOf.map(clause),
    ...(node.not === undefined ? {} : { not: clause(node.not) }),
  };
}
