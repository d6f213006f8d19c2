import type { Definition } from './definition.ts';
import { isRecognizedFormat } from './formats.ts';
import { goQuote } from './go-format.ts';
import { nodesBelow } from './schema-walk.ts';
import type { SchemaNode } from './schema-node.ts';

/** The warnings of a definition: formats that are not checked, and sets of objects or lists; on update only those that are new. */
export function findWarnings(definition: Definition, old?: Definition): string[] {
  const nodes = questionableNodes(definition);
  const oldNodes = old === undefined ? [] : questionableNodes(old);
  const known = new Set([...formatWarnings(oldNodes), ...setWarnings(oldNodes)]);
  return [...formatWarnings(nodes), ...setWarnings(nodes)].filter((warning) => !known.has(warning));
}

function questionableNodes({ spec }: Definition): SchemaNode[] {
  const found: SchemaNode[] = [];
  for (const schema of [spec.validation, ...spec.versions.map((version) => version.schema)]) {
    if (schema?.openAPIV3Schema !== undefined) collect(schema.openAPIV3Schema, found);
  }
  return found;
}

/** Nodes of which, and of all below, there is nothing to say. */
const plain = new WeakSet<SchemaNode>();

function collect(node: SchemaNode, found: SchemaNode[]): void {
  if (plain.has(node)) return;
  const before = found.length;
  if (hasUnknownFormat(node) || node.xListType === 'set') found.push(node);
  for (const below of nodesBelow(node)) collect(below, found);
  if (found.length === before) plain.add(node);
}

function hasUnknownFormat({ format, type }: SchemaNode): boolean {
  return format !== '' && !isRecognizedFormat(format, type);
}

function formatWarnings(nodes: readonly SchemaNode[]): string[] {
  return nodes.filter(hasUnknownFormat).map((node) => `unrecognized format ${goQuote(node.format)}`);
}

function setWarnings(nodes: readonly SchemaNode[]): string[] {
  const types = nodes.filter((node) => node.xListType === 'set').map((node) => node.items?.type ?? '');
  return ['array', 'object']
    .filter((type) => types.includes(type))
    .map(
      (type) =>
        `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`,
    );
}
