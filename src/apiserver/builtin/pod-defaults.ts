import {
  child,
  isArray,
  isObject,
  jsonObject,
  list,
  member,
  numeric,
  text,
  type Json,
  type MutableObject,
} from '../json.ts';

/** Sets texts and numbers that are not there; an empty text is none, as in Go where the member is no pointer. */
export function fill(target: MutableObject, values: Readonly<Record<string, Json>>): void {
  for (const [name, value] of Object.entries(values))
    if (target[name] === undefined || target[name] === null || target[name] === '') target[name] = value;
}

/** Sets members that are pointers in Go: only what was not given at all is missing. */
export function fillPointers(target: MutableObject, values: Readonly<Record<string, Json>>): void {
  for (const [name, value] of Object.entries(values))
    if (target[name] === undefined || target[name] === null) target[name] = value;
}

/** The objects of a list, for changing. */
export function items(parent: Json | undefined, ...path: readonly string[]): readonly MutableObject[] {
  return list(parent, ...path).filter(isObject) as readonly MutableObject[];
}

/** The object at a member, for changing; nothing when there is none. */
export function existing(parent: Json | undefined, name: string): MutableObject | undefined {
  const found = member(parent, name);
  return isObject(found) ? found : undefined;
}

/** Defaults of `PodSpec`, as `SetDefaults_PodSpec` and its companions of the real server give them to pods and templates. */
export function defaultPodSpec(spec: MutableObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
  });
  child(spec, 'securityContext');
  if (spec['serviceAccountName'] !== undefined) spec['serviceAccount'] = spec['serviceAccountName'];
  else if (spec['serviceAccount'] !== undefined) spec['serviceAccountName'] = spec['serviceAccount'];
  for (const container of [
    ...items(spec, 'containers'),
    ...items(spec, 'initContainers'),
    ...items(spec, 'ephemeralContainers'),
  ]) {
    defaultContainer(container, spec['hostNetwork'] === true);
  }
  for (const volume of items(spec, 'volumes')) defaultVolume(volume);
}

function defaultContainer(container: MutableObject, hostNetwork: boolean): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(typeof container['image'] === 'string' ? container['image'] : '')
      ? 'Always'
      : 'IfNotPresent',
  });
  child(container, 'resources');
  for (const port of items(container, 'ports')) {
    fill(port, { protocol: 'TCP' });
    if (hostNetwork && port['containerPort'] !== undefined) fill(port, { hostPort: port['containerPort'] });
  }
  for (const variable of items(container, 'env')) {
    const reference = existing(existing(variable, 'valueFrom'), 'fieldRef');
    if (reference !== undefined) fill(reference, { apiVersion: 'v1' });
    defaultDivisor(variable['valueFrom']);
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = existing(container, name);
    if (probe === undefined) continue;
    fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    defaultHttpGet(existing(probe, 'httpGet'));
    const grpc = existing(probe, 'grpc');
    if (grpc !== undefined) fillPointers(grpc, { service: '' });
  }
  for (const hook of ['postStart', 'preStop'])
    defaultHttpGet(existing(existing(existing(container, 'lifecycle'), hook), 'httpGet'));
}

/** Whether an image is the latest of its name; what is no name of an image is none. */
function isLatest(image: string): boolean {
  const reference = /^((?:[^/]*[.:][^/]*|localhost)\/)?([^@:]*)(?::([\w][\w.-]{0,127}))?(@.+)?$/.exec(image);
  if (reference === null) return false;
  const [, host = '', path = '', tag, digest] = reference;
  const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
  if (!new RegExp(`^${component}(?:/${component})*$`).test(path) || /^[a-f0-9]{64}$/.test(image)) return false;
  const familiar = host === '' && !path.includes('/') ? `docker.io/library/${path}` : `${host || 'docker.io/'}${path}`;
  if (familiar.length > 255) return false;
  return tag === undefined ? digest === undefined : tag === 'latest';
}

/** Resources are given as they are unless another unit is asked for. */
function defaultDivisor(source: Json | undefined): void {
  const reference = existing(source, 'resourceFieldRef');
  if (reference !== undefined) fill(reference, { divisor: '0' });
}

function defaultHttpGet(action: MutableObject | undefined): void {
  if (action !== undefined) fill(action, { path: '/', scheme: 'HTTP' });
}

function defaultVolume(volume: MutableObject): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume['emptyDir'] = jsonObject();
  for (const source of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const found = existing(volume, source);
    if (found !== undefined) fill(found, { defaultMode: 420 });
  }
  const image = existing(volume, 'image');
  if (image !== undefined) fill(image, { pullPolicy: isLatest(text(image, 'reference')) ? 'Always' : 'IfNotPresent' });
  const hostPath = existing(volume, 'hostPath');
  if (hostPath !== undefined && hostPath['type'] === undefined) hostPath['type'] = '';
  const iscsi = existing(volume, 'iscsi');
  if (iscsi !== undefined) fill(iscsi, { iscsiInterface: 'default' });
  const projection = existing(volume, 'projected');
  if (projection !== undefined && list(projection, 'sources').length === 0) projection['sources'] = null;
  const projected = items(volume, 'projected', 'sources');
  for (const source of projected) {
    const token = existing(source, 'serviceAccountToken');
    if (token !== undefined) fill(token, { expirationSeconds: 3600 });
  }
  const downward = [
    ...items(volume, 'downwardAPI', 'items'),
    ...projected.flatMap((source) => items(source, 'downwardAPI', 'items')),
  ];
  for (const item of downward) {
    const reference = existing(item, 'fieldRef');
    if (reference !== undefined) fill(reference, { apiVersion: 'v1' });
    defaultDivisor(item);
  }
  const ephemeral = existing(existing(volume, 'ephemeral'), 'volumeClaimTemplate');
  if (ephemeral !== undefined) fill(child(ephemeral, 'spec'), { volumeMode: 'Filesystem' });
}

