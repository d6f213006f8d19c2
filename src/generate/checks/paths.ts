import type { Diagnostic, Schema, SourcePosition, Version } from '../../model/index.ts';
import { nearest } from '../../markers/suggestion.ts';
import { JsonPathError } from '../../schema/json-path-error.ts';
import { type JsonPathNode, parseTemplate } from '../../schema/json-path-parser.ts';

/** Paths of columns and of the scale subresource that lead nowhere. The API server looks at their form alone. */
export function checkPaths(version: Version): Diagnostic[] {
  const columns = version.printerColumns.flatMap(({ name, jsonPath, position }) =>
    checkPath(version, jsonPath, `the column ${JSON.stringify(name)}`, position),
  );
  const scale = version.scaleSubresource;
  if (scale === undefined) return columns;
  return [
    ...columns,
    ...checkPath(version, scale.specReplicasPath, 'specReplicasPath', scale.position, 'integer'),
    ...checkPath(version, scale.statusReplicasPath, 'statusReplicasPath', scale.position, 'integer'),
    ...(scale.labelSelectorPath === undefined
      ? []
      : checkPath(version, scale.labelSelectorPath, 'labelSelectorPath', scale.position, 'string')),
  ];
}

function checkPath(
  version: Version,
  jsonPath: string,
  what: string,
  position: SourcePosition,
  type?: 'integer' | 'string',
): Diagnostic[] {
  let nodes: readonly JsonPathNode[];
  try {
    nodes = parseTemplate(`{${jsonPath}}`);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return [
      {
        code: 'CO2010',
        severity: 'error',
        message: `${what}: ${jsonPath} is no JSON path: ${error.message}`,
        position,
        remedy: 'write a path without braces around it, such as .spec.name',
      },
    ];
  }
  const found = follow(version.schema, nodes, true);
  if (found.kind === 'missing') {
    const meant = nearest(found.name, found.names);
    return [
      {
        code: 'CO2011',
        severity: 'error',
        message: `${what}: ${jsonPath} leads nowhere: there is no ${JSON.stringify(found.name)} in ${found.where}`,
        position,
        remedy: meant === undefined ? 'declare the member, or name one that is declared' : `did you mean ${meant}?`,
      },
    ];
  }
  if (type === undefined || found.schema?.type === undefined || found.schema.type === type) return [];
  return [
    {
      code: 'CO2012',
      severity: 'error',
      message: `${what}: ${jsonPath} is of type ${found.schema.type}, not ${type}`,
      position,
      remedy: type === 'integer' ? 'declare the member as int32 of operator-runtime' : 'declare the member as string',
    },
  ];
}

type Found =
  /** `schema` is undefined where nothing is known of what stands there. */
  | { readonly kind: 'found'; readonly schema: Schema | undefined }
  | { readonly kind: 'missing'; readonly name: string; readonly names: readonly string[]; readonly where: string };

const unknown: Found = { kind: 'found', schema: undefined };

function follow(root: Schema, nodes: readonly JsonPathNode[], isObject: boolean, where = 'the object'): Found {
  let schema = root;
  let current = where;
  let resource = isObject;
  for (const [position, node] of nodes.entries()) {
    if (node.type === 'field') {
      if (resource && node.name === 'metadata') return followMetadata(nodes.slice(position + 1));
      const next = member(schema, node.name, resource);
      if (next === undefined)
        return { kind: 'missing', name: node.name, names: [...(schema.properties?.keys() ?? [])], where: current };
      if (next === 'unknown') return unknown;
      schema = next;
      current = node.name;
      resource = schema['x-kubernetes-embedded-resource'] === true;
    } else if ((node.type === 'slice' || node.type === 'filter') && schema.items !== undefined) {
      if (node.type === 'filter') {
        const inFilter = follow(schema.items, node.left, false, `the items of ${current}`);
        if (inFilter.kind === 'missing') return inFilter;
      }
      schema = schema.items;
      current = `the items of ${current}`;
      resource = false;
    } else if (node.type === 'wildcard' && schema.items !== undefined) {
      schema = schema.items;
      current = `the items of ${current}`;
      resource = false;
    } else {
      // Recursive descent, unions, literals, and whatever stands on a type that it does not fit: the value decides.
      return unknown;
    }
  }
  return { kind: 'found', schema };
}

function member(schema: Schema, name: string, resource: boolean): Schema | 'unknown' | undefined {
  const property = schema.properties?.get(name);
  if (property !== undefined) return property;
  if (resource && (name === 'apiVersion' || name === 'kind')) return { type: 'string' };
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties;
  if (schema.additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true) return 'unknown';
  return undefined;
}

/** The members of metav1.ObjectMeta: what a column may show of `metadata`. */
const metadataMembers = (
  'name generateName namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels ' +
  'annotations ownerReferences finalizers managedFields selfLink'
).split(' ');

function followMetadata(nodes: readonly JsonPathNode[]): Found {
  const [first] = nodes;
  if (first?.type !== 'field' || metadataMembers.includes(first.name)) return unknown;
  return { kind: 'missing', name: first.name, names: metadataMembers, where: 'metadata' };
}
