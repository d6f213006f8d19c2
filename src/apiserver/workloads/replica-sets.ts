import { jsonObject, list, object, text, type Json, type JsonObject } from '../json.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import { ApiError } from '../status.ts';
import {
  conditionOf,
  isActive,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  podOf,
  untilAvailable,
  type Cluster,
  type Kind,
} from './cluster.ts';
import { claim } from './ownership.ts';

/** What a ReplicaSet and a ReplicationController have in common: they make as many pods as they want. */
interface Replicated {
  readonly kind: Kind;
  readonly selector: Json | undefined;
}

/** Makes as many pods as a ReplicaSet wants; gives the milliseconds after which it is to be looked at again. */
export async function reconcileReplicaSet(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  return reconcile(cluster, found, { kind: kinds.replicaSets, selector: object(found, 'spec')['selector'] });
}

/** The same for a ReplicationController, whose selector is a map of labels. */
export async function reconcileReplicationController(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const selector = jsonObject([['matchLabels', object(found, 'spec', 'selector')]]);
  return reconcile(cluster, found, { kind: kinds.replicationControllers, selector });
}

async function reconcile(cluster: Cluster, found: JsonObject, form: Replicated): Promise<number | undefined> {
  const pods = (await claim(cluster, kinds.pods, found, form.selector)).filter(isActive);
  let failure: ApiError | undefined;
  if (!isTerminating(found)) {
    try {
      await scalePods(cluster, found, pods);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  const waits = await updateStatus(cluster, found, form, failure);
  if (failure !== undefined) throw failure;
  return waits;
}

async function scalePods(cluster: Cluster, found: JsonObject, pods: readonly JsonObject[]): Promise<void> {
  const missing = numberAt(found, 1, 'spec', 'replicas') - pods.length;
  const generateName = `${nameOf(found)}-`;
  for (let made = 0; made < missing; made++)
    await cluster.create(
      kinds.pods,
      namespaceOf(found),
      podOf(object(found, 'spec')['template'], found, { generateName }),
    );
  if (missing >= 0) return;
  // Those that are not ready go first, then the youngest.
  const victims = [...pods].sort((left, right) => Number(isReady(left)) - Number(isReady(right)) || byAge(right, left));
  for (const pod of victims.slice(0, -missing)) await cluster.delete(kinds.pods, pod);
}

function byAge(left: JsonObject, right: JsonObject): number {
  const version = (value: JsonObject): number => Number(text(value, 'metadata', 'resourceVersion'));
  const created = (value: JsonObject): string => text(value, 'metadata', 'creationTimestamp');
  return created(left) === created(right) ? version(left) - version(right) : created(left) < created(right) ? -1 : 1;
}

async function updateStatus(
  cluster: Cluster,
  found: JsonObject,
  { kind, selector }: Replicated,
  failure: ApiError | undefined,
): Promise<number | undefined> {
  const template = labelSelectorOf({ matchLabels: object(found, 'spec', 'template', 'metadata', 'labels') });
  const pods = (await claim(cluster, kinds.pods, found, selector)).filter(isActive);
  const waits = pods.map((pod) => untilAvailable(pod, numberAt(found, 0, 'spec', 'minReadySeconds'), cluster.now));
  const others = list(found, 'status', 'conditions').filter((known) => text(known, 'type') !== 'ReplicaFailure');
  const known = conditionOf(found, 'ReplicaFailure');
  const failed =
    failure === undefined
      ? []
      : [
          {
            type: 'ReplicaFailure',
            status: 'True',
            lastTransitionTime: text(known, 'lastTransitionTime') || cluster.timestamp,
            reason: 'FailedCreate',
            // The name in the text is another one with each attempt: the first stays.
            message: text(known, 'message') || failure.message,
          },
        ];
  const conditions = [...others, ...failed];
  await cluster.updateStatus(kind, found, {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter((pod) => template.matches(labelsOf(pod))).length || undefined,
    readyReplicas: pods.filter(isReady).length || undefined,
    availableReplicas: waits.filter((wait) => wait === 0).length || undefined,
    ...(kind === kinds.replicaSets && { terminatingReplicas: 0 }),
    observedGeneration: numberAt(found, 0, 'metadata', 'generation') || undefined,
    conditions: conditions.length === 0 ? undefined : conditions,
  });
  const soonest = Math.min(...waits.filter((wait) => wait > 0));
  return Number.isFinite(soonest) ? soonest : undefined;
}
