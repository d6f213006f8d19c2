import { kindRolesOf } from '../project/settings.ts';
import { defaultKubernetesVersion } from '../project/kubernetes-version.ts';
import type { OperatorFile } from '../project/operator-file.ts';
import type { FileTree } from './change-plan.ts';
import { chartFile, chartFilePath } from './chart.ts';
import { addKustomizeResources } from './kustomization.ts';
import { registry, registryPath } from './registry.ts';
import { resourceFiles } from './resource-files.ts';
import { isOwn, isScaffolded, kindRoleFiles, resourcePaths } from './resource-paths.ts';
import { plan } from './run-generator.ts';
import { type ProjectChoices, projectData, templateSets } from './template-data.ts';
import { renderSet } from './templates.ts';

/** The versions of our packages that `package.json` asks for; or `file:` paths of tarballs. */
export interface PackageVersions {
  readonly 'create-operator': string;
  readonly 'operator-runtime': string;
}

/** The choices that an `operator.json` remembers, with the defaults of those that it does not name. */
export function choicesOf(file: OperatorFile, dependencies: PackageVersions): ProjectChoices {
  const { major, minor } = defaultKubernetesVersion;
  return {
    projectName: file.projectName,
    kubernetesVersion: file.kubernetesVersion ?? `${major}.${minor}`,
    packageManager: file.packageManager ?? 'npm',
    workspace: file.workspace === true,
    namespaced: file.namespaced === true,
    multigroup: file.multigroup === true,
    helm: file.helm !== false,
    kindRoles: kindRolesOf(file),
    resources: file.resources,
    dependencies,
  };
}

/** All that the scaffold makes of a project with these choices, except `operator.json` itself. */
export async function renderScaffold(root: string, choices: ProjectChoices): Promise<FileTree> {
  const files = await plan(root, (generator) => {
    for (const [path, content] of renderTree(choices)) generator.write(path, content);
  });
  return new Map(files.map(({ path, content }) => [path, content]));
}

function renderTree(choices: ProjectChoices): Map<string, string> {
  const tree = new Map<string, string>();
  const data = projectData(choices);
  for (const set of templateSets(choices))
    for (const { path, content } of renderSet(set, data)) tree.set(path, content);
  for (const resource of choices.resources) {
    for (const { path, content } of resourceFiles(resource, choices)) tree.set(path, content);
  }
  for (const [path, resources] of kustomizations(choices)) {
    tree.set(path, addKustomizeResources(tree.get(path) ?? 'resources: []\n', resources));
  }
  tree.set(registryPath, registry(choices));
  if (choices.helm) tree.set(chartFilePath, chartFile(choices));
  return tree;
}

/** The kustomizations that grow with the kinds, and what they name. */
function kustomizations(choices: ProjectChoices): [string, string[]][] {
  const { resources, multigroup, kindRoles } = choices;
  const own = resources.filter(isOwn);
  const kinds = own.filter(
    (one, index) => own.findIndex(({ group, kind }) => group === one.group && kind === one.kind) === index,
  );
  const hasControllers = resources.some(({ controller }) => controller);
  return [
    ['config/crd/kustomization.yaml', kinds.map((kind) => resourcePaths(kind, multigroup).definition)],
    [
      'config/samples/kustomization.yaml',
      resources.filter(isScaffolded).map((resource) => resourcePaths(resource, multigroup).sample),
    ],
    [
      'config/rbac/kustomization.yaml',
      [
        ...(hasControllers ? ['role.yaml', 'role_binding.yaml'] : []),
        ...(kindRoles === 'none' ? [] : kinds.flatMap((kind) => kindRoleFiles(kind, resources))),
      ],
    ],
  ];
}

/** The files that get another path when the layout changes: old to new. */
export function movedFiles(before: ProjectChoices, after: ProjectChoices): Map<string, string> {
  const moves = new Map<string, string>();
  for (const resource of before.resources) {
    const old = resourcePaths(resource, before.multigroup);
    const next = resourcePaths(resource, after.multigroup);
    for (const part of ['types', 'controller', 'controllerTest', 'external', 'environmentTest'] as const) {
      if (old[part] !== next[part]) moves.set(old[part], next[part]);
    }
  }
  return moves;
}
