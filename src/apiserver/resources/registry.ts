import { compareVersions, type ServedGroup } from '../discovery/discovery.ts';
import { byText } from '../storage/store.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/** All resources that the server serves: those that are built in, and those that definitions add and take away. */
export class ResourceRegistry {
  readonly #builtin: readonly Resource[];
  readonly #byPath = new Map<string, Resource>();
  readonly #custom = new Map<string, readonly Resource[]>();
  #groups: readonly ServedGroup[] | undefined;
  /** Counts the changes: what was derived from the resources is stale when it differs. */
  #generation = 0;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    for (const resource of builtin)
      this.#byPath.set(pathOf(resource.group, resource.version, resource.resource), resource);
  }

  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.#byPath.get(pathOf(group, version, resource));
  }

  /** A resource by its kind, for owner references: `apiVersion` is `<group>/<version>` or `v1`. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const version = apiVersion.slice(slash + 1);
    return this.all().find(
      (resource) => resource.group === group && resource.version === version && resource.kind === kind,
    );
  }

  /** Any version of a resource; built-in ones in the form in which they are stored. */
  byStorage(storage: string): Resource | undefined {
    const found = this.all().filter(
      (resource) =>
        resource.storage === storage &&
        (resource.custom || `${resource.resource}${resource.group === '' ? '' : `.${resource.group}`}` === storage),
    );
    return found.find(isStoredVersion) ?? found[0];
  }

  /** All forms in which a resource is served, itself included: its versions, and its equals in another group (events). */
  versionsOf({ storage }: Resource): readonly Resource[] {
    return this.all().filter((found) => found.storage === storage);
  }

  all(): readonly Resource[] {
    return [...this.#builtin, ...[...this.#custom.values()].flat()];
  }

  /** Each storage once, with one of the resources that lead to it. */
  storages(): readonly Resource[] {
    const names = new Set(
      this.all()
        .filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'))
        .map(({ storage }) => storage),
    );
    return [...names].flatMap((storage) => this.byStorage(storage) ?? []);
  }

  /** Serves these resources for a definition, in place of those before. */
  setCustom(definition: string, resources: readonly Resource[]): void {
    for (const resource of this.#custom.get(definition) ?? [])
      this.#byPath.delete(pathOf(resource.group, resource.version, resource.resource));
    for (const resource of resources)
      this.#byPath.set(pathOf(resource.group, resource.version, resource.resource), resource);
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    this.#groups = undefined;
    this.#generation++;
  }

  /** The groups in the order of discovery: built-in ones first, then those of definitions by name. */
  groups(): readonly ServedGroup[] {
    if (this.#groups !== undefined) return this.#groups;
    const groups = new Map<string, Map<string, Resource[]>>();
    const add = (resource: Resource): void => {
      const versions = groups.get(resource.group) ?? new Map<string, Resource[]>();
      groups.set(resource.group, versions);
      versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource]);
    };
    this.#builtin.forEach(add);
    const custom = [...this.#custom.values()].flat();
    custom
      .sort(
        (left, right) =>
          byText(left.group, right.group) ||
          compareVersions(left.version, right.version) ||
          byText(left.resource, right.resource),
      )
      .forEach(add);
    this.#groups = [...groups].map(([name, versions]) => ({
      name,
      versions: [...versions]
        .map(([version, resources]) => ({ version, resources }))
        .sort((left, right) => compareVersions(left.version, right.version)),
    }));
    return this.#groups;
  }
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

/** Whether a resource's version is the one in which its objects are stored, so that nothing needs to be converted. */
export function isStoredVersion(resource: Resource): boolean {
  return resource.conversion === undefined || resource.conversion.storedApiVersion === apiVersionOf(resource);
}
