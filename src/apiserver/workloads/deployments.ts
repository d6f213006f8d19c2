import {
  child,
  equal,
  fromPlain,
  object,
  shallow,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import {
  conditionOf,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  ownerReference,
  scaled,
  uidOf,
  type Cluster,
  type Kind,
} from './cluster.ts';
import { templateHash } from './hash.ts';
import { claim } from './ownership.ts';

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const hashLabel = 'pod-template-hash';

/** Rolls a Deployment out, one step at a time: each step follows from the ReplicaSets as they are. */
export async function reconcileDeployment(cluster: Cluster, found: JsonObject): Promise<void> {
  const sets = await claim(cluster, kinds.replicaSets, found, object(found, 'spec')['selector']);
  if (isTerminating(found)) {
    await updateStatus(cluster, found, sets, currentSet(found, sets));
    return;
  }
  const paused = object(found, 'spec')['paused'] === true;
  let current = currentSet(found, sets);
  if (current === undefined && !paused) current = await createSet(cluster, found, sets);
  const old = sets.filter((set) => set !== current);
  if (current !== undefined) {
    await markRevision(cluster, found, current, old);
    if (!paused) await rollOut(cluster, found, current, old);
    else await scaleInProportion(cluster, found, [current, ...old]);
  }
  const now = await claim(cluster, kinds.replicaSets, found, object(found, 'spec')['selector']);
  await updateStatus(cluster, found, now, currentSet(found, now));
}

/** The set whose pods are as the Deployment wants them. */
function currentSet(found: JsonObject, sets: readonly JsonObject[]): JsonObject | undefined {
  return sets.find((set) => equal(templateOf(set), templateOf(found)));
}

/** The template without the label that tells sets apart. */
function templateOf(owner: JsonObject): Json {
  const template: MutableObject = shallow(object(owner, 'spec')['template']);
  const metadata = shallow(template['metadata']);
  const labels = shallow(metadata['labels']);
  delete labels[hashLabel];
  metadata['labels'] = labels;
  delete metadata['creationTimestamp'];
  template['metadata'] = metadata;
  return template;
}

function replicasOf(value: JsonObject): number {
  return numberAt(value, 1, 'spec', 'replicas');
}

function availableOf(set: JsonObject): number {
  return numberAt(set, 0, 'status', 'availableReplicas');
}

function limits(found: JsonObject): { readonly surge: number; readonly unavailable: number } {
  const wanted = replicasOf(found);
  if (text(found, 'spec', 'strategy', 'type') === 'Recreate') return { surge: 0, unavailable: wanted };
  const rolling = object(found, 'spec', 'strategy', 'rollingUpdate');
  const surge = scaled(rolling['maxSurge'], wanted, true);
  const unavailable = Math.min(wanted, scaled(rolling['maxUnavailable'], wanted, false));
  // Something must be able to move.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

async function createSet(cluster: Cluster, found: JsonObject, old: readonly JsonObject[]): Promise<JsonObject> {
  const template = object(found, 'spec')['template'] ?? null;
  const hash = templateHash(template, numberAt(found, 0, 'status', 'collisionCount'));
  const metadata = object(template, 'metadata');
  const labels = { ...object(metadata, 'labels'), [hashLabel]: hash };
  const selector = object(found, 'spec', 'selector');
  // A set starts with what may run beside the old pods.
  const total = old.reduce((sum, set) => sum + replicasOf(set), 0);
  const start =
    text(found, 'spec', 'strategy', 'type') === 'Recreate' && total > 0
      ? 0
      : Math.max(0, Math.min(replicasOf(found), replicasOf(found) + limits(found).surge - total));
  return cluster.create(kinds.replicaSets, namespaceOf(found), {
    metadata: {
      name: `${nameOf(found)}-${hash}`,
      labels,
      annotations: { ...annotationsOf(found), ...bounds(found), [revisionAnnotation]: nextRevision(old) },
      ownerReferences: [ownerReference(found)],
    },
    spec: {
      replicas: start,
      ...(object(found, 'spec')['minReadySeconds'] !== undefined && {
        minReadySeconds: object(found, 'spec')['minReadySeconds'],
      }),
      selector: { ...selector, matchLabels: { ...object(selector, 'matchLabels'), [hashLabel]: hash } },
      template: { ...object(template), metadata: { ...metadata, labels } },
    },
  });
}

/** The annotations that a set takes over from its Deployment. */
function annotationsOf(found: JsonObject): Readonly<Record<string, unknown>> {
  const {
    [revisionAnnotation]: _,
    'kubectl.kubernetes.io/last-applied-configuration': __,
    ...rest
  } = object(found, 'metadata', 'annotations');
  return rest;
}

function bounds(found: JsonObject): Readonly<Record<string, string>> {
  return {
    'deployment.kubernetes.io/desired-replicas': String(replicasOf(found)),
    'deployment.kubernetes.io/max-replicas': String(replicasOf(found) + limits(found).surge),
  };
}

function revisionOf(value: JsonObject): number {
  return Number(text(value, 'metadata', 'annotations', revisionAnnotation) || '0');
}

function nextRevision(sets: readonly JsonObject[]): string {
  return String(1 + Math.max(0, ...sets.map(revisionOf)));
}

/** The current set has the highest revision, and the Deployment says so: a template that comes back is a new revision. */
async function markRevision(
  cluster: Cluster,
  found: JsonObject,
  current: JsonObject,
  old: readonly JsonObject[],
): Promise<void> {
  const highest = Math.max(0, ...old.map(revisionOf));
  const revision = revisionOf(current) > highest ? String(revisionOf(current)) : nextRevision([current, ...old]);
  const wanted = { ...bounds(found), [revisionAnnotation]: revision };
  const annotate = async (kind: Kind, value: JsonObject, more: Readonly<Record<string, string>>): Promise<void> => {
    const known = object(value, 'metadata', 'annotations');
    if (Object.entries(more).every(([name, text]) => known[name] === text)) return;
    // Written by way of the status, a Deployment's annotations do not count as a change of what it wants.
    const subresource = kind === kinds.deployments ? 'status' : '';
    await cluster.update(
      kind,
      value,
      (draft) => void Object.assign(child(child(draft, 'metadata'), 'annotations'), more),
      subresource,
    );
  };
  await annotate(kinds.replicaSets, current, wanted);
  await annotate(kinds.deployments, found, { [revisionAnnotation]: revision });
}

async function scale(cluster: Cluster, found: JsonObject, set: JsonObject, replicas: number): Promise<void> {
  if (replicasOf(set) === replicas) return;
  await cluster.update(kinds.replicaSets, set, (draft) => {
    child(draft, 'spec')['replicas'] = replicas;
    Object.assign(child(child(draft, 'metadata'), 'annotations'), bounds(found));
  });
}

async function rollOut(
  cluster: Cluster,
  found: JsonObject,
  current: JsonObject,
  old: readonly JsonObject[],
): Promise<void> {
  const wanted = replicasOf(found);
  const { surge, unavailable } = limits(found);
  const running = old.filter((set) => replicasOf(set) > 0 || numberAt(set, 0, 'status', 'replicas') > 0);
  if (running.length === 0) {
    await scale(cluster, found, current, wanted);
    await cleanUp(cluster, found, old);
    return;
  }
  if (text(found, 'spec', 'strategy', 'type') === 'Recreate') {
    for (const set of running) await scale(cluster, found, set, 0);
    return;
  }
  const total = [current, ...running].reduce((sum, set) => sum + replicasOf(set), 0);
  const room = wanted + surge - total;
  if (room > 0 && replicasOf(current) < wanted) {
    await scale(cluster, found, current, Math.min(wanted, replicasOf(current) + room));
    return;
  }
  if (replicasOf(current) > wanted) await scale(cluster, found, current, wanted);
  // Pods that are not available go first; of the rest as many as may be missing.
  const ordered = [...running].sort((left, right) => revisionOf(left) - revisionOf(right));
  const missing = Math.max(0, replicasOf(current) - availableOf(current));
  let removable = Math.max(0, total - (wanted - unavailable) - missing);
  const broken = new Map<JsonObject, number>();
  for (const set of ordered) {
    const removed = Math.min(Math.max(0, replicasOf(set) - availableOf(set)), removable);
    broken.set(set, removed);
    removable -= removed;
  }
  const available = [current, ...running].reduce((sum, set) => sum + availableOf(set), 0);
  removable = Math.min(removable, Math.max(0, available - (wanted - unavailable)));
  for (const set of ordered) {
    const left = replicasOf(set) - (broken.get(set) ?? 0);
    const removed = Math.min(left, removable);
    removable -= removed;
    await scale(cluster, found, set, left - removed);
  }
}

/** A paused Deployment is still scaled: its sets keep their shares. */
async function scaleInProportion(cluster: Cluster, found: JsonObject, sets: readonly JsonObject[]): Promise<void> {
  const running = sets.filter((set) => replicasOf(set) > 0);
  const [only] = running.length === 0 ? sets : running;
  if (running.length <= 1 && only !== undefined) {
    await scale(cluster, found, only, replicasOf(found));
    return;
  }
  const total = running.reduce((sum, set) => sum + replicasOf(set), 0);
  const change =
    replicasOf(found) -
    Number(text(sets[0], 'metadata', 'annotations', 'deployment.kubernetes.io/desired-replicas') || total);
  let left = change;
  for (const set of running) {
    const share = set === running.at(-1) ? left : Math.trunc((change * replicasOf(set)) / total);
    left -= share;
    await scale(cluster, found, set, Math.max(0, replicasOf(set) + share));
  }
}

/** Forgets old sets beyond the history that the Deployment keeps. */
async function cleanUp(cluster: Cluster, found: JsonObject, old: readonly JsonObject[]): Promise<void> {
  const kept = numberAt(found, 10, 'spec', 'revisionHistoryLimit');
  const empty = old
    .filter((set) => replicasOf(set) === 0 && numberAt(set, 0, 'status', 'replicas') === 0 && !isTerminating(set))
    .sort((left, right) => revisionOf(left) - revisionOf(right));
  for (const set of empty.slice(0, Math.max(0, empty.length - kept))) await cluster.delete(kinds.replicaSets, set);
}

async function updateStatus(
  cluster: Cluster,
  found: JsonObject,
  sets: readonly JsonObject[],
  current: JsonObject | undefined,
): Promise<void> {
  const now = cluster.get(kinds.deployments, { namespace: namespaceOf(found), name: nameOf(found) });
  if (now === undefined || uidOf(now) !== uidOf(found)) return;
  const sum = (field: string, of: readonly JsonObject[] = sets): number =>
    of.reduce((total, set) => total + numberAt(set, 0, 'status', field), 0);
  const wanted = replicasOf(found);
  const replicas = sum('replicas');
  const available = sum('availableReplicas');
  const updated = current === undefined ? 0 : sum('replicas', [current]);
  const complete = updated === wanted && replicas === wanted && available === wanted;
  const enough = available >= wanted - limits(found).unavailable;
  await cluster.updateStatus(kinds.deployments, now, {
    observedGeneration: numberAt(found, 0, 'metadata', 'generation'),
    replicas: replicas || undefined,
    updatedReplicas: updated || undefined,
    readyReplicas: sum('readyReplicas') || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, Math.max(wanted, replicas) - available) || undefined,
    terminatingReplicas: 0,
    collisionCount: object(now, 'status')['collisionCount'],
    conditions: [
      condition(
        cluster,
        now,
        'Available',
        enough,
        enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
      ),
      ...progress(cluster, now, current, complete),
      ...sets
        .flatMap((set) => {
          const failure = conditionOf(set, 'ReplicaFailure');
          return failure === undefined ? [] : [fromPlain({ lastUpdateTime: cluster.timestamp, ...object(failure) })];
        })
        .slice(0, 1),
    ],
  });
}

function progress(
  cluster: Cluster,
  found: JsonObject,
  current: JsonObject | undefined,
  complete: boolean,
): readonly Json[] {
  if (object(found, 'spec')['paused'] === true)
    return [condition(cluster, found, 'Progressing', undefined, 'DeploymentPaused', 'Deployment is paused')];
  if (current === undefined) return [];
  const what = `ReplicaSet "${nameOf(current)}"`;
  return [
    complete
      ? condition(cluster, found, 'Progressing', true, 'NewReplicaSetAvailable', `${what} has successfully progressed.`)
      : condition(cluster, found, 'Progressing', true, 'ReplicaSetUpdated', `${what} is progressing.`),
  ];
}

function condition(
  cluster: Cluster,
  found: JsonObject,
  type: string,
  is: boolean | undefined,
  reason: string,
  message: string,
): Json {
  const status = is === undefined ? 'Unknown' : is ? 'True' : 'False';
  const known = conditionOf(found, type);
  if (text(known, 'status') === status && text(known, 'reason') === reason && text(known, 'message') === message)
    return known ?? null;
  const changed = text(known, 'status') === status ? text(known, 'lastTransitionTime') : cluster.timestamp;
  return fromPlain({ type, status, lastUpdateTime: cluster.timestamp, lastTransitionTime: changed, reason, message });
}
