import { type PackageManager, packageManagerCommands, packageManagers } from '../project/package-manager.ts';
import type { ProjectResource } from '../project/operator-file.ts';
import { isOwn } from './resource-paths.ts';
import type { TemplateData } from './templates.ts';

/** All that decides how a project's files look. */
export interface ProjectChoices {
  readonly projectName: string;
  /** `MAJOR.MINOR` */
  readonly kubernetesVersion: string;
  readonly packageManager: PackageManager;
  /** Whether a workspace around the project holds lock file and settings of the package manager. */
  readonly workspace: boolean;
  /** Roles in place of ClusterRoles, and caches of the namespaces in `WATCH_NAMESPACE` only. */
  readonly namespaced: boolean;
  /** Folders by API group. */
  readonly multigroup: boolean;
  /** A Helm chart. */
  readonly helm: boolean;
  /** Roles for people for each own kind, and whether the cluster's own roles take them in. */
  readonly kindRoles: 'none' | 'plain' | 'aggregated';
  readonly resources: readonly ProjectResource[];
  /** What `package.json` asks for: versions, or `file:` paths of tarballs. */
  readonly dependencies: { readonly 'create-operator': string; readonly 'operator-runtime': string };
}

/**
 * What the templates of a project can say.
 *
 * Text: `projectName`, `packageName`, `namespace`, `leaseName`, `imageName`, `imageRepository`, `imageTag`, `kubernetesVersion`,
 * `createOperatorVersion`, `runtimeVersion`, `packageManager`, and its commands `install`, `cleanInstall`, `run` (before a script: never
 * `{{run}}test` as a built-in command, which is another thing with bun), `exec` (before a program), `add`, `addDev`, `lockFile`.
 * Yes or no: `npm`, `pnpm`, `yarn`, `bun` (the chosen one is true), `workspace`, `namespaced`, `multigroup`, `helm`, `kindRoles`, `aggregatedKindRoles`,
 * `hasKinds` (own ones), `hasControllers`.
 * Lists: `kinds`, the own kinds, each with `group`, `version` (the first), `kind`, `kindLower`, `plural`, `clusterScoped`, `crdFile` (in
 * `config/crd/bases`).
 */
export function projectData(choices: ProjectChoices): TemplateData {
  const { projectName, packageManager, resources } = choices;
  return {
    projectName,
    packageName: projectName,
    namespace: `${projectName}-system`,
    leaseName: `${projectName}.create-operator`,
    imageName: `${projectName}:latest`,
    imageRepository: projectName,
    imageTag: 'latest',
    kubernetesVersion: choices.kubernetesVersion,
    createOperatorVersion: choices.dependencies['create-operator'],
    runtimeVersion: choices.dependencies['operator-runtime'],
    packageManager,
    ...packageManagerCommands[packageManager],
    ...Object.fromEntries(packageManagers.map((name) => [name, name === packageManager])),
    workspace: choices.workspace,
    namespaced: choices.namespaced,
    multigroup: choices.multigroup,
    helm: choices.helm,
    kindRoles: choices.kindRoles !== 'none',
    aggregatedKindRoles: choices.kindRoles === 'aggregated',
    hasKinds: resources.some(isOwn),
    hasControllers: resources.some(({ controller }) => controller),
    kinds: kindsOf(resources),
  };
}

function kindsOf(resources: readonly ProjectResource[]): TemplateData[] {
  const seen = new Set<string>();
  return resources.filter(isOwn).flatMap(({ group, version, kind, plural, scope }) => {
    const crdFile = `${group}_${plural}.yaml`;
    if (seen.has(crdFile)) return [];
    seen.add(crdFile);
    return [
      { group, version, kind, kindLower: kind.toLowerCase(), plural, clusterScoped: scope === 'Cluster', crdFile },
    ];
  });
}

/**
 * The sets of templates that a project consists of, each a folder in `templates/`: `project`; the chosen package manager's, such as
 * `package-managers/pnpm`; and `helm`. A `.hbs` template that renders to nothing but white space gives no file, so that whole files can
 * stand in an `{{#if}}`; what is copied byte for byte and not for every project stands in a set of its own.
 */
export function templateSets({ packageManager, helm }: ProjectChoices): string[] {
  return ['project', `package-managers/${packageManager}`, ...(helm ? ['helm'] : [])];
}
