import { fromPlain, list, object, text, type Json, type JsonObject } from '../json.ts';
import {
  controllerOf,
  isFinished,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  ownerReference,
  podOf,
  scaled,
  uidOf,
  untilAvailable,
  type Cluster,
} from './cluster.ts';
import { claim } from './ownership.ts';
import { currentRevision, revisionLabel } from './revisions.ts';

/** Brings the pods of a StatefulSet to what it wants, one after the other unless they may come at once. */
export async function reconcileStatefulSet(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const selector = object(found, 'spec')['selector'];
  const pods = await claim(cluster, kinds.pods, found, selector);
  const used = new Set(pods.map((pod) => text(pod, 'metadata', 'labels', revisionLabel)));
  const update = await currentRevision(cluster, found, selector, used, 'controller.kubernetes.io/hash');
  const wanted = nameOf(update);
  const before = text(found, 'status', 'currentRevision');
  const current = before === '' ? wanted : before;
  let again: number | undefined;
  if (!isTerminating(found)) again = await act(cluster, found, pods, current, wanted);
  await updateStatus(cluster, found, current, wanted);
  return again;
}

function ordinalOf(set: JsonObject, pod: JsonObject): number {
  const prefix = `${nameOf(set)}-`;
  const name = nameOf(pod);
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d+$/.test(rest) ? Number(rest) : -1;
}

/** One step towards what is wanted; the events of the pods bring the next one. */
async function act(
  cluster: Cluster,
  found: JsonObject,
  pods: readonly JsonObject[],
  current: string,
  wanted: string,
): Promise<number | undefined> {
  const first = numberAt(found, 0, 'spec', 'ordinals', 'start');
  const end = first + numberAt(found, 1, 'spec', 'replicas');
  const parallel = text(found, 'spec', 'podManagementPolicy') === 'Parallel';
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(found, pod), pod]));
  const partition = numberAt(found, 0, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  const seconds = numberAt(found, 0, 'spec', 'minReadySeconds');
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      const revision = ordinal >= partition || current === wanted ? wanted : current;
      await createPod(cluster, found, ordinal, revision, wanted);
      if (!parallel) return undefined;
    } else if (isFinished(pod) && !isTerminating(pod)) {
      await cluster.delete(kinds.pods, pod);
      if (!parallel) return undefined;
    } else if (!parallel) {
      if (isTerminating(pod)) return undefined;
      const wait = untilAvailable(pod, seconds, cluster.now);
      if (wait > 0) return Number.isFinite(wait) ? wait : undefined;
    }
  }
  const surplus = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= end || ordinal < first)
    .sort(([left], [right]) => right - left);
  for (const [, pod] of surplus) {
    if (!isTerminating(pod)) await cluster.delete(kinds.pods, pod);
    if (!parallel) return undefined;
  }
  await deleteClaims(cluster, found, first, end);
  if (text(found, 'spec', 'updateStrategy', 'type') === 'OnDelete') return undefined;
  return replaceOld(cluster, found, byOrdinal, { first, end, partition, seconds, wanted });
}

interface Range {
  readonly first: number;
  readonly end: number;
  readonly partition: number;
  readonly seconds: number;
  readonly wanted: string;
}

/** Deletes pods of an old revision from the highest ordinal on: as many at once as may be missing. */
async function replaceOld(
  cluster: Cluster,
  found: JsonObject,
  pods: ReadonlyMap<number, JsonObject>,
  { first, end, partition, seconds, wanted }: Range,
): Promise<number | undefined> {
  const most = object(found, 'spec', 'updateStrategy', 'rollingUpdate')['maxUnavailable'];
  const allowed = Math.max(1, scaled(most, end - first, true));
  let missing = 0;
  for (let ordinal = end - 1; ordinal >= Math.max(first, partition); ordinal--) {
    const pod = pods.get(ordinal);
    const wait =
      pod === undefined || isTerminating(pod) ? Number.POSITIVE_INFINITY : untilAvailable(pod, seconds, cluster.now);
    if (pod !== undefined && text(pod, 'metadata', 'labels', revisionLabel) !== wanted && !isTerminating(pod)) {
      await cluster.delete(kinds.pods, pod);
      missing++;
    } else if (wait > 0) missing++;
    if (missing >= allowed) return wait > 0 && Number.isFinite(wait) ? wait : undefined;
  }
  return undefined;
}

function claimName(template: Json, set: JsonObject, ordinal: number): string {
  return `${text(template, 'metadata', 'name')}-${nameOf(set)}-${ordinal}`;
}

