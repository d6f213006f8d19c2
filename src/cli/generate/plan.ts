import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ConversionDeclaration } from '../../generate/crd/conversion.ts';
import type { Outputs } from '../../generate/generate.ts';
import { isPathSegment } from '../../generate/rbac/check.ts';
import {
  parseKubernetesVersion,
  projectLayout,
  readSettings,
  type Settings,
  toProjectPath,
} from '../../project/index.ts';
import { UsageError } from '../usage-error.ts';
import type { GenerateFlags } from './flags.ts';

/** What one run of `generate` reads and writes. */
export interface Plan {
  /** Absolute; the paths in outputs and diagnostics are relative to it. */
  readonly root: string;
  readonly globs: readonly string[];
  /** Whether the user named the sources: then each pattern must match something. */
  readonly namedSources: boolean;
  readonly outputs: Outputs;
  readonly tsconfig: string | undefined;
  readonly allowedTags: readonly string[];
  readonly mode: 'write' | 'check' | 'print';
}

/**
 * Decides what a run does. With any flag for sources or outputs all comes from flags, and an output without its flag is off; else
 * the project's layout applies.
 *
 * @throws UsageError, ProjectError
 */
export function planGenerate(flags: GenerateFlags, folder: string): Plan {
  const settings = readSettings(folder);
  const named = [flags.source, flags.crdDir, flags.rbacDir, flags.webhookDir, flags.clientDir].some(
    (flag) => flag !== undefined,
  );
  const inProject = settings.root !== undefined && !named;
  const root = inProject ? settings.root : folder;
  if (!inProject && flags.source === undefined) {
    throw new UsageError(
      named
        ? 'no sources are named'
        : 'no sources are named, and this is no project of create-operator (no operator.json here or above)',
      "name them: --source 'src/api/**/*.ts'",
    );
  }
  if (flags.source?.includes('') === true)
    throw new UsageError('--source names no file', "write --source 'src/api/**/*.ts'");
  if (flags.roleName !== undefined && !isPathSegment(flags.roleName)) {
    throw new UsageError(
      `--role-name ${JSON.stringify(flags.roleName)} is no name of a role`,
      'a name is not empty, not "." or "..", and has no "/" and no "%"',
    );
  }
  const mode = flags.stdout === true ? 'print' : flags.check === true ? 'check' : 'write';
  if (flags.watch === true && mode !== 'write') throw new UsageError('--watch goes with neither --check nor --stdout');
  const common = {
    root: root.replaceAll('\\', '/'),
    kubernetesVersion:
      flags.kubernetesVersion === undefined
        ? settings.kubernetesVersion
        : parseKubernetesVersion(flags.kubernetesVersion, '--kubernetes-version'),
    roleName: flags.roleName ?? projectLayout.roleName,
    kindRoles:
      flags.kindRoles === true || flags.aggregateKindRoles === true || (inProject && settings.kindRoles !== 'none'),
    aggregateKindRoles: flags.aggregateKindRoles === true || (inProject && settings.kindRoles === 'aggregated'),
    conversions: [
      ...(inProject ? settings.conversions : []).map((kind) => ({ ...kind, declaredIn: 'operator.json' })),
      ...(flags.conversionWebhook ?? []).map(conversionOf),
    ],
  };
  const outputs = inProject
    ? {
        ...common,
        ...projectFolders,
        clientGroupFolders: settings.multigroup,
        ...ofProject(root, settings),
      }
    : { ...common, ...namedFolders(flags, root, mode) };
  return {
    root,
    globs: flags.source ?? projectLayout.sources,
    namedSources: flags.source !== undefined,
    outputs,
    tsconfig: flags.tsconfig === undefined ? undefined : namedTsconfig(flags.tsconfig, folder),
    allowedTags: settings.allowedTags,
    mode,
  };
}

/** `Widget.example.com` */
function conversionOf(name: string): ConversionDeclaration {
  const [, kind, group] = /^([A-Za-z][A-Za-z0-9]*)\.([a-z0-9.-]+)$/.exec(name) ?? [];
  if (kind === undefined || group === undefined) {
    throw new UsageError(
      `--conversion-webhook ${JSON.stringify(name)} names no kind`,
      'write the kind and its group: --conversion-webhook Widget.example.com',
    );
  }
  return { group, kind, declaredIn: '--conversion-webhook' };
}

function namedTsconfig(name: string, folder: string): string {
  const file = resolve(folder, name.replaceAll('\\', '/'));
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError(`--tsconfig: there is no file ${file}`);
  }
  return file;
}

/** What only a scaffolded project has: its namespace, and perhaps a chart. */
function ofProject(root: string, { projectName, namespaced }: Settings): Partial<Outputs> {
  const { chartDir } = projectLayout;
  const chart = { chartDir, hasChart: existsSync(join(root, chartDir, 'Chart.yaml')) };
  if (projectName === undefined) return chart;
  const ownNamespace = `${projectName}-system`;
  return { ...chart, ownNamespace, ...(namespaced ? { kindRoleNamespace: ownNamespace } : {}) };
}

type Folders = Pick<Outputs, 'crdDir' | 'rbacDir' | 'webhookDir' | 'clientDir'>;

const projectFolders: Folders = {
  crdDir: projectLayout.crdDir,
  rbacDir: projectLayout.rbacDir,
  webhookDir: projectLayout.webhookDir,
  clientDir: projectLayout.clientDir,
};

function namedFolders(flags: GenerateFlags, root: string, mode: Plan['mode']): Folders {
  const folders = {
    ...folderOf('crdDir', '--crd-dir', flags.crdDir, root),
    ...folderOf('rbacDir', '--rbac-dir', flags.rbacDir, root),
    ...folderOf('webhookDir', '--webhook-dir', flags.webhookDir, root),
    ...folderOf('clientDir', '--client-dir', flags.clientDir, root),
  };
  if (Object.keys(folders).length === 0) {
    // Printed without a word about outputs: what can be applied.
    if (mode === 'print') return { crdDir: '.', rbacDir: '.', webhookDir: '.' };
    throw new UsageError(
      'there is nothing to write',
      'name outputs: --crd-dir, --rbac-dir, --webhook-dir, --client-dir; or print them: --stdout',
    );
  }
  if ((flags.kindRoles === true || flags.aggregateKindRoles === true) && flags.rbacDir === undefined) {
    throw new UsageError('--kind-roles needs the folder of roles', 'name it: --rbac-dir config/rbac');
  }
  return folders;
}

function folderOf<Name extends string>(
  name: Name,
  flag: string,
  value: string | undefined,
  root: string,
): { [name in Name]?: string } {
  if (value === undefined) return {};
  if (value === '') throw new UsageError(`${flag} names no folder`);
  // In either slash style on every platform, as sources.
  const path = toProjectPath(value.replaceAll('\\', '/'), root);
  if (path === undefined) throw new UsageError(`${flag} ${value} lies on another drive than ${root}`);
  return { [name]: path } as { [name in Name]?: string };
}
