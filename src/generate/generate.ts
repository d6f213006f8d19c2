import {
  compareDiagnostics,
  compareText,
  type Diagnostic,
  type Kind,
  type Model,
  type OutputFile,
} from '../model/index.ts';
import { checkKinds, type KubernetesVersion } from './checks/index.ts';
import { chartTemplates } from './chart/chart.ts';
import { emitClients } from './client/client.ts';
import { type ConversionDeclaration, withConversions } from './crd/conversion.ts';
import { definitionFile, emitDefinition } from './crd/definition.ts';
import { emitRoleBindings, roleBindingFile } from './rbac/bindings.ts';
import { checkRules } from './rbac/check.ts';
import { emitKindRoles, emitRoles, roleFile } from './rbac/role.ts';
import { rolesOf } from './rbac/rules.ts';
import { EmittedTexts } from './yaml/emit.ts';
import { checkWebhooks } from './webhook/check.ts';
import { emitWebhooks, webhookFile } from './webhook/manifests.ts';

/** Which outputs a run has. Folders are relative to the project's root, with `/`; an output without its folder is off. */
export interface Outputs {
  /** The project's root, absolute, with `/`. */
  readonly root: string;
  readonly crdDir?: string;
  readonly rbacDir?: string;
  readonly webhookDir?: string;
  readonly clientDir?: string;
  /** Whether each API group has a folder of its own in `clientDir`. Default: only groups whose kinds would share a file. */
  readonly clientGroupFolders?: boolean;
  /** The oldest Kubernetes that the definitions are for. */
  readonly kubernetesVersion: KubernetesVersion;
  /** The role of `Rbac` markers that name none. */
  readonly roleName: string;
  /** Whether `rbacDir` gets the admin, editor and viewer role of each kind, too. */
  readonly kindRoles: boolean;
  /** Whether Kubernetes' own roles `admin`, `edit` and `view` take these in. Default false. */
  readonly aggregateKindRoles?: boolean;
  /** Makes Roles of this namespace of those that are not taken in and whose kinds are in namespaces. Default: all are ClusterRoles. */
  readonly kindRoleNamespace?: string;
  /** The folder of a Helm chart that gets the same objects as templates, when it `hasChart`; else it loses those that it got. */
  readonly chartDir?: string;
  readonly hasChart?: boolean;
  /**
   * The namespace of the operator's ServiceAccount, of a scaffolded project. With it `rbacDir` gets the bindings of the roles called
   * `roleName`, too.
   */
  readonly ownNamespace?: string;
  /** The kinds whose versions a webhook converts. Default none. */
  readonly conversions?: readonly ConversionDeclaration[];
}

/** What a run writes, in the order of paths, and what is wrong with its input. With an error nothing may be written. */
export interface Generated {
  readonly files: readonly OutputFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many ClusterRoles and Roles the files hold. */
  readonly roles: number;
}

/** What Kubernetes' types look like as YAML is the same in all kinds, and in all runs of one process. */
const texts = new EmittedTexts();

type ManifestType = 'definitions' | 'roles' | 'kindRoles' | 'webhooks';

/** Turns a model into files; pure. */
export function generate(read: Model, outputs: Outputs): Generated {
  const converted = withConversions(read.kinds, outputs.conversions ?? []);
  const model: Model = { ...read, kinds: converted.kinds };
  const diagnostics = [
    ...converted.diagnostics,
    ...checkKinds(model.kinds, outputs.kubernetesVersion),
    ...checkRules(model),
    ...checkWebhooks(model, outputs.kubernetesVersion),
  ];
  // Nothing is written then, and what is wrong may be what cannot be written.
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    return { files: [], diagnostics: diagnostics.sort(compareDiagnostics), roles: 0 };
  }
  const { chartDir, hasChart = false, ownNamespace } = outputs;
  const files: OutputFile[] = [];
  let roles = 0;
  const manifests = { definitions: [], roles: [], kindRoles: [], webhooks: [] } as Record<ManifestType, OutputFile[]>;
  const add = (type: ManifestType, folder: string, name: string, content: string): void => {
    const file = { path: folder === '' || folder === '.' ? name : `${folder}/${name}`, content };
    manifests[type].push(file);
    files.push(file);
  };

  if (outputs.crdDir !== undefined) {
    for (const kind of model.kinds)
      add('definitions', outputs.crdDir, definitionFile(kind), emitDefinition(kind, texts));
  }
  if (outputs.rbacDir !== undefined) {
    const wanted = rolesOf(model.policyRules, outputs.roleName);
    if (wanted.length > 0) add('roles', outputs.rbacDir, roleFile, emitRoles(wanted));
    roles += wanted.length;
    const bindings = ownNamespace === undefined ? undefined : emitRoleBindings(wanted, outputs.roleName, ownNamespace);
    if (bindings !== undefined) add('roles', outputs.rbacDir, roleBindingFile, bindings);
    if (outputs.kindRoles) {
      const options = { aggregated: outputs.aggregateKindRoles === true, namespace: outputs.kindRoleNamespace };
      for (const kind of model.kinds) {
        for (const role of emitKindRoles(kind, rolePrefix(kind, model.kinds), options)) {
          add('kindRoles', outputs.rbacDir, role.file, role.content);
          roles++;
        }
      }
    }
  }
  if (outputs.webhookDir !== undefined) {
    const webhooks = emitWebhooks(model);
    if (webhooks !== undefined) add('webhooks', outputs.webhookDir, webhookFile, webhooks);
  }
  if (chartDir !== undefined && hasChart) files.push(...chartTemplates({ ...manifests, chartDir, ownNamespace }));
  if (outputs.clientDir !== undefined) {
    const clients = emitClients(model.kinds, outputs.clientDir, outputs.root, outputs.clientGroupFolders === true);
    files.push(...clients.files);
    diagnostics.push(...clients.diagnostics);
  }
  diagnostics.push(...checkPaths(files));
  files.sort((a, b) => compareText(a.path, b.path));
  return { files, diagnostics: diagnostics.sort(compareDiagnostics), roles };
}

/** Kinds of one name in several groups carry their group in the names of their roles. */
function rolePrefix(kind: Kind, kinds: readonly Kind[]): string {
  const name = kind.kind.toLowerCase();
  const others = kinds.filter((other) => other !== kind && other.kind.toLowerCase() === name);
  return others.length > 0 ? `${kind.group}_` : '';
}

/** Two files at one path would silently be one. */
function checkPaths(files: readonly OutputFile[]): Diagnostic[] {
  const seen = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  for (const { path } of files) {
    const other = seen.get(path.toLowerCase());
    if (other !== undefined) {
      diagnostics.push({ code: 'CO2300', severity: 'error', message: `two outputs would be written to ${path}` });
    }
    seen.set(path.toLowerCase(), path);
  }
  return diagnostics;
}
