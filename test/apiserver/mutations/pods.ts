type Plain = Record<string, unknown>;

const container: Plain = { name: 'app', image: 'nginx:1' };
const metadata = { name: 'p', labels: { app: 'web' } };

const pod = (spec: Plain): Plain => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [container], ...spec },
});

const containers = pod({
  containers: [
    {
      ...container,
      command: ['sh'],
      args: ['-c'],
      workingDir: '/',
      imagePullPolicy: 'Always',
      ports: [{ name: 'http', containerPort: 80, hostPort: 8080, protocol: 'TCP', hostIP: '10.0.0.9' }],
      envFrom: [{ prefix: 'A_', configMapRef: { name: 'c', optional: true } }, { secretRef: { name: 's' } }],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } },
        { name: 'D', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } },
        { name: 'E', valueFrom: { resourceFieldRef: { containerName: 'app', resource: 'limits.cpu', divisor: '1m' } } },
      ],
      resources: {
        limits: { cpu: '1', memory: '1Gi', 'example.com/device': '1' },
        requests: { cpu: '100m', memory: '1Gi', 'example.com/device': '1', 'ephemeral-storage': '1Gi' },
      },
      terminationMessagePath: '/dev/log',
      terminationMessagePolicy: 'File',
      securityContext: {
        runAsUser: 1,
        runAsGroup: 1,
        runAsNonRoot: true,
        privileged: false,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        procMount: 'Default',
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'p' },
        seLinuxOptions: { level: 's0' },
      },
      stdin: true,
      tty: true,
    },
    { name: 'proxy', image: 'x:1' },
  ],
  initContainers: [{ name: 'init', image: 'x', restartPolicy: 'Always', resources: { limits: { cpu: '1' } } }],
});

const probes = pod({
  containers: [
    {
      ...container,
      livenessProbe: {
        httpGet: { path: '/', port: 80, scheme: 'HTTP', host: 'h', httpHeaders: [{ name: 'X-A', value: '1' }] },
        initialDelaySeconds: 1,
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
        terminationGracePeriodSeconds: 10,
      },
      readinessProbe: { tcpSocket: { port: 'http', host: 'h' }, successThreshold: 2 },
      startupProbe: { grpc: { port: 80, service: 's' } },
      lifecycle: {
        postStart: { exec: { command: ['a'] } },
        preStop: { sleep: { seconds: 5 } },
      },
    },
  ],
});

const volumes = pod({
  serviceAccountName: 's',
  containers: [
    {
      ...container,
      volumeMounts: [
        { name: 'config', mountPath: '/a', subPath: 'x', readOnly: true, mountPropagation: 'None' },
        { name: 'empty', mountPath: '/b', subPathExpr: '$(A)' },
      ],
      volumeDevices: [{ name: 'claim', devicePath: '/c' }],
    },
  ],
  volumes: [
    {
      name: 'config',
      configMap: { name: 'c', defaultMode: 420, optional: true, items: [{ key: 'k', path: 'p', mode: 256 }] },
    },
    {
      name: 'secret',
      secret: { secretName: 'c', defaultMode: 420, optional: true, items: [{ key: 'k', path: 'p', mode: 256 }] },
    },
    { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'host', hostPath: { path: '/x', type: 'Directory' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c', readOnly: false } },
    {
      name: 'down',
      downwardAPI: {
        defaultMode: 420,
        items: [
          { path: 'a', fieldRef: { fieldPath: 'metadata.labels' }, mode: 256 },
          { path: 'b', resourceFieldRef: { containerName: 'app', resource: 'limits.cpu', divisor: '1' } },
        ],
      },
    },
    {
      name: 'projected',
      projected: {
        defaultMode: 420,
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 's' }] } },
          { configMap: { name: 's', items: [{ key: 'k', path: 'c' }] } },
          { serviceAccountToken: { path: 't', expirationSeconds: 3600, audience: 'a' } },
          { downwardAPI: { items: [{ path: 'd', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
    { name: 'nfs', nfs: { server: 's', path: '/p', readOnly: true } },
    { name: 'csi', csi: { driver: 'd.example.com', fsType: 'ext4', nodePublishSecretRef: { name: 's' } } },
    { name: 'iscsi', iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:storage', lun: 0 } },
    {
      name: 'ephemeral',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { a: 'b' } },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
    { name: 'image', image: { reference: 'r', pullPolicy: 'Always' } },
  ],
});

const scheduling = pod({
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  activeDeadlineSeconds: 10,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'ndots', value: '2' }] },
  nodeSelector: { a: 'b' },
  serviceAccountName: 's',
  automountServiceAccountToken: false,
  hostname: 'h',
  subdomain: 's',
  setHostnameAsFQDN: false,
  schedulerName: 'x',
  shareProcessNamespace: true,
  enableServiceLinks: false,
  imagePullSecrets: [{ name: 's' }],
  hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
  readinessGates: [{ conditionType: 'a.b/c' }],
  schedulingGates: [{ name: 'a.b/c' }],
  os: { name: 'linux' },
  preemptionPolicy: 'PreemptLowerPriority',
  tolerations: [
    { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
    { key: 'b', operator: 'Exists' },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
      minDomains: 1,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: ['x'],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
      ],
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'zone',
          labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
          namespaces: ['a'],
          namespaceSelector: { matchLabels: { a: 'b' } },
        },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
      ],
    },
  },
  securityContext: {
    runAsUser: 1,
    runAsGroup: 1,
    runAsNonRoot: true,
    fsGroup: 1,
    fsGroupChangePolicy: 'Always',
    supplementalGroups: [1],
    supplementalGroupsPolicy: 'Merge',
    seccompProfile: { type: 'Localhost', localhostProfile: 'p' },
    appArmorProfile: { type: 'RuntimeDefault' },
    seLinuxOptions: { level: 's0' },
    sysctls: [{ name: 'a.b', value: '1' }],
  },
});

/** Pods that between them have most of what pods can say. */
export const pods = { containers, probes, volumes, scheduling };
