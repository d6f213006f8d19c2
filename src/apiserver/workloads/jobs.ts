import { fromPlain, list, numeric, object, text, type Json, type JsonObject } from '../json.ts';
import {
  conditionOf,
  isActive,
  isConditionTrue,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  podOf,
  type Cluster,
} from './cluster.ts';
import { claim } from './ownership.ts';

const indexName = 'batch.kubernetes.io/job-completion-index';

/** Runs the pods of a Job until as many have succeeded as it wants. */
export async function reconcileJob(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const managedBy = text(found, 'spec', 'managedBy');
  if (isTerminating(found) || (managedBy !== '' && managedBy !== 'kubernetes.io/job-controller')) return undefined;
  if (isConditionTrue(found, 'Complete') || isConditionTrue(found, 'Failed')) return expire(cluster, found);
  const selector = object(found, 'spec')['selector'];
  const pods = await claim(cluster, kinds.pods, found, selector);
  const suspended = object(found, 'spec')['suspend'] === true;
  const state = stateOf(found, pods);
  if (suspended) for (const pod of pods.filter(isActive)) await cluster.delete(kinds.pods, pod);
  else if (!state.complete && !state.failed) await startPods(cluster, found, pods, state);
  await updateStatus(cluster, found, await claim(cluster, kinds.pods, found, selector), suspended);
  return undefined;
}

/** Deletes a finished Job when its time to live is over. */
async function expire(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const seconds = numeric(object(found, 'spec')['ttlSecondsAfterFinished']);
  if (seconds === undefined) return undefined;
  const ended = conditionOf(found, isConditionTrue(found, 'Complete') ? 'Complete' : 'Failed');
  const left = Date.parse(text(ended, 'lastTransitionTime')) + seconds * 1000 - cluster.now;
  if (left > 0) return left;
  await cluster.delete(kinds.jobs, found);
  return undefined;
}

interface JobState {
  readonly indexed: boolean;
  readonly wanted: number | undefined;
  readonly succeeded: number;
  readonly failedPods: number;
  readonly indexes: ReadonlySet<number>;
  readonly complete: boolean;
  readonly failed: boolean;
}

function indexOf(pod: JsonObject): number {
  return Number(text(pod, 'metadata', 'annotations', indexName) || '-1');
}

function stateOf(found: JsonObject, pods: readonly JsonObject[]): JobState {
  const indexed = text(found, 'spec', 'completionMode') === 'Indexed';
  const wanted = numeric(object(found, 'spec')['completions']);
  const through = pods.filter((pod) => text(pod, 'status', 'phase') === 'Succeeded');
  const failedPods = pods.filter((pod) => text(pod, 'status', 'phase') === 'Failed').length;
  const indexes = new Set(through.map(indexOf).filter((index) => index >= 0));
  const succeeded = indexed ? indexes.size : through.length;
  const active = pods.filter(isActive).length;
  // Without a number of completions one success is enough, once nothing runs any more.
  const complete = wanted === undefined ? succeeded > 0 && active === 0 : succeeded >= wanted;
  const failed = !complete && failedPods > numberAt(found, 6, 'spec', 'backoffLimit');
  return { indexed, wanted, succeeded, failedPods, indexes, complete, failed };
}

async function startPods(
  cluster: Cluster,
  found: JsonObject,
  pods: readonly JsonObject[],
  { indexed, wanted, succeeded, indexes }: JobState,
): Promise<void> {
  const active = pods.filter(isActive);
  const parallel = numberAt(found, 1, 'spec', 'parallelism');
  const left = wanted === undefined ? (succeeded > 0 ? 0 : parallel) : wanted - succeeded;
  const missing = Math.min(parallel, left) - active.length;
  const taken = new Set([...indexes, ...active.map(indexOf)]);
  let next = 0;
  for (let made = 0; made < missing; made++) {
    while (taken.has(next)) next++;
    if (indexed) taken.add(next);
    const index = indexed ? { [indexName]: String(next) } : {};
    const stem = indexed ? `${nameOf(found)}-${next}-` : `${nameOf(found)}-`;
    await cluster.create(
      kinds.pods,
      namespaceOf(found),
      podOf(object(found, 'spec')['template'], found, {
        generateName: stem,
        labels: index,
        annotations: index,
        ...(indexed && { spec: { hostname: `${nameOf(found)}-${next}` } }),
      }),
    );
  }
}

async function updateStatus(
  cluster: Cluster,
  found: JsonObject,
  pods: readonly JsonObject[],
  suspended: boolean,
): Promise<void> {
  const { indexed, succeeded, failedPods, indexes, complete, failed } = stateOf(found, pods);
  const active = pods.filter(isActive);
  const now = cluster.timestamp;
  const started = text(found, 'status', 'startTime') || (suspended ? '' : now);
  const condition = (type: string, reason: string, message: string): Json => {
    const known = conditionOf(found, type);
    if (text(known, 'status') === 'True') return known ?? null;
    return fromPlain({ type, status: 'True', lastProbeTime: now, lastTransitionTime: now, reason, message });
  };
  const reached = 'Reached expected number of succeeded pods';
  const limit = 'Job has reached the specified backoff limit';
  const conditions = [
    ...list(found, 'status', 'conditions').filter(
      (known) =>
        !['SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed', 'Suspended'].includes(text(known, 'type')),
    ),
    ...(suspended && !complete ? [condition('Suspended', 'JobSuspended', 'Job suspended')] : []),
    ...(complete
      ? [
          condition('SuccessCriteriaMet', 'CompletionsReached', reached),
          condition('Complete', 'CompletionsReached', reached),
        ]
      : []),
    ...(failed
      ? [condition('FailureTarget', 'BackoffLimitExceeded', limit), condition('Failed', 'BackoffLimitExceeded', limit)]
      : []),
  ];
  await cluster.updateStatus(kinds.jobs, found, {
    ...(started !== '' && !suspended && { startTime: started }),
    ...(complete && { completionTime: now }),
    active: active.length || undefined,
    terminating: 0,
    ready: active.filter(isReady).length,
    succeeded: succeeded || undefined,
    failed: failedPods || undefined,
    ...(indexed && indexes.size > 0 && { completedIndexes: ranges(indexes) }),
    uncountedTerminatedPods: {},
    conditions: conditions.length === 0 ? undefined : conditions,
  });
}

/** `0-2,5`. */
function ranges(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((left, right) => left - right);
  const parts: [number, number][] = [];
  for (const index of sorted) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts
    .map(([from, to]) => (from === to ? String(from) : to === from + 1 ? `${from},${to}` : `${from}-${to}`))
    .join(',');
}
