import { mergePatch, type Sequence, type Step } from '../sequence.ts';
import { labels, namespace, pod } from './parts.ts';

type Plain = Record<string, unknown>;

const apps = (resource: string): string => `/apis/apps/v1/namespaces/workload-rules/${resource}`;
const batch = (resource: string): string => `/apis/batch/v1/namespaces/workload-rules/${resource}`;
const dryRun = '?dryRun=All';
const template = { metadata: { labels }, spec: pod };
const selector = { matchLabels: labels };

const tried = (path: string, spec: Plain, metadata: Plain = {}): Step => ({
  path: `${path}${dryRun}`,
  body: { metadata: { name: 'w', ...metadata }, spec },
});
const deployment = (more: Plain): Step => tried(apps('deployments'), { selector, template, ...more });
const replicaSet = (more: Plain): Step => tried(apps('replicasets'), { selector, template, ...more });
const daemonSet = (more: Plain): Step => tried(apps('daemonsets'), { selector, template, ...more });
const statefulSet = (more: Plain): Step =>
  tried(apps('statefulsets'), { serviceName: 's', selector, template, ...more });
const jobTemplate = { spec: { ...pod, restartPolicy: 'Never' } };
const job = (more: Plain, metadata: Plain = {}): Step =>
  tried(batch('jobs'), { template: jobTemplate, ...more }, metadata);
const cronJob = (more: Plain, metadata: Plain = {}): Step =>
  tried(
    batch('cronjobs'),
    { schedule: '*/5 * * * *', jobTemplate: { spec: { template: jobTemplate } }, ...more },
    metadata,
  );
const changes = (path: string, specs: readonly Plain[]): readonly Step[] =>
  specs.map((spec) => ({ method: 'PATCH', path: `${path}${dryRun}`, headers: mergePatch, body: { spec } }));

