import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type AuditEvent, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';
import { mergePatch } from './sequence.ts';

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly unknown[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  };
  readonly rules?: readonly { readonly resources?: readonly string[] }[];
}

describe('controllers of the embedded server', () => {
  let environment: TestEnvironment;
  const requests: AuditEvent[] = [];

  beforeAll(async () => {
    environment = await startTestEnvironment({
      assets: '',
      manifests: [widgets],
      server: { onRequest: (event) => requests.push(event) },
    });
  });
  afterAll(async () => {
    await environment.stop();
  });

  const configMaps = '/api/v1/namespaces/default/configmaps';
  const get = async (path: string): Promise<Found | undefined> => {
    await environment.server?.idle();
    const answer = await environment.request({ path });
    return answer.status === 404 ? undefined : (answer.json() as Found);
  };
  const post = async (path: string, body: unknown): Promise<Found> =>
    (await environment.request({ method: 'POST', path, body })).json() as Found;
  const owner = (found: Found, block = true) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: found.metadata.name,
    uid: found.metadata.uid,
    blockOwnerDeletion: block,
  });
  const family = async (name: string, finalizers: readonly string[] = []): Promise<void> => {
    const parent = await post(configMaps, { metadata: { name } });
    await post(configMaps, { metadata: { name: `${name}-child`, ownerReferences: [owner(parent)], finalizers } });
  };

  it('delete dependents in the background', async () => {
    await family('background');
    await environment.request({ method: 'DELETE', path: `${configMaps}/background` });
    expect(await get(`${configMaps}/background-child`)).toBeUndefined();
  });

  it('keep the owner until its dependents are gone when it is deleted in the foreground', async () => {
    await family('foreground', ['example.com/hold']);
    await environment.request({
      method: 'DELETE',
      path: `${configMaps}/foreground`,
      body: { propagationPolicy: 'Foreground' },
    });
    expect((await get(`${configMaps}/foreground`))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await environment.request({
      method: 'PATCH',
      path: `${configMaps}/foreground-child`,
      body: { metadata: { finalizers: null } },
      headers: mergePatch,
    });
    expect(await get(`${configMaps}/foreground-child`)).toBeUndefined();
    expect(await get(`${configMaps}/foreground`)).toBeUndefined();
  });

  it('leave dependents alone when their owner is deleted with orphans', async () => {
    await family('orphan');
    await environment.request({
      method: 'DELETE',
      path: `${configMaps}/orphan`,
      body: { propagationPolicy: 'Orphan' },
    });
    expect(await get(`${configMaps}/orphan`)).toBeUndefined();
    expect((await get(`${configMaps}/orphan-child`))?.metadata.ownerReferences).toBeUndefined();
  });

  it('collect what refers to an owner of another namespace or of another uid', async () => {
    const parent = await post(configMaps, { metadata: { name: 'far' } });
    await post('/api/v1/namespaces', { metadata: { name: 'other' } });
    await post('/api/v1/namespaces/other/configmaps', {
      metadata: { name: 'far-child', ownerReferences: [owner(parent)] },
    });
    expect(await get('/api/v1/namespaces/other/configmaps/far-child')).toBeUndefined();
    await post(configMaps, {
      metadata: { name: 'uid-child', ownerReferences: [{ ...owner(parent), uid: 'another' }] },
    });
    expect(await get(`${configMaps}/uid-child`)).toBeUndefined();
  });

  it('never collect what belongs to a kind that is unknown', async () => {
    const reference = { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', name: 'x', uid: 'x' };
    await post(configMaps, { metadata: { name: 'stranger', ownerReferences: [reference] } });
    expect(await get(`${configMaps}/stranger`)).toBeDefined();
  });

  it('empty a namespace and remove it, and say what holds it back', async () => {
    const space = await post('/api/v1/namespaces', { metadata: { name: 'ending' } });
    expect(space.status?.phase).toBe('Active');
    expect(await get('/api/v1/namespaces/ending/serviceaccounts/default')).toBeDefined();
    await post('/api/v1/namespaces/ending/configmaps', {
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    });
    const deleted = await environment.request({ method: 'DELETE', path: '/api/v1/namespaces/ending' });
    expect(deleted.json()).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    const refused = await environment.request({
      method: 'POST',
      path: '/api/v1/namespaces/ending/configmaps',
      body: { metadata: { name: 'late' } },
    });
    expect(refused.status).toBe(403);
    const conditions = (await get('/api/v1/namespaces/ending'))?.status?.conditions ?? [];
    expect(conditions.map(({ message }) => message)).toContain(
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    expect(conditions.map(({ message }) => message)).toContain(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    );
    await environment.request({
      method: 'PATCH',
      path: '/api/v1/namespaces/ending/configmaps/held',
      body: { metadata: { finalizers: [] } },
      headers: mergePatch,
    });
    expect(await get('/api/v1/namespaces/ending')).toBeUndefined();
  });

  it('aggregate roles as labels come and go', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const resources = async (): Promise<readonly string[]> =>
      ((await get(`${roles}/view`))?.rules ?? []).flatMap((rule) => rule.resources ?? []);
    await post(roles, {
      metadata: { name: 'widget-viewer', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
    });
    expect(await resources()).toContain('widgets');
    await environment.request({ method: 'DELETE', path: `${roles}/widget-viewer` });
    expect(await resources()).not.toContain('widgets');
  });

  it('clean up behind a definition, wait for finalizers, and serve the kind again when it comes back', async () => {
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    await post(path, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', finalizers: ['example.com/hold'] },
      spec: { size: 1 },
    });
    await environment.request({ method: 'DELETE', path: definition });
    expect((await get(definition))?.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    const refused = await environment.request({
      method: 'POST',
      path,
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' }, spec: { size: 1 } },
    });
    expect(refused.status).toBe(405);
    await environment.request({
      method: 'PATCH',
      path: `${path}/w`,
      body: { metadata: { finalizers: null } },
      headers: mergePatch,
    });
    expect(await get(definition)).toBeUndefined();
    expect((await environment.request({ path })).status).toBe(404);
    await environment.install(widgets);
    expect((await environment.request({ path })).status).toBe(200);
  });

  it('tell of every request that was made, and by whom', async () => {
    requests.length = 0;
    await environment.request({ path: `${configMaps}/none`, user: 'nobody' });
    expect(requests).toEqual([
      {
        user: 'nobody',
        verb: 'get',
        group: '',
        resource: 'configmaps',
        subresource: '',
        namespace: 'default',
        name: 'none',
        path: `${configMaps}/none`,
        allowed: false,
        code: 403,
      },
    ]);
  });
});

describe('faults', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '' });
  });
  afterAll(async () => {
    await environment.stop();
  });

  it('answer with errors by rule, as often as they should', async () => {
    environment.server?.faults.add({
      match: { verbs: ['get'], resources: ['pods'] },
      action: { kind: 'error', code: 429, retryAfterSeconds: 1 },
      times: 2,
      after: 1,
    });
    const path = '/api/v1/namespaces/default/pods/x';
    const codes: number[] = [];
    for (let index = 0; index < 4; index++) codes.push((await environment.request({ path })).status);
    expect(codes).toEqual([404, 429, 429, 404]);
  });

  it('cut the connection before or after a write', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    environment.server?.faults.add({ match: { verbs: ['create'] }, action: { kind: 'cut', when: 'before' }, times: 1 });
    await expect(
      environment.request({ method: 'POST', path, body: { metadata: { name: 'before' } } }),
    ).rejects.toThrow();
    expect((await environment.request({ path: `${path}/before` })).status).toBe(404);
    environment.server?.faults.add({ match: { verbs: ['create'] }, action: { kind: 'cut', when: 'after' }, times: 1 });
    await expect(
      environment.request({ method: 'POST', path, body: { metadata: { name: 'after' } } }),
    ).rejects.toThrow();
    expect((await environment.request({ path: `${path}/after` })).status).toBe(200);
  });
});
