/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: User = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };

/** The user that the server's own controllers act as. */
export const systemUser: User = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:authenticated', 'system:masters'],
  extra: {},
};

const serviceAccountPrefix = 'system:serviceaccount:';

/** `system:serviceaccount:<namespace>:<name>`. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** The namespace and name in a service account's user name. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(serviceAccountPrefix.length).split(':');
  return namespace !== '' && name !== '' && rest.length === 0 ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** A user of this name with the groups that the server adds by itself. */
export function makeUser(name: string, groups: readonly string[] = [], uid = '', extra: User['extra'] = {}): User {
  const account = serviceAccountOf(name);
  const all = [...groups, ...(account === undefined ? [] : serviceAccountGroups(account.namespace))];
  if (name !== anonymous.name) all.push('system:authenticated');
  return { name, uid, groups: [...new Set(all)], extra };
}
