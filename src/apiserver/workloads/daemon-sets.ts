import { fromPlain, list, object, text, type Json, type JsonObject } from '../json.ts';
import { labelsOf } from '../selectors/label-selector.ts';
import {
  isFinished,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  nodeName,
  numberAt,
  podOf,
  scaled,
  untilAvailable,
  type Cluster,
} from './cluster.ts';
import { claim } from './ownership.ts';
import { currentRevision, revisionLabel } from './revisions.ts';

const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/** What a DaemonSet has on one node. */
interface Daemon {
  readonly node: string;
  readonly wanted: boolean;
  readonly pods: readonly JsonObject[];
}

/** Keeps one pod of a DaemonSet on each node where its template may run. */
export async function reconcileDaemonSet(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const selector = object(found, 'spec')['selector'];
  const pods = await claim(cluster, kinds.pods, found, selector);
  const used = new Set(pods.map((pod) => text(pod, 'metadata', 'labels', revisionLabel)));
  const revision = await currentRevision(cluster, found, selector, used, revisionLabel);
  const hash = text(revision, 'metadata', 'labels', revisionLabel);
  if (!isTerminating(found)) await act(cluster, found, daemonsOf(cluster, found, pods), hash);
  const left = (await claim(cluster, kinds.pods, found, selector)).filter((pod) => !isTerminating(pod));
  const seconds = numberAt(found, 0, 'spec', 'minReadySeconds');
  const daemons = daemonsOf(cluster, found, left);
  const count = (test: (daemon: Daemon) => boolean): number => daemons.filter(test).length;
  const desired = count(({ wanted }) => wanted);
  const available = count(
    ({ wanted, pods: [first] }) => wanted && first !== undefined && untilAvailable(first, seconds, cluster.now) === 0,
  );
  await cluster.updateStatus(kinds.daemonSets, found, {
    currentNumberScheduled: count((daemon) => daemon.wanted && daemon.pods.length > 0),
    numberMisscheduled: count((daemon) => !daemon.wanted && daemon.pods.length > 0),
    desiredNumberScheduled: desired,
    numberReady: count((daemon) => daemon.wanted && daemon.pods.some(isReady)),
    observedGeneration: numberAt(found, 0, 'metadata', 'generation'),
    updatedNumberScheduled: count((daemon) => daemon.wanted && daemon.pods.some((pod) => isOf(pod, hash))) || undefined,
    numberAvailable: available || undefined,
    numberUnavailable: desired - available || undefined,
  });
  const waits = left.map((pod) => untilAvailable(pod, seconds, cluster.now)).filter((wait) => wait > 0);
  const soonest = Math.min(...waits);
  return Number.isFinite(soonest) ? soonest : undefined;
}

/** By node, in the order of the nodes' names; the pods that are not ready and the youngest come last. */
function daemonsOf(cluster: Cluster, found: JsonObject, pods: readonly JsonObject[]): readonly Daemon[] {
  const names = cluster.runsPods ? [nodeName] : cluster.list(kinds.nodes).map(nameOf);
  return names.map((node) => ({
    node,
    wanted: mayRun(cluster, found, node),
    pods: pods
      .filter((pod) => nodeOf(pod) === node)
      .sort((left, right) => Number(isReady(right)) - Number(isReady(left)) || byAge(left, right)),
  }));
}

function byAge(left: JsonObject, right: JsonObject): number {
  const created = (pod: JsonObject): string => text(pod, 'metadata', 'creationTimestamp');
  return created(left) < created(right) ? -1 : Number(created(left) > created(right));
}

