import { ts } from 'ts-morph';
import {
  type Declaration,
  type Json,
  type JsonObject,
  type Model,
  type PolicyRule,
  type PrinterColumn,
  type ScaleSubresource,
  type Schema,
  type SelectableField,
  type SourcePosition,
  type Version,
  type Webhook,
  type WebhookConfiguration,
} from '../model/index.ts';
import { type KindEffect, type MarkerUse, pluralOfKind } from '../markers/index.ts';
import { type KindDraft, mergeVersions } from './kind-versions.ts';
import type { MarkerReader } from './marker-reader.ts';
import type { Problems } from './problems.ts';
import { resourceProblems } from './resource-names.ts';
import type { SchemaReader } from './schema-reader.ts';
import type { SourceProject } from './source-project.ts';
import { webhooksOf } from './webhooks.ts';

/** Members that every kind has, so that none is declared. */
const ownMembers = new Set(['apiVersion', 'kind', 'metadata']);

const apiVersionSchema: Schema = {
  type: 'string',
  description: [
    'APIVersion defines the versioned schema of this representation of an object.',
    'Servers should convert recognized schemas to the latest internal value, and',
    'may reject unrecognized values.',
    'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  ].join('\n'),
};

const kindSchema: Schema = {
  type: 'string',
  description: [
    'Kind is a string value representing the REST resource this object represents.',
    'Servers may infer this from the endpoint the client submits requests to.',
    'Cannot be updated.',
    'In CamelCase.',
    'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  ].join('\n'),
};

type Body = ts.ClassDeclaration | ts.InterfaceDeclaration;

/** What stands in one file. */
export interface KindReading extends Omit<Model, 'kinds'> {
  readonly file: ts.SourceFile;
  /** Whether it declares a kind, also one that could not be read. */
  readonly hasKinds: boolean;
  readonly drafts: readonly KindDraft[];
}

/** Finds the kinds and the permissions of files, and checks every marker in them, also where no kind leads. */
export class KindReader {
  readonly #project: SourceProject;
  readonly #markers: MarkerReader;
  readonly #schemas: SchemaReader;
  readonly #problems: Problems;
  readonly #readings: KindReading[] = [];
  #drafts: KindDraft[] = [];
  #rules: PolicyRule[] = [];
  #webhooks: Webhook[] = [];
  #configurations: WebhookConfiguration[] = [];
  #hasKinds = false;

  constructor(project: SourceProject, markers: MarkerReader, schemas: SchemaReader, problems: Problems) {
    this.#project = project;
    this.#markers = markers;
    this.#schemas = schemas;
    this.#problems = problems;
  }

  readFile(file: ts.SourceFile): void {
    [this.#drafts, this.#rules, this.#webhooks, this.#configurations] = [[], [], [], []];
    this.#hasKinds = false;
    this.#visit(file);
    this.add({
      file,
      hasKinds: this.#hasKinds,
      drafts: this.#drafts,
      policyRules: this.#rules,
      webhooks: this.#webhooks,
      webhookConfigurations: this.#configurations,
    });
  }

  /** Adds what was read of a file before. */
  add(reading: KindReading): void {
    this.#readings.push(reading);
  }

  #visit(file: ts.SourceFile): void {
    const visit = (node: ts.Node): void => {
      if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) this.#readBody(node);
      else if (ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) this.#markers.read(node);
      else if (ts.isPropertySignature(node) && ts.isTypeLiteralNode(node.parent)) this.#markers.read(node);
      else if (ts.isClassExpression(node) || ts.isPropertyDeclaration(node) || isDecorated(node))
        this.#markers.read(node);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }

  get readings(): readonly KindReading[] {
    return this.#readings;
  }

  result(): Model {
    return {
      kinds: mergeVersions(
        this.#readings.flatMap(({ drafts }) => drafts),
        this.#problems,
      ),
      policyRules: this.#readings.flatMap(({ policyRules }) => policyRules),
      webhooks: this.#readings.flatMap(({ webhooks }) => webhooks),
      webhookConfigurations: this.#readings.flatMap(({ webhookConfigurations }) => webhookConfigurations),
    };
  }

  #readBody(declaration: Body): void {
    const { uses } = this.#markers.read(declaration);
    const { webhooks, configurations } = webhooksOf(uses);
    this.#webhooks.push(...webhooks);
    this.#configurations.push(...configurations);
    for (const member of declaration.members) {
      const property = ts.isPropertyDeclaration(member) || ts.isPropertySignature(member);
      if (property || isDecorated(member)) this.#markers.read(member);
    }
    const resource = uses.find(({ marker }) => isKindEffect(marker.effect, 'resource'));
    const name = declaration.name?.text ?? '';
    if (resource === undefined) {
      for (const use of uses) {
        if (use.marker.effect.kind !== 'kind') continue;
        const values = { marker: use.marker.name, name };
        this.#problems.report('kindMarkerWithoutResource', values, { position: use.position });
      }
      this.#addRules(uses, undefined);
      return;
    }
    this.#hasKinds = true;
    const position = this.#project.positionOf(declaration.name ?? declaration);
    const misplaced = placeProblem(declaration);
    if (misplaced !== undefined) {
      this.#problems.report('kindPlace', { problem: misplaced }, { position });
      return;
    }
    this.#readKind(declaration, name, resource, uses, position);
  }

  #readKind(
    declaration: Body,
    name: string,
    resource: MarkerUse,
    uses: readonly MarkerUse[],
    position: SourcePosition,
  ): void {
    const options = resource.values[0] as JsonObject;
    const kind = text(options, 'kind') ?? name;
    const facts = {
      group: text(options, 'group') ?? '',
      kind,
      plural: text(options, 'plural') ?? pluralOfKind(kind),
      singular: text(options, 'singular') ?? kind.toLowerCase(),
      scope: text(options, 'scope') === 'Cluster' ? ('Cluster' as const) : ('Namespaced' as const),
      shortNames: list(options, 'shortNames'),
      categories: list(options, 'categories'),
    };
    const version = text(options, 'version') ?? '';
    for (const what of resourceProblems({ ...facts, version })) {
      this.#problems.report('resourceName', { what }, { position: resource.position });
    }
    const declared: Declaration = { file: position.file, name };
    const read = this.#readVersion(declaration, version, options, uses, declared, position);
    this.#addRules(uses, { group: facts.group, plural: facts.plural });
    if (read === undefined) return;
    const metadata = (of: 'labels' | 'annotations'): Map<string, string> =>
      new Map(
        effects(uses, 'metadata').flatMap(({ values }) => {
          const given = (values[0] as JsonObject)[of];
          return given === undefined ? [] : (Object.entries(given as JsonObject) as [string, string][]);
        }),
      );
    this.#drafts.push({
      ...facts,
      labels: metadata('labels'),
      annotations: metadata('annotations'),
      storageMarked: options['storage'] === true,
      storageRefused: options['storage'] === false,
      version: read,
      position,
    });
  }

  #readVersion(
    declaration: Body,
    name: string,
    options: JsonObject,
    uses: readonly MarkerUse[],
    declared: Declaration,
    position: SourcePosition,
  ): Version | undefined {
    this.#checkOwnMembers(declaration);
    const read = this.#schemas.kind(declaration, ownMembers);
    if (read === undefined) return undefined;
    const schema: Schema = {
      ...read,
      properties: new Map([
        ['apiVersion', apiVersionSchema],
        ['kind', kindSchema],
        ['metadata', { type: 'object' }],
        ...(read.properties ?? []),
      ]),
    };
    const statusUse = effects(uses, 'status')[0];
    this.#checkStatus(declaration, statusUse, position);
    const [scale] = effects(uses, 'scale').map(scaleOf);
    const deprecated = options['deprecated'] ?? false;
    return {
      name,
      served: options['served'] !== false,
      storage: options['storage'] === true,
      deprecated: deprecated !== false,
      ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
      schema,
      statusSubresource: statusUse !== undefined,
      ...(scale === undefined ? {} : { scaleSubresource: scale }),
      printerColumns: effects(uses, 'printerColumn').map(columnOf),
      selectableFields: effects(uses, 'selectableField').map(selectableFieldOf),
      declaration: declared,
      position,
    };
  }

  /** `apiVersion`, `kind` and `metadata` may come from `KubernetesObject`; declared by the user they would say nothing. */
  #checkOwnMembers(declaration: Body): void {
    for (const member of declaration.members) {
      const name = member.name !== undefined && ts.isIdentifier(member.name) ? member.name.text : undefined;
      if (name === undefined || !ownMembers.has(name)) continue;
      const remedy = 'take it out';
      this.#problems.report('kindMember', { name }, { position: this.#project.positionOf(member), path: name, remedy });
    }
  }

  #checkStatus(declaration: Body, use: MarkerUse | undefined, position: SourcePosition): void {
    const { checker } = this.#project;
    const symbol = declaration.name && checker.getSymbolAtLocation(declaration.name);
    const type = symbol && checker.getDeclaredTypeOfSymbol(symbol);
    const member = type && checker.getPropertyOfType(type, 'status');
    const name = declaration.name?.text ?? '';
    if (use !== undefined && member === undefined) {
      this.#problems.report('statusMember', { name }, { position: use.position, remedy: 'declare the member status' });
    } else if (use === undefined && member !== undefined) {
      const remedy = `add the marker ${ts.isClassDeclaration(declaration) ? '@StatusSubresource()' : '@statusSubresource'}`;
      this.#problems.report('statusMarker', { name }, { position, path: 'status', remedy });
    }
  }

  #addRules(uses: readonly MarkerUse[], own: { readonly group: string; readonly plural: string } | undefined): void {
    for (const { marker, values, position } of uses) {
      if (marker.effect.kind !== 'policyRule') continue;
      const options = values[0] as JsonObject;
      const urls = list(options, 'urls');
      const fallback = urls.length === 0 ? own : undefined;
      const groups = options['groups'] === undefined && fallback ? [fallback.group] : list(options, 'groups');
      const namespace = text(options, 'namespace');
      const role = text(options, 'role');
      this.#rules.push({
        groups: groups.map((group) => (group === 'core' ? '' : group)),
        resources: options['resources'] === undefined && fallback ? [fallback.plural] : list(options, 'resources'),
        resourceNames: list(options, 'resourceNames'),
        verbs: list(options, 'verbs'),
        urls,
        ...(namespace === undefined ? {} : { namespace }),
        ...(role === undefined ? {} : { role }),
        position,
      });
    }
  }
}

