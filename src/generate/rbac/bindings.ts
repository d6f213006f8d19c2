import { type JsonObject, jsonObject } from '../../model/index.ts';
import { emitFile } from '../yaml/emit.ts';
import type { RoleRules } from './rules.ts';

/** The file that binds the operator's own roles to its ServiceAccount. */
export const roleBindingFile = 'role_binding.yaml';

/** The ServiceAccount that a scaffolded operator runs as. */
const serviceAccount = 'controller-manager';

/**
 * The bindings of the roles with one name, in the order of the roles: a ClusterRoleBinding for the ClusterRole, a RoleBinding for the Role
 * of each namespace. Roles with other names are for others to bind.
 *
 * @param ownNamespace the ServiceAccount's
 */
export function roleBindings(roles: readonly RoleRules[], roleName: string, ownNamespace: string): JsonObject[] {
  return roles
    .filter(({ name }) => name === roleName)
    .map(({ name, namespace }) => {
      const metadata = jsonObject([['name', `${name.replace(/-role$/, '')}-rolebinding`]]);
      if (namespace !== undefined) metadata['namespace'] = namespace;
      return jsonObject([
        ['apiVersion', 'rbac.authorization.k8s.io/v1'],
        ['kind', namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding'],
        ['metadata', metadata],
        [
          'roleRef',
          jsonObject([
            ['apiGroup', 'rbac.authorization.k8s.io'],
            ['kind', namespace === undefined ? 'ClusterRole' : 'Role'],
            ['name', name],
          ]),
        ],
        [
          'subjects',
          [
            jsonObject([
              ['kind', 'ServiceAccount'],
              ['name', serviceAccount],
              ['namespace', ownNamespace],
            ]),
          ],
        ],
      ]);
    });
}

/** The text of `role_binding.yaml`; `undefined` when no role has the name. */
export function emitRoleBindings(
  roles: readonly RoleRules[],
  roleName: string,
  ownNamespace: string,
): string | undefined {
  const bindings = roleBindings(roles, roleName, ownNamespace);
  return bindings.length === 0 ? undefined : emitFile(bindings);
}
