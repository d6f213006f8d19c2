import type { ProjectResource } from '../project/operator-file.ts';

/** Where the files of a resource stand, relative to the project's root. */
export interface ResourcePaths {
  /** The user's declaration of an own kind. */
  readonly types: string;
  /** The module of the kind's value and type: generated for own kinds, written by `import` for imported ones; those of Kubernetes have none. */
  readonly client: string;
  readonly controller: string;
  readonly controllerTest: string;
  readonly external: string;
  readonly environmentTest: string;
  /** Below `config/samples`. */
  readonly sample: string;
  /** Below `config/crd`. */
  readonly definition: string;
}

/** What classes and functions about a kind begin with: others have kinds that begin small. */
export function className(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** The folder of an API group. */
function groupFolder(group: string): string {
  return group === '' ? 'core' : group;
}

/** With `multigroup` each API group has folders of its own below `src/api`, `src/controllers` and `test`. */
export function resourcePaths(resource: ProjectResource, multigroup: boolean): ResourcePaths {
  const { group, version, plural } = resource;
  const file = resource.kind.toLowerCase();
  const own = multigroup ? `${groupFolder(group)}/` : '';
  return {
    types: `src/api/${own}${version}/${file}.types.ts`,
    client: resource.client ?? `src/api/${own}${version}/${file}.ts`,
    controller: `src/controllers/${own}${file}-controller.ts`,
    controllerTest: `src/controllers/${own}${file}-controller.test.ts`,
    external: `src/controllers/${own}${file}-external.ts`,
    environmentTest: `test/${own}${file}.test.ts`,
    sample: `${group}_${version}_${file}.yaml`,
    definition: `bases/${group}_${plural}.yaml`,
  };
}

/** Whether the project itself defines the kind. */
export function isOwn(resource: ProjectResource): boolean {
  return (resource.types ?? 'own') === 'own';
}

/** Whether the types of a kind, and its sample, are the scaffold's. */
export function isScaffolded(resource: ProjectResource): boolean {
  return isOwn(resource) && resource.adopted !== true;
}

/** The files of the roles for people that `generate` writes for a kind. Kinds of one name in several groups carry their group. */
export function kindRoleFiles(resource: ProjectResource, resources: readonly ProjectResource[]): string[] {
  const name = resource.kind.toLowerCase();
  const isTwin = (other: ProjectResource): boolean =>
    isOwn(other) && other.kind.toLowerCase() === name && other.group !== resource.group;
  const prefix = resources.some(isTwin) ? `${resource.group}_` : '';
  return ['admin', 'editor', 'viewer'].map((role) => `${prefix}${name}_${role}_role.yaml`);
}
