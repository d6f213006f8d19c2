import { type Document, LineCounter, parseAllDocuments, type Tags } from 'yaml';
import type { Diagnostic, Json, JsonObject, SourcePosition } from '../model/index.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../schema/names.ts';
import type { CustomResourceDefinition, DefinitionVersion } from './custom-resource-definition.ts';
import { isObject, jsonOf, listMember, member, objectMember, textMember, textsMember } from './json.ts';

/** The definitions in a text, in its order, and what is wrong with it. */
export interface ReadDefinitions {
  readonly definitions: readonly CustomResourceDefinition[];
  readonly diagnostics: readonly Diagnostic[];
}

const apiGroup = 'apiextensions.k8s.io';

/**
 * Finds the CustomResourceDefinitions in YAML or JSON: one document or many, lists included; objects of other kinds pass (a release
 * manifest holds Deployments, too).
 *
 * @param source what people call the text: its path or URL
 */
export function readDefinitions(text: string, source: string): ReadDefinitions {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: asGoReads,
    intAsBigInt: true,
    lineCounter,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const definitions: CustomResourceDefinition[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const position = (offset: number): SourcePosition => {
      const { line, col } = lineCounter.linePos(offset);
      return { file: source, line, column: col };
    };
    const [problem] = document.errors;
    if (problem !== undefined) {
      diagnostics.push({
        code: 'CO2601',
        severity: 'error',
        message: `this is no YAML: ${problem.message}`,
        position: position(problem.pos[0]),
      });
      continue;
    }
    const at = position(document.contents?.range?.[0] ?? 0);
    const value = valueOf(document);
    if (value instanceof Error) {
      diagnostics.push({
        code: 'CO2601',
        severity: 'error',
        message: `this is no YAML: ${value.message}`,
        position: at,
      });
      continue;
    }
    for (const object of objectsOf(value)) {
      if (!isDefinition(object)) continue;
      const read = definitionOf(object, at);
      if ('code' in read) diagnostics.push(read);
      else definitions.push(read);
    }
  }
  if (definitions.length === 0 && diagnostics.length === 0) {
    diagnostics.push({
      code: 'CO2602',
      severity: 'error',
      message: `there is no CustomResourceDefinition in ${source}`,
      remedy: 'name a file with CRDs, such as the release manifest of the project that has them',
    });
  }
  return { definitions, diagnostics };
}

/** What a document holds; an error where aliases lead nowhere, or would make it grow without end. */
function valueOf(document: Document.Parsed): Json | Error {
  try {
    return jsonOf(document.toJS({ mapAsMap: true, maxAliasCount: 1000 }));
  } catch (error) {
    if (error instanceof ReferenceError) return error;
    throw error;
  }
}

/** The scalars of YAML 1.1 as kubectl reads them: a date is a text, and so is a point without a digit. */
function asGoReads(tags: Tags): Tags {
  const read: Tags = [];
  for (const tag of tags) {
    if (typeof tag !== 'object' || tag.collection !== undefined) read.push(tag);
    else if (tag.tag === 'tag:yaml.org,2002:float' && tag.test?.test('.') === true) {
      read.push({ ...tag, test: new RegExp(`^(?=.*[0-9])${tag.test.source.replace(/^\^/, '')}`) });
    } else if (tag.tag !== 'tag:yaml.org,2002:timestamp') read.push(tag);
  }
  return read;
}

/** An object, or those in a list (`List`, `CustomResourceDefinitionList`). */
function objectsOf(value: unknown): JsonObject[] {
  if (!isObject(value)) return [];
  const kind = textMember(value, 'kind');
  if (kind === undefined || !kind.endsWith('List')) return [value];
  // Members of a typed list need not say what they are.
  const inherited: JsonObject =
    kind === 'List' ? {} : { kind: kind.slice(0, -'List'.length), apiVersion: textMember(value, 'apiVersion') ?? '' };
  return listMember(value, 'items')
    .filter(isObject)
    .flatMap((item) => objectsOf({ ...inherited, ...item }));
}