/** What a pod gets beyond its spec's defaults: requests from limits. */
export function defaultPod(pod: MutableObject): void {
  const spec = child(pod, 'spec');
  defaultPodSpec(spec);
  fill(spec, { enableServiceLinks: true });
  for (const container of [...items(spec, 'containers'), ...items(spec, 'initContainers')]) {
    const resources = child(container, 'resources');
    const limits = existing(resources, 'limits');
    if (limits !== undefined)
      for (const [name, quantity] of Object.entries(limits)) fill(child(resources, 'requests'), { [name]: quantity });
  }
}

/** What admission adds to a new pod on every cluster, and the status that it starts with. */
export function preparePod(pod: MutableObject, now: string): void {
  const spec = child(pod, 'spec');
  fill(spec, { preemptionPolicy: 'PreemptLowerPriority', priority: 0 });
  if (Object.keys(existing(spec, 'nodeSelector') ?? {}).length === 0) delete spec['nodeSelector'];
  tolerateNodes(spec);
  if ((numeric(spec['terminationGracePeriodSeconds']) ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
  const status = child(pod, 'status');
  status['qosClass'] = qosClass(spec);
  if (list(spec, 'schedulingGates').length > 0 && (spec['nodeName'] ?? '') === '') {
    status['conditions'] = [
      jsonObject([
        ['type', 'PodScheduled'],
        ['status', 'False'],
        ['lastProbeTime', null],
        ['lastTransitionTime', now],
        ['reason', 'SchedulingGated'],
        ['message', 'Scheduling is blocked due to non-empty scheduling gates'],
      ]),
    ];
  }
}

/** Takes away the members of a spec whose feature is off by default. */
export function dropUnservedPodFields(spec: MutableObject): void {
  for (const name of ['evictionResponders', 'schedulingGroup']) delete spec[name];
  for (const volume of items(spec, 'volumes')) dropUnservedVolumeFields(volume);
  for (const container of [...items(spec, 'containers'), ...items(spec, 'initContainers')]) {
    for (const mount of items(container, 'volumeMounts')) delete mount['bindMountOptions'];
    const hooks = existing(container, 'lifecycle');
    if (hooks !== undefined) delete hooks['stopSignal'];
    for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
      const probe = existing(container, name);
      const request = existing(probe, 'httpGet');
      if (request !== undefined) delete request['protocol'];
      const grpc = existing(probe, 'grpc');
      if (grpc !== undefined) delete grpc['mode'];
    }
  }
}

/** Who owns the files of a volume cannot be said yet. */
function dropUnservedVolumeFields(volume: MutableObject): void {
  const directory = existing(volume, 'emptyDir');
  if (directory !== undefined) delete directory['mode'];
  const projected = items(volume, 'projected', 'sources');
  for (const holder of [volume, ...projected]) {
    for (const name of [
      'configMap',
      'secret',
      'downwardAPI',
      'projected',
      'serviceAccountToken',
      'clusterTrustBundle',
      'podCertificate',
    ]) {
      const source = existing(holder, name);
      if (source === undefined) continue;
      for (const member of ['defaultUser', 'user']) delete source[member];
      for (const item of items(source, 'items')) delete item['user'];
    }
  }
}

/** Every pod bears it for a while that its node is away, unless it says otherwise. */
export function tolerateNodes(spec: MutableObject): void {
  const tolerations = isArray(spec['tolerations']) ? [...spec['tolerations']] : [];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const tolerated = tolerations.some((toleration) => {
      const effect = member(toleration, 'effect');
      const found = member(toleration, 'key');
      return (found === key || found === undefined) && (effect === 'NoExecute' || effect === undefined);
    });
    if (!tolerated) {
      tolerations.push(
        jsonObject([
          ['key', key],
          ['operator', 'Exists'],
          ['effect', 'NoExecute'],
          ['tolerationSeconds', 300],
        ]),
      );
    }
  }
  spec['tolerations'] = tolerations;
}

/** Guaranteed when every container has limits for both that equal its requests, BestEffort when none asks for anything. */
function qosClass(spec: MutableObject): string {
  const containers = [...items(spec, 'containers'), ...items(spec, 'initContainers')];
  const of = (container: MutableObject, kind: string, name: string): Json | undefined => {
    const found = member(member(member(container, 'resources'), kind), name);
    return found === '0' ? undefined : found;
  };
  const names = ['cpu', 'memory'];
  if (
    containers.every((container) =>
      names.every(
        (name) => of(container, 'limits', name) === undefined && of(container, 'requests', name) === undefined,
      ),
    )
  )
    return 'BestEffort';
  const guaranteed = containers.every((container) =>
    names.every(
      (name) =>
        of(container, 'limits', name) !== undefined &&
        of(container, 'limits', name) === (of(container, 'requests', name) ?? of(container, 'limits', name)),
    ),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
