import { list, object, text, texts, type Json, type JsonObject } from '../json.ts';
import type { Store } from '../storage/store.ts';
import { serviceAccountUserName, type User } from './user.ts';

/** What somebody wants to do. */
export interface Attributes {
  readonly user: User;
  readonly verb: string;
  readonly resourceRequest: boolean;
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Of a non-resource request. */
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Why it is allowed, or what went wrong while looking. */
  readonly reason: string;
}

export const clusterRoles = 'clusterroles.rbac.authorization.k8s.io';
export const clusterRoleBindings = 'clusterrolebindings.rbac.authorization.k8s.io';
export const roles = 'roles.rbac.authorization.k8s.io';
export const roleBindings = 'rolebindings.rbac.authorization.k8s.io';

/** A rule that applies to a user, and the way on which it came. */
export interface BoundRule {
  readonly rule: Json;
  readonly reason: string;
}

/** Decides by the RBAC objects in the store. */
export class RbacAuthorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  authorize(attributes: Attributes): Decision {
    if (attributes.user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const problems: string[] = [];
    for (const { rule, reason } of this.rulesFor(attributes.user, attributes.namespace, problems)) {
      if (ruleAllows(rule, attributes)) return { allowed: true, reason };
    }
    const reason =
      problems.length === 0 ? '' : `RBAC: ${problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`}`;
    return { allowed: false, reason };
  }

  /** The rules that a user has in a namespace (`''`: cluster-wide only); roles that do not exist go to `problems`. */
  *rulesFor(user: User, namespace: string, problems: string[]): Generator<BoundRule> {
    for (const binding of this.#store.collection(clusterRoleBindings).list()) {
      const subject = matchingSubject(binding, user, '');
      if (subject === undefined) continue;
      const name = text(binding, 'metadata', 'name');
      const role = text(binding, 'roleRef', 'name');
      for (const rule of this.roleRules('ClusterRole', '', role, problems)) {
        yield {
          rule,
          reason: `RBAC: allowed by ClusterRoleBinding "${name}" of ClusterRole "${role}" to ${describe(subject, '')}`,
        };
      }
    }
    if (namespace === '') return;
    for (const binding of this.#store.collection(roleBindings).list(namespace)) {
      const subject = matchingSubject(binding, user, namespace);
      if (subject === undefined) continue;
      const kind = text(binding, 'roleRef', 'kind');
      const role = text(binding, 'roleRef', 'name');
      const name = `${text(binding, 'metadata', 'name')}/${namespace}`;
      for (const rule of this.roleRules(kind, namespace, role, problems)) {
        yield {
          rule,
          reason: `RBAC: allowed by RoleBinding "${name}" of ${kind} "${role}" to ${describe(subject, namespace)}`,
        };
      }
    }
  }

  roleRules(kind: string, namespace: string, name: string, problems: string[]): readonly Json[] {
    const found =
      kind === 'ClusterRole'
        ? this.#store.collection(clusterRoles).get({ namespace: '', name })
        : this.#store.collection(roles).get({ namespace, name });
    if (found === undefined) {
      problems.push(
        `${kind === 'ClusterRole' ? clusterRoles.replace('clusterroles', 'clusterrole') : roles.replace('roles', 'role')} "${name}" not found`,
      );
      return [];
    }
    return list(found, 'rules');
  }
}

function matchingSubject(binding: JsonObject, user: User, namespace: string): Json | undefined {
  return list(binding, 'subjects').find((subject) => {
    const name = text(subject, 'name');
    switch (text(subject, 'kind')) {
      case 'User':
        return name === user.name;
      case 'Group':
        return user.groups.includes(name);
      case 'ServiceAccount': {
        const own = text(subject, 'namespace') || namespace;
        return own !== '' && serviceAccountUserName(own, name) === user.name;
      }
      default:
        return false;
    }
  });
}

function describe(subject: Json, namespace: string): string {
  const kind = text(subject, 'kind');
  const name = text(subject, 'name');
  return kind === 'ServiceAccount'
    ? `ServiceAccount "${name}/${text(subject, 'namespace') || namespace}"`
    : `${kind} "${name}"`;
}

/** Whether one rule allows a request. */
export function ruleAllows(rule: Json, attributes: Attributes): boolean {
  const verbs = texts(rule, 'verbs');
  if (!verbs.includes('*') && !verbs.includes(attributes.verb)) return false;
  if (!attributes.resourceRequest)
    return texts(rule, 'nonResourceURLs').some((url) => urlMatches(url, attributes.path));
  const groups = texts(rule, 'apiGroups');
  if (!groups.includes('*') && !groups.includes(attributes.group)) return false;
  const resource =
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const matches = texts(rule, 'resources').some(
    (allowed) =>
      allowed === '*' ||
      allowed === resource ||
      (attributes.subresource !== '' && allowed === `*/${attributes.subresource}`),
  );
  if (!matches) return false;
  const names = texts(rule, 'resourceNames');
  return names.length === 0 || (attributes.name !== '' && names.includes(attributes.name));
}

export function urlMatches(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

/** `User "u" cannot get resource "widgets" in API group "example.com" in the namespace "default"`. */
export function deniedText(attributes: Attributes, reason: string): string {
  const { user, verb } = attributes;
  let message = `User "${user.name}" cannot ${verb} `;
  if (!attributes.resourceRequest) message += `path "${attributes.path}"`;
  else {
    const resource =
      attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
    message += `resource "${resource}" in API group "${attributes.group}" `;
    message += attributes.namespace === '' ? 'at the cluster scope' : `in the namespace "${attributes.namespace}"`;
  }
  return reason === '' ? message : `${message}: ${reason}`;
}

/** The rules of a user by kind, as SelfSubjectRulesReview shows them. */
export function summarizeRules(rules: Iterable<BoundRule>): {
  readonly resourceRules: readonly Json[];
  readonly nonResourceRules: readonly Json[];
} {
  const resourceRules: Json[] = [];
  const nonResourceRules: Json[] = [];
  for (const { rule } of rules) {
    const fields = object(rule);
    if (texts(rule, 'nonResourceURLs').length > 0)
      nonResourceRules.push({ verbs: fields['verbs'] ?? [], nonResourceURLs: fields['nonResourceURLs'] ?? [] });
    else {
      resourceRules.push({
        verbs: fields['verbs'] ?? [],
        apiGroups: fields['apiGroups'] ?? [],
        resources: fields['resources'] ?? [],
        ...(fields['resourceNames'] !== undefined && { resourceNames: fields['resourceNames'] }),
      });
    }
  }
  return { resourceRules, nonResourceRules };
}
