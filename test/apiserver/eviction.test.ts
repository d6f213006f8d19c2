import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { mergePatch } from './sequence.ts';

const core = '/api/v1/namespaces/default';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

// The answers and objects are those of a real server beside kube-controller-manager.
describe('evictions', () => {
  let environment: TestEnvironment;

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', project: false, server: { workloads: 'pending' } });
  });
  afterAll(async () => {
    await environment.stop();
  });

  const send = async (method: string, path: string, body?: unknown) => {
    const headers = method === 'PATCH' ? mergePatch : {};
    const answer = await environment.request({ method, path, ...(body !== undefined && { body }), headers });
    await environment.server?.idle();
    return { status: answer.status, body: answer.json() as Readonly<Record<string, unknown>> };
  };
  /** Pods of a set that run on a node, where nobody takes them away. */
  const makePods = async (app: string, replicas: number): Promise<readonly string[]> => {
    const template = {
      metadata: { labels: { app } },
      spec: { nodeName: 'n', containers: [{ name: 'a', image: 'b' }] },
    };
    const spec = { replicas, selector: { matchLabels: { app } }, template };
    await send('POST', '/apis/apps/v1/namespaces/default/replicasets', { metadata: { name: app }, spec });
    const { body } = await send('GET', `${core}/pods?labelSelector=app%3D${app}`);
    const names = (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    for (const name of names) await send('PATCH', `${core}/pods/${name}/status`, { status });
    return names;
  };
  const evict = (name: string, more: unknown = {}) =>
    send('POST', `${core}/pods/${name}/eviction`, { metadata: { name }, ...(more as object) });
  const statusOf = async (path: string) => (await send('GET', path)).body['status'];

  it('ask the budget of a pod', async () => {
    const [first = '', second = ''] = await makePods('web', 3);
    const spec = { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } };
    await send('POST', budgets, { metadata: { name: 'half' }, spec });
    const healthy = {
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
      observedGeneration: 1,
    };
    const allowed = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' };
    expect(await statusOf(`${budgets}/half`)).toMatchObject({ ...healthy, conditions: [allowed] });

    expect((await evict(first, { deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect(await statusOf(`${budgets}/half`)).toMatchObject({ ...healthy, conditions: [allowed] });
    expect((await send('GET', `${core}/pods/${first}`)).body['metadata']).not.toHaveProperty('deletionTimestamp');

    expect((await evict(first)).status).toBe(201);
    const evicted = (await send('GET', `${core}/pods/${first}`)).body;
    expect(evicted['metadata']).toHaveProperty('deletionTimestamp');
    expect(evicted['status']).toMatchObject({
      conditions: [
        { type: 'Ready' },
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        },
      ],
    });
    expect(await statusOf(`${budgets}/half`)).toMatchObject({
      currentHealthy: 2,
      disruptionsAllowed: 0,
      conditions: [{ ...allowed, status: 'False', reason: 'InsufficientPods' }],
    });

    expect(await evict(second)).toMatchObject({
      status: 429,
      body: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: 'DisruptionBudget',
              message: 'The disruption budget half needs 2 healthy pods and has 2 currently',
            },
          ],
        },
      },
    });
    // Without a budget nothing is in the way.
    await send('DELETE', `${budgets}/half`);
    expect((await evict(second)).status).toBe(201);
  });

  it('take pods that are not ready where their budget bears it, and never those of two budgets', async () => {
    const [first = '', second = ''] = await makePods('odd', 2);
    const selector = { matchLabels: { app: 'odd' } };
    const spec = { minAvailable: 2, selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    await send('POST', budgets, { metadata: { name: 'always' }, spec });
    await send('PATCH', `${core}/pods/${first}/status`, {
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    });
    expect((await evict(first)).status).toBe(201);
    expect((await evict(second)).status).toBe(429);
    await send('POST', budgets, { metadata: { name: 'another' }, spec: { maxUnavailable: 1, selector } });
    expect(await evict(second)).toMatchObject({
      status: 500,
      body: {
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    });
  });

  it('wait for the controller of budgets', async () => {
    const alone = await startTestEnvironment({ assets: '', project: false });
    try {
      const pod = {
        metadata: { name: 'p', labels: { app: 'p' } },
        spec: { nodeName: 'n', containers: [{ name: 'a', image: 'b' }] },
      };
      await alone.request({ method: 'POST', path: `${core}/pods`, body: pod });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await alone.request({ method: 'PATCH', path: `${core}/pods/p/status`, body: { status }, headers: mergePatch });
      const spec = { minAvailable: 0, selector: { matchLabels: { app: 'p' } } };
      await alone.request({ method: 'POST', path: budgets, body: { metadata: { name: 'b' }, spec } });
      const eviction = { metadata: { name: 'p' } };
      const refused = await alone.request({ method: 'POST', path: `${core}/pods/p/eviction`, body: eviction });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
      expect(refused.json()).toMatchObject({
        details: {
          retryAfterSeconds: 10,
          causes: [{ message: 'The disruption budget b is still being processed by the server.' }],
        },
      });
    } finally {
      await alone.stop();
    }
  });
});
