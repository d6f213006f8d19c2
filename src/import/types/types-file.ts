import { kindIdentifier } from '../../generate/client/identifiers.ts';
import { markers, pluralOfKind } from '../../markers/index.ts';
import { compareText, type Diagnostic, type Json, type JsonObject } from '../../model/index.ts';
import type { CustomResourceDefinition, DefinitionVersion } from '../custom-resource-definition.ts';
import { docComment } from '../doc-comment.ts';
import { listMember, member, objectMember, textMember } from '../json.ts';
import { TypeNames } from '../names.ts';
import { isWritable, trimmedDescription } from './description.ts';
import type { Lose } from './known-keywords.ts';
import { call, type MarkerCall, writeCall } from './marker-call.ts';
import { type Imports, TypesWriter } from './types-writer.ts';

/** Members that every kind has without saying so. */
const ownMembers = new Set(['apiVersion', 'kind', 'metadata']);

const scalarAliases = ['integer', 'int32', 'int64', 'float', 'double', 'Time', 'IntOrString', 'Quantity'];

/** Marked TypeScript, and what of the definition it does not say. */
export interface TypesFile {
  readonly content: string;
  readonly lost: readonly Diagnostic[];
}

/** The declaration of one version of a kind, from which `generate` makes the same definition again. */
export function emitTypes(definition: CustomResourceDefinition, version: DefinitionVersion): TypesFile {
  const lost: Diagnostic[] = [];
  const lose: Lose = (path, what) => {
    lost.push({
      code: 'CO2610',
      severity: 'warning',
      message: `${definition.kind} ${version.name}: there is no notation for ${what}`,
      position: definition.position,
      path: path.replace(/^\./, ''),
    });
  };
  const name = kindIdentifier(definition.kind);
  const used = new UsedImports(name);
  const taken = [name, 'Record', ...scalarAliases, ...markers.map((marker) => marker.name)];
  const writer = new TypesWriter(new TypeNames(taken), used, lose);
  const own = writer.members(version.schema, { path: '', name, isMember: true }, ownMembers);
  const calls = kindCalls(definition, version, name, lose);
  const kind = calls.map((each) => `@${writeCall(each, '', (marker) => used.marker(marker))}\n`);
  const schemaMarkers = writer.kindMarkers(version.schema);
  const said = textMember(version.schema, 'description') ?? '';
  const description = trimmedDescription(said);
  if (description !== '' && !isWritable(description)) lose('', 'the description, which is no text of a comment');
  reportOwnMembers(version.schema, lose);
  const untidy = [...(description === said ? [] : ['']), ...writer.untidy];
  const [first] = untidy;
  if (first !== undefined) lose(first, `blanks at the ends of lines of ${untidy.length} descriptions`);
  const declared = `${docComment(description)}${kind.join('')}${schemaMarkers.join('')}export class ${name} {\n${own}}\n`;
  return {
    content: [used.statements(), ...writer.declarations, declared].filter((part) => part !== '').join('\n'),
    lost,
  };
}

/** What the members that come by themselves cannot say. */
function reportOwnMembers(schema: JsonObject, lose: Lose): void {
  const properties = objectMember(schema, 'properties');
  for (const name of ownMembers) {
    for (const keyword of Object.keys(objectMember(properties, name) ?? {})) {
      const own = keyword === 'type' || (keyword === 'description' && name !== 'metadata');
      if (!own) lose(name, keyword);
    }
  }
  for (const name of listMember(schema, 'required')) {
    if (typeof name === 'string' && ownMembers.has(name)) lose('', `required: ${name}`);
  }
}

function kindCalls(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  name: string,
  lose: Lose,
): MarkerCall[] {
  const { annotations, labels, spec } = definition;
  if (version === definition.versions[0]) reportSpec(definition, spec, lose);
  const hasStatus = objectMember(objectMember(version.schema, 'properties'), 'status') !== undefined;
  if (version.status && !hasStatus) lose('', 'the subresource status of a kind without a member status');
  const metadata = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return [
    call('Resource', resourceOptions(definition, version, name)),
    ...(version.status && hasStatus ? [call('StatusSubresource')] : []),
    ...(version.scale === undefined ? [] : [call('ScaleSubresource', version.scale)]),
    ...version.printerColumns.map((column) => call('PrinterColumn', column)),
    ...version.selectableFields.map((field) => call('SelectableField', field)),
    ...(Object.keys(metadata).length === 0 ? [] : [call('Metadata', metadata)]),
  ];
}

function resourceOptions(definition: CustomResourceDefinition, version: DefinitionVersion, name: string): JsonObject {
  const { group, kind, plural, singular, scope, shortNames, categories, versions } = definition;
  const deprecated: Json = version.deprecationWarning ?? true;
  return {
    group,
    version: version.name,
    ...(name === kind ? {} : { kind }),
    ...(plural === pluralOfKind(kind) ? {} : { plural }),
    ...(singular === kind.toLowerCase() ? {} : { singular }),
    ...(scope === 'Cluster' ? { scope } : {}),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(versions.length > 1 && version.storage ? { storage: true } : {}),
    ...(version.served ? {} : { served: false }),
    ...(version.deprecated ? { deprecated } : {}),
  };
}

function reportSpec({ kind, listKind, versions }: CustomResourceDefinition, spec: JsonObject, lose: Lose): void {
  if (listKind !== `${kind}List`) lose('', `the list kind ${listKind}`);
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind)) lose('', `a kind of the name '${kind}'`);
  const strategy = textMember(objectMember(spec, 'conversion'), 'strategy');
  if (strategy !== undefined && strategy !== 'None') lose('', `the conversion by a ${strategy.toLowerCase()}`);
  if (member(spec, 'preserveUnknownFields') === true) lose('', 'spec.preserveUnknownFields');
  if (versions.length === 1 && versions[0]?.storage === false) lose('', 'a definition without a storage version');
}

/** What a file needs of operator-runtime; a kind that has a name of it makes it go by another. */
class UsedImports implements Imports {
  readonly hasRecord: boolean;
  readonly #kind: string;
  readonly #markers = new Set<string>();
  readonly #scalars = new Set<string>();

  constructor(kind: string) {
    this.#kind = kind;
    this.hasRecord = kind !== 'Record';
  }

  marker(name: string): string {
    this.#markers.add(name);
    return name === this.#kind ? `${name}Marker` : name;
  }

  scalar(name: string): string {
    this.#scalars.add(name);
    return name === this.#kind ? `${name}Scalar` : name;
  }

  /** The import statements. */
  statements(): string {
    const list = (names: ReadonlySet<string>, suffix: string): string[] =>
      sorted(names).map((name) => (name === this.#kind ? `${name} as ${name}${suffix}` : name));
    return [
      ...(this.#scalars.size === 0
        ? []
        : [statement('import type', list(this.#scalars, 'Scalar'), 'operator-runtime')]),
      statement('import', list(this.#markers, 'Marker'), 'operator-runtime/markers'),
    ].join('');
  }
}

function statement(keyword: string, names: readonly string[], module: string): string {
  const line = `${keyword} { ${names.join(', ')} } from '${module}';\n`;
  return line.length <= 120
    ? line
    : `${keyword} {\n${names.map((name) => `  ${name},\n`).join('')}} from '${module}';\n`;
}

/** By letters, whatever their case. */
function sorted(names: ReadonlySet<string>): string[] {
  return [...names].sort((a, b) => compareText(a.toLowerCase(), b.toLowerCase()));
}