/** What workloads may say and what they may change. */
export const workloadValidationSequences: readonly Sequence[] = [
  {
    name: 'rules of deployments',
    steps: [
      namespace('workload-rules'),
      deployment({}),
      deployment({ selector: undefined }),
      deployment({ selector: {} }),
      deployment({ selector: { matchLabels: { app: 'other' } } }),
      deployment({ selector: { matchLabels: { 'a b': 'x' } } }),
      deployment({ selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
      deployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] } }),
      deployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }),
      deployment({ template: undefined }),
      deployment({ template: { metadata: { labels: { 'a b': 'x' } }, spec: pod } }),
      deployment({ template: { metadata: { labels }, spec: { containers: [] } } }),
      deployment({ template: { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } } }),
      deployment({ template: { metadata: { labels }, spec: { ...pod, activeDeadlineSeconds: 5 } } }),
      deployment({
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b', ports: [{}] }] } },
      }),
      deployment({ replicas: -1 }),
      deployment({ minReadySeconds: -1 }),
      deployment({ revisionHistoryLimit: -1 }),
      deployment({ progressDeadlineSeconds: -1 }),
      deployment({ minReadySeconds: 700 }),
      deployment({ strategy: { type: 'Other' } }),
      deployment({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
      deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      deployment({ strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '120%' } } }),
      deployment({ strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: '-5%' } } }),
    ],
  },
  {
    name: 'rules of sets',
    steps: [
      replicaSet({}),
      replicaSet({ selector: {} }),
      replicaSet({ selector: undefined }),
      replicaSet({ replicas: -1, minReadySeconds: -1 }),
      replicaSet({ template: undefined }),
      replicaSet({ template: { metadata: { labels: { app: 'x' } }, spec: pod } }),
      daemonSet({}),
      daemonSet({ selector: undefined }),
      daemonSet({ selector: {} }),
      daemonSet({ updateStrategy: { type: 'Other' } }),
      daemonSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
      daemonSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }),
      daemonSet({ minReadySeconds: -1, revisionHistoryLimit: -1 }),
      daemonSet({ template: { metadata: { labels }, spec: { ...pod, restartPolicy: 'OnFailure' } } }),
      statefulSet({}),
      statefulSet({ selector: undefined }),
      statefulSet({ selector: {} }),
      statefulSet({ serviceName: 'A b' }),
      statefulSet({ podManagementPolicy: 'Other' }),
      statefulSet({ updateStrategy: { type: 'Other' } }),
      statefulSet({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }),
      statefulSet({ updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: 0 } } }),
      statefulSet({ replicas: -1, minReadySeconds: -1, ordinals: { start: -1 } }),
      statefulSet({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Maybe', whenScaled: 'Delete' } }),
      statefulSet({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }),
      statefulSet({ template: { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } } }),
      tried(apps('controllerrevisions'), {}),
    ],
  },
  {
    name: 'rules of jobs',
    steps: [
      job({}),
      job({ template: { spec: pod } }),
      job({ template: { spec: { ...pod, restartPolicy: 'Sometimes' } } }),
      job({ template: undefined }),
      job({
        parallelism: -1,
        completions: -1,
        backoffLimit: -1,
        activeDeadlineSeconds: -1,
        ttlSecondsAfterFinished: -1,
      }),
      job({ selector: { matchLabels: { a: 'b' } } }),
      job({ manualSelector: true }),
      job({ manualSelector: true, selector: { matchLabels: { a: 'b' } } }),
      job({ completionMode: 'Other' }),
      job({ completionMode: 'Indexed' }),
      job({ completionMode: 'Indexed', completions: 1, parallelism: 200_000 }),
      job({ backoffLimitPerIndex: 1 }),
      job({ completionMode: 'Indexed', completions: 5, maxFailedIndexes: 2 }),
      job({ podFailurePolicy: { rules: [] }, template: { spec: { ...pod, restartPolicy: 'OnFailure' } } }),
      job({ podFailurePolicy: { rules: [{ action: 'Stop' }] } }),
      job({
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0], containerName: 'none' } }],
        },
      }),
      job({ podReplacementPolicy: 'Other' }),
      job({ managedBy: 'nothing' }),
      job({ successPolicy: { rules: [] } }),
    ],
  },
  {
    name: 'rules of cron jobs',
    steps: [
      cronJob({}),
      cronJob({ schedule: '' }),
      cronJob({ schedule: '* * * *' }),
      cronJob({ schedule: '61 * * * *' }),
      cronJob({ schedule: '@hourly' }),
      cronJob({ schedule: '@every 1h30m' }),
      cronJob({ schedule: '@never' }),
      cronJob({ schedule: '*/0 * * * *' }),
      cronJob({ schedule: '5-1 * * * *' }),
      cronJob({ schedule: '0 0 1 JAN-mar sun,MON' }),
      cronJob({ schedule: 'x * * * *' }),
      cronJob({ schedule: 'TZ=UTC * * * * *' }),
      cronJob({ schedule: '1 2 3 4 5 6' }),
      cronJob({ timeZone: 'Europe/Zurich' }),
      cronJob({ timeZone: '' }),
      cronJob({ timeZone: 'Nowhere/Land' }),
      cronJob({ timeZone: 'Local' }),
      cronJob({ timeZone: 'A b' }),
      cronJob({ concurrencyPolicy: 'Other' }),
      cronJob({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
      cronJob({ jobTemplate: undefined }),
      cronJob({ jobTemplate: { spec: { template: { spec: pod } } } }),
      cronJob({ jobTemplate: { spec: { manualSelector: true, template: jobTemplate } } }),
      cronJob({ jobTemplate: { spec: { parallelism: -1, template: jobTemplate } } }),
      cronJob({}, { name: 'a'.repeat(53) }),
    ],
  },
  {
    name: 'changes of workloads',
    steps: [
      { path: apps('deployments'), body: { metadata: { name: 'd' }, spec: { selector, template } } },
      ...changes(apps('deployments/d'), [
        { selector: { matchLabels: { a: 'b' } } },
        { selector: { matchLabels: { tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } },
        { template: { metadata: { labels: { app: 'b' } } } },
        { replicas: 7, paused: true },
      ]),
      { path: apps('statefulsets'), body: { metadata: { name: 's' }, spec: { serviceName: 's', selector, template } } },
      ...changes(apps('statefulsets/s'), [
        { podManagementPolicy: 'Parallel' },
        { volumeClaimTemplates: [{ metadata: { name: 'x' } }] },
        { selector: { matchLabels: { tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } },
        { replicas: 3, minReadySeconds: 5, revisionHistoryLimit: 4 },
      ]),
      { path: apps('daemonsets'), body: { metadata: { name: 'd' }, spec: { selector, template } } },
      ...changes(apps('daemonsets/d'), [
        { selector: { matchLabels: { tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } },
        { template: { metadata: { annotations: { a: 'b' } } } },
      ]),
      { path: batch('jobs'), body: { metadata: { name: 'j' }, spec: { template: jobTemplate, suspend: false } } },
      ...changes(batch('jobs/j'), [
        { template: { metadata: { labels: { a: 'b' } } } },
        { template: { spec: { restartPolicy: 'OnFailure' } } },
        { completions: 5 },
        { parallelism: 3 },
        { selector: { matchLabels: { a: 'b' } } },
        { completionMode: 'Indexed' },
        { backoffLimitPerIndex: 3 },
        { suspend: true, ttlSecondsAfterFinished: 5 },
      ]),
      { path: batch('jobs'), body: { metadata: { name: 'waiting' }, spec: { template: jobTemplate, suspend: true } } },
      ...changes(batch('jobs/waiting'), [
        { template: { spec: { nodeSelector: { a: 'b' } } } },
        { template: { spec: { terminationGracePeriodSeconds: 3 } } },
      ]),
      { path: batch('cronjobs'), ...cronJobBody('c') },
      ...changes(batch('cronjobs/c'), [{ schedule: '1 1 1 1 1', suspend: true }, { schedule: 'x' }]),
    ],
  },
];

function cronJobBody(name: string): { readonly body: Plain } {
  return {
    body: { metadata: { name }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
  };
}
