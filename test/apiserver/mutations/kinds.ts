import { pods } from './pods.ts';

type Plain = Record<string, unknown>;

/** A valid object of a kind, with much of what it can say, of which mutations are made. */
export interface Base {
  readonly name: string;
  /** The path of the collection, with `NAMESPACE` for the namespace. */
  readonly collection: string;
  readonly object: Plain;
}

const labels = { app: 'web' };
const metadata = (name: string): Plain => ({ name, labels });
const template = (spec: Plain = {}): Plain => ({
  metadata: { labels },
  spec: { containers: [{ name: 'app', image: 'nginx:1' }], ...spec },
});
const selector = { matchLabels: labels, matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] };

const base = (group: string, kind: string, resource: string, content: Plain, suffix = ''): Base => ({
  name: `${resource}${suffix}`,
  collection: `/${group === 'v1' ? 'api' : 'apis'}/${group}/namespaces/NAMESPACE/${resource}`,
  object: { apiVersion: group, kind, metadata: metadata('a'), ...content },
});

const clusterWide = (made: Base): Base => ({
  ...made,
  collection: made.collection.replace('/namespaces/NAMESPACE', ''),
});

const jobSpec = {
  parallelism: 2,
  completions: 3,
  activeDeadlineSeconds: 100,
  backoffLimit: 4,
  ttlSecondsAfterFinished: 10,
  completionMode: 'Indexed',
  suspend: false,
  podReplacementPolicy: 'Failed',
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'app', operator: 'In', values: [1, 2] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
  template: template({ restartPolicy: 'Never' }),
};

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
  selector: { matchLabels: labels },
  storageClassName: 'fast',
  volumeMode: 'Filesystem',
  volumeName: 'v',
  dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
};

