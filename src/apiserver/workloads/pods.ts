import { child, fromPlain, jsonObject, list, object, text, type Json, type JsonObject } from '../json.ts';
import {
  conditionOf,
  isConditionTrue,
  isFinished,
  isTerminating,
  nodeName,
  uidOf,
  kinds,
  type Cluster,
} from './cluster.ts';

/** What a scheduler and a kubelet do for a pod: it gets the node, runs at once, and ends when its containers are to end. */
export async function reconcilePod(cluster: Cluster, pod: JsonObject): Promise<void> {
  const node = text(pod, 'spec', 'nodeName');
  if (isTerminating(pod)) {
    // Its containers have nothing to finish.
    if (node === nodeName) await cluster.delete(kinds.pods, pod, 0);
    return;
  }
  if (isFinished(pod)) return;
  if (node === '') {
    if (text(pod, 'spec', 'schedulerName') !== 'default-scheduler') return;
    if (list(pod, 'spec', 'schedulingGates').length > 0) {
      const message = 'Scheduling is blocked due to non-empty scheduling gates';
      await cluster.updateStatus(kinds.pods, pod, pendingStatus(pod, null, 'SchedulingGated', message));
    } else if (isCordoned(cluster, pod)) {
      const message = '0/1 nodes are available: 1 node(s) were unschedulable.';
      await cluster.updateStatus(kinds.pods, pod, pendingStatus(pod, cluster.timestamp, 'Unschedulable', message));
    } else await schedule(cluster, pod);
    return;
  }
  if (node === nodeName) await cluster.updateStatus(kinds.pods, pod, runningStatus(cluster, pod));
}

async function schedule(cluster: Cluster, pod: JsonObject): Promise<void> {
  const now = cluster.timestamp;
  await cluster.update(
    kinds.pods,
    pod,
    (draft) => {
      child(draft, 'spec')['nodeName'] = nodeName;
      child(draft, 'status')['conditions'] = [
        ...list(draft, 'status', 'conditions').filter((found) => text(found, 'type') !== 'PodScheduled'),
        condition('PodScheduled', 'True', now),
      ];
    },
    'binding',
  );
}

/** Whether the node takes no pods, and the pod does not bear that. */
function isCordoned(cluster: Cluster, pod: JsonObject): boolean {
  const node = cluster.get(kinds.nodes, { namespace: '', name: nodeName });
  if (node === undefined || object(node, 'spec')['unschedulable'] !== true) return false;
  return !list(pod, 'spec', 'tolerations').some(
    (toleration) =>
      ['', 'node.kubernetes.io/unschedulable'].includes(text(toleration, 'key')) &&
      text(toleration, 'operator') === 'Exists',
  );
}

/** The status of a pod that finds no node. */
function pendingStatus(
  pod: JsonObject,
  time: string | null,
  reason: string,
  message: string,
): Readonly<Record<string, unknown>> {
  const known = conditionOf(pod, 'PodScheduled');
  if (text(known, 'reason') === reason) return object(pod, 'status');
  const told = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: time,
    reason,
    message,
  };
  const others = list(pod, 'status', 'conditions').filter((found) => found !== known);
  return { ...object(pod, 'status'), conditions: [...others, told] };
}

function condition(type: string, status: string, time: string, reason?: string): Json {
  return fromPlain({ type, status, lastProbeTime: null, lastTransitionTime: time, reason });
}

/** The status of a pod whose containers run, or are through where they are not to be started again. */
function runningStatus(cluster: Cluster, pod: JsonObject): Readonly<Record<string, unknown>> {
  const before = object(pod, 'status');
  const now = cluster.timestamp;
  const started = text(before, 'startTime') || now;
  const ends = text(pod, 'spec', 'restartPolicy') !== 'Always';
  const gates = list(pod, 'spec', 'readinessGates').map((gate) => text(gate, 'conditionType'));
  const open = gates.filter((type) => !isConditionTrue(pod, type));
  // The status and the reason of each.
  const wanted = new Map<string, readonly string[]>([
    ['PodReadyToStartContainers', [ends ? 'False' : 'True']],
    ['Initialized', ['True', ...(ends ? ['PodCompleted'] : [])]],
    ['Ready', ends ? ['False', 'PodCompleted'] : open.length > 0 ? ['False', 'ReadinessGatesNotReady'] : ['True']],
    ['ContainersReady', ends ? ['False', 'PodCompleted'] : ['True']],
    ['PodScheduled', ['True']],
  ]);
  const conditions = [...wanted].map(([type, [status = '', reason]]) => {
    const known = conditionOf(pod, type);
    return known !== undefined && text(known, 'status') === status && text(known, 'reason') === (reason ?? '')
      ? known
      : condition(type, status, now, reason);
  });
  const others = list(before, 'conditions').filter((found) => !wanted.has(text(found, 'type')));
  const address = addressOf(pod);
  return {
    ...before,
    phase: ends ? 'Succeeded' : 'Running',
    conditions: [...conditions, ...others],
    hostIP: '10.1.0.1',
    hostIPs: [{ ip: '10.1.0.1' }],
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: started,
    qosClass: before['qosClass'] ?? 'BestEffort',
    ...(list(pod, 'spec', 'initContainers').length > 0 && {
      initContainerStatuses: list(pod, 'spec', 'initContainers').map((container) =>
        containerStatus(container, started, text(container, 'restartPolicy') !== 'Always' || ends),
      ),
    }),
    containerStatuses: list(pod, 'spec', 'containers').map((container) => containerStatus(container, started, ends)),
  };
}

function containerStatus(container: Json, started: string, ended: boolean): Json {
  const image = text(container, 'image');
  return fromPlain({
    name: text(container, 'name'),
    state: ended
      ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: started, finishedAt: started } }
      : { running: { startedAt: started } },
    lastState: jsonObject(),
    ready: !ended,
    restartCount: 0,
    image,
    imageID: '',
    started: !ended,
  });
}

/** An address that stays with a pod: nothing answers there. */
function addressOf(pod: JsonObject): string {
  const known = text(pod, 'status', 'podIP');
  if (known !== '') return known;
  const bits = Number.parseInt(uidOf(pod).replaceAll('-', '').slice(0, 5), 16);
  return `10.244.${(bits >>> 8) & 0xff}.${1 + ((bits & 0xff) % 254)}`;
}

/** The node, when it is not there. */
export async function ensureNode(cluster: Cluster): Promise<void> {
  if (cluster.get(kinds.nodes, { namespace: '', name: nodeName }) !== undefined) return;
  const now = cluster.timestamp;
  const healthy = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  const amount = { cpu: '8', memory: '16Gi', pods: '1000', 'ephemeral-storage': '100Gi' };
  await cluster.create(kinds.nodes, '', {
    metadata: {
      name: nodeName,
      labels: {
        'kubernetes.io/hostname': nodeName,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      },
    },
    spec: {},
    status: {
      capacity: amount,
      allocatable: amount,
      addresses: [
        { type: 'InternalIP', address: '10.1.0.1' },
        { type: 'Hostname', address: nodeName },
      ],
      conditions: [
        healthy('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        healthy('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        healthy('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        healthy('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: 'embedded',
        containerRuntimeVersion: 'none://',
        kubeletVersion: 'v1.37.2',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  });
}
