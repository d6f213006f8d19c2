import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../../markers/suggestion.ts';
import { toProjectPath } from '../../project/paths.ts';
import type { ProjectResource } from '../../project/operator-file.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';

/** What others say of a kind. */
export type ForeignKind = Pick<ProjectResource, 'plural' | 'scope' | 'types' | 'client'>;

/** Whether a group is one of Kubernetes' own: those without a domain, and those of its domains. */
export function isKubernetesGroup(group: string): boolean {
  return !group.includes('.') || /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/**
 * A kind of Kubernetes, or `undefined` for a group that it does not have.
 *
 * @param group `''` for the core group
 * @throws UsageError for a version or kind that its group does not have, or that cannot be watched
 */
export async function findCoreKind(group: string, version: string, kind: string): Promise<ForeignKind | undefined> {
  const { discovery } = await import('../../apiserver/data/index.ts');
  const groups = await discovery();
  const found = groups.find(({ name }) => name === group);
  if (found === undefined && !group.includes('.')) {
    const suggestion = nearest(group, [...groups.map(({ name }) => name), 'core']);
    throw new UsageError(
      `Kubernetes has no API group "${group}", and one of your own needs a domain`,
      suggestion === undefined ? 'give the whole group: apps.example.com' : `did you mean ${suggestion}?`,
    );
  }
  if (found === undefined) return undefined;
  const shown = group === '' ? 'core' : group;
  const resources = found.versions.find((each) => each.version === version)?.resources;
  if (resources === undefined) {
    const versions = found.versions.map((each) => each.version).join(', ');
    throw new UsageError(`the group ${shown} of Kubernetes has no version ${version}`, `it has ${versions}`);
  }
  const resource = resources.find(({ responseKind }) => responseKind.kind === kind);
  if (resource === undefined) {
    const kinds = resources.map(({ responseKind }) => responseKind.kind);
    const suggestion = nearest(kind, kinds);
    throw new UsageError(
      `${shown}/${version} of Kubernetes has no kind ${kind}`,
      suggestion === undefined ? `it has ${kinds.sort().join(', ')}` : `did you mean ${suggestion}?`,
    );
  }
  if (!resource.verbs.includes('watch')) {
    throw new UsageError(
      `${kind} of ${shown}/${version} cannot be watched, and so not be reconciled`,
      'create it with the client where it is needed, and reconcile another kind',
    );
  }
  return { plural: resource.resource, scope: resource.scope, types: 'core' };
}

/**
 * A kind whose client `create-operator import` wrote into the project, or `undefined`.
 *
 * @param named the module, as the user gives it; else it is looked for below `src`
 * @throws UsageError where the module is not there or is another kind's, or where there are several
 */
export function findImportedKind(
  root: string,
  { group, version, kind }: Pick<ProjectResource, 'group' | 'version' | 'kind'>,
  named: string | undefined,
  io: Io,
): ForeignKind | undefined {
  const name = `${group}_${version}_${kind.toLowerCase()}.ts`;
  if (named !== undefined) {
    const client = toProjectPath(resolve(io.folder, named), root);
    if (client === undefined || client.startsWith('../')) {
      throw new UsageError(`--external-api-path ${named} lies outside of the project`);
    }
    return kindIn(root, client, { group, version, kind });
  }
  const found = globSync(`src/**/${name}`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  if (found.length > 1) {
    throw new UsageError(
      `${kind} was imported ${found.length} times: ${found.join(', ')}`,
      `choose one: --external-api-path ${found[0] ?? ''}`,
    );
  }
  return found[0] === undefined ? undefined : kindIn(root, found[0], { group, version, kind });
}

/** Reads the call of `defineKind` in a module that import wrote: one member a line. */
function kindIn(
  root: string,
  client: string,
  wanted: Pick<ProjectResource, 'group' | 'version' | 'kind'>,
): ForeignKind {
  let text: string;
  try {
    text = readFileSync(resolve(root, client), 'utf8');
  } catch {
    throw new UsageError(`there is no file ${client}`, 'create-operator import writes it');
  }
  const member = (name: string): string | undefined => new RegExp(`^ +${name}: '([^']*)',?\\r?$`, 'm').exec(text)?.[1];
  const [plural, scope] = [member('plural'), member('scope')];
  if (plural === undefined || (scope !== 'Namespaced' && scope !== 'Cluster')) {
    throw new UsageError(`${client} defines no kind`, 'take a module that create-operator import wrote');
  }
  for (const name of ['group', 'version', 'kind'] as const) {
    if (member(name) === wanted[name]) continue;
    throw new UsageError(`${client} defines ${member('kind')} of ${member('group')}/${member('version')}`);
  }
  return { plural, scope, types: 'imported', client };
}
