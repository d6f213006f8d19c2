import { compile } from 'json-schema-to-typescript';
import { kindIdentifier, localName, stringLiteral } from '../generate/client/identifiers.ts';
import { listKeys } from '../generate/client/list-keys.ts';
import {
  exportedNames,
  imported,
  kindInfo,
  kindShapes,
  runtimeImports,
  runtimeNames,
} from '../generate/client/shapes.ts';
import { typeScriptHead } from '../model/index.ts';
import type { CustomResourceDefinition, DefinitionVersion } from './custom-resource-definition.ts';
import { docComment } from './doc-comment.ts';
import { keyedSchema } from './keyed-schema.ts';
import { textMember } from './json.ts';
import { JsonSchemaWriter, restrictedMetadata } from './json-schema.ts';
import { TypeNames } from './names.ts';
import { layOut } from './printed-types.ts';

/** Members that every kind has. */
const ownMembers = new Set(['apiVersion', 'kind', 'metadata']);

/** The file of a kind's version: its group, version and kind. */
export function clientFile(definition: CustomResourceDefinition, version: DefinitionVersion): string {
  return `${definition.group}_${version.name}_${definition.kind.toLowerCase()}.ts`;
}

/** Types and client of one version of a kind that somebody else defines: a type and a value of one name, and the types inside. */
export async function emitForeignClient(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
): Promise<string> {
  const name = kindIdentifier(definition.kind);
  const taken = new Set(exportedNames(name));
  const names = runtimeNames(taken);
  const meta = localName('ObjectMeta', taken);
  const writer = new JsonSchemaWriter(new TypeNames([...taken, ...Object.values(names), meta]));
  const root = writer.root(version.schema, name, ownMembers);
  const printed = await compile(root, 'T0_', {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    ignoreMinAndMaxItems: true,
    strictIndexSignatures: false,
    unknownAny: true,
  });
  const metadata = restrictedMetadata(version.schema, stringLiteral);
  const usesMeta = writer.usesObjectMeta || metadata !== undefined;
  const own = head(
    definition,
    version,
    name,
    names.object,
    metadata?.replace('ObjectMeta', () => meta),
  );
  const types = withMeta(layOut(printed, writer.texts, own), meta);
  const subresources = [
    ...(version.status ? (['status'] as const) : []),
    ...(version.scale === undefined ? [] : (['scale'] as const)),
  ];
  const { group, scope, listKind } = definition;
  const keys = listKeys(keyedSchema(version.schema));
  const shape = { name, apiVersion: `${group}/${version.name}`, listKind, scope, subresources, listKeys: keys };
  return `${typeScriptHead}
${runtimeImports(names, usesMeta ? [imported('ObjectMeta', meta)] : [])}
${types}
${kindShapes(shape, kindInfo(definition, version.name, subresources), names)}`;
}

/** The beginning of the kind's own interface. */
function head(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  name: string,
  object: string,
  metadata: string | undefined,
): string {
  const description = textMember(version.schema, 'description') ?? '';
  const warning = version.deprecationWarning ?? 'this version is served no longer than it must be';
  const deprecated = version.deprecated ? `\n\n@deprecated ${warning}` : '';
  return `${docComment(description + deprecated)}export interface ${name} extends ${object} {
  apiVersion: ${stringLiteral(`${definition.group}/${version.name}`)};
  kind: ${stringLiteral(definition.kind)};
${metadata === undefined ? '' : `  metadata: ${metadata};\n`}`;
}

/** The types inside name the standard metadata by its own name. */
function withMeta(types: string, meta: string): string {
  return meta === 'ObjectMeta' ? types : types.replaceAll('metadata?: ObjectMeta', () => `metadata?: ${meta}`);
}
