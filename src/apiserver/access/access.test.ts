import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fromPlain, type JsonObject } from '../json.ts';
import { Store } from '../storage/store.ts';
import { CertificateAuthority } from './certificates.ts';
import {
  clusterRoleBindings,
  clusterRoles,
  deniedText,
  RbacAuthorizer,
  roleBindings,
  roles,
  ruleAllows,
  type Attributes,
} from './rbac.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { makeUser } from './user.ts';

const attributes = (changes: Partial<Attributes>): Attributes => ({
  user: makeUser('alice'),
  verb: 'get',
  resourceRequest: true,
  namespace: 'default',
  group: 'example.com',
  resource: 'widgets',
  subresource: '',
  name: 'w',
  path: '',
  ...changes,
});

describe('rules', () => {
  it.each([
    [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }, {}, true],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, {}, true],
    [{ verbs: ['list'], apiGroups: ['*'], resources: ['*'] }, {}, false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['widgets'] }, {}, false],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['widgets'] }, { subresource: 'status' }, false],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['widgets/status'] }, { subresource: 'status' }, true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/status'] }, { subresource: 'status' }, true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['widgets/*'] }, { subresource: 'status' }, false],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }, { subresource: 'status' }, true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['widgets'], resourceNames: ['w'] }, {}, true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['widgets'], resourceNames: ['v'] }, {}, false],
    [
      { verbs: ['*'], apiGroups: ['*'], resources: ['widgets'], resourceNames: ['w'] },
      { verb: 'create', name: '' },
      false,
    ],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, { resourceRequest: false, path: '/metrics' }, true],
    [{ verbs: ['get'], nonResourceURLs: ['/health*'] }, { resourceRequest: false, path: '/healthz' }, true],
    [{ verbs: ['get'], nonResourceURLs: ['/health'] }, { resourceRequest: false, path: '/healthz' }, false],
  ])('%j %j', (rule, changes, expected) => {
    expect(ruleAllows(fromPlain(rule), attributes(changes))).toBe(expected);
  });
});

describe('RbacAuthorizer', () => {
  const store = new Store();
  const put = (storage: string, namespace: string, name: string, body: Record<string, unknown>): void => {
    store
      .collection(storage)
      .create({ namespace, name }, fromPlain({ metadata: { name, namespace }, ...body }) as JsonObject);
  };
  const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }];
  put(clusterRoles, '', 'reader', { rules });
  put(roles, 'default', 'local', { rules });
  put(clusterRoleBindings, '', 'everywhere', {
    roleRef: { kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'Group', name: 'readers' }],
  });
  put(roleBindings, 'default', 'here', {
    roleRef: { kind: 'Role', name: 'local' },
    subjects: [
      { kind: 'User', name: 'alice' },
      { kind: 'ServiceAccount', name: 'robot' },
    ],
  });
  put(roleBindings, 'default', 'broken', {
    roleRef: { kind: 'ClusterRole', name: 'missing' },
    subjects: [{ kind: 'User', name: 'eve' }],
  });
  const authorizer = new RbacAuthorizer(store);

  it.each([
    [
      'a group everywhere',
      { user: makeUser('x', ['readers']), namespace: 'other' },
      true,
      'RBAC: allowed by ClusterRoleBinding "everywhere" of ClusterRole "reader" to Group "readers"',
    ],
    [
      'a user in one namespace',
      {},
      true,
      'RBAC: allowed by RoleBinding "here/default" of Role "local" to User "alice"',
    ],
    ['nobody elsewhere', { namespace: 'other' }, false, ''],
    ['nobody at the cluster scope by a role binding', { namespace: '' }, false, ''],
    [
      'a service account of the namespace',
      { user: makeUser('system:serviceaccount:default:robot') },
      true,
      'RBAC: allowed by RoleBinding "here/default" of Role "local" to ServiceAccount "robot/default"',
    ],
    ['no service account of another namespace', { user: makeUser('system:serviceaccount:other:robot') }, false, ''],
    [
      'a role that is missing',
      { user: makeUser('eve') },
      false,
      'RBAC: clusterrole.rbac.authorization.k8s.io "missing" not found',
    ],
    ['system:masters', { user: makeUser('root', ['system:masters']), namespace: 'other' }, true, ''],
  ])('%s', (_name, changes, allowed, reason) => {
    expect(authorizer.authorize(attributes(changes))).toEqual({ allowed, reason });
  });

  it.each([
    [{}, 'User "alice" cannot get resource "widgets" in API group "example.com" in the namespace "default"'],
    [
      { namespace: '', subresource: 'status' },
      'User "alice" cannot get resource "widgets/status" in API group "example.com" at the cluster scope',
    ],
    [{ resourceRequest: false, path: '/metrics' }, 'User "alice" cannot get path "/metrics"'],
  ])('says %j', (changes, expected) => {
    expect(deniedText(attributes(changes), '')).toBe(expected);
    expect(deniedText(attributes(changes), 'RBAC: x')).toBe(`${expected}: RBAC: x`);
  });
});

describe('certificates', () => {
  const now = Date.UTC(2026, 0, 1);
  const authority = new CertificateAuthority(now);

  it('are read by others as they were meant', () => {
    const root = new X509Certificate(authority.certificate);
    const server = new X509Certificate(
      authority.issue({
        commonName: 'server',
        hosts: ['127.0.0.1', '::1', '2001:db8::5', 'localhost'],
        usage: 'server',
      }).certificate,
    );
    expect(root.ca).toBe(true);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.subjectAltName).toContain('2001:DB8:0:0:0:0:0:5');
    expect(server.checkHost('example.com')).toBeUndefined();
  });

  it('belong to their authority and their time', () => {
    const issued = new X509Certificate(
      authority.issue({ commonName: 'a', organizations: ['b', 'c'], usage: 'client' }).certificate,
    );
    expect(issued.subject).toBe('O=b\nO=c\nCN=a');
    expect(authority.issued(issued, now)).toBe(true);
    expect(authority.issued(issued, now + 400 * 24 * 60 * 60 * 1000)).toBe(false);
    expect(new CertificateAuthority(now).issued(issued, now)).toBe(false);
  });
});

describe('service account tokens', () => {
  it('are known until they expire, and only as long as the account is the same', () => {
    let now = 1_000_000;
    const tokens = new ServiceAccountTokens(() => now);
    const { token } = tokens.issue({ namespace: 'a', name: 'b', uid: 'u' }, 600, ['x'], 'id');
    const verified = tokens.verify(token, () => 'u');
    expect(verified?.user.name).toBe('system:serviceaccount:a:b');
    expect(verified?.user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:a',
      'system:authenticated',
    ]);
    expect(verified?.audiences).toEqual(['x']);
    expect(tokens.verify(token, () => 'v')).toBeUndefined();
    expect(tokens.verify(`${token.slice(0, -4)}AAAA`, () => 'u')).toBeUndefined();
    expect(new ServiceAccountTokens(() => now).verify(token, () => 'u')).toBeUndefined();
    expect(tokens.verify('nonsense', () => 'u')).toBeUndefined();
    now += 601_000;
    expect(tokens.verify(token, () => 'u')).toBeUndefined();
  });
});