/** The node that a pod is on, or is meant for. */
function nodeOf(pod: JsonObject): string {
  const node = text(pod, 'spec', 'nodeName');
  if (node !== '') return node;
  const required = object(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const fields = list(required, 'nodeSelectorTerms').flatMap((term) => list(term, 'matchFields'));
  const [name] = fields.flatMap((field) => (text(field, 'key') === 'metadata.name' ? list(field, 'values') : []));
  return typeof name === 'string' ? name : '';
}

function isOf(pod: JsonObject, hash: string): boolean {
  return text(pod, 'metadata', 'labels', revisionLabel) === hash;
}

/** Whether a node has the labels that the template asks for, and no taint that it does not bear. */
function mayRun(cluster: Cluster, found: JsonObject, name: string): boolean {
  const node = cluster.get(kinds.nodes, { namespace: '', name });
  if (node === undefined) return false;
  const spec = object(found, 'spec', 'template', 'spec');
  const only = text(spec, 'nodeName');
  if (only !== '' && only !== name) return false;
  const labels = labelsOf(node);
  if (Object.entries(object(spec, 'nodeSelector')).some(([label, value]) => labels[label] !== value)) return false;
  const tolerations = [...list(spec, 'tolerations'), ...addedTolerations(spec).map((added) => fromPlain(added))];
  return list(node, 'spec', 'taints').every(
    (taint) =>
      text(taint, 'effect') === 'PreferNoSchedule' || tolerations.some((toleration) => bears(toleration, taint)),
  );
}

function bears(toleration: Json, taint: Json): boolean {
  const key = text(toleration, 'key');
  const effect = text(toleration, 'effect');
  if (effect !== '' && effect !== text(taint, 'effect')) return false;
  if (key !== '' && key !== text(taint, 'key')) return false;
  return text(toleration, 'operator') === 'Exists' || text(toleration, 'value') === text(taint, 'value');
}

async function act(cluster: Cluster, found: JsonObject, daemons: readonly Daemon[], hash: string): Promise<void> {
  const onDelete = text(found, 'spec', 'updateStrategy', 'type') === 'OnDelete';
  const seconds = numberAt(found, 0, 'spec', 'minReadySeconds');
  const isAvailable = (pod: JsonObject): boolean =>
    !isTerminating(pod) && untilAvailable(pod, seconds, cluster.now) === 0;
  const desired = daemons.filter(({ wanted }) => wanted);
  const most = scaled(
    object(found, 'spec', 'updateStrategy', 'rollingUpdate')['maxUnavailable'] ?? 1,
    desired.length,
    true,
  );
  let removable = Math.max(1, most) - desired.filter(({ pods }) => !pods.some(isAvailable)).length;
  for (const { node, wanted, pods } of daemons) {
    const [kept, ...surplus] = pods.filter((pod) => !isTerminating(pod) && !isFinished(pod));
    const doomed = pods.filter((pod) => isFinished(pod) && !isTerminating(pod));
    doomed.push(...surplus);
    if (kept !== undefined && !wanted) doomed.push(kept);
    else if (kept !== undefined && !onDelete && !isOf(kept, hash)) {
      // What is not available anyway goes at once, of the rest as many as may be missing.
      if (!isAvailable(kept)) doomed.push(kept);
      else if (removable-- > 0) doomed.push(kept);
    }
    for (const pod of doomed) await cluster.delete(kinds.pods, pod);
    // The next pod comes when the one before is gone.
    const left = pods.some((pod) => cluster.get(kinds.pods, keyOf(pod)) !== undefined);
    if (wanted && !left) await createPod(cluster, found, node, hash);
  }
}

async function createPod(cluster: Cluster, found: JsonObject, node: string, hash: string): Promise<void> {
  const generation = text(found, 'metadata', 'annotations', generationAnnotation);
  await cluster.create(
    kinds.pods,
    namespaceOf(found),
    podOf(object(found, 'spec')['template'], found, {
      generateName: `${nameOf(found)}-`,
      labels: { [revisionLabel]: hash, ...(generation !== '' && { [generationLabel]: generation }) },
      spec: placement(found, node),
    }),
  );
}

/** Where the pod goes, and what of the node it bears. */
function placement(found: JsonObject, node: string): Readonly<Record<string, unknown>> {
  const spec = object(found, 'spec', 'template', 'spec');
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  const affinity = object(spec, 'affinity');
  return {
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...object(affinity, 'nodeAffinity'),
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      },
    },
    tolerations: [...list(spec, 'tolerations'), ...addedTolerations(spec)],
  };
}

/** What the pods of every DaemonSet bear. */
function addedTolerations(spec: JsonObject) {
  const exists = (key: string, effect: string) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect });
  return [
    exists('not-ready', 'NoExecute'),
    exists('unreachable', 'NoExecute'),
    ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => exists(key, 'NoSchedule')),
    ...(spec['hostNetwork'] === true ? [exists('network-unavailable', 'NoSchedule')] : []),
  ];
}

function keyOf(pod: JsonObject) {
  return { namespace: namespaceOf(pod), name: nameOf(pod) };
}
