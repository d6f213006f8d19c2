import { child, type Json, jsonObject, list, type MutableObject, plain, text, texts } from '../json.ts';
import { defaultPod, defaultPodSpec, existing, fill, fillPointers, items } from './pod-defaults.ts';

/** Sets the defaults of a kind in a decoded document, before anything else looks at it. */
export type Defaulter = (object: MutableObject) => void;

/** What the real server's `SetDefaults_...` functions do, for the kinds that operators own. */
export function defaultsOf(qualifiedResource: string): Defaulter | undefined {
  return defaulters[qualifiedResource];
}

function template(parent: MutableObject): void {
  const found = child(parent, 'template');
  child(found, 'metadata');
  defaultPodSpec(child(found, 'spec'));
}

function rolling(strategy: MutableObject, values: Readonly<Record<string, Json>>): void {
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') fillPointers(child(strategy, 'rollingUpdate'), values);
}

function claim(object: MutableObject): void {
  fillPointers(child(object, 'spec'), { volumeMode: 'Filesystem' });
  fill(child(object, 'status'), { phase: 'Pending' });
}

function jobSpec(spec: MutableObject, full: boolean): void {
  template(spec);
  for (const rule of items(spec, 'podFailurePolicy', 'rules'))
    for (const condition of items(rule, 'onPodConditions')) fill(condition, { status: 'True' });
  if (!full) return;
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  fillPointers(spec, {
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
  });
  fillPointers(spec, {
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
}

function service(object: MutableObject): void {
  const spec = child(object, 'spec');
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  for (const port of items(spec, 'ports')) {
    fill(port, { protocol: 'TCP' });
    if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '')
      port['targetPort'] = port['port'] ?? 0;
  }
  if (spec['sessionAffinity'] === 'ClientIP') {
    fill(child(child(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 });
  } else if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['clusterIP'] === '') delete spec['clusterIP'];
  if (spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer') fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec['type'] === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  if (spec['type'] !== 'ExternalName') {
    fillPointers(spec, { internalTrafficPolicy: 'Cluster' });
  }
}

function binding(object: MutableObject): void {
  const group = 'rbac.authorization.k8s.io';
  fill(child(object, 'roleRef'), { apiGroup: group });
  for (const subject of items(object, 'subjects')) {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') fill(subject, { apiGroup: group });
  }
}

function webhooks(object: MutableObject, mutating: boolean): void {
  for (const webhook of items(object, 'webhooks')) {
    fill(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      ...(mutating && { reinvocationPolicy: 'Never' }),
    });
    child(webhook, 'namespaceSelector');
    child(webhook, 'objectSelector');
    for (const rule of items(webhook, 'rules')) fill(rule, { scope: '*' });
    const target = existing(existing(webhook, 'clientConfig'), 'service');
    if (target !== undefined) fill(target, { port: 443 });
  }
}

function matchResources(criteria: MutableObject | undefined): void {
  if (criteria === undefined) return;
  fill(criteria, { matchPolicy: 'Equivalent' });
  child(criteria, 'namespaceSelector');
  child(criteria, 'objectSelector');
  for (const rule of [...items(criteria, 'resourceRules'), ...items(criteria, 'excludeResourceRules')])
    fill(rule, { scope: '*' });
}

function admissionPolicy(object: MutableObject): void {
  const spec = child(object, 'spec');
  fill(spec, { failurePolicy: 'Fail' });
  matchResources(existing(spec, 'matchConstraints'));
}

function admissionBinding(object: MutableObject): void {
  matchResources(existing(child(object, 'spec'), 'matchResources'));
}

function networkPolicy(object: MutableObject): void {
  const spec = child(object, 'spec');
  if (texts(spec, 'policyTypes').length === 0) {
    spec['policyTypes'] = list(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  }
  for (const rule of [...items(spec, 'ingress'), ...items(spec, 'egress')])
    for (const port of items(rule, 'ports')) fillPointers(port, { protocol: 'TCP' });
}

/** How fast an autoscaler goes up and down, once it says anything about that. */
function scalingRules(behavior: MutableObject | undefined): void {
  if (behavior === undefined) return;
  const policy = (type: string, value: number): Json =>
    jsonObject([
      ['type', type],
      ['value', value],
      ['periodSeconds', 15],
    ]);
  fillPointers(child(behavior, 'scaleUp'), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [policy('Pods', 4), policy('Percent', 100)],
  });
  fillPointers(child(behavior, 'scaleDown'), { selectPolicy: 'Max', policies: [policy('Percent', 100)] });
}

/** Of containers, what is most is the default limit; the default request is the default limit, or else what is least. */
function limits(item: MutableObject): void {
  if (item['type'] !== 'Container') return;
  const limit = child(item, 'default');
  const request = child(item, 'defaultRequest');
  fill(limit, { ...existing(item, 'max') });
  fill(request, { ...limit });
  fill(request, { ...existing(item, 'min') });
}