function isDefinition(object: JsonObject): boolean {
  const [group] = (textMember(object, 'apiVersion') ?? '').split('/');
  return textMember(object, 'kind') === 'CustomResourceDefinition' && group === apiGroup;
}

function definitionOf(object: JsonObject, position: SourcePosition): CustomResourceDefinition | Diagnostic {
  const metadata = objectMember(object, 'metadata');
  const called = textMember(metadata, 'name') ?? 'without a name';
  const problem = (text: string, remedy?: string): Diagnostic => ({
    code: 'CO2603',
    severity: 'error',
    message: `the CustomResourceDefinition ${called} ${text}`,
    position,
    ...(remedy === undefined ? {} : { remedy }),
  });
  const apiVersion = textMember(object, 'apiVersion');
  if (apiVersion !== `${apiGroup}/v1`) {
    return problem(`is of ${apiVersion}, which Kubernetes has left since 1.22`, 'take a release with CRDs of v1');
  }
  const spec = objectMember(object, 'spec');
  const names = objectMember(spec, 'names');
  const [group, kind, plural] = [textMember(spec, 'group'), textMember(names, 'kind'), textMember(names, 'plural')];
  if (spec === undefined || group === undefined) return problem('has no spec.group');
  if (kind === undefined || kind === '') return problem('has no spec.names.kind');
  if (plural === undefined) return problem('has no spec.names.plural');
  const scope = textMember(spec, 'scope');
  if (scope !== 'Namespaced' && scope !== 'Cluster') return problem('has no spec.scope, Namespaced or Cluster');
  const versions = listMember(spec, 'versions').filter(isObject);
  const unnamed = versions.some((version) => (textMember(version, 'name') ?? '') === '');
  if (versions.length === 0 || unnamed) return problem('has no spec.versions, each with a name');
  const wrong = wrongName(group, plural, kind, versions);
  if (wrong !== undefined) return problem(wrong);
  return {
    group,
    kind,
    listKind: textMember(names, 'listKind') ?? `${kind}List`,
    plural,
    singular: textMember(names, 'singular') ?? kind.toLowerCase(),
    shortNames: textsMember(names, 'shortNames'),
    categories: textsMember(names, 'categories'),
    scope,
    labels: objectMember(metadata, 'labels') ?? {},
    annotations: objectMember(metadata, 'annotations') ?? {},
    versions: versions.map(versionOf),
    spec,
    position,
  };
}

/** The names become parts of paths and code: only those that a server takes pass. */
function wrongName(group: string, plural: string, kind: string, versions: readonly JsonObject[]): string | undefined {
  const found: readonly (readonly [what: string, name: string, problems: readonly string[]])[] = [
    ['group', group, checkDns1123Subdomain(group)],
    ['plural', plural, checkDns1035Label(plural)],
    ['kind', kind, checkDns1035Label(kind.toLowerCase())],
    ...versions.map((version) => {
      const name = textMember(version, 'name') ?? '';
      return ['version', name, checkDns1035Label(name)] as const;
    }),
  ];
  const [what, name] = found.find(([, , problems]) => problems.length > 0) ?? [];
  return what === undefined ? undefined : `has the ${what} ${JSON.stringify(name)}, which no API server takes`;
}

function versionOf(version: JsonObject): DefinitionVersion {
  const subresources = objectMember(version, 'subresources');
  const schema = objectMember(objectMember(version, 'schema'), 'openAPIV3Schema');
  return {
    name: textMember(version, 'name') ?? '',
    served: member(version, 'served') !== false,
    storage: member(version, 'storage') === true,
    deprecated: member(version, 'deprecated') === true,
    deprecationWarning: textMember(version, 'deprecationWarning'),
    schema: schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: objectMember(subresources, 'status') !== undefined,
    scale: objectMember(subresources, 'scale'),
    printerColumns: listMember(version, 'additionalPrinterColumns').filter(isObject),
    selectableFields: listMember(version, 'selectableFields').filter(isObject),
  };
}
