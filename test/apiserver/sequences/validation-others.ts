import { mergePatch, type Sequence, type Step } from '../sequence.ts';
import { core, labels, namespace } from './parts.ts';

type Plain = Record<string, unknown>;

const dryRun = '?dryRun=All';
const tried = (path: string, body: Plain): Step => ({
  path: `${path}${dryRun}`,
  body: { metadata: { name: 'x' }, ...body },
});
const patch = (path: string, body: Plain): Step => ({
  method: 'PATCH',
  path: `${path}${dryRun}`,
  headers: mergePatch,
  body,
});
const configMap = (body: Plain): Step => tried(core('other-rules', 'configmaps'), body);
const secret = (body: Plain): Step => tried(core('other-rules', 'secrets'), body);
const storage = { requests: { storage: '1Gi' } };
const claim = (spec: Plain): Step =>
  tried(core('other-rules', 'persistentvolumeclaims'), {
    spec: { accessModes: ['ReadWriteOnce'], resources: storage, ...spec },
  });
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const scalers = '/apis/autoscaling/v2/namespaces/other-rules/horizontalpodautoscalers';
const scaler = (spec: Plain): Step => tried(scalers, { spec: { scaleTargetRef, maxReplicas: 3, ...spec } });
const metric = (more: Plain): Step => scaler({ metrics: [more] });
const utilization = { type: 'Utilization', averageUtilization: 50 };
const budgets = '/apis/policy/v1/namespaces/other-rules/poddisruptionbudgets';
const budget = (spec: Plain): Step => tried(budgets, { spec: { selector: { matchLabels: labels }, ...spec } });
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const role = (rule: Plain): Step => tried(`${rbac}/namespaces/other-rules/roles`, { rules: [rule] });
const clusterRole = (body: Plain): Step => tried(`${rbac}/clusterroles`, body);
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const binding = (body: Plain): Step => tried(`${rbac}/namespaces/other-rules/rolebindings`, { roleRef, ...body });
const lease = (spec: Plain): Step => tried('/apis/coordination.k8s.io/v1/namespaces/other-rules/leases', { spec });
const event = (body: Plain): Step =>
  tried('/apis/events.k8s.io/v1/namespaces/other-rules/events', {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/controller',
    reportingInstance: 'one',
    action: 'Do',
    reason: 'Because',
    type: 'Normal',
    regarding: { kind: 'ConfigMap', namespace: 'other-rules', name: 'x' },
    ...body,
  });

