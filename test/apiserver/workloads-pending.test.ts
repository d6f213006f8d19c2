import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { mergePatch } from './sequence.ts';

interface Found {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>> & { readonly phase?: string };
  readonly revision?: number;
}

const apps = '/apis/apps/v1/namespaces/default';
const core = '/api/v1/namespaces/default';
const revision = 'deployment.kubernetes.io/revision';

describe('workloads where no node runs pods', () => {
  let environment: TestEnvironment;
  const errors: unknown[] = [];

  beforeAll(async () => {
    environment = await startTestEnvironment({
      assets: '',
      project: false,
      server: { workloads: 'pending', onError: (error) => void errors.push(error) },
    });
  });
  afterAll(async () => {
    await environment.stop();
    expect(errors).toEqual([]);
  });

  const list = async (path: string): Promise<readonly Found[]> =>
    ((await environment.request({ path })).json() as { items: Found[] }).items;
  const read = async (path: string): Promise<Found> => (await environment.request({ path })).json() as Found;
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const headers = method === 'PATCH' ? mergePatch : {};
    const { status, text } = await environment.request({ method, path, body, headers });
    expect(status, text).toBeLessThan(300);
    await environment.server?.idle();
  };
  const template = (name: string, image: string) => ({
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'app', image }] },
  });

  it('have a ReplicaSet for each revision, and pods that stay pending', async () => {
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, progressDeadlineSeconds: 60 };
    const annotations = { 'kubernetes.io/change-cause': 'one' };
    await send('POST', `${apps}/deployments`, {
      metadata: { name: 'web', annotations },
      spec: { ...spec, template: template('web', 'one') },
    });
    await send('PATCH', `${apps}/deployments/web`, {
      metadata: { annotations: { 'kubernetes.io/change-cause': 'two' } },
      spec: { template: template('web', 'two') },
    });
    await send('PATCH', `${apps}/deployments/web`, { spec: { template: template('web', 'one') } });
    const sets = await list(`${apps}/replicasets`);
    const noted = sets.map(({ metadata, spec: { replicas } }) => [
      metadata.annotations?.[revision],
      metadata.annotations?.[`${revision}-history`],
      metadata.annotations?.['kubernetes.io/change-cause'],
      replicas,
    ]);
    // The pod of the second revision stays until others are ready.
    expect(noted.sort(([left = ''], [right = '']) => Number(left) - Number(right))).toEqual([
      ['2', undefined, 'two', 1],
      ['3', '1', 'two', 3],
    ]);
    expect((await list(`${core}/pods`)).map(({ status }) => status.phase)).toEqual(Array(4).fill('Pending'));
    expect((await list('/api/v1/nodes')).map(({ metadata }) => metadata.name)).toEqual([]);
    const late = 'ReplicaSet "web-\\w+" has timed out progressing.';
    const progress = async () =>
      ((await read(`${apps}/deployments/web`)).status['conditions'] as { type: string }[]).find(
        ({ type }) => type === 'Progressing',
      );
    expect(await progress()).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
    environment.server?.clock.advance(61_000);
    await environment.server?.idle();
    expect(await progress()).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: expect.stringMatching(late) as string,
    });
    await send('DELETE', `${apps}/deployments/web`, { propagationPolicy: 'Background' });
    expect(await list(`${core}/pods`)).toEqual([]);
  });

  it('of a ReplicationController are as many as it wants, by labels alone', async () => {
    const path = `${core}/replicationcontrollers`;
    await send('POST', path, {
      metadata: { name: 'rc' },
      spec: { replicas: 2, selector: { app: 'rc' }, template: template('rc', 'one') },
    });
    expect((await read(`${path}/rc`)).status).toEqual({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
    await send('PATCH', `${path}/rc`, { spec: { replicas: 1 } });
    expect(await list(`${core}/pods`)).toHaveLength(1);
    await send('DELETE', `${path}/rc`, { propagationPolicy: 'Background' });
    expect(await list(`${core}/pods`)).toEqual([]);
  });

  it('of a DaemonSet are on every node that takes them, and its revisions carry its annotations', async () => {
    for (const [name, spec] of [
      ['one', {}],
      ['two', { taints: [{ key: 'only', value: 'others', effect: 'NoSchedule' }] }],
      ['three', {}],
    ] as const)
      await send('POST', '/api/v1/nodes', { metadata: { name }, spec });
    const path = `${apps}/daemonsets`;
    await send('POST', path, {
      metadata: { name: 'agent', annotations: { 'kubernetes.io/change-cause': 'first' } },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent', 'one') },
    });
    const nodes = async () => {
      const found = await list(`${core}/pods`);
      return found
        .map(({ spec }) => /"values":\["(\w+)"\]/.exec(JSON.stringify(spec))?.[1] ?? '')
        .sort((left, right) => left.localeCompare(right));
    };
    expect(await nodes()).toEqual(['one', 'three']);
    expect((await read(`${path}/agent`)).status).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberUnavailable: 2,
      updatedNumberScheduled: 2,
    });
    const tolerations = [{ key: 'only', operator: 'Exists' }];
    const { metadata, spec } = template('agent', 'one');
    await send('PATCH', `${path}/agent`, { spec: { template: { metadata, spec: { ...spec, tolerations } } } });
    expect(await nodes()).toEqual(['one', 'three', 'two']);
    expect((await read(`${path}/agent`)).status).toMatchObject({
      updatedNumberScheduled: 3,
      desiredNumberScheduled: 3,
    });
    const revisions = await list(`${apps}/controllerrevisions`);
    expect(revisions.map((known) => [known.revision, known.metadata.annotations])).toEqual([
      [1, { 'deprecated.daemonset.template.generation': '1', 'kubernetes.io/change-cause': 'first' }],
      [2, { 'deprecated.daemonset.template.generation': '2', 'kubernetes.io/change-cause': 'first' }],
    ]);
  });

  it("of a CronJob start when they are due by the server's clock, and say what they are of", async () => {
    const path = '/apis/batch/v1/namespaces/default';
    const spec = (schedule: string, more: unknown = {}) => ({
      schedule,
      ...(more as object),
      jobTemplate: {
        metadata: { labels: { app: 'cron' } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'one' }] } } },
      },
    });
    environment.server?.clock.set('2026-05-01T10:00:30Z');
    await send('POST', `${path}/cronjobs`, { metadata: { name: 'due' }, spec: spec('*/5 * * * *') });
    await send('POST', `${path}/cronjobs`, { metadata: { name: 'off' }, spec: spec('* * * * *', { suspend: true }) });
    await send('POST', `${path}/cronjobs`, { metadata: { name: 'never' }, spec: spec('59 23 31 2 *') });
    expect(await list(`${path}/jobs`)).toEqual([]);
    environment.server?.clock.set('2026-05-01T10:11:00Z');
    await environment.server?.idle();
    const name = `due-${Date.parse('2026-05-01T10:10:00Z') / 60_000}`;
    expect(await list(`${path}/jobs`)).toMatchObject([
      {
        metadata: {
          name,
          labels: { app: 'cron' },
          annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-05-01T10:10:00Z' },
          ownerReferences: [{ kind: 'CronJob', name: 'due', controller: true }],
        },
      },
    ]);
    expect((await read(`${path}/cronjobs/due`)).status).toMatchObject({
      active: [{ kind: 'Job', name }],
      lastScheduleTime: '2026-05-01T10:10:00Z',
    });
    await send('DELETE', `${path}/jobs/${name}`, { propagationPolicy: 'Background' });
    expect((await read(`${path}/cronjobs/due`)).status).toEqual({ lastScheduleTime: '2026-05-01T10:10:00Z' });
    const events = (await list(`${core}/events`)) as unknown as { reason: string; involvedObject: { name: string } }[];
    expect(events.map(({ reason, involvedObject }) => `${involvedObject.name}: ${reason}`)).toEqual(
      expect.arrayContaining(['due: SuccessfulCreate', 'due: MissingJob', 'never: InvalidSchedule']),
    );
    environment.server?.clock.resume();
  });

  it('of Jobs carry the name that was made for them, and the labels of their template when they have none', async () => {
    const path = '/apis/batch/v1/namespaces/default/jobs';
    const template = {
      metadata: { labels: { app: 'job' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'one' }] },
    };
    const post = async (metadata: unknown) =>
      (
        await environment.request({ method: 'POST', path, body: { metadata, spec: { suspend: true, template } } })
      ).json() as { metadata: { name: string; uid: string; labels: unknown } };
    const { metadata } = await post({ generateName: 'made-' });
    expect(metadata.name).toMatch(/^made-\w{5}$/);
    expect(metadata.labels).toEqual({
      app: 'job',
      'batch.kubernetes.io/controller-uid': metadata.uid,
      'batch.kubernetes.io/job-name': metadata.name,
      'controller-uid': metadata.uid,
      'job-name': metadata.name,
    });
    expect((await post({ name: 'own', labels: { app: 'job' } })).metadata.labels).toEqual({ app: 'job' });
  });
});
