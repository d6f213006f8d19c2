import { fromPlain, list, object, text, type Json, type JsonObject } from '../json.ts';
import { conditionOf, kinds, nameOf, namespaceOf, numberAt, uidOf, type Cluster } from './cluster.ts';
import { allOf, availableOf, limits, replicasOf, sum, type Sets } from './deployment-sets.ts';

/** Something that a Deployment tells of its progress: `Progressing` is true, false or unknown. */
export interface Progress {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** No deadline. */
const never = 2 ** 31 - 1;

interface Numbers {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

/**
 * Writes the status of a Deployment as its sets are. `told` is what happened to them; a rollout looks at its progress, too, and gives the
 * milliseconds after which it is late.
 */
export async function updateStatus(
  cluster: Cluster,
  found: JsonObject,
  sets: Sets,
  { rollout, told }: { readonly rollout: boolean; readonly told?: Progress },
): Promise<number | undefined> {
  const now = cluster.get(kinds.deployments, { namespace: namespaceOf(found), name: nameOf(found) });
  if (now === undefined || uidOf(now) !== uidOf(found)) return undefined;
  const all = allOf(sets);
  const number = (field: string) => (set: JsonObject) => numberAt(set, 0, 'status', field);
  const numbers: Numbers = {
    replicas: sum(all, number('replicas')),
    updated: sets.current === undefined ? 0 : number('replicas')(sets.current),
    ready: sum(all, number('readyReplicas')),
    available: sum(all, availableOf),
  };
  const conditions = new Conditions(cluster, now);
  const enough = numbers.available >= replicasOf(found) - limits(found).unavailable;
  conditions.set('Available', {
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  });
  const late = setProgress(cluster, conditions, now, sets, numbers, { rollout, told });
  if (rollout) setFailure(conditions, sets);
  await cluster.updateStatus(kinds.deployments, now, {
    observedGeneration: numberAt(found, 0, 'metadata', 'generation'),
    replicas: numbers.replicas || undefined,
    updatedReplicas: numbers.updated || undefined,
    readyReplicas: numbers.ready || undefined,
    availableReplicas: numbers.available || undefined,
    unavailableReplicas: Math.max(0, sum(all, replicasOf) - numbers.available) || undefined,
    terminatingReplicas: sum(all, number('terminatingReplicas')),
    collisionCount: object(now, 'status')['collisionCount'],
    conditions: conditions.all,
  });
  return late;
}

function deadlineOf(found: JsonObject): number {
  return numberAt(found, never, 'spec', 'progressDeadlineSeconds');
}

function setProgress(
  cluster: Cluster,
  conditions: Conditions,
  found: JsonObject,
  { current }: Sets,
  numbers: Numbers,
  { rollout, told }: { readonly rollout: boolean; readonly told?: Progress | undefined },
): number | undefined {
  const deadline = deadlineOf(found);
  if (deadline === never) {
    if (rollout) conditions.remove('Progressing');
    return undefined;
  }
  const paused = object(found, 'spec')['paused'] === true;
  const reason = (): string => text(conditions.get('Progressing'), 'reason');
  if (reason() !== 'ProgressDeadlineExceeded') {
    if (paused) set('Unknown', 'DeploymentPaused', 'Deployment is paused');
    else if (reason() === 'DeploymentPaused') set('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  }
  if (told !== undefined) conditions.set('Progressing', told);
  const settled = numbers.replicas === numbers.updated && reason() === 'NewReplicaSetAvailable';
  if (!rollout || settled) return undefined;
  const what = current === undefined ? `Deployment "${nameOf(found)}"` : `ReplicaSet "${nameOf(current)}"`;
  const before = (field: string): number => numberAt(found, 0, 'status', field);
  const wanted = replicasOf(found);
  if (numbers.updated === wanted && numbers.replicas === wanted && numbers.available === wanted) {
    set('True', 'NewReplicaSetAvailable', `${what} has successfully progressed.`);
    return undefined;
  }
  if (
    numbers.updated > before('updatedReplicas') ||
    numbers.replicas - numbers.updated < before('replicas') - before('updatedReplicas') ||
    numbers.ready > before('readyReplicas') ||
    numbers.available > before('availableReplicas')
  ) {
    // Whoever sees the time sees the progress.
    conditions.renew('Progressing', {
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${what} is progressing.`,
    });
  }
  const known = conditions.get('Progressing');
  if (known === undefined || reason() === 'ProgressDeadlineExceeded' || reason() === 'NewReplicaSetAvailable')
    return undefined;
  const left = Date.parse(text(known, 'lastUpdateTime')) + deadline * 1000 - cluster.now;
  if (left > 0) return left;
  set('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`);
  return undefined;

  function set(status: Progress['status'], why: string, message: string): void {
    conditions.set('Progressing', { status, reason: why, message });
  }
}

/** A set that cannot make its pods is a failure of its Deployment. */
function setFailure(conditions: Conditions, { current, old }: Sets): void {
  const failures = [...(current === undefined ? [] : [current]), ...old].flatMap((set) => {
    const failure = conditionOf(set, 'ReplicaFailure');
    return failure === undefined ? [] : [failure];
  });
  const [first] = failures;
  if (first === undefined) conditions.remove('ReplicaFailure');
  else
    conditions.set('ReplicaFailure', {
      status: text(first, 'status') === 'False' ? 'False' : 'True',
      reason: text(first, 'reason'),
      message: text(first, 'message'),
    });
}

/** The conditions of a status: one with another status or reason goes to the end. */
class Conditions {
  #all: readonly Json[];
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, found: JsonObject) {
    this.#cluster = cluster;
    this.#all = list(found, 'status', 'conditions');
  }

  get all(): readonly Json[] {
    return this.#all;
  }

  get(type: string): Json | undefined {
    return this.#all.find((known) => text(known, 'type') === type);
  }

  set(type: string, progress: Progress): void {
    const known = this.get(type);
    if (text(known, 'status') !== progress.status || text(known, 'reason') !== progress.reason)
      this.renew(type, progress);
  }

  /** Also when nothing but the time is another one. */
  renew(type: string, { status, reason, message }: Progress): void {
    const now = this.#cluster.timestamp;
    const known = this.get(type);
    const changed = text(known, 'status') === status ? text(known, 'lastTransitionTime') : now;
    this.remove(type);
    const made = fromPlain({ type, status, lastUpdateTime: now, lastTransitionTime: changed, reason, message });
    this.#all = [...this.#all, made];
  }

  remove(type: string): void {
    this.#all = this.#all.filter((known) => text(known, 'type') !== type);
  }
}
