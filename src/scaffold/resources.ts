import {
  isSameVersion,
  type OperatorFile,
  type ProjectOptions,
  type ProjectResource,
} from '../project/operator-file.ts';
import { isOwn } from './resource-paths.ts';

/** A project that cannot take a kind, or give one up; the message is one line. */
export class ResourceError extends Error {
  override readonly name = 'ResourceError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A version of a kind as the user asks for it: what is not said is as it is in the project, else the default. */
export type WantedResource = Pick<ProjectResource, 'group' | 'version' | 'kind' | 'plural'> &
  Pick<ProjectResource, 'types' | 'client' | 'adopted'> & {
    readonly scope: ProjectResource['scope'] | undefined;
    readonly controller: boolean | undefined;
  };

/**
 * The project with a version of a kind, and that version. Asking again for what is there gives the same project.
 *
 * @throws ResourceError where the project has something else of that name
 */
export function withResource(
  project: OperatorFile,
  wanted: WantedResource,
): { readonly project: OperatorFile; readonly resource: ProjectResource; readonly isNew: boolean } {
  const known = project.resources.find((resource) => isSameVersion(resource, wanted));
  const { group, kind, version } = wanted;
  const versions = project.resources.filter((resource) => resource.group === group && resource.kind === kind);
  const scope = wanted.scope ?? known?.scope ?? versions[0]?.scope ?? 'Namespaced';
  const other = versions.find((resource) => resource.scope !== scope);
  if (other !== undefined) {
    throw new ResourceError(
      `${kind} is ${other.scope}, and a definition has one scope for good`,
      `to begin anew: create-operator delete api ${flags(other)}`,
    );
  }
  if (known === undefined) refuseTwins(project, wanted);
  refuseOtherPlural(project, wanted);
  const reconciled = versions.find((resource) => resource.controller && resource.version !== version);
  const controller = wanted.controller ?? known?.controller ?? reconciled === undefined;
  if (controller && reconciled !== undefined) {
    throw new ResourceError(
      `${kind} has its reconciler for ${reconciled.version} already, and a kind has one`,
      `add the version alone: --no-controller`,
    );
  }
  if (controller && project.namespaced === true && scope === 'Cluster') {
    throw new ResourceError(
      `${kind} is cluster-scoped, and the project works in single namespaces`,
      'add it without a reconciler: --no-controller; or give the project the whole cluster: create-operator edit --no-namespaced',
    );
  }
  const { types, client, adopted } = wanted;
  if (!controller && types !== undefined && types !== 'own') {
    throw new ResourceError(
      `of ${kind}, which others define, nothing is left without a reconciler`,
      'leave out --no-controller or --no-resource',
    );
  }
  const resource: ProjectResource = {
    ...known,
    group,
    version,
    kind,
    plural: wanted.plural,
    scope,
    controller,
    ...(known === undefined && versions.length > 0 ? { storage: false as const } : {}),
    ...(types === undefined || types === 'own' ? {} : { types }),
    ...(adopted === undefined ? {} : { adopted }),
    ...(client === undefined ? {} : { client }),
  };
  const resources =
    known === undefined
      ? [...project.resources, resource]
      : project.resources.map((each) => (each === known ? resource : each));
  return { project: { ...project, resources }, resource, isNew: known === undefined };
}

/** A kind has one plural in all of its versions, and no other kind of its group has it: both are in the name of the definition. */
function refuseOtherPlural({ resources }: OperatorFile, { group, kind, plural }: WantedResource): void {
  for (const other of resources) {
    if (other.group !== group || (other.kind === kind) === (other.plural === plural)) continue;
    throw new ResourceError(
      `the plural of ${other.kind} (${other.group === '' ? other.version : `${other.group}/${other.version}`}) is ${other.plural}`,
      other.kind === kind ? 'leave out --plural: a definition has one for good' : `give ${kind} another: --plural`,
    );
  }
}

/** Kinds that would share files: in a project with one folder for all groups, those of one name in whatever case. */
function refuseTwins(project: OperatorFile, { group, kind, version }: WantedResource): void {
  const name = kind.toLowerCase();
  for (const twin of project.resources) {
    if (twin.kind.toLowerCase() !== name || (twin.kind === kind && twin.group === group)) continue;
    if (twin.group === group) {
      throw new ResourceError(
        `the project has the kind ${twin.kind} already (${twin.group}/${twin.version})`,
        'kinds of one group must differ in more than upper and lower case',
      );
    }
    if (project.multigroup !== true) {
      throw new ResourceError(
        `the project has the kind ${twin.kind} already (${twin.group === '' ? 'core' : twin.group}/${twin.version}), and ${kind} of ${group === '' ? 'core' : group}/${version} would stand in the same files`,
        'give each API group folders of its own: create-operator edit --multigroup',
      );
    }
  }
}

/**
 * The project without a version of a kind.
 *
 * @throws ResourceError where it has none, or another version needs this one
 */
export function withoutResource(
  project: OperatorFile,
  wanted: Pick<ProjectResource, 'group' | 'version' | 'kind'>,
): { readonly project: OperatorFile; readonly resource: ProjectResource } {
  const resource = project.resources.find((each) => isSameVersion(each, wanted));
  if (resource === undefined) {
    const known = project.resources.map(
      (each) => `${each.kind} (${each.group === '' ? 'core' : each.group}/${each.version})`,
    );
    throw new ResourceError(
      `the project has no kind ${wanted.kind} of ${wanted.group === '' ? 'core' : wanted.group}/${wanted.version}`,
      known.length === 0 ? 'it has no kinds' : `it has ${known.join(', ')}`,
    );
  }
  return { project: { ...project, resources: project.resources.filter((each) => each !== resource) }, resource };
}

/**
 * The project with other choices.
 *
 * @throws ResourceError where its kinds do not allow them
 */
export function withChoices(project: OperatorFile, choices: ProjectOptions): OperatorFile {
  const edited: OperatorFile = { ...project, ...choices };
  if (edited.namespaced === true) {
    const cluster = edited.resources.find(({ scope, controller }) => scope === 'Cluster' && controller);
    if (cluster !== undefined) {
      throw new ResourceError(
        `${cluster.kind} is cluster-scoped: its reconciler cannot work in single namespaces`,
        `without it: create-operator delete api ${flags(cluster)}`,
      );
    }
  }
  if (edited.multigroup !== true) {
    for (const [index, resource] of edited.resources.entries()) {
      const twin = edited.resources
        .slice(0, index)
        .find((other) => other.group !== resource.group && other.kind.toLowerCase() === resource.kind.toLowerCase());
      if (twin !== undefined) {
        throw new ResourceError(
          `${twin.kind} stands in the groups ${twin.group} and ${resource.group}, which need folders of their own`,
          'leave the project as it is, or delete one of them',
        );
      }
    }
  }
  return edited;
}

function flags({ group, version, kind }: ProjectResource): string {
  return `--group ${group === '' ? 'core' : group} --version ${version} --kind ${kind}`;
}

/** The generated files of a version of a kind that go with it, where `generate` cannot run. */
export function isLastVersion(project: OperatorFile, resource: ProjectResource): boolean {
  return !project.resources.some(
    (other) => isOwn(other) && other.group === resource.group && other.kind === resource.kind,
  );
}
