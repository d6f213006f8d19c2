import type { Sequence, Step } from '../sequence.ts';
import { core, namespace } from './parts.ts';

type Plain = Record<string, unknown>;

const path = core('pod-rules', 'pods?dryRun=All');
const container: Plain = { name: 'app', image: 'nginx:1' };

/** A pod of one container, checked and not stored. */
const pod = (spec: Plain, metadata: Plain = {}): Step => ({
  path,
  body: { metadata: { name: 'p', ...metadata }, spec: { containers: [container], ...spec } },
});
const withContainer = (more: Plain, spec: Plain = {}): Step =>
  pod({ containers: [{ ...container, ...more }], ...spec });
const withVolume = (volume: Plain, mount?: Plain): Step =>
  pod({
    volumes: [volume],
    ...(mount !== undefined && { containers: [{ ...container, volumeMounts: [mount] }] }),
  });
const mounted = { name: 'data', mountPath: '/data' };

/** What a pod may and may not say. */
export const podValidationSequences: readonly Sequence[] = [
  {
    name: 'rules of containers',
    steps: [
      namespace('pod-rules'),
      pod({ containers: [] }),
      pod({ containers: null }),
      pod({ containers: [container, container] }),
      withContainer({ name: 'a.b' }),
      withContainer({ name: 'A_b' }),
      withContainer({ name: 'a'.repeat(64) }),
      withContainer({ image: ' nginx' }),
      withContainer({ image: '' }),
      withContainer({ imagePullPolicy: 'Sometimes' }),
      withContainer({ terminationMessagePolicy: 'Never' }),
      pod({ initContainers: [container] }),
      pod({ initContainers: [{ name: 'init', image: 'x', livenessProbe: { exec: { command: ['a'] } } }] }),
      pod({
        initContainers: [
          { name: 'side', image: 'x', restartPolicy: 'Always', readinessProbe: { exec: { command: ['a'] } } },
        ],
      }),
      withContainer({ restartPolicy: 'Sometimes' }),
      pod({ initContainers: [{ name: 'init', image: 'x', restartPolicy: 'Sometimes' }] }),
      pod({ initContainers: [{ name: 'init', image: 'x', lifecycle: { preStop: { exec: { command: ['a'] } } } }] }),
      pod({ ephemeralContainers: [{ name: 'debug', image: 'x' }] }),
    ],
  },
  {
    name: 'rules of ports',
    steps: [
      withContainer({ ports: [{ containerPort: 80, name: 'http' }] }),
      withContainer({ ports: [{ containerPort: 0 }] }),
      withContainer({ ports: [{ containerPort: 70_000 }] }),
      withContainer({ ports: [{ containerPort: -1 }] }),
      withContainer({ ports: [{ containerPort: 80, hostPort: 70_000 }] }),
      withContainer({ ports: [{ containerPort: 80, protocol: 'HTTP' }] }),
      withContainer({ ports: [{ containerPort: 80, name: 'a-name-that-is-too-long' }] }),
      withContainer({ ports: [{ containerPort: 80, name: 'UPPER' }] }),
      withContainer({ ports: [{ containerPort: 80, name: '-a' }] }),
      withContainer({ ports: [{ containerPort: 80, name: 'a--b' }] }),
      withContainer({ ports: [{ containerPort: 80, name: '123' }] }),
      withContainer({
        ports: [
          { containerPort: 80, name: 'a' },
          { containerPort: 81, name: 'a' },
        ],
      }),
      withContainer({ ports: [{ containerPort: 80, hostPort: 81 }] }, { hostNetwork: true }),
      withContainer({
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 80 },
        ],
      }),
    ],
  },
  {
    name: 'rules of environments',
    steps: [
      withContainer({ env: [{ name: '' }] }),
      withContainer({ env: [{ name: 'A=B', value: 'x' }] }),
      withContainer({ env: [{ name: '1 a', value: 'x' }] }),
      withContainer({ env: [{ name: 'A', valueFrom: {} }] }),
      withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: '', key: '' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'b c' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: '' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.containers' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] }),
      withContainer({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'cpu' } } }] }),
      withContainer({
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { key: 'a' } } }],
      }),
      withContainer({ envFrom: [{}] }),
      withContainer({ envFrom: [{ prefix: 'a=', configMapRef: { name: 'A' } }] }),
      withContainer({ envFrom: [{ secretRef: { name: '' } }] }),
      withContainer({ envFrom: [{ secretRef: { name: 'a' }, configMapRef: { name: 'b' } }] }),
    ],
  },
  {
    name: 'rules of probes and hooks',
    steps: [
      withContainer({ livenessProbe: {} }),
      withContainer({ livenessProbe: { httpGet: { port: 80 } } }),
      withContainer({ livenessProbe: { httpGet: { port: 0 } } }),
      withContainer({ livenessProbe: { httpGet: { port: 'A b' } } }),
      withContainer({ livenessProbe: { httpGet: { port: 80, scheme: 'ftp' } } }),
      withContainer({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'a b', value: 'x' }] } } }),
      withContainer({ livenessProbe: { exec: {} } }),
      withContainer({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 80 } } }),
      withContainer({ livenessProbe: { tcpSocket: { port: 99_999 } } }),
      withContainer({ livenessProbe: { grpc: { port: 0 } } }),
      withContainer({ readinessProbe: { tcpSocket: { port: 80 }, successThreshold: 2, periodSeconds: -1 } }),
      withContainer({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
      withContainer({ startupProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: -1, timeoutSeconds: -1 } }),
      withContainer({ startupProbe: { tcpSocket: { port: 80 }, successThreshold: 3, failureThreshold: -2 } }),
      withContainer({ readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } }),
      withContainer({ livenessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 0 } }),
      withContainer({ lifecycle: { preStop: {} } }),
      withContainer({ lifecycle: { postStart: { exec: { command: [] } } } }),
      withContainer({ lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
      withContainer({ lifecycle: { preStop: { httpGet: { port: 'http', path: '' } } } }),
    ],
  },
  {
    name: 'rules of resources',
    steps: [
      withContainer({ resources: { limits: { cpu: '1' }, requests: { cpu: '500m', memory: '1Gi' } } }),
      withContainer({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
      withContainer({ resources: { limits: { cpu: '-1' } } }),
      withContainer({ resources: { requests: { memory: '-1Mi' } } }),
      withContainer({ resources: { limits: { bogus: '1' } } }),
      withContainer({ resources: { limits: { 'example.com/gpu': '1' } } }),
      withContainer({
        resources: { limits: { 'example.com/gpu': '1500m' }, requests: { 'example.com/gpu': '1500m' } },
      }),
      withContainer({ resources: { requests: { 'example.com/gpu': '1' } } }),
      withContainer({ resources: { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } } }),
      withContainer({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
      withContainer({ resources: { limits: { cpu: 'many' } } }),
      withContainer({ resources: { limits: { 'a b': '1' } } }),
      withContainer({
        resources: { limits: { 'ephemeral-storage': '1Gi' }, requests: { 'ephemeral-storage': '2Gi' } },
      }),
      withContainer({ resources: { claims: [{ name: 'nope' }] } }),
      withContainer({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'Maybe' }] }),
    ],
  },
  {
    name: 'rules of volumes',
    steps: [
      withVolume({ name: 'data', emptyDir: {} }, mounted),
      withVolume({ name: 'data' }, mounted),
      withVolume({ name: '', emptyDir: {} }),
      withVolume({ name: 'A', emptyDir: {} }),
      withVolume({ name: 'data', emptyDir: {}, hostPath: { path: '/x' } }),
      pod({
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'a', emptyDir: {} },
        ],
      }),
      withVolume({ name: 'data', emptyDir: {} }, { name: 'other', mountPath: '/x' }),
      withVolume({ name: 'data', emptyDir: {} }, { name: 'data', mountPath: '' }),
      withVolume({ name: 'data', emptyDir: {} }, { name: '', mountPath: '/x' }),
      withVolume({ name: 'data', emptyDir: {} }, { ...mounted, subPath: '../x' }),
      withVolume({ name: 'data', emptyDir: {} }, { ...mounted, subPath: '/x' }),
      withVolume({ name: 'data', emptyDir: {} }, { ...mounted, subPath: 'a', subPathExpr: 'b' }),
      withVolume({ name: 'data', emptyDir: {} }, { ...mounted, mountPropagation: 'Sideways' }),
      withVolume({ name: 'data', emptyDir: {} }, { ...mounted, mountPropagation: 'Bidirectional' }),
      withContainer({ volumeMounts: [mounted, { ...mounted }] }, { volumes: [{ name: 'data', emptyDir: {} }] }),
      withVolume({ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '-1' } }),
      withVolume({ name: 'data', hostPath: { path: '' } }),
      withVolume({ name: 'data', hostPath: { path: '/a/../b' } }),
      withVolume({ name: 'data', hostPath: { path: '/a', type: 'Thing' } }),
      withVolume({ name: 'data', configMap: {} }),
      withVolume({ name: 'data', configMap: { name: 'x', items: [{ key: '', path: '' }] } }),
      withVolume({ name: 'data', configMap: { name: 'x', items: [{ key: 'a', path: '../b' }] } }),
      withVolume({ name: 'data', configMap: { name: 'x', defaultMode: 4095 } }),
      withVolume({ name: 'data', secret: {} }),
      withVolume({ name: 'data', secret: { secretName: 'x', items: [{ key: 'a', path: '/b', mode: 1000 }] } }),
      withVolume({ name: 'data', persistentVolumeClaim: {} }),
      withVolume({ name: 'data', projected: { sources: [] } }),
      withVolume({ name: 'data', projected: { sources: [{}] } }),
      withVolume({
        name: 'data',
        projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 5 } }] },
      }),
      withVolume({
        name: 'data',
        projected: {
          sources: [
            { secret: { name: 'a', items: [{ key: 'a', path: 'x' }] } },
            { configMap: { name: 'b', items: [{ key: 'b', path: 'x' }] } },
          ],
        },
      }),
      withVolume({ name: 'data', downwardAPI: { items: [{ path: 'x' }] } }),
      withVolume({
        name: 'data',
        downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'status.podIP', apiVersion: 'v1' } }] },
      }),
      withVolume({ name: 'data', nfs: { server: '', path: 'x' } }),
      withVolume({ name: 'data', csi: { driver: '' } }),
      withVolume({ name: 'data', ephemeral: {} }),
      withVolume({ name: 'data', ephemeral: { volumeClaimTemplate: { spec: {} } } }),
      withContainer({ volumeDevices: [{ name: 'x', devicePath: '/dev/x' }] }),
      withContainer(
        { volumeDevices: [{ name: 'data', devicePath: '' }] },
        { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }] },
      ),
    ],
  },
  {
    name: 'rules of pods',
    steps: [
      pod({ restartPolicy: 'Sometimes' }),
      pod({ dnsPolicy: 'Other' }),
      pod({ dnsPolicy: 'None' }),
      pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['x'], searches: ['A..b'], options: [{ name: '' }] } }),
      pod({ dnsConfig: { nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'] } }),
      pod({ terminationGracePeriodSeconds: -1 }),
      pod({ activeDeadlineSeconds: 0 }),
      pod({ activeDeadlineSeconds: -1 }),
      pod({ hostname: 'A_b' }),
      pod({ subdomain: 'a.b' }),
      pod({ nodeName: 'A b' }),
      pod({ nodeSelector: { 'a b': 'x' } }),
      pod({ nodeSelector: { a: 'x y' } }),
      pod({ serviceAccountName: 'A b' }),
      pod({ priorityClassName: 'nope' }),
      pod({ priority: 5 }),
      pod({ preemptionPolicy: 'Always' }),
      pod({ schedulerName: 'A b' }),
      pod({ hostAliases: [{ ip: 'x', hostnames: ['A b'] }] }),
      pod({ hostAliases: [{ hostnames: ['a'] }] }),
      pod({ tolerations: [{ operator: 'Equal' }] }),
      pod({ tolerations: [{ key: 'a b', operator: 'Exists', value: 'x' }] }),
      pod({ tolerations: [{ key: 'a', operator: 'Near' }] }),
      pod({ tolerations: [{ key: 'a', effect: 'Nothing' }] }),
      pod({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] }),
      pod({ readinessGates: [{ conditionType: 'a b' }] }),
      pod({ topologySpreadConstraints: [{}] }),
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 0 },
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      }),
      pod({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      }),
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'a', operator: 'In', values: [] },
                    { key: 'a', operator: 'Exists', values: ['x'] },
                    { key: 'a', operator: 'Gt', values: ['x', 'y'] },
                    { key: 'a b', operator: 'Near' },
                  ],
                },
              ],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
          },
        },
      }),
      pod({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: '' },
              { topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
            ],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: 'a' } }],
          },
        },
      }),
      pod({ hostNetwork: true, hostUsers: false }),
      pod({ shareProcessNamespace: true, hostPID: true }),
      pod({ os: { name: 'plan9' } }),
      pod({ os: { name: 'windows' }, securityContext: { runAsUser: 5 } }),
      pod({ runtimeClassName: 'A b' }),
      pod({ schedulingGates: [{ name: '' }] }),
      pod({ nodeName: 'n', schedulingGates: [{ name: 'a' }] }),
      pod({}, { labels: { 'a b': 'c', d: 'e f' } }),
      pod({}, { annotations: { 'a b': 'c' } }),
      pod({}, { name: 'a'.repeat(254) }),
      pod({}, { finalizers: ['nothing'] }),
    ],
  },
  {
    name: 'rules of security',
    steps: [
      pod({ securityContext: { runAsUser: -1, runAsGroup: -2, fsGroup: -3, supplementalGroups: [-4] } }),
      pod({ securityContext: { fsGroupChangePolicy: 'Never' } }),
      pod({ securityContext: { seccompProfile: { type: 'Other' } } }),
      pod({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
      pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'x' } } }),
      pod({
        securityContext: {
          sysctls: [
            { name: 'A b', value: '1' },
            { name: 'kernel.shm', value: '1' },
            { name: 'kernel.shm', value: '2' },
          ],
        },
      }),
      withContainer({ securityContext: { runAsUser: -1, runAsGroup: -1 } }),
      withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      withContainer({ securityContext: { capabilities: { add: ['CAP_SYS_ADMIN'] }, allowPrivilegeEscalation: false } }),
      withContainer({ securityContext: { procMount: 'Other' } }),
      withContainer({ securityContext: { appArmorProfile: { type: 'Localhost' } } }),
      withContainer({ securityContext: { seccompProfile: { type: '' } } }),
    ],
  },
  {
    name: 'changes of pods',
    steps: [
      {
        path: core('pod-rules', 'pods'),
        body: { metadata: { name: 'kept' }, spec: { containers: [container], activeDeadlineSeconds: 10 } },
      },
      ...[
        { containers: [{ name: 'app', image: 'nginx:2' }] },
        { containers: [{ name: 'app', image: '' }] },
        { containers: [{ name: 'app', env: [{ name: 'A', value: 'x' }] }] },
        { containers: [{ name: 'app', resources: { limits: { cpu: '1' } } }] },
        { restartPolicy: 'Never' },
        { nodeName: 'other' },
        { activeDeadlineSeconds: 5 },
        { activeDeadlineSeconds: 50 },
        { activeDeadlineSeconds: null },
        { terminationGracePeriodSeconds: 5 },
        { tolerations: [{ key: 'a', operator: 'Exists' }] },
        { serviceAccountName: 'other' },
        { containers: [{ name: 'second', image: 'x' }] },
      ].map((spec) => ({
        method: 'PATCH',
        path: core('pod-rules', 'pods/kept?dryRun=All'),
        headers: { 'Content-Type': 'application/strategic-merge-patch+json' },
        body: { spec },
      })),
      {
        method: 'PUT',
        path: core('pod-rules', 'pods/kept'),
        body: {
          metadata: { name: 'kept', labels: { replaced: 'yes' } },
          spec: { containers: [container], activeDeadlineSeconds: 10 },
        },
      },
    ],
  },
];
