import type { SchemaNode } from './schema-node.ts';

/** A schema and all below it, junctors, definitions and the like included. */
export function everyNode(node: SchemaNode): SchemaNode[] {
  return [node, ...nodesBelow(node).flatMap(everyNode)];
}

/** The schemas right below a schema. */
export function nodesBelow(node: SchemaNode): SchemaNode[] {
  return [
    node.items,
    ...node.itemSchemas,
    ...node.allOf,
    ...node.anyOf,
    ...node.oneOf,
    node.not,
    ...node.properties.values(),
    node.additionalProperties?.schema,
    ...node.patternProperties.values(),
    node.additionalItems?.schema,
    ...node.definitions.values(),
    ...Array.from(node.dependencies?.values() ?? [], (item) => ('type' in item ? item : undefined)),
  ].filter((item) => item !== undefined);
}
