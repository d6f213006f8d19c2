import type { Definition } from './definition.ts';
import { isRecognizedFormat } from './formats.ts';
import { goQuote } from './go-format.ts';
import { everyNode } from './schema-walk.ts';
import type { SchemaNode } from './schema-node.ts';

/** The warnings of a definition: formats that are not checked, and sets of objects or lists; on update only those that are new. */
export function findWarnings(definition: Definition, old?: Definition): string[] {
  const nodes = nodesOf(definition);
  const oldNodes = old === undefined ? [] : nodesOf(old);
  const known = new Set([...formatWarnings(oldNodes), ...setWarnings(oldNodes)]);
  return [...formatWarnings(nodes), ...setWarnings(nodes)].filter((warning) => !known.has(warning));
}

function nodesOf({ spec }: Definition): SchemaNode[] {
  return [spec.validation, ...spec.versions.map((version) => version.schema)].flatMap((schema) =>
    schema?.openAPIV3Schema === undefined ? [] : everyNode(schema.openAPIV3Schema),
  );
}

function formatWarnings(nodes: readonly SchemaNode[]): string[] {
  return nodes
    .filter((node) => node.format !== '' && !isRecognizedFormat(node.format, node.type))
    .map((node) => `unrecognized format ${goQuote(node.format)}`);
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
