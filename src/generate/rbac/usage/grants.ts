import type { PermissionUse, PolicyRule, SourcePosition } from '../../../model/index.ts';
import { isSubresource } from '../rules.ts';

/** What a rule of the operator's roles grants. */
export interface Grant {
  /** `''` for the core group; `*` for all. */
  readonly groups: readonly string[];
  /** `*` for all, `*` + `/status` for one subresource of all. */
  readonly resources: readonly string[];
  /** Empty for all. */
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
  /** A Role's namespace; all without it. */
  readonly namespace?: string | undefined;
  /** The marker; undefined for rules that are written by hand. */
  readonly position?: SourcePosition | undefined;
}

/** The grants of the `Rbac` markers of one role, in all namespaces. */
export function markerGrants(rules: readonly PolicyRule[], role: string, defaultRole: string): Grant[] {
  return rules
    .filter((rule) => rule.urls.length === 0 && (rule.role ?? defaultRole) === role)
    .map(({ groups, resources, resourceNames, verbs, namespace, position }) => ({
      groups: groups.map((group) => (group === 'core' ? '' : group)),
      resources,
      resourceNames,
      verbs,
      namespace,
      position,
    }));
}

/** `partly`: for some objects by name, and it is not known which object the call is about. */
export type Coverage = 'granted' | 'partly' | 'not';

export function coverage(grants: readonly Grant[], use: PermissionUse, namespacedCache: boolean): Coverage {
  let best: Coverage = 'not';
  for (const grant of grants) {
    const found = covers(grant, use, namespacedCache);
    if (found === 'granted') return found;
    if (found === 'partly') best = found;
  }
  return best;
}

/** As Kubernetes' RBAC authorizer decides. */
export function covers(grant: Grant, use: PermissionUse, namespacedCache: boolean): Coverage {
  if (!matches(grant.groups, use.group) || !matches(grant.verbs, use.verb)) return 'not';
  if (!grant.resources.some((resource) => matchesResource(resource, use.resource))) return 'not';
  if (grant.namespace !== undefined && !coversNamespace(grant.namespace, use, namespacedCache)) return 'not';
  if (grant.resourceNames.length === 0) return 'granted';
  if (use.name !== undefined) return grant.resourceNames.includes(use.name) ? 'granted' : 'not';
  // Requests for many objects have no name, nor has an object that is yet to be made.
  const nameless = ['list', 'watch', 'deletecollection'].includes(use.verb);
  return nameless || (use.verb === 'create' && !isSubresource(use.resource)) ? 'not' : 'partly';
}

function matches(granted: readonly string[], wanted: string): boolean {
  return granted.includes(wanted) || granted.includes('*');
}

function matchesResource(granted: string, wanted: string): boolean {
  if (granted === '*' || granted === wanted) return true;
  return granted.startsWith('*/') && wanted.endsWith(granted.slice(1));
}

function coversNamespace(namespace: string, use: PermissionUse, namespacedCache: boolean): boolean {
  if (use.clusterScoped === true) return false;
  if (use.namespace !== undefined) return use.namespace === namespace;
  return use.ownNamespace === true || namespacedCache;
}
