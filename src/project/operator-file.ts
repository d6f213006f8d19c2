import { checkJson } from './json-schema.ts';
import { parseKubernetesVersion } from './kubernetes-version.ts';
import { operatorSchema } from './operator-schema.ts';
import type { PackageManager } from './package-manager.ts';
import { ProjectError } from './project-error.ts';

/** A version of a kind that `create-operator api` has scaffolded. */
export interface ProjectResource {
  /** The whole group, `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly controller: boolean;
  /** False for the versions that were added to a kind later: the first is the storage version, until the user says otherwise in a marker. */
  readonly storage?: false;
  /** Who defines it; `own` when absent. */
  readonly types?: 'own' | 'core' | 'imported';
  /** Of an own kind whose types were there before, as `import --types` writes them: the scaffold has none for it, and no sample. */
  readonly adopted?: true;
  /** Of an imported kind: the module of its client, relative to the root, with `/`. */
  readonly client?: string;
  /** What its webhooks do. One version that says so counts for the whole kind. */
  readonly webhooks?: { readonly conversion?: boolean };
}

/** What create-operator remembers of a project beside its name and its kinds. */
export interface ProjectOptions {
  readonly $schema?: string;
  readonly cliVersion?: string;
  readonly kubernetesVersion?: string;
  readonly packageManager?: PackageManager;
  readonly workspace?: boolean;
  readonly namespaced?: boolean;
  readonly multigroup?: boolean;
  readonly helm?: boolean;
  readonly kindRoles?: boolean | 'aggregated';
  readonly allowedTags?: readonly string[];
}

/** `operator.json`. Members that we do not know are kept. */
export interface OperatorFile extends ProjectOptions {
  readonly projectName: string;
  readonly resources: readonly ProjectResource[];
  readonly [member: string]: unknown;
}

/** An `operator.json` as it stands on the disk: any member may be missing. */
export interface OperatorMembers extends ProjectOptions {
  readonly projectName?: string;
  readonly resources?: readonly (Omit<ProjectResource, 'scope' | 'controller'> & Partial<ProjectResource>)[];
}

/**
 * Reads the text of an `operator.json` as far as it is there.
 *
 * @param file what the file is called in errors
 * @throws ProjectError where it is no JSON, or a member does not fit the schema
 */
export function readOperatorMembers(text: string, file = 'operator.json'): OperatorMembers {
  const remedy = 'mend it, or take it from your version control';
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ProjectError(`${file}: ${error instanceof Error ? error.message : String(error)}`, remedy);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProjectError(`${file}: is no JSON object`, remedy);
  }
  if ('kubernetesVersion' in value && typeof value.kubernetesVersion === 'string') {
    parseKubernetesVersion(value.kubernetesVersion, file);
  }
  const [problem] = checkJson(value, operatorSchema);
  if (problem !== undefined) {
    const { path, message, example } = problem;
    const member = /[^.[\]]+$/.exec(path)?.[0];
    const name = member === undefined || /^\d+$/.test(member) ? '' : `"${member}": `;
    throw new ProjectError(
      `${file}: ${path} ${message}`,
      example === undefined ? undefined : `write ${name}${example}`,
    );
  }
  return value;
}

/**
 * Reads the text of the `operator.json` of a scaffolded project.
 *
 * @throws ProjectError
 */
export function parseOperatorFile(text: string): OperatorFile {
  const file = readOperatorMembers(text);
  const { projectName } = file;
  if (projectName === undefined) {
    throw new ProjectError('operator.json: projectName is missing', 'write "projectName": "my-operator"');
  }
  const resources = (file.resources ?? []).map((resource): ProjectResource => ({
    ...resource,
    scope: resource.scope ?? 'Namespaced',
    controller: resource.controller !== false,
  }));
  return { ...file, projectName, resources };
}

export function formatOperatorFile(file: OperatorFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Whether two entries speak of the same version of the same kind. */
export function isSameVersion(a: ProjectResource, b: Pick<ProjectResource, 'group' | 'version' | 'kind'>): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
