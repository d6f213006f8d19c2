import { formatOperatorFile } from '../project/operator-file.ts';
import { registry } from './registry.ts';
import { plan } from './run-generator.ts';
import { type ProjectChoices, projectData, templateSets } from './template-data.ts';
import { type PlannedFile, renderSet } from './templates.ts';

export interface ProjectOptions {
  /** Checked by `checkProjectName`. */
  readonly name: string;
  /** `MAJOR.MINOR`. */
  readonly kubernetesVersion: string;
  /** What `package.json` asks for: versions, or `file:` paths of tarballs. */
  readonly dependencies: { readonly 'create-operator': string; readonly 'operator-runtime': string };
}

/** All files of a new project, without any kind yet. */
export function planProject(root: string, options: ProjectOptions): Promise<PlannedFile[]> {
  const choices: ProjectChoices = {
    projectName: options.name,
    kubernetesVersion: options.kubernetesVersion,
    packageManager: 'npm',
    namespaced: false,
    multigroup: false,
    helm: true,
    kindRoles: 'plain',
    resources: [],
    dependencies: options.dependencies,
  };
  const files = templateSets(choices).flatMap((set) => renderSet(set, projectData(choices)));
  const operatorFile = formatOperatorFile({
    projectName: options.name,
    kubernetesVersion: options.kubernetesVersion,
    resources: [],
  });
  return plan(root, (generator) => {
    for (const { path, content } of files) generator.write(path, content);
    generator.write('operator.json', operatorFile);
    generator.write('src/generated/registry.ts', registry([]));
  });
}
