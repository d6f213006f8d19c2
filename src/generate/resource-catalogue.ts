import type { Kind } from '../model/index.ts';
import { nearest } from '../markers/suggestion.ts';
import { builtInResources, otherResources } from './rbac/built-in-resources.ts';

/** The resources of each group that is known, with their subresources. */
export type Catalogue = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** What each resource has without being told: the permission to block the deletion of owners. */
const implied = ['finalizers'];

function hasResource(resources: ReadonlyMap<string, ReadonlySet<string>>, resource: string): boolean {
  const [main = '', ...rest] = resource.split('/');
  if (main === '*') return true;
  const subresources = resources.get(main);
  if (subresources === undefined) return false;
  if (rest.length === 0) return true;
  const subresource = rest.join('/');
  return subresource === '*' || subresources.has('*') || implied.includes(subresource) || subresources.has(subresource);
}

/** The resources of Kubernetes, of other well-known groups and of the project's own kinds. */
export function resourceCatalogue(kinds: readonly Kind[]): Catalogue {
  const catalogue = new Map<string, Map<string, Set<string>>>();
  const add = (group: string, resource: string, subresources: readonly string[]): void => {
    const resources = catalogue.get(group) ?? new Map<string, Set<string>>();
    resources.set(resource, new Set([...(resources.get(resource) ?? []), ...subresources]));
    catalogue.set(group, resources);
  };
  for (const source of [builtInResources, otherResources]) {
    for (const [group, resources] of Object.entries(source)) {
      for (const [resource, subresources] of Object.entries(resources)) {
        const isListed = Object.hasOwn(builtInResources[group] ?? {}, resource);
        add(group, resource, isListed ? subresources : [...subresources, 'status']);
      }
    }
  }
  for (const kind of kinds) add(kind.group, kind.plural, ['status', 'scale']);
  return catalogue;
}

/**
 * What is wrong with a resource that none of these groups has; `undefined` where one has it. Groups that we do not know may have any;
 * `*` stands for all.
 */
export function unknownResource(
  resource: string,
  named: readonly string[],
  catalogue: Catalogue,
): { readonly message: string; readonly remedy?: string } | undefined {
  const groups = named.map((group) => (group === 'core' ? '' : group));
  if (groups.length === 0) return undefined;
  const known = groups.map((group) => catalogue.get(group));
  if (known.some((resources) => resources === undefined || hasResource(resources, resource))) return undefined;
  const [main = '', ...rest] = resource.split('/');
  const candidates = known.flatMap((resources) => [...(resources?.keys() ?? [])]);
  const subresource = rest.join('/');
  const owners = known.filter((resources) => resources?.has(main) === true);
  const where = groups.map((group) => (group === '' ? 'core' : group)).join(', ');
  const wanted =
    owners.length > 0
      ? prefixed(
          main,
          nearest(subresource, [...implied, ...owners.flatMap((resources) => [...(resources?.get(main) ?? [])])]),
        )
      : withSubresource(nearest(main, candidates), subresource);
  const message = `there is no resource ${JSON.stringify(resource)} in the group${groups.length > 1 ? 's' : ''} ${where}`;
  return wanted === undefined ? { message } : { message, remedy: `did you mean ${JSON.stringify(wanted)}?` };
}

function prefixed(main: string, subresource: string | undefined): string | undefined {
  return subresource === undefined ? undefined : `${main}/${subresource}`;
}

function withSubresource(main: string | undefined, subresource: string): string | undefined {
  return main === undefined || subresource === '' ? main : `${main}/${subresource}`;
}
