/** So many ReplicaSets own the Pods. */
export const owners = 50;

/** The owner of the Pods with these numbers modulo `owners`. */
export function replicaSet(index: number): string {
  return JSON.stringify({
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: {
      name: `app-${index}-hash`,
      namespace: `namespace-${index % 10}`,
      uid: `owner-${index}`,
      resourceVersion: '1',
      generation: 1,
    },
    spec: { replicas: 1 },
  });
}

/** A Pod as the API server sends it, about 4 kB of which 1.1 kB are managed fields. */
export function pod(index: number, resourceVersion: number, generation = 1): string {
  const time = '2026-01-01T00:00:00Z';
  const container = (name: string): object => ({
    name,
    image: `registry.example.com/team-${index % 20}/${name}:1.${index % 100}.0`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 5 }, (_, variable) => ({
      name: `VARIABLE_${variable}`,
      value: `value-${index}-${variable}`,
    })),
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config', readOnly: true },
      { name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10 },
    terminationMessagePath: '/dev/termination-log',
    imagePullPolicy: 'IfNotPresent',
  });
  const fields = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  const managed = {
    'f:metadata': { 'f:labels': { '.': {}, ...fields('app', 'pod-template-hash') }, 'f:ownerReferences': { '.': {} } },
    'f:spec': {
      'f:containers': Object.fromEntries(
        ['main', 'sidecar'].map((name) => [
          `k:{"name":"${name}"}`,
          {
            '.': {},
            ...fields(
              'env',
              'image',
              'imagePullPolicy',
              'livenessProbe',
              'name',
              'ports',
              'resources',
              'terminationMessagePath',
              'volumeMounts',
            ),
          },
        ]),
      ),
      ...fields('dnsPolicy', 'enableServiceLinks', 'restartPolicy', 'schedulerName', 'securityContext', 'volumes'),
    },
  };
  return JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `pod-${index}`,
      namespace: `namespace-${index % 10}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(resourceVersion),
      generation,
      creationTimestamp: time,
      labels: { app: `app-${index % 50}`, 'pod-template-hash': `hash${index % 200}` },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `app-${index % owners}-hash`,
          uid: `owner-${index % owners}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: managed,
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:status': fields('conditions', 'containerStatuses', 'hostIP', 'phase', 'podIP', 'podIPs', 'startTime'),
          },
          subresource: 'status',
        },
      ],
    },
    spec: {
      volumes: [{ name: 'config', configMap: { name: `config-${index % 50}`, defaultMode: 420 } }],
      containers: [container('main'), container('sidecar')],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: `app-${index % 50}`,
      nodeName: `node-${index % 100}`,
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      hostIP: '10.0.0.1',
      podIP: `10.1.${index % 250}.${(index >> 8) % 250}`,
      startTime: time,
      containerStatuses: ['main', 'sidecar'].map((name) => ({
        name,
        state: { running: { startedAt: time } },
        ready: true,
        restartCount: 0,
        image: `registry.example.com/${name}`,
        imageID: `sha256:${String(index).padStart(40, '0')}`,
        started: true,
      })),
    },
  });
}
