import { type JsonObject, jsonObject, type Kind } from '../../model/index.ts';
import { emitFile } from '../yaml/emit.ts';
import type { MergedRule, RoleRules } from './rules.ts';

/** The file of all roles that `Rbac` markers ask for. */
export const roleFile = 'role.yaml';

/** The text of `role.yaml`. */
export function emitRoles(roles: readonly RoleRules[]): string {
  return emitFile(roles.map((role) => roleToJson(role)));
}

function roleToJson(role: RoleRules, labels?: JsonObject): JsonObject {
  const metadata = jsonObject([['name', role.name]]);
  if (labels !== undefined) metadata['labels'] = labels;
  if (role.namespace !== undefined) metadata['namespace'] = role.namespace;
  return jsonObject([
    ['apiVersion', 'rbac.authorization.k8s.io/v1'],
    ['kind', role.namespace === undefined ? 'ClusterRole' : 'Role'],
    ['metadata', metadata],
    ['rules', role.rules.map(ruleToJson)],
  ]);
}

function ruleToJson(rule: MergedRule): JsonObject {
  const object = jsonObject();
  if (rule.urls.length > 0) object['nonResourceURLs'] = rule.urls;
  else {
    object['apiGroups'] = rule.groups;
    object['resources'] = rule.resources;
    if (rule.resourceNames.length > 0) object['resourceNames'] = rule.resourceNames;
  }
  object['verbs'] = rule.verbs;
  return object;
}

/** One of the roles that a kind offers to the people of a cluster: a file and its text. */
export interface KindRole {
  readonly file: string;
  readonly content: string;
}

export interface KindRoleOptions {
  /** Whether the cluster's own roles `admin`, `edit` and `view` take these in. Default false. */
  readonly aggregated?: boolean;
  /** Makes Roles of this namespace in place of ClusterRoles. */
  readonly namespace?: string | undefined;
}

const verbsOfKindRoles: Readonly<Record<'admin' | 'editor' | 'viewer', readonly string[]>> = {
  admin: ['*'],
  editor: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  viewer: ['get', 'list', 'watch'],
};

const aggregationLabels: Readonly<Record<string, string>> = {
  admin: 'rbac.authorization.k8s.io/aggregate-to-admin',
  editor: 'rbac.authorization.k8s.io/aggregate-to-edit',
  viewer: 'rbac.authorization.k8s.io/aggregate-to-view',
};

/**
 * The admin, editor and viewer role of a kind, as kubebuilder scaffolds them: verbs on the resource, and `get` on its status. `prefix`
 * (`<group>_`, else empty) tells kinds of one name in several groups apart.
 */
export function emitKindRoles(kind: Kind, prefix: string, options: KindRoleOptions = {}): KindRole[] {
  const { aggregated = false } = options;
  const name = kind.kind.toLowerCase();
  // No Role grants what is in no namespace, and only ClusterRoles are taken in by others.
  const namespace = aggregated || kind.scope === 'Cluster' ? undefined : options.namespace;
  return Object.entries(verbsOfKindRoles).map(([role, verbs]) => {
    const rules: MergedRule[] = [
      { groups: [kind.group], resources: [kind.plural], resourceNames: [], urls: [], verbs },
    ];
    if (kind.versions.some((version) => version.statusSubresource)) {
      rules.push({
        groups: [kind.group],
        resources: [`${kind.plural}/status`],
        resourceNames: [],
        urls: [],
        verbs: ['get'],
      });
    }
    return {
      file: `${prefix}${name}_${role}_role.yaml`,
      content: emitFile([
        roleToJson(
          { namespace, name: `${prefix.replace('_', '-')}${name}-${role}-role`, rules },
          aggregated ? jsonObject([[aggregationLabels[role] ?? '', 'true']]) : undefined,
        ),
      ]),
    };
  });
}
