import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultKubernetesVersion, type KubernetesVersion, parseKubernetesVersion } from './kubernetes-version.ts';
import { type OperatorMembers, type ProjectOptions, readOperatorMembers } from './operator-file.ts';
import { ProjectError } from './project-error.ts';

export { defaultKubernetesVersion, type KubernetesVersion, parseKubernetesVersion } from './kubernetes-version.ts';
export { ProjectError } from './project-error.ts';

/** What `generate` takes from `operator.json`; its other members belong to other commands. */
export interface Settings {
  /** The folder of `operator.json`; `undefined` outside a scaffolded project. */
  readonly root: string | undefined;
  readonly projectName: string | undefined;
  readonly kubernetesVersion: KubernetesVersion;
  /** JSDoc tags that are neither ours nor standard, and pass. */
  readonly allowedTags: readonly string[];
  /** Whether each kind gets roles for people, and whether Kubernetes' own `admin`, `edit` and `view` take these in. Default `plain`. */
  readonly kindRoles: 'none' | 'plain' | 'aggregated';
  /** Whether the operator works in single namespaces. Default false. */
  readonly namespaced: boolean;
  /** Whether sources and clients stand in a folder for each API group. Default false. */
  readonly multigroup: boolean;
  /** The kinds whose objects a webhook converts between versions, each once. */
  readonly conversions: readonly { readonly group: string; readonly kind: string }[];
}

const settingsFile = 'operator.json';

/**
 * Reads the nearest `operator.json` in a folder or above it.
 *
 * @throws ProjectError when it is no JSON or a member does not fit the schema.
 */
export function readSettings(folder: string): Settings {
  const root = nearest(folder, settingsFile);
  const file = root === undefined ? undefined : join(root, settingsFile);
  const members = file === undefined ? {} : readOperatorMembers(textOf(file), file);
  const { kubernetesVersion: version, allowedTags = [] } = members;
  return {
    root,
    projectName: members.projectName,
    kubernetesVersion:
      version === undefined ? defaultKubernetesVersion : parseKubernetesVersion(version, file ?? settingsFile),
    allowedTags: allowedTags.map((tag) => tag.replace(/^@/, '')),
    kindRoles: kindRolesOf(members),
    namespaced: members.namespaced === true,
    multigroup: members.multigroup === true,
    conversions: conversionsOf(members),
  };
}

function conversionsOf({ resources = [] }: OperatorMembers): Settings['conversions'] {
  const converted = resources.filter(({ webhooks }) => webhooks?.conversion === true);
  return [...new Map(converted.map(({ group, kind }) => [`${kind}.${group}`, { group, kind }])).values()];
}

/** Whether kinds get roles for people, as `operator.json` says it. */
export function kindRolesOf({ kindRoles }: Pick<ProjectOptions, 'kindRoles'>): Settings['kindRoles'] {
  if (kindRoles === false) return 'none';
  return kindRoles === 'aggregated' ? kindRoles : 'plain';
}

/** The nearest folder, from here upwards, that holds a file. */
export function nearest(folder: string, file: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, file))) return current;
    if (current === dirname(current)) return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProjectError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
