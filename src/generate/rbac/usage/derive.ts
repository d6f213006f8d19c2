import type { PermissionUse, PolicyRule } from '../../../model/index.ts';

/**
 * The rules that grant what is used and nothing else, for `rolesOf`. Uses in the operator's own namespace go into a Role of
 * `ownNamespace`, or into the ClusterRole where that is not known.
 */
export function derivedRules(uses: readonly PermissionUse[], ownNamespace: string | undefined): PolicyRule[] {
  // A permission for all objects, or in all namespaces, takes in those for one.
  const isWider = (wide: PermissionUse, use: PermissionUse): boolean =>
    wide.group === use.group &&
    wide.resource === use.resource &&
    wide.verb === use.verb &&
    (wide.name === undefined || wide.name === use.name) &&
    (namespaceOf(wide, ownNamespace) === undefined ||
      namespaceOf(wide, ownNamespace) === namespaceOf(use, ownNamespace)) &&
    (wide.name !== use.name || namespaceOf(wide, ownNamespace) !== namespaceOf(use, ownNamespace));
  return uses
    .filter((use) => !uses.some((other) => isWider(other, use)))
    .map((use) => {
      const namespace = namespaceOf(use, ownNamespace);
      return {
        groups: [use.group],
        resources: [use.resource],
        resourceNames: use.name === undefined ? [] : [use.name],
        verbs: [use.verb],
        urls: [],
        ...(namespace === undefined ? {} : { namespace }),
        position: use.position,
      };
    });
}

function namespaceOf(use: PermissionUse, ownNamespace: string | undefined): string | undefined {
  return use.ownNamespace === true ? ownNamespace : use.namespace;
}
