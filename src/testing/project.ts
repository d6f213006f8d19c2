import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, ManifestError, readManifests } from './manifests.ts';

/** A scaffolded project as an API server sees it once `config/default` is applied. */
export interface InstalledProject {
  /** Namespace, definitions, ServiceAccount, roles and bindings. */
  readonly manifests: readonly Manifest[];
  /** `<project>-system`. */
  readonly namespace: string;
  /** The user that the operator runs as: `system:serviceaccount:<project>-system:<project>-controller-manager`. */
  readonly user: string;
}

/** The nearest folder, from here upwards, that has an `operator.json`. */
export function findProject(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, 'operator.json'))) return current;
    if (current === dirname(current)) return undefined;
  }
}

/**
 * Reads what a project installs, with the prefix and the namespace that the kustomization in `config/default` gives: so that no
 * kubectl is needed for it.
 *
 * @throws ManifestError when operator.json names no project, or a manifest is none.
 */
export async function readProject(root: string): Promise<InstalledProject> {
  const projectName = nameOf(root);
  const namespace = `${projectName}-system`;
  const prefix = `${projectName}-`;
  const read = async (path: string): Promise<readonly Manifest[]> =>
    existsSync(join(root, path)) ? readManifests([join(root, path)]) : [];
  const definitions = await read('config/crd/bases');
  const access = (await read('config/rbac')).filter(({ kind }) => prefixedKinds.has(kind));
  return {
    manifests: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      ...definitions,
      ...access.map((manifest) => placed(manifest, access, prefix, namespace)),
    ],
    namespace,
    user: `system:serviceaccount:${namespace}:${prefix}controller-manager`,
  };
}

const prefixedKinds = new Set(['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);
const namespacedKinds = new Set(['ServiceAccount', 'Role', 'RoleBinding']);

interface Binding {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** Gives names the prefix, as well where they are referred to, and the project's namespace to what has none. */
function placed(manifest: Manifest, all: readonly Manifest[], prefix: string, projectNamespace: string): Manifest {
  const { metadata } = manifest;
  const { roleRef, subjects } = manifest as Binding;
  const namespace = metadata.namespace ?? (namespacedKinds.has(manifest.kind) ? projectNamespace : undefined);
  // Roles of the cluster's own, such as view, keep their names.
  const isOwn = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
    all.some((other) => other.kind === kind && other.metadata.name === name);
  return {
    ...manifest,
    metadata: { ...metadata, name: prefix + metadata.name, ...(namespace === undefined ? {} : { namespace }) },
    ...(roleRef === undefined
      ? {}
      : { roleRef: { ...roleRef, name: isOwn(roleRef) ? prefix + roleRef.name : roleRef.name } }),
    ...(subjects === undefined
      ? {}
      : {
          subjects: subjects.map((subject) =>
            subject.namespace === projectNamespace && isOwn(subject)
              ? { ...subject, name: prefix + subject.name }
              : subject,
          ),
        }),
  };
}

function nameOf(root: string): string {
  const file = join(root, 'operator.json');
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ManifestError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const name = typeof value === 'object' && value !== null && 'projectName' in value ? value.projectName : undefined;
  if (typeof name !== 'string' || name === '') throw new ManifestError(`${file}: "projectName" is missing`);
  return name;
}
