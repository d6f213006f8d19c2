import { list, object, text, type JsonObject } from '../json.ts';
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
  untilAvailable,
  type Cluster,
} from './cluster.ts';
import { claim } from './ownership.ts';
import { currentRevision, revisionLabel } from './revisions.ts';

const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/** Keeps the one pod of a DaemonSet on the one node, when its template may run there. */
export async function reconcileDaemonSet(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const selector = object(found, 'spec')['selector'];
  const pods = await claim(cluster, kinds.pods, found, selector);
  const used = new Set(pods.map((pod) => text(pod, 'metadata', 'labels', revisionLabel)));
  const generation = text(found, 'metadata', 'annotations', generationAnnotation);
  const revision = await currentRevision(cluster, found, selector, used, {
    hashLabel: revisionLabel,
    annotations: { [generationAnnotation]: generation },
  });
  const hash = text(revision, 'metadata', 'labels', revisionLabel);
  const wanted = mayRun(cluster, found);
  if (!isTerminating(found)) await act(cluster, found, pods, wanted, hash);
  const now = (await claim(cluster, kinds.pods, found, selector)).filter((pod) => !isTerminating(pod));
  const waits = now.map((pod) => untilAvailable(pod, numberAt(found, 0, 'spec', 'minReadySeconds'), cluster.now));
  const count = (value: boolean): number => Number(value);
  const available = waits.includes(0);
  await cluster.updateStatus(kinds.daemonSets, found, {
    currentNumberScheduled: count(wanted && now.length > 0),
    numberMisscheduled: count(!wanted && now.length > 0),
    desiredNumberScheduled: count(wanted),
    numberReady: count(wanted && now.some(isReady)),
    observedGeneration: numberAt(found, 0, 'metadata', 'generation'),
    updatedNumberScheduled:
      count(wanted && now.some((pod) => text(pod, 'metadata', 'labels', revisionLabel) === hash)) || undefined,
    numberAvailable: count(wanted && available) || undefined,
    numberUnavailable: count(wanted && !available) || undefined,
  });
  const soonest = Math.min(...waits.filter((wait) => wait > 0));
  return Number.isFinite(soonest) ? soonest : undefined;
}

/** Whether the node has the labels that the template asks for. */
function mayRun(cluster: Cluster, found: JsonObject): boolean {
  const node = cluster.get(kinds.nodes, { namespace: '', name: nodeName });
  if (node === undefined) return false;
  const labels = labelsOf(node);
  return Object.entries(object(found, 'spec', 'template', 'spec', 'nodeSelector')).every(
    ([name, value]) => labels[name] === value,
  );
}

async function act(
  cluster: Cluster,
  found: JsonObject,
  pods: readonly JsonObject[],
  wanted: boolean,
  hash: string,
): Promise<void> {
  const onDelete = text(found, 'spec', 'updateStrategy', 'type') === 'OnDelete';
  const stale = (pod: JsonObject): boolean =>
    !wanted || isFinished(pod) || (!onDelete && text(pod, 'metadata', 'labels', revisionLabel) !== hash);
  const [kept, ...surplus] = pods.filter((pod) => !isTerminating(pod) && !stale(pod));
  for (const pod of [...surplus, ...pods.filter(stale)]) if (!isTerminating(pod)) await cluster.delete(kinds.pods, pod);
  // The next pod comes when the one before is gone.
  const leaving = pods.some((pod) => stale(pod) && cluster.get(kinds.pods, keyOf(pod)) !== undefined);
  if (!wanted || kept !== undefined || leaving) return;
  const generation = text(found, 'metadata', 'annotations', generationAnnotation);
  await cluster.create(
    kinds.pods,
    namespaceOf(found),
    podOf(object(found, 'spec')['template'], found, {
      generateName: `${nameOf(found)}-`,
      labels: { [revisionLabel]: hash, ...(generation !== '' && { [generationLabel]: generation }) },
      spec: placement(found),
    }),
  );
}

/** Where the pod goes, and what of the node it bears. */
function placement(found: JsonObject): Readonly<Record<string, unknown>> {
  const spec = object(found, 'spec', 'template', 'spec');
  const bears = (key: string, effect: string) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect });
  const added = [
    bears('not-ready', 'NoExecute'),
    bears('unreachable', 'NoExecute'),
    ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => bears(key, 'NoSchedule')),
    ...(spec['hostNetwork'] === true ? [bears('network-unavailable', 'NoSchedule')] : []),
  ];
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }];
  const affinity = object(spec, 'affinity');
  return {
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...object(affinity, 'nodeAffinity'),
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      },
    },
    tolerations: [...list(spec, 'tolerations'), ...added],
  };
}

function keyOf(pod: JsonObject) {
  return { namespace: namespaceOf(pod), name: nameOf(pod) };
}
