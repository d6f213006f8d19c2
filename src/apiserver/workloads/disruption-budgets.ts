import { fromPlain, isObject, list, object, text, type Json, type JsonObject } from '../json.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import {
  conditionOf,
  controllerOf,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  scaled,
  uidOf,
  type Cluster,
  type Kind,
} from './cluster.ts';

/** How long an evicted pod may stay before it counts again, in milliseconds. */
const deletionTimeout = 120_000;

/** The controllers whose size is known, by the kinds that owner references name. */
const sized: Readonly<Record<string, Kind>> = {
  ReplicationController: kinds.replicationControllers,
  ReplicaSet: kinds.replicaSets,
  StatefulSet: kinds.statefulSets,
};

/** Tells how many pods of a PodDisruptionBudget may go now; gives the milliseconds after which evicted ones count again. */
export async function reconcileDisruptionBudget(cluster: Cluster, budget: JsonObject): Promise<number | undefined> {
  const selector = object(budget, 'spec')['selector'];
  const parsed = labelSelectorOf(selector);
  const pods = isObject(selector)
    ? cluster.list(kinds.pods, namespaceOf(budget)).filter((pod) => parsed.matches(labelsOf(pod)))
    : [];
  const counted = count(cluster, budget, pods);
  if (typeof counted === 'string') {
    await cluster.updateStatus(kinds.disruptionBudgets, budget, {
      ...object(budget, 'status'),
      disruptionsAllowed: 0,
      conditions: withCondition(cluster, budget, {
        allowed: false,
        reason: 'SyncFailed',
        message: counted,
        generation: numberAt(budget, 0, 'status', 'observedGeneration'),
      }),
    });
    return undefined;
  }
  const { expected, desired } = counted;
  const disrupted = pods.flatMap((pod): [string, string][] => {
    const since = text(budget, 'status', 'disruptedPods', nameOf(pod));
    return since === '' || isTerminating(pod) || leftOf(since, cluster.now) < 0 ? [] : [[nameOf(pod), since]];
  });
  const gone = new Set(disrupted.map(([name]) => name));
  const healthy = pods.filter((pod) => !isTerminating(pod) && !gone.has(nameOf(pod)) && isReady(pod)).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const generation = numberAt(budget, 0, 'metadata', 'generation');
  await cluster.updateStatus(kinds.disruptionBudgets, budget, {
    observedGeneration: generation,
    disruptedPods: disrupted.length === 0 ? undefined : Object.fromEntries(disrupted),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: withCondition(cluster, budget, {
      allowed: allowed > 0,
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      generation,
    }),
  });
  const waits = disrupted.map(([, since]) => leftOf(since, cluster.now));
  return waits.length === 0 ? undefined : Math.min(...waits) + 1;
}

function leftOf(since: string, now: number): number {
  return Date.parse(since) + deletionTimeout - now;
}

/** How many pods there should be, and how many of them healthy; a text where that cannot be told. */
function count(
  cluster: Cluster,
  budget: JsonObject,
  pods: readonly JsonObject[],
): { readonly expected: number; readonly desired: number } | string {
  const { maxUnavailable, minAvailable } = object(budget, 'spec');
  if (maxUnavailable === undefined && minAvailable === undefined) return { expected: 0, desired: 0 };
  if (maxUnavailable === undefined && typeof minAvailable !== 'string')
    return { expected: pods.length, desired: scaled(minAvailable, 0, true) };
  const expected = sizeOf(cluster, pods);
  if (typeof expected === 'string') return expected;
  const desired =
    maxUnavailable === undefined
      ? scaled(minAvailable, expected, true)
      : Math.max(0, expected - scaled(maxUnavailable, expected, true));
  return { expected, desired };
}

/** The size of all controllers of pods together: a ReplicaSet has that of its Deployment. */
function sizeOf(cluster: Cluster, pods: readonly JsonObject[]): number | string {
  const sizes = new Map<string, number>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) continue;
    const controller = find(cluster, sized, reference, namespaceOf(pod));
    if (controller === undefined) return `found no controllers for pod "${nameOf(pod)}"`;
    const deployment = find(cluster, { Deployment: kinds.deployments }, controllerOf(controller), namespaceOf(pod));
    const owner = deployment ?? controller;
    sizes.set(uidOf(owner), numberAt(owner, 1, 'spec', 'replicas'));
  }
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}

function find(
  cluster: Cluster,
  known: Readonly<Record<string, Kind>>,
  reference: Json | undefined,
  namespace: string,
): JsonObject | undefined {
  const kind = known[text(reference, 'kind')];
  const found = kind === undefined ? undefined : cluster.get(kind, { namespace, name: text(reference, 'name') });
  return found !== undefined && uidOf(found) === text(reference, 'uid') ? found : undefined;
}

function withCondition(
  cluster: Cluster,
  budget: JsonObject,
  {
    allowed,
    reason,
    message,
    generation,
  }: { readonly allowed: boolean; readonly reason: string; readonly message: string; readonly generation: number },
): readonly Json[] {
  const type = 'DisruptionAllowed';
  const status = allowed ? 'True' : 'False';
  const known = conditionOf(budget, type);
  const changed = text(known, 'status') === status ? text(known, 'lastTransitionTime') : cluster.timestamp;
  const made = fromPlain({
    type,
    status,
    observedGeneration: generation || undefined,
    lastTransitionTime: changed,
    reason,
    message,
  });
  const conditions = list(budget, 'status', 'conditions');
  return known === undefined ? [...conditions, made] : conditions.map((found) => (found === known ? made : found));
}