function isDecorated(node: ts.Node): boolean {
  return ts.canHaveDecorators(node) && (ts.getDecorators(node)?.length ?? 0) > 0;
}

function isKindEffect(effect: MarkerUse['marker']['effect'], of: KindEffect): boolean {
  return effect.kind === 'kind' && effect.of === of;
}

function effects(uses: readonly MarkerUse[], of: KindEffect): MarkerUse[] {
  return uses.filter(({ marker }) => isKindEffect(marker.effect, of));
}

function text(options: JsonObject, name: string): string | undefined {
  const value: Json | undefined = options[name];
  return typeof value === 'string' ? value : undefined;
}

function list(options: JsonObject, name: string): readonly string[] {
  const value: Json | undefined = options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function scaleOf({ values, position }: MarkerUse): ScaleSubresource {
  return { ...(values[0] as unknown as Omit<ScaleSubresource, 'position'>), position };
}

function columnOf({ values, position }: MarkerUse): PrinterColumn {
  return { ...(values[0] as unknown as Omit<PrinterColumn, 'position'>), position };
}

function selectableFieldOf({ values, position }: MarkerUse): SelectableField {
  return { ...(values[0] as unknown as Omit<SelectableField, 'position'>), position };
}

/** Generated files import the declaration by its name. */
function placeProblem(declaration: Body): string | undefined {
  if (declaration.name === undefined) return 'it has no name';
  if (!ts.isSourceFile(declaration.parent)) return 'it stands inside of something else';
  if ((declaration.typeParameters?.length ?? 0) > 0) return 'it is generic';
  const flags = ts.getCombinedModifierFlags(declaration);
  if ((flags & ts.ModifierFlags.Default) !== 0) return 'it is a default export';
  if ((flags & ts.ModifierFlags.Export) === 0 && !isExportedLater(declaration.parent, declaration.name.text)) {
    return 'it is not exported';
  }
  return undefined;
}

/** `export { Widget };` below the declaration. */
function isExportedLater(file: ts.SourceFile, name: string): boolean {
  return file.statements.some(
    (statement) =>
      ts.isExportDeclaration(statement) &&
      statement.moduleSpecifier === undefined &&
      statement.exportClause !== undefined &&
      ts.isNamedExports(statement.exportClause) &&
      statement.exportClause.elements.some((each) => each.name.text === name && each.propertyName === undefined),
  );
}