/** What the other kinds that operators own may say and what they may change. */
export const otherValidationSequences: readonly Sequence[] = [
  {
    name: 'rules of data',
    steps: [
      namespace('other-rules'),
      configMap({ data: { a: 'x' }, binaryData: { a: 'eA==' } }),
      configMap({ data: { '.': 'x', '..': 'x', '..a': 'x' } }),
      configMap({ data: { ['a'.repeat(254)]: 'x' } }),
      configMap({ data: { a: 'x'.repeat(1_048_577) } }),
      configMap({ data: { a: 5 } }),
      secret({ data: { a: '!' } }),
      secret({ stringData: { a: 'x' }, data: { a: 'eQ==' } }),
      secret({ type: 'kubernetes.io/tls' }),
      secret({ type: 'kubernetes.io/tls', stringData: { 'tls.crt': '', 'tls.key': '' } }),
      secret({ type: 'kubernetes.io/basic-auth' }),
      secret({ type: 'kubernetes.io/basic-auth', stringData: { username: 'x' } }),
      secret({ type: 'kubernetes.io/ssh-auth' }),
      secret({ type: 'kubernetes.io/dockerconfigjson' }),
      secret({ type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{' } }),
      secret({ type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } }),
      secret({ type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': 'x' } }),
      secret({ type: 'kubernetes.io/service-account-token' }),
      secret({ stringData: { a: 'x'.repeat(1_048_577) } }),
      tried(core('other-rules', 'serviceaccounts'), { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'b' }] }),
    ],
  },
  {
    name: 'rules of claims',
    steps: [
      claim({ accessModes: [] }),
      claim({ accessModes: ['Sometimes'] }),
      claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
      claim({ resources: {} }),
      claim({ resources: { requests: { storage: '0' } } }),
      claim({ resources: { requests: { storage: '-1Gi' } } }),
      claim({ storageClassName: 'A b' }),
      claim({ volumeMode: 'Tape' }),
      claim({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      claim({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } }),
      claim({ dataSource: { kind: 'ConfigMap', name: 's' } }),
      {
        path: core('other-rules', 'persistentvolumeclaims'),
        body: {
          metadata: { name: 'c' },
          spec: { accessModes: ['ReadWriteOnce'], resources: storage, storageClassName: 'fast' },
        },
      },
      patch(core('other-rules', 'persistentvolumeclaims/c'), { spec: { accessModes: ['ReadWriteMany'] } }),
      patch(core('other-rules', 'persistentvolumeclaims/c'), { spec: { storageClassName: 'slow' } }),
      patch(core('other-rules', 'persistentvolumeclaims/c'), { spec: { resources: { requests: { storage: '2Gi' } } } }),
      patch(core('other-rules', 'persistentvolumeclaims/c'), { spec: { volumeName: 'v' } }),
      patch(core('other-rules', 'persistentvolumeclaims/c'), { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    name: 'rules of autoscalers',
    steps: [
      scaler({}),
      scaler({ maxReplicas: 0 }),
      scaler({ minReplicas: 0 }),
      scaler({ minReplicas: -1 }),
      scaler({ minReplicas: 5 }),
      scaler({ scaleTargetRef: { kind: '', name: '' } }),
      scaler({ scaleTargetRef: { kind: 'a/b', name: 'c%d' } }),
      metric({ type: 'Other' }),
      metric({ type: 'Resource' }),
      metric({ type: 'Resource', resource: { name: 'cpu', target: utilization } }),
      metric({ type: 'Resource', resource: { name: '', target: utilization } }),
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }),
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }),
      metric({
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1', averageUtilization: 5 } },
      }),
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Other', averageUtilization: 5 } } }),
      metric({ type: 'Pods', pods: { metric: { name: '' }, target: { type: 'AverageValue', averageValue: '0' } } }),
      metric({ type: 'Object', object: { metric: { name: 'a' }, target: { type: 'Value', value: '1' } } }),
      metric({ type: 'External', external: { metric: { name: 'a' }, target: { type: 'Value' } } }),
      metric({
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: '', target: utilization },
      }),
      scaler({ behavior: { scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'Other' } } }),
      scaler({ behavior: { scaleDown: { policies: [{ type: 'Other', value: 0, periodSeconds: 0 }] } } }),
      scaler({ behavior: { scaleDown: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] } } }),
    ],
  },
  {
    name: 'rules of disruption budgets',
    steps: [
      budget({}),
      budget({ minAvailable: 1 }),
      budget({ minAvailable: 1, maxUnavailable: 1 }),
      budget({ minAvailable: -1 }),
      budget({ maxUnavailable: '101%' }),
      budget({ maxUnavailable: 'x' }),
      budget({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      budget({ unhealthyPodEvictionPolicy: 'Never' }),
      budget({ selector: undefined }),
    ],
  },
  {
    name: 'rules of access',
    steps: [
      role({ apiGroups: [''], resources: ['pods'], verbs: ['get'] }),
      role({ apiGroups: [''], resources: ['pods'], verbs: [] }),
      role({ resources: ['pods'], verbs: ['get'] }),
      role({ apiGroups: [''], verbs: ['get'] }),
      role({ nonResourceURLs: ['/metrics'], verbs: ['get'] }),
      role({ apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'], verbs: ['get'] }),
      clusterRole({ rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] }),
      clusterRole({ rules: [{ nonResourceURLs: ['/x'], resources: ['a'], verbs: ['get'] }] }),
      clusterRole({ aggregationRule: { clusterRoleSelectors: [] }, rules: [] }),
      clusterRole({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'x' } }] } }),
      binding({ subjects: [{ kind: 'ServiceAccount', name: 'a' }] }),
      binding({ subjects: [{ kind: 'ServiceAccount', name: 'A b', namespace: 'x' }] }),
      binding({ subjects: [{ kind: 'User', name: '' }] }),
      binding({ subjects: [{ kind: 'Robot', name: 'a' }] }),
      binding({ subjects: [{ kind: 'User', name: 'a', apiGroup: 'x' }] }),
      binding({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Robot', name: '' } }),
      binding({ roleRef: { apiGroup: 'x', kind: 'Role', name: 'a' } }),
      binding({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a/b' } }),
      {
        path: `${rbac}/namespaces/other-rules/rolebindings`,
        body: { metadata: { name: 'b' }, roleRef, subjects: [{ kind: 'Group', name: 'others' }] },
      },
      patch(`${rbac}/namespaces/other-rules/rolebindings/b`, { roleRef: { name: 'edit' } }),
      patch(`${rbac}/namespaces/other-rules/rolebindings/b`, { subjects: [] }),
      {
        path: core('other-rules', 'configmaps?limit=1'),
        user: 'bob',
      },
      { path: core('other-rules', 'secrets'), user: 'bob' },
      { path: core('other-rules', `configmaps${dryRun}`), body: { metadata: { name: 'x' } }, user: 'bob' },
      {
        path: `${rbac}/namespaces/other-rules/roles${dryRun}`,
        body: { metadata: { name: 'x' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
        user: 'bob',
      },
    ],
  },
  {
    name: 'rules of leases and events',
    steps: [
      lease({}),
      lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
      lease({ leaseDurationSeconds: 5, holderIdentity: '' }),
      lease({ strategy: 'OldestEmulationVersion' }),
      lease({ preferredHolder: 'a' }),
      event({}),
      event({ type: 'Strange' }),
      event({ reportingController: '' }),
      event({ reportingController: 'a b' }),
      event({ reportingInstance: '' }),
      event({ action: '' }),
      event({ reason: '' }),
      event({ eventTime: null }),
      event({ note: 'x'.repeat(1025) }),
      event({ reason: 'x'.repeat(129) }),
      event({ series: { count: 1, lastObservedTime: null } }),
      event({ regarding: { kind: 'ConfigMap', namespace: 'default', name: 'x' } }),
      event({ regarding: { kind: 'Namespace', name: 'x' } }),
    ],
  },
];
