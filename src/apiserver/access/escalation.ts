import { equal, list, text, texts, type Json } from '../json.ts';
import type { AdmissionPlugin } from '../objects/admission.ts';
import { forbidden } from '../status.ts';
import { quote } from '../field-error.ts';
import type { RbacAuthorizer } from './rbac.ts';
import type { User } from './user.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** Nobody may grant what he does not have: roles need their rules (or `escalate`), bindings the role's rules (or `bind`). */
export function escalationCheck(authorizer: RbacAuthorizer): AdmissionPlugin {
  const may = (user: User, verb: string, resource: string, name: string, namespace: string): boolean =>
    authorizer.authorize({
      user,
      verb,
      resourceRequest: true,
      namespace,
      group: rbacGroup,
      resource,
      subresource: '',
      name,
      path: '',
    }).allowed;
  return {
    name: 'RBACEscalation',
    validate({ resource, object, oldObject, user, namespace, name, operation }) {
      if (
        resource.group !== rbacGroup ||
        object === undefined ||
        operation === 'DELETE' ||
        user.groups.includes('system:masters')
      )
        return;
      const own = text(object, 'metadata', 'name') || name;
      let granted: readonly Json[];
      if (resource.kind === 'Role' || resource.kind === 'ClusterRole') {
        if (
          oldObject !== undefined &&
          equal(oldObject['rules'], object['rules']) &&
          equal(oldObject['aggregationRule'], object['aggregationRule'])
        )
          return;
        if (may(user, 'escalate', resource.resource, own, namespace)) return;
        granted = list(object, 'rules');
        if (object['aggregationRule'] !== undefined)
          granted = [...granted, { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
      } else {
        if (
          oldObject !== undefined &&
          equal(oldObject['roleRef'], object['roleRef']) &&
          equal(oldObject['subjects'], object['subjects'])
        )
          return;
        const kind = text(object, 'roleRef', 'kind');
        const role = text(object, 'roleRef', 'name');
        if (may(user, 'bind', kind === 'ClusterRole' ? 'clusterroles' : 'roles', role, namespace)) return;
        const problems: string[] = [];
        granted = authorizer.roleRules(kind, namespace, role, problems);
        const problem = problems[0];
        if (problem !== undefined) throw forbidden(resource, own, `not found: ${problem}`);
      }
      const missing = missingAtoms(
        granted,
        [...authorizer.rulesFor(user, namespace, [])].map(({ rule }) => rule),
      );
      if (missing.length === 0) return;
      const groups = user.groups.map(quote).join(' ');
      throw forbidden(
        resource,
        own,
        `user ${quote(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`,
      );
    },
  };
}

/** The parts of rules that none of the owned rules covers, as the real server prints them. */
function missingAtoms(wanted: readonly Json[], owned: readonly Json[]): readonly string[] {
  const missing = new Map<string, { readonly print: (verbs: readonly string[]) => string; readonly verbs: string[] }>();
  const note = (key: string, verb: string, print: (verbs: readonly string[]) => string): void => {
    const entry = missing.get(key) ?? { print, verbs: [] };
    missing.set(key, entry);
    if (!entry.verbs.includes(verb)) entry.verbs.push(verb);
  };
  const quoted = (values: readonly string[]): string => values.map(quote).join(' ');
  for (const rule of wanted) {
    const names = texts(rule, 'resourceNames');
    for (const verb of texts(rule, 'verbs')) {
      for (const url of texts(rule, 'nonResourceURLs')) {
        if (
          owned.some((other) => covers(texts(other, 'verbs'), verb) && coversUrl(texts(other, 'nonResourceURLs'), url))
        )
          continue;
        note(`url ${url}`, verb, (verbs) => `{NonResourceURLs:[${quoted([url])}], Verbs:[${quoted(verbs)}]}`);
      }
      for (const group of texts(rule, 'apiGroups')) {
        for (const resource of texts(rule, 'resources')) {
          for (const name of names.length === 0 ? [undefined] : names) {
            if (owned.some((other) => coversResource(other, verb, group, resource, name))) continue;
            const suffix = name === undefined ? '' : `, ResourceNames:[${quoted([name])}]`;
            note(
              `${group}/${resource}/${name ?? ''}`,
              verb,
              (verbs) =>
                `{APIGroups:[${quoted([group])}], Resources:[${quoted([resource])}]${suffix}, Verbs:[${quoted(verbs)}]}`,
            );
          }
        }
      }
    }
  }
  return [...missing.values()].map(({ print, verbs }) => print(verbs)).sort();
}

function covers(owned: readonly string[], wanted: string): boolean {
  return owned.includes('*') || owned.includes(wanted);
}

function coversUrl(owned: readonly string[], wanted: string): boolean {
  return owned.some(
    (url) => url === '*' || url === wanted || (url.endsWith('*') && wanted.startsWith(url.slice(0, -1))),
  );
}

function coversResource(owned: Json, verb: string, group: string, resource: string, name: string | undefined): boolean {
  if (!covers(texts(owned, 'verbs'), verb) || !covers(texts(owned, 'apiGroups'), group)) return false;
  const resources = texts(owned, 'resources');
  const slash = resource.indexOf('/');
  const found = covers(resources, resource) || (slash >= 0 && resources.includes(`*${resource.slice(slash)}`));
  if (!found) return false;
  const names = texts(owned, 'resourceNames');
  return names.length === 0 || (name !== undefined && names.includes(name));
}
