import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { mergePatch } from './sequence.ts';
import { WatchStream } from './stream.ts';

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly name: string; readonly kind: string }[];
  };
  readonly spec: { readonly replicas?: number; readonly nodeName?: string };
  readonly status: Readonly<Record<string, unknown>> & { readonly phase?: string };
}

const apps = '/apis/apps/v1/namespaces/default';
const core = '/api/v1/namespaces/default';
const batch = '/apis/batch/v1/namespaces/default';

describe('workloads', () => {
  let environment: TestEnvironment;
  const errors: unknown[] = [];

  beforeAll(async () => {
    environment = await startTestEnvironment({
      assets: '',
      project: false,
      server: { workloads: true, onError: (error) => void errors.push(error) },
    });
  });
  afterEach(async () => {
    for (const path of [
      `${apps}/deployments`,
      `${apps}/statefulsets`,
      `${apps}/daemonsets`,
      `${apps}/replicasets`,
      `${batch}/jobs`,
      `${core}/pods`,
      `${core}/persistentvolumeclaims`,
    ])
      await environment.request({ method: 'DELETE', path, body: { propagationPolicy: 'Background' } });
    await environment.server?.idle();
    expect(errors).toEqual([]);
    expect(await list(`${core}/pods`)).toEqual([]);
  });
  afterAll(async () => {
    await environment.stop();
  });

  const list = async (path: string): Promise<readonly Found[]> =>
    ((await environment.request({ path })).json() as { items: Found[] }).items;
  const read = async (path: string): Promise<Found> => (await environment.request({ path })).json() as Found;
  const settled = async (): Promise<void> => {
    await environment.server?.idle();
  };
  const create = async (path: string, name: string, spec: unknown): Promise<void> => {
    const { status, text } = await environment.request({ method: 'POST', path, body: { metadata: { name }, spec } });
    expect(status, text).toBe(201);
    await settled();
  };
  const patch = async (path: string, spec: unknown): Promise<void> => {
    const { status, text } = await environment.request({ method: 'PATCH', path, body: { spec }, headers: mergePatch });
    expect(status, text).toBe(200);
    await settled();
  };
  const template = (more: Record<string, unknown> = {}, annotations = {}) => ({
    metadata: { labels: { app: 'web' }, annotations },
    spec: { containers: [{ name: 'app', image: 'nginx:1', ports: [{ name: 'http', containerPort: 80 }] }], ...more },
  });
  const workload = (replicas: number, more: Record<string, unknown> = {}) => ({
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: template(),
    ...more,
  });

  it('of a Deployment become available, with a ReplicaSet, running pods and endpoints', async () => {
    await environment.request({
      method: 'POST',
      path: `${core}/services`,
      body: {
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ port: 8080, targetPort: 'http' }] },
      },
    });
    await create(`${apps}/deployments`, 'web', workload(2));
    const deployment = await read(`${apps}/deployments/web`);
    expect(deployment.metadata).toMatchObject({
      generation: 1,
      annotations: { 'deployment.kubernetes.io/revision': '1' },
    });
    expect(deployment.status).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
    const [set] = await list(`${apps}/replicasets`);
    const hash = set?.metadata.labels?.['pod-template-hash'];
    expect(set?.metadata.name).toBe(`web-${hash}`);
    const pods = await list(`${core}/pods`);
    expect(pods.map(({ metadata, status }) => [metadata.labels?.['pod-template-hash'], status.phase])).toEqual([
      [hash, 'Running'],
      [hash, 'Running'],
    ]);
    const slices = await list(
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=web',
    );
    expect(slices).toMatchObject([
      {
        ports: [{ port: 80, protocol: 'TCP' }],
        endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
      },
    ]);
    await environment.request({ method: 'DELETE', path: `${core}/services/web` });
    await settled();
    expect((await environment.request({ path: `${core}/endpoints/web` })).status).toBe(404);
  });

  it('of a Deployment are replaced when the template changes, within its limits, and come back', async () => {
    await create(
      `${apps}/deployments`,
      'web',
      workload(4, {
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      }),
    );
    const { metadata, items } = (await environment.request({ path: `${core}/pods` })).json() as {
      readonly metadata: { readonly resourceVersion: string };
      readonly items: readonly Found[];
    };
    const names = items.map((pod) => pod.metadata.name);
    const stream = await WatchStream.open(
      environment.connection(),
      `${core}/pods?watch=true&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`,
    );
    await patch(`${apps}/deployments/web`, { template: template({}, { version: '2' }) });
    const sets = await list(`${apps}/replicasets`);
    const byRevision = (revision: string) =>
      sets.find((set) => set.metadata.annotations?.['deployment.kubernetes.io/revision'] === revision);
    expect([byRevision('1')?.spec.replicas, byRevision('2')?.spec.replicas]).toEqual([0, 4]);
    // What happened on the way: never fewer than three ready, never more than five that are not about to end.
    const states = new Map(names.map((name) => [name, true]));
    let gone = 0;
    while (gone < 4) {
      const event = (await stream.next()) as { readonly type: string; readonly object: Found };
      const { name, deletionTimestamp } = event.object.metadata;
      if (event.type === 'DELETED') gone++;
      if (event.type === 'DELETED' || deletionTimestamp !== undefined) states.delete(name);
      else {
        const conditions = (event.object.status['conditions'] ?? []) as readonly Readonly<Record<string, string>>[];
        states.set(
          name,
          conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
        );
      }
      expect([...states.values()].filter(Boolean).length).toBeGreaterThanOrEqual(3);
      expect(states.size).toBeLessThanOrEqual(5);
    }
    stream.close();
    await patch(`${apps}/deployments/web`, { template: { metadata: { annotations: { version: null } } } });
    const back = await list(`${apps}/replicasets`);
    expect(back).toHaveLength(2);
    expect(
      back
        .map(({ spec, metadata: { annotations } }) => [
          spec.replicas,
          annotations?.['deployment.kubernetes.io/revision'],
        ])
        .sort(([left = 0], [right = 0]) => Number(left) - Number(right)),
    ).toEqual([
      [0, '2'],
      [4, '3'],
    ]);
  });

  it('of a Deployment go to other numbers, to none, and with it', async () => {
    await create(`${apps}/deployments`, 'web', workload(1));
    for (const replicas of [5, 2, 0]) {
      await patch(`${apps}/deployments/web`, { replicas });
      expect(await list(`${core}/pods`)).toHaveLength(replicas);
      expect((await read(`${apps}/deployments/web`)).status['replicas'] ?? 0).toBe(replicas);
    }
    await patch(`${apps}/deployments/web`, { replicas: 2 });
    await environment.request({ method: 'DELETE', path: `${apps}/deployments/web` });
    await settled();
    expect(await list(`${apps}/replicasets`)).toEqual([]);
    expect(await list(`${core}/pods`)).toEqual([]);
  });

  it('of a Deployment with Recreate never run in two revisions, and a paused one waits', async () => {
    await create(`${apps}/deployments`, 'web', workload(2, { strategy: { type: 'Recreate' } }));
    await patch(`${apps}/deployments/web`, { paused: true, template: template({}, { version: '2' }) });
    expect(await list(`${apps}/replicasets`)).toHaveLength(1);
    await patch(`${apps}/deployments/web`, { paused: false });
    expect((await list(`${core}/pods`)).map(({ metadata }) => metadata.annotations?.['version'])).toEqual(['2', '2']);
  });

  it('orphans are adopted by what selects them', async () => {
    await create(`${apps}/deployments`, 'web', workload(2));
    const names = (await list(`${core}/pods`)).map(({ metadata }) => metadata.name);
    await environment.request({
      method: 'DELETE',
      path: `${apps}/deployments/web`,
      body: { propagationPolicy: 'Orphan' },
    });
    await settled();
    expect((await list(`${apps}/replicasets`)).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
    await create(`${apps}/deployments`, 'web', workload(2));
    expect((await list(`${core}/pods`)).map(({ metadata }) => metadata.name)).toEqual(names);
    expect((await list(`${apps}/replicasets`)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual([
      'web',
    ]);
  });

  it('of a StatefulSet have their ordinals and claims, and are replaced from the last one on', async () => {
    const claims = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    await create(`${apps}/statefulsets`, 'db', workload(3, { serviceName: 'db', volumeClaimTemplates: claims }));
    expect((await list(`${core}/pods`)).map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1', 'db-2']);
    expect(
      (await list(`${core}/persistentvolumeclaims`)).map(({ metadata, status }) => [metadata.name, status.phase]),
    ).toEqual([
      ['data-db-0', 'Bound'],
      ['data-db-1', 'Bound'],
      ['data-db-2', 'Bound'],
    ]);
    const before = (await read(`${apps}/statefulsets/db`)).status;
    expect(before).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 });
    expect(before['currentRevision']).toBe(before['updateRevision']);
    await patch(`${apps}/statefulsets/db`, {
      template: template({}, { version: '2' }),
      updateStrategy: { rollingUpdate: { partition: 1 } },
    });
    const versions = async () => (await list(`${core}/pods`)).map(({ metadata }) => metadata.annotations?.['version']);
    expect(await versions()).toEqual([undefined, '2', '2']);
    await environment.request({ method: 'DELETE', path: `${core}/pods/db-0` });
    await settled();
    expect(await versions()).toEqual([undefined, '2', '2']);
    await patch(`${apps}/statefulsets/db`, { updateStrategy: { rollingUpdate: { partition: 0 } } });
    expect(await versions()).toEqual(['2', '2', '2']);
    const after = (await read(`${apps}/statefulsets/db`)).status;
    expect(after['currentRevision']).toBe(after['updateRevision']);
    expect(after['currentRevision']).not.toBe(before['currentRevision']);
    await patch(`${apps}/statefulsets/db`, { replicas: 1 });
    expect((await list(`${core}/pods`)).map(({ metadata }) => metadata.name)).toEqual(['db-0']);
    expect(await list(`${core}/persistentvolumeclaims`)).toHaveLength(3);
  });

  it('of a DaemonSet are one for the node, when the node has the labels that it selects', async () => {
    await create(`${apps}/daemonsets`, 'agent', { selector: { matchLabels: { app: 'web' } }, template: template() });
    expect((await read(`${apps}/daemonsets/agent`)).status).toMatchObject({
      desiredNumberScheduled: 1,
      numberAvailable: 1,
      updatedNumberScheduled: 1,
    });
    expect((await list(`${core}/pods`)).map(({ spec }) => spec.nodeName)).toEqual(['embedded']);
    await patch(`${apps}/daemonsets/agent`, { template: template({ nodeSelector: { gpu: 'yes' } }) });
    expect((await read(`${apps}/daemonsets/agent`)).status).toMatchObject({ desiredNumberScheduled: 0 });
    expect(await list(`${core}/pods`)).toEqual([]);
  });

  it('of a Job succeed until it is complete', async () => {
    const job = (more: Record<string, unknown>) => ({ template: template({ restartPolicy: 'Never' }), ...more });
    await create(`${batch}/jobs`, 'some', job({ completions: 3, parallelism: 2 }));
    expect((await read(`${batch}/jobs/some`)).status).toMatchObject({
      succeeded: 3,
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True' },
        { type: 'Complete', status: 'True' },
      ],
    });
    await create(`${batch}/jobs`, 'indexed', job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    expect((await read(`${batch}/jobs/indexed`)).status).toMatchObject({ completedIndexes: '0-2', succeeded: 3 });
    await create(`${batch}/jobs`, 'later', job({ suspend: true }));
    expect((await read(`${batch}/jobs/later`)).status).toMatchObject({ conditions: [{ type: 'Suspended' }] });
    await patch(`${batch}/jobs/later`, { suspend: false });
    expect((await read(`${batch}/jobs/later`)).status).toMatchObject({ succeeded: 1 });
  });

  it('say why no pods come when admission refuses them', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1';
    const name = 'no-pods.example.com';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
    const made = [
      await environment.request({
        method: 'POST',
        path: `${registration}/validatingadmissionpolicies`,
        body: {
          metadata: { name },
          spec: {
            matchConstraints: { resourceRules: [rule] },
            validations: [{ expression: 'false', message: 'no pods' }],
          },
        },
      }),
      await environment.request({
        method: 'POST',
        path: `${registration}/validatingadmissionpolicybindings`,
        body: { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } },
      }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    await create(`${apps}/deployments`, 'web', workload(1));
    const { status } = await read(`${apps}/deployments/web`);
    expect(status).toMatchObject({
      unavailableReplicas: 1,
      conditions: [
        { type: 'Available', status: 'False' },
        { type: 'Progressing' },
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message: expect.stringContaining('no pods') as string,
        },
      ],
    });
    await environment.request({ method: 'DELETE', path: `${registration}/validatingadmissionpolicies/${name}` });
    await environment.request({ method: 'DELETE', path: `${registration}/validatingadmissionpolicybindings/${name}` });
    await patch(`${apps}/deployments/web`, { replicas: 2 });
    expect((await read(`${apps}/deployments/web`)).status).toMatchObject({ availableReplicas: 2 });
  });

  it('with readiness gates wait for others', async () => {
    await create(
      `${apps}/deployments`,
      'web',
      workload(1, {
        template: template({ readinessGates: [{ conditionType: 'example.com/ready' }] }),
      }),
    );
    expect((await read(`${apps}/deployments/web`)).status).toMatchObject({ replicas: 1, unavailableReplicas: 1 });
    const [pod] = await list(`${core}/pods`);
    await environment.request({
      method: 'PATCH',
      path: `${core}/pods/${pod?.metadata.name}/status`,
      headers: { 'Content-Type': 'application/strategic-merge-patch+json' },
      body: { status: { conditions: [{ type: 'example.com/ready', status: 'True' }] } },
    });
    await settled();
    expect((await read(`${apps}/deployments/web`)).status).toMatchObject({ availableReplicas: 1 });
  });
});