const rules = [
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/scale'],
    verbs: ['get', 'list'],
    resourceNames: ['a'],
  },
  { apiGroups: [''], resources: ['pods'], verbs: ['*'] },
];
const subjects = [
  { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

/** Objects of the twenty kinds that operators own most. */
export const bases: readonly Base[] = [
  ...Object.entries(pods).map(([name, object]) => ({
    name: `pods with ${name}`,
    collection: '/api/v1/namespaces/NAMESPACE/pods',
    object,
  })),
  base('apps/v1', 'Deployment', 'deployments', {
    spec: {
      replicas: 2,
      minReadySeconds: 1,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: 60,
      paused: true,
      selector,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
      template: template(),
    },
  }),
  base('apps/v1', 'StatefulSet', 'statefulsets', {
    spec: {
      replicas: 2,
      minReadySeconds: 1,
      revisionHistoryLimit: 3,
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      ordinals: { start: 1 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      selector,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: 1 } },
      template: template(),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  base('apps/v1', 'DaemonSet', 'daemonsets', {
    spec: {
      minReadySeconds: 1,
      revisionHistoryLimit: 3,
      selector,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } },
      template: template(),
    },
  }),
  base('apps/v1', 'ReplicaSet', 'replicasets', {
    spec: { replicas: 2, minReadySeconds: 1, selector, template: template() },
  }),
  base('batch/v1', 'Job', 'jobs', { spec: jobSpec }),
  base('batch/v1', 'CronJob', 'cronjobs', {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Europe/Berlin',
      startingDeadlineSeconds: 10,
      concurrencyPolicy: 'Forbid',
      suspend: false,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: { labels }, spec: jobSpec },
    },
  }),
  base('v1', 'Service', 'services', {
    spec: {
      type: 'LoadBalancer',
      selector: labels,
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', nodePort: 30_080, appProtocol: 'http' },
        { name: 'https', port: 443, targetPort: 8443, protocol: 'TCP', nodePort: 30_443 },
      ],
      clusterIP: '10.0.0.77',
      externalIPs: ['1.2.3.4'],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
      loadBalancerIP: '1.2.3.4',
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      loadBalancerClass: 'example.com/x',
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      allocateLoadBalancerNodePorts: true,
      trafficDistribution: 'PreferClose',
    },
  }),
  base('v1', 'Service', 'services', { spec: { type: 'ExternalName', externalName: 'example.com' } }, ' of a name'),
  base('v1', 'Service', 'services', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }, ' without an address'),
  base('v1', 'ConfigMap', 'configmaps', { data: { a: '1' }, binaryData: { b: 'AAAA' }, immutable: true }),
  base('v1', 'Secret', 'secrets', {
    type: 'Opaque',
    data: { a: 'AAAA' },
    stringData: { b: '1' },
    immutable: false,
  }),
  base(
    'v1',
    'Secret',
    'secrets',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': 'AAAA', 'tls.key': 'AAAA' } },
    ' for TLS',
  ),
  base(
    'v1',
    'Secret',
    'secrets',
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' } },
    ' for registries',
  ),
  base('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { spec: claimSpec }),
  base('networking.k8s.io/v1', 'Ingress', 'ingresses', {
    spec: {
      ingressClassName: 'nginx',
      defaultBackend: { service: { name: 'a', port: { number: 80 } } },
      tls: [{ hosts: ['example.com'], secretName: 's' }],
      rules: [
        {
          host: '*.example.com',
          http: {
            paths: [
              { path: '/a', pathType: 'Prefix', backend: { service: { name: 'a', port: { name: 'http' } } } },
              { path: '/b', pathType: 'Exact', backend: { resource: { apiGroup: 'x.com', kind: 'X', name: 'x' } } },
            ],
          },
        },
      ],
    },
  }),
  base('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          ports: [{ protocol: 'TCP', port: 80, endPort: 90 }],
          from: [{ podSelector: { matchLabels: labels }, namespaceSelector: { matchLabels: labels } }],
        },
      ],
      egress: [{ ports: [{ port: 'http' }], to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }],
    },
  }),
  base('v1', 'ServiceAccount', 'serviceaccounts', {
    secrets: [{ name: 's', namespace: 'x' }],
    imagePullSecrets: [{ name: 's' }],
    automountServiceAccountToken: true,
  }),
  base('rbac.authorization.k8s.io/v1', 'Role', 'roles', { rules }),
  base('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', { subjects, roleRef }),
  clusterWide(
    base('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', {
      rules: [...rules, { nonResourceURLs: ['/healthz'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
    }),
  ),
  clusterWide(base('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', { subjects, roleRef })),
  base('coordination.k8s.io/v1', 'Lease', 'leases', {
    spec: {
      holderIdentity: 'x',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:00:00.123456Z',
      renewTime: '2026-01-01T00:00:00.123456Z',
    },
  }),
  base('v1', 'Event', 'events', {
    metadata: { name: 'a', namespace: 'NAMESPACE' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'NAMESPACE', name: 'x', fieldPath: 'spec', uid: 'u' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'c', host: 'h' },
    reportingComponent: 'x.io/c',
    reportingInstance: 'i',
    action: 'A',
  }),
  base(
    'events.k8s.io/v1',
    'Event',
    'events',
    {
      metadata: { name: 'b', namespace: 'NAMESPACE' },
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'NAMESPACE', name: 'x' },
      related: { apiVersion: 'v1', kind: 'Pod', namespace: 'NAMESPACE', name: 'x' },
      eventTime: '2026-01-01T00:00:00.000001Z',
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000001Z' },
      reportingController: 'x.io/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      note: 'm',
      type: 'Normal',
    },
    ' of events.k8s.io',
  ),
  base('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'app', target: { type: 'AverageValue', averageValue: '1' } },
        },
        { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
        {
          type: 'Object',
          object: {
            metric: { name: 'm' },
            target: { type: 'Value', value: '1' },
            describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
          },
        },
        {
          type: 'External',
          external: { metric: { name: 'm', selector: { matchLabels: labels } }, target: { type: 'Value', value: '1' } },
        },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }],
        },
        scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Percent', value: 10, periodSeconds: 15 }] },
      },
    },
  }),
  base('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', {
    spec: { minAvailable: 1, selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  }),
];
