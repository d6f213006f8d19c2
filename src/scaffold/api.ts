import { addKustomizeResources } from './kustomization.ts';
import { formatOperatorFile, type OperatorFile, type ProjectResource } from '../project/operator-file.ts';
import { registry } from './registry.ts';
import { plan } from './run-generator.ts';
import { type PlannedFile, renderFile, type TemplateData } from './templates.ts';

/** What `api` has to know of the project as it is: the text of a file, or undefined where there is none. */
export type ReadProjectFile = (path: string) => string | undefined;

/** A project that cannot take the kind; the message is one line. */
export class ApiConflictError extends Error {
  override readonly name = 'ApiConflictError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * The files that a new kind adds to a project, and those that change because of it.
 *
 * Throws an `ApiConflictError` when the kind exists, or when a file that the user may have written stands where one of ours would.
 */
export async function planApi(
  root: string,
  project: OperatorFile,
  resource: ProjectResource,
  read: ReadProjectFile,
): Promise<PlannedFile[]> {
  const twin = project.resources.find(({ kind }) => kind.toLowerCase() === resource.kind.toLowerCase());
  if (twin !== undefined) {
    throw new ApiConflictError(
      `the project has the kind ${twin.kind} already (${twin.group}/${twin.version})`,
      `edit src/api/${twin.version}/${twin.kind.toLowerCase()}.types.ts, or choose another kind`,
    );
  }
  const created = newFiles(project, resource);
  for (const { path } of created) {
    if (read(path) !== undefined) {
      throw new ApiConflictError(
        `${path} exists already`,
        'move it away, or choose another kind: nothing is overwritten',
      );
    }
  }
  const resources = [...project.resources, resource];
  const changed: PlannedFile[] = [
    { path: 'operator.json', content: formatOperatorFile({ ...project, resources }) },
    { path: 'src/generated/registry.ts', content: registry(resources) },
    kustomization('config/crd/kustomization.yaml', [`bases/${resource.group}_${resource.plural}.yaml`], read),
    kustomization('config/samples/kustomization.yaml', [sampleFile(resource)], read),
    kustomization(
      'config/rbac/kustomization.yaml',
      [
        ...(resource.controller ? ['role.yaml', 'role_binding.yaml'] : []),
        ...(project['kindRoles'] === false ? [] : kindRoleFiles(resource)),
      ],
      read,
    ),
  ];
  return plan(root, (generator) => {
    for (const { path, content } of [...created, ...changed]) generator.write(path, content);
  });
}

function newFiles(project: OperatorFile, resource: ProjectResource): PlannedFile[] {
  const { group, version, kind } = resource;
  const file = kind.toLowerCase();
  const data: TemplateData = {
    projectName: project.projectName,
    group,
    version,
    kind,
    plural: resource.plural,
    kindLower: file,
    kindFile: file,
    variable: variableName(kind),
    storeVariable: `EXTERNAL_${kind.toUpperCase()}_DIR`,
    resourceOptions: resource.scope === 'Cluster' ? ", scope: 'Cluster'" : '',
    namespaceMember: resource.scope === 'Cluster' ? '' : " namespace: 'default',",
    keyMembers: resource.scope === 'Cluster' ? '' : "namespace: 'default', ",
    sampleName: `${file}-sample`,
  };
  const files: PlannedFile[] = [
    { path: `src/api/${version}/${file}.types.ts`, content: renderFile('api/types.ts.hbs', data) },
    { path: `config/samples/${sampleFile(resource)}`, content: renderFile('api/sample.yaml.hbs', data) },
  ];
  if (!resource.controller) return files;
  return [
    ...files,
    { path: `src/controllers/${file}-controller.ts`, content: renderFile('api/controller.ts.hbs', data) },
    { path: `src/controllers/${file}-controller.test.ts`, content: renderFile('api/controller.test.ts.hbs', data) },
    { path: `src/controllers/${file}-external.ts`, content: renderFile('api/external.ts.hbs', data) },
    { path: `test/${file}.test.ts`, content: renderFile('api/environment.test.ts.hbs', data) },
  ];
}

/** The roles for people that `generate` writes for each kind, unless `operator.json` says `"kindRoles": false`. */
function kindRoleFiles({ kind }: ProjectResource): string[] {
  return ['admin', 'editor', 'viewer'].map((role) => `${kind.toLowerCase()}_${role}_role.yaml`);
}

function sampleFile({ group, version, kind }: ProjectResource): string {
  return `${group}_${version}_${kind.toLowerCase()}.yaml`;
}

function kustomization(path: string, resources: readonly string[], read: ReadProjectFile): PlannedFile {
  const text = read(path) ?? 'resources: []\n';
  try {
    return { path, content: addKustomizeResources(text.replaceAll('\r\n', '\n'), resources) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiConflictError(`${path}: ${reason}`, `mend it, or remove it: it is written anew then`);
  }
}

const words = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static implements interface package private protected public arguments eval client signal log request wanted found status written external finalizer now before ready generation draft manager uid condition'.split(
    ' ',
  ),
);

/** `DbUser` -> `dbUser`: what one object is called in the reconciler; with `Object` behind it where that is taken there. */
function variableName(kind: string): string {
  const name = kind.charAt(0).toLowerCase() + kind.slice(1);
  return words.has(name) ? `${name}Object` : name;
}