async function createPod(
  cluster: Cluster,
  found: JsonObject,
  ordinal: number,
  revision: string,
  wanted: string,
): Promise<void> {
  const templates = list(found, 'spec', 'volumeClaimTemplates');
  const goesAlong = text(found, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') === 'Delete';
  for (const template of templates) {
    await cluster.create(kinds.claims, namespaceOf(found), {
      metadata: {
        name: claimName(template, found, ordinal),
        labels: { ...object(template, 'metadata', 'labels'), ...object(found, 'spec', 'selector', 'matchLabels') },
        ...(Object.keys(object(template, 'metadata', 'annotations')).length > 0 && {
          annotations: object(template, 'metadata', 'annotations'),
        }),
        ...(goesAlong && { ownerReferences: [ownerReference(found)] }),
      },
      spec: object(template, 'spec'),
    });
  }
  const name = `${nameOf(found)}-${ordinal}`;
  const own = new Set(templates.map((template) => text(template, 'metadata', 'name')));
  const pod = object(found, 'spec', 'template', 'spec');
  const volumes = [
    ...templates.map((template) => ({
      name: text(template, 'metadata', 'name'),
      persistentVolumeClaim: { claimName: claimName(template, found, ordinal) },
    })),
    ...list(pod, 'volumes').filter((volume) => !own.has(text(volume, 'name'))),
  ];
  await cluster.create(
    kinds.pods,
    namespaceOf(found),
    podOf(templateOfRevision(cluster, found, revision, wanted), found, {
      name,
      generateName: `${nameOf(found)}-`,
      labels: {
        'apps.kubernetes.io/pod-index': String(ordinal),
        [revisionLabel]: revision,
        'statefulset.kubernetes.io/pod-name': name,
      },
      spec: {
        hostname: name,
        ...(text(found, 'spec', 'serviceName') !== '' && { subdomain: text(found, 'spec', 'serviceName') }),
        ...(volumes.length > 0 && { volumes }),
      },
    }),
  );
}

/** Below the partition pods keep the template of the revision that the set has been at. */
function templateOfRevision(cluster: Cluster, found: JsonObject, revision: string, wanted: string): Json | undefined {
  const present = object(found, 'spec')['template'];
  if (revision === wanted) return present;
  const kept = cluster.get(kinds.revisions, { namespace: namespaceOf(found), name: revision });
  if (kept === undefined) return present;
  const { $patch: _, ...template } = object(kept, 'data', 'spec', 'template');
  return fromPlain(template);
}

/** Claims of pods that are not wanted any more, where the set says that they go along. */
async function deleteClaims(cluster: Cluster, found: JsonObject, first: number, end: number): Promise<void> {
  if (text(found, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenScaled') !== 'Delete') return;
  const names = list(found, 'spec', 'volumeClaimTemplates').map((template) => text(template, 'metadata', 'name'));
  for (const known of cluster.list(kinds.claims, namespaceOf(found))) {
    const match = /^(.*)-(\d+)$/.exec(nameOf(known));
    const ordinal = Number(match?.[2]);
    if (match === null || !names.some((name) => match[1] === `${name}-${nameOf(found)}`)) continue;
    if ((ordinal < first || ordinal >= end) && !isTerminating(known)) await cluster.delete(kinds.claims, known);
  }
}

async function updateStatus(cluster: Cluster, found: JsonObject, current: string, wanted: string): Promise<void> {
  const now = cluster.get(kinds.statefulSets, { namespace: namespaceOf(found), name: nameOf(found) });
  if (now === undefined || uidOf(now) !== uidOf(found)) return;
  const pods = cluster
    .list(kinds.pods, namespaceOf(found))
    .filter((pod) => object(controllerOf(pod))['uid'] === uidOf(found));
  const of = (revision: string): number =>
    pods.filter((pod) => text(pod, 'metadata', 'labels', revisionLabel) === revision && !isTerminating(pod)).length;
  const replicas = numberAt(found, 1, 'spec', 'replicas');
  const seconds = numberAt(found, 0, 'spec', 'minReadySeconds');
  const ready = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  // The update is through when all pods have it and are ready.
  const done = of(wanted) === replicas && ready === replicas && pods.length === replicas;
  const settled = done ? wanted : current;
  await cluster.updateStatus(kinds.statefulSets, now, {
    observedGeneration: numberAt(found, 0, 'metadata', 'generation'),
    replicas: pods.length,
    readyReplicas: ready || undefined,
    currentReplicas: of(settled) || undefined,
    updatedReplicas: of(wanted) || undefined,
    availableReplicas: pods.filter((pod) => untilAvailable(pod, seconds, cluster.now) === 0 && !isTerminating(pod))
      .length,
    currentRevision: settled,
    updateRevision: wanted,
    collisionCount: 0,
  });
}