const defaulters: Readonly<Record<string, Defaulter>> = {
  pods: defaultPod,
  podtemplates: template,
  replicationcontrollers(object) {
    const spec = child(object, 'spec');
    fill(spec, { replicas: 1 });
    if (existing(spec, 'template') === undefined) return;
    template(spec);
    const labels = existing(existing(existing(spec, 'template'), 'metadata'), 'labels');
    if (labels === undefined) return;
    if (Object.keys(existing(spec, 'selector') ?? {}).length === 0) spec['selector'] = { ...labels };
    const metadata = child(object, 'metadata');
    if (Object.keys(existing(metadata, 'labels') ?? {}).length === 0) metadata['labels'] = { ...labels };
  },
  'deployments.apps'(object) {
    const spec = child(object, 'spec');
    template(spec);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    rolling(child(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  'replicasets.apps'(object) {
    const spec = child(object, 'spec');
    template(spec);
    fill(spec, { replicas: 1 });
  },
  'statefulsets.apps'(object) {
    const spec = child(object, 'spec');
    template(spec);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
    const strategy = child(spec, 'updateStrategy');
    // Who names the type, and nothing else, gets nothing else.
    if ((strategy['type'] ?? '') === '' || strategy['rollingUpdate'] !== undefined)
      rolling(strategy, { partition: 0, maxUnavailable: 1 });
    fill(child(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
    for (const volume of items(spec, 'volumeClaimTemplates')) {
      volume['apiVersion'] = 'v1';
      volume['kind'] = 'PersistentVolumeClaim';
      claim(volume);
    }
  },
  'daemonsets.apps'(object) {
    const spec = child(object, 'spec');
    template(spec);
    fill(spec, { revisionHistoryLimit: 10 });
    rolling(child(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
    fill(child(child(object, 'metadata'), 'annotations'), { 'deprecated.daemonset.template.generation': '1' });
  },
  'jobs.batch'(object) {
    const spec = child(object, 'spec');
    jobSpec(spec, true);
    const labels = existing(existing(existing(spec, 'template'), 'metadata'), 'labels');
    // The job shares the labels of its template: what is added to those is added to both.
    if (labels !== undefined && Object.keys(existing(existing(object, 'metadata'), 'labels') ?? {}).length === 0)
      child(object, 'metadata')['labels'] = labels;
  },
  'cronjobs.batch'(object) {
    const spec = child(object, 'spec');
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    jobSpec(child(child(spec, 'jobTemplate'), 'spec'), false);
  },
  services: service,
  endpoints(object) {
    for (const subset of items(object, 'subsets'))
      for (const port of items(subset, 'ports')) fill(port, { protocol: 'TCP' });
  },
  secrets(object) {
    fill(object, { type: 'Opaque' });
    const given = existing(object, 'stringData');
    if (given !== undefined) {
      for (const [name, value] of Object.entries(given))
        child(object, 'data')[name] = Buffer.from(plain(value)).toString('base64');
      delete object['stringData'];
    }
  },
  'roles.rbac.authorization.k8s.io': (object) => void (object['rules'] ??= null),
  'clusterroles.rbac.authorization.k8s.io': (object) => void (object['rules'] ??= null),
  'podcertificaterequests.certificates.k8s.io': (object) =>
    fillPointers(child(object, 'spec'), { maxExpirationSeconds: 86_400 }),
  persistentvolumeclaims: claim,
  persistentvolumes(object) {
    const spec = child(object, 'spec');
    fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
    const hostPath = existing(spec, 'hostPath');
    if (hostPath !== undefined) fill(hostPath, { type: '' });
  },
  limitranges(object) {
    for (const item of items(child(object, 'spec'), 'limits')) limits(item);
  },
  nodes(object) {
    const status = existing(object, 'status');
    const capacity = status === undefined ? undefined : existing(status, 'capacity');
    if (status !== undefined && capacity !== undefined) fill(status, { allocatable: { ...capacity } });
  },
  events(object) {
    for (const name of ['firstTimestamp', 'lastTimestamp', 'eventTime']) object[name] ??= null;
    object['source'] ??= jsonObject();
  },
  'events.events.k8s.io'(object) {
    for (const name of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime']) object[name] ??= null;
    object['deprecatedSource'] ??= jsonObject();
    object['regarding'] ??= jsonObject();
  },
  namespaces(object) {
    fill(child(object, 'status'), { phase: 'Active' });
    const name = text(object, 'metadata', 'name');
    if (name !== '') child(child(object, 'metadata'), 'labels')['kubernetes.io/metadata.name'] = name;
  },
  'horizontalpodautoscalers.autoscaling'(object) {
    const spec = child(object, 'spec');
    fill(spec, { minReplicas: 1 });
    if (object['apiVersion'] === 'autoscaling/v2') {
      if (list(spec, 'metrics').length === 0) {
        const target = jsonObject([
          ['type', 'Utilization'],
          ['averageUtilization', 80],
        ]);
        spec['metrics'] = [
          jsonObject([
            ['type', 'Resource'],
            [
              'resource',
              jsonObject([
                ['name', 'cpu'],
                ['target', target],
              ]),
            ],
          ]),
        ];
      }
      scalingRules(existing(spec, 'behavior'));
      const status = child(object, 'status');
      fill(status, { desiredReplicas: 0 });
      status['currentMetrics'] ??= null;
    } else fill(spec, { targetCPUUtilizationPercentage: 80 });
  },
  'networkpolicies.networking.k8s.io': networkPolicy,
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'storageclasses.storage.k8s.io': (object) =>
    fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'csidrivers.storage.k8s.io': (object) =>
    fill(child(object, 'spec'), {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
      preventPodSchedulingIfMissing: false,
    }),
  'priorityclasses.scheduling.k8s.io': (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': (object) => webhooks(object, true),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': (object) => webhooks(object, false),
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicy,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionBinding,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': admissionBinding,
  'endpointslices.discovery.k8s.io'(object) {
    for (const port of items(object, 'ports')) {
      port['name'] ??= '';
      fill(port, { protocol: 'TCP' });
    }
  },
  'customresourcedefinitions.apiextensions.k8s.io'(object) {
    const spec = child(object, 'spec');
    const names = child(spec, 'names');
    const kind = text(names, 'kind');
    if (kind !== '') fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
    fill(child(spec, 'conversion'), { strategy: 'None' });
    const target = existing(existing(existing(existing(spec, 'conversion'), 'webhook'), 'clientConfig'), 'service');
    if (target !== undefined) fill(target, { port: 443 });
  },
};
