import { parseAllDocuments } from 'yaml';
import { type Json, type OutputFile, yamlHeader } from '../../model/index.ts';
import { emitFile } from '../yaml/emit.ts';

/** What the templates of a chart are made from: files of `generate`, in `config/`. */
export interface ChartInput {
  readonly definitions: readonly OutputFile[];
  /** Roles and bindings of the operator. */
  readonly roles: readonly OutputFile[];
  /** Roles for people. */
  readonly kindRoles: readonly OutputFile[];
  readonly webhooks: readonly OutputFile[];
  /** The folder of the chart. */
  readonly chartDir: string;
  /** The namespace that `config/default` gives to what names none: in a chart the release's. */
  readonly ownNamespace: string | undefined;
}

/** The folders below `templates/` that hold what is generated. */
export const chartFolders = { definitions: 'crd', roles: 'rbac/generated', webhooks: 'webhook/generated' } as const;

/**
 * The objects of generated files as templates of the Helm chart: `helm template` gives what kustomize makes of `config/default`. Names
 * begin with the release's, namespaces are the release's where kustomize sets the project's, and what is text of the user stays as it is,
 * braces included.
 */
export function chartTemplates(input: ChartInput): OutputFile[] {
  const { chartDir, ownNamespace } = input;
  const place = (folder: string, file: OutputFile, condition: string | undefined, body: string): OutputFile => ({
    path: `${chartDir}/templates/${folder}/${file.path.slice(file.path.lastIndexOf('/') + 1)}`,
    content:
      condition === undefined
        ? `${yamlHeader}\n${body}`
        : `${yamlHeader}\n{{- if .Values.${condition} }}\n${body}{{- end }}\n`,
  });
  const named = (file: OutputFile): string => templateOf(file, ownNamespace);
  return [
    ...input.definitions.map((file) => place(chartFolders.definitions, file, 'crd.enable', definition(file))),
    ...input.roles.map((file) => place(chartFolders.roles, file, undefined, named(file))),
    ...input.kindRoles.map((file) => place(chartFolders.roles, file, 'rbac.kindRoles', named(file))),
    ...input.webhooks.map((file) => place(chartFolders.webhooks, file, 'webhook.enable', named(file))),
  ];
}

const fullname = '{{ include "chart.fullname" . }}';
const releaseNamespace = '{{ .Release.Namespace }}';
/** What stand for them until the objects are text: nothing that a name or namespace can be. */
const fullnameMark = '__FULLNAME__';
const namespaceMark = '__NAMESPACE__';

/** Helm's own braces, so that what the user wrote is no action. */
function escapeActions(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

function bodyOf({ content }: OutputFile): string {
  return content.slice(content.indexOf('\n') + 1);
}

/** A definition, which is kept when the release is removed, unless the values say otherwise. */
function definition(file: OutputFile): string {
  const body = escapeActions(bodyOf(file));
  const policy = 'helm.sh/resource-policy: keep';
  const kept = body.includes(`    ${policy.split(':')[0] ?? ''}:`)
    ? body
    : body.replace(/^metadata:\n(  annotations:\n)?/m, (_, annotations?: string) =>
        annotations === undefined
          ? `metadata:\n  {{- if .Values.crd.keep }}\n  annotations:\n    ${policy}\n  {{- end }}\n`
          : `metadata:\n  annotations:\n    {{- if .Values.crd.keep }}\n    ${policy}\n    {{- end }}\n`,
      );
  // The Service of a conversion webhook.
  return kept.replace(
    /^( +)name: webhook-service\n\1namespace: system$/m,
    `$1name: ${fullname}-webhook-service\n$1namespace: ${releaseNamespace}`,
  );
}

/** A file whose objects get the names and namespaces that kustomize would give them. */
function templateOf(file: OutputFile, ownNamespace: string | undefined): string {
  const objects = parseAllDocuments(file.content, { version: '1.1' }).map((document) =>
    placed(document.toJS() as Json, ownNamespace),
  );
  const text = emitFile(objects.filter((object) => object !== null));
  return escapeActions(bodyOf({ ...file, content: text }))
    .replaceAll(fullnameMark, `${fullname}-`)
    .replaceAll(namespaceMark, releaseNamespace);
}

const namespacedKinds: readonly unknown[] = ['Role', 'RoleBinding'];

/** An object that is being made. */
interface Members {
  [name: string]: Json;
}

function placed(value: Json, ownNamespace: string | undefined): Json {
  if (!isObject(value)) return value;
  const object = { ...value };
  const own = (namespace: Json | undefined): boolean => namespace === undefined || namespace === ownNamespace;
  object['metadata'] = changed(object['metadata'], (metadata) => {
    metadata['name'] = prefixed(metadata['name']);
    if (namespacedKinds.includes(object['kind']) && own(metadata['namespace'])) metadata['namespace'] = namespaceMark;
  });
  if ('roleRef' in object) {
    object['roleRef'] = changed(object['roleRef'], (reference) => {
      reference['name'] = prefixed(reference['name']);
    });
  }
  each(object, 'subjects', (subject) => {
    if (subject['kind'] !== 'ServiceAccount' || !own(subject['namespace'])) return;
    subject['name'] = prefixed(subject['name']);
    subject['namespace'] = namespaceMark;
  });
  each(object, 'webhooks', (webhook) => {
    webhook['clientConfig'] = changed(webhook['clientConfig'], (clientConfig) => {
      if (!('service' in clientConfig)) return;
      clientConfig['service'] = changed(clientConfig['service'], (service) => {
        if (service['name'] !== 'webhook-service' || service['namespace'] !== 'system') return;
        service['name'] = prefixed(service['name']);
        service['namespace'] = namespaceMark;
      });
    });
  });
  return object;
}

/** A changed copy of an object; other values as they are. */
function changed(value: Json | undefined, change: (object: Members) => void): Json {
  if (!isObject(value)) return value ?? null;
  const copy = { ...value };
  change(copy);
  return copy;
}

function each(object: Members, member: string, change: (item: Members) => void): void {
  const list = object[member];
  if (Array.isArray(list)) object[member] = list.map((item: Json) => changed(item, change));
}

function prefixed(name: Json | undefined): Json {
  return typeof name === 'string' ? fullnameMark + name : (name ?? null);
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
