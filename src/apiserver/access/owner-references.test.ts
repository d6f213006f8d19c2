import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../testing/index.ts';

const group = 'rbac.authorization.k8s.io';
const configMaps = '/api/v1/namespaces/default/configmaps';

let environment: TestEnvironment;
let owner: { readonly uid: string; readonly name: string };

/** May write ConfigMaps, and what is asked for besides. */
function userWith(name: string, ...rules: readonly object[]): object[] {
  const metadata = { name };
  const base = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'patch'] };
  return [
    { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata, rules: [base, ...rules] },
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: group, kind: 'User', name }],
    },
  ];
}

beforeAll(async () => {
  const users = ['plain', 'finalizes', 'deletes', 'named'];
  environment = await startTestEnvironment({
    project: false,
    assets: '',
    users: users.map((name) => ({ name })),
    server: { enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'] },
  });
  const finalizers = { apiGroups: [''], resources: ['secrets/finalizers'], verbs: ['update'] };
  const manifests = [
    ...userWith('plain'),
    ...userWith('finalizes', finalizers),
    ...userWith('deletes', { apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] }),
    ...userWith('named', { ...finalizers, resourceNames: ['owner'] }),
  ];
  await environment.install(...manifests.map((manifest) => JSON.stringify(manifest)));
  const body = { metadata: { name: 'owner' } };
  const made = (
    await environment.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/secrets',
      body,
    })
  ).json();
  owner = { name: 'owner', uid: (made as { metadata: { uid: string } }).metadata.uid };
});
afterAll(() => environment.stop());

const reference = (blockOwnerDeletion: boolean, kind = 'Secret'): object => ({
  apiVersion: 'v1',
  kind,
  ...owner,
  controller: true,
  blockOwnerDeletion,
});

async function create(user: string, name: string, ...ownerReferences: readonly object[]) {
  const body = { metadata: { name, ownerReferences } };
  const answer = await environment.request({ method: 'POST', path: configMaps, body, user });
  return { status: answer.status, message: (answer.json() as { message?: string }).message };
}

async function adopt(user: string, name: string) {
  const path = `${configMaps}/${name}`;
  const body = [{ op: 'add', path: '/metadata/ownerReferences', value: [reference(false)] }];
  const headers = { 'content-type': 'application/json-patch+json' };
  const answer = await environment.request({ method: 'PATCH', path, body, headers, user });
  return { status: answer.status, message: (answer.json() as { message?: string }).message };
}

describe('OwnerReferencesPermissionEnforcement', () => {
  it('lets create what does not block the deletion of its owner', async () => {
    expect((await create('plain', 'a', reference(false))).status).toBe(201);
    expect((await create('plain', 'b')).status).toBe(201);
  });

  it('asks for update of the owner’s finalizers where it blocks', async () => {
    expect(await create('plain', 'c', reference(true))).toEqual({
      status: 403,
      message:
        'configmaps "c" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
    });
    expect((await create('finalizes', 'c', reference(true))).status).toBe(201);
    expect((await create('named', 'd', reference(true))).status).toBe(201);
  });

  it('refuses to block for a kind that is not there', async () => {
    const { status, message } = await create('finalizes', 'e', reference(true, 'Nothing'));
    expect({ status, message }).toEqual({
      status: 403,
      message: expect.stringContaining('cannot find RESTMapping for APIVersion v1 Kind Nothing') as unknown,
    });
  });

  it('asks for delete where the references of an object change', async () => {
    await create('plain', 'f');
    expect(await adopt('plain', 'f')).toEqual({
      status: 403,
      message: 'configmaps "f" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    });
    expect((await adopt('deletes', 'f')).status).toBe(200);
    // No change is no question.
    expect((await adopt('plain', 'f')).status).toBe(200);
  });

  it('asks the administrator nothing', async () => {
    expect((await create('admin', 'g', reference(true))).status).toBe(201);
  });
});
