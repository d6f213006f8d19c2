import { pluralOfKind } from '../../markers/plural.ts';
import type { ProjectResource } from '../../project/operator-file.ts';
import { resourcePaths } from '../../scaffold/index.ts';
import type { ProjectFolder } from '../project-folder.ts';
import { UsageError } from '../usage-error.ts';

/** What types say of their kind that are in the project already. */
export type DeclaredKind = Pick<ProjectResource, 'plural' | 'scope' | 'adopted'>;

/**
 * A kind whose types stand already where its kind has them, as `import --types` writes them: its file has the marker `Resource` in front of a
 * declaration of its name. Read as text, since the project may not be installed yet.
 *
 * @throws UsageError where that kind is one of another group
 */
export function findDeclaredKind(
  { file, read }: ProjectFolder,
  names: Pick<ProjectResource, 'group' | 'version' | 'kind'>,
): DeclaredKind | undefined {
  const where: ProjectResource = { ...names, plural: '', scope: 'Namespaced', controller: false };
  const { types } = resourcePaths(where, file.multigroup === true);
  const [before, after] = (read(types) ?? '').split(
    new RegExp(`^export (?:class|interface|type) ${names.kind}\\b`, 'm'),
  );
  const options = [...(before ?? '').matchAll(/@(?:Resource\(|resource\s)\s*\{([^{}]*)\}/g)].at(-1)?.[1];
  if (options === undefined || after === undefined) return undefined;
  const option = (name: string): string | undefined =>
    new RegExp(`\\b${name}\\s*:\\s*(['"\`])([^'"\`]*)\\1`).exec(options)?.[2];
  const [group, version] = [option('group'), option('version')];
  if ((group ?? names.group) !== names.group || (version ?? names.version) !== names.version) {
    throw new UsageError(
      `${types} declares ${names.kind} of ${group}/${version}, not of ${names.group}/${names.version}`,
      'give the group and the version that it names, or each API group folders of its own: create-operator edit --multigroup',
    );
  }
  const scope = option('scope') === 'Cluster' ? 'Cluster' : 'Namespaced';
  return { plural: option('plural') ?? pluralOfKind(names.kind), scope, adopted: true };
}
