import { mergePatch, type Sequence } from '../sequence.ts';
import { core, labels, namespace, pod } from './parts.ts';

const autoscalers = '/apis/autoscaling/v2/namespaces/limits/horizontalpodautoscalers';
const template = { metadata: { labels }, spec: pod };
const autoscaler = (behavior: unknown): unknown => ({
  metadata: { name: 'a' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 2, behavior },
});

/** Values at the edge of what is allowed: empty where it means something, one too many, out of range in a dry run. */
export const limitsSequences: readonly Sequence[] = [
  {
    name: 'values at the edge',
    steps: [
      namespace('limits'),
      { path: autoscalers, body: autoscaler({ scaleUp: { policies: [] } }) },
      { path: autoscalers, body: autoscaler({ scaleDown: { policies: [] } }) },
      { path: autoscalers, body: autoscaler({ scaleUp: {}, scaleDown: { stabilizationWindowSeconds: 0 } }) },
      {
        path: '/apis/batch/v1/namespaces/limits/jobs?dryRun=All',
        body: { metadata: { name: 'a'.repeat(64) }, spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
      },
      {
        path: '/apis/batch/v1/namespaces/limits/jobs?dryRun=All',
        body: { metadata: { name: 'a'.repeat(63) }, spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
      },
      {
        path: core('limits', 'pods?dryRun=All'),
        body: { metadata: { name: 'a' }, spec: { ...pod, imagePullSecrets: [{ name: '' }] } },
      },
      {
        path: core('limits', 'pods?dryRun=All'),
        body: { metadata: { name: 'a' }, spec: { ...pod, imagePullSecrets: [{}, { name: 's' }] } },
      },
      {
        path: core('limits', 'replicationcontrollers'),
        body: { metadata: { name: 'a' }, spec: { replicas: 2, selector: labels, template } },
      },
      {
        path: core('limits', 'replicationcontrollers'),
        body: { metadata: { name: 'b' }, spec: { selector: labels, template } },
      },
      {
        method: 'PATCH',
        path: core('limits', 'replicationcontrollers/a?fieldManager=other'),
        body: { spec: { replicas: 3 } },
        headers: mergePatch,
      },
      {
        path: core('limits', 'services?dryRun=All'),
        body: { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 1000 }] } },
      },
      {
        path: core('limits', 'services?dryRun=All'),
        body: { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      },
      {
        path: core('limits', 'services'),
        body: { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 1000 }] } },
      },
      {
        path: core('limits', 'services'),
        body: {
          metadata: { name: 'a' },
          spec: {
            ports: [
              { port: 80, name: 'a' },
              { port: 80, name: 'b' },
            ],
          },
        },
      },
      {
        path: core('limits', 'persistentvolumeclaims'),
        body: {
          metadata: { name: 'a' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    ],
  },
];
