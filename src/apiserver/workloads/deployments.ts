import { equal, fromPlain, object, text, type JsonObject } from '../json.ts';
import { ApiError } from '../status.ts';
import {
  controllerOf,
  isFinished,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  ownerReference,
  uidOf,
  type Cluster,
} from './cluster.ts';
import { afterScaling, nextStep, sizeOfCurrent, wasScaled, type Sizes } from './deployment-scaling.ts';
import {
  active,
  allOf,
  annotations,
  annotationsOfCurrent,
  bounds,
  forgettable,
  hashLabel,
  isRolling,
  replicasOf,
  revisionOf,
  setsOf,
  type Sets,
} from './deployment-sets.ts';
import { updateStatus, type Progress } from './deployment-status.ts';
import { templateHash } from './hash.ts';
import { claim } from './ownership.ts';

/**
 * Rolls a Deployment out, one step at a time: each step follows from the ReplicaSets as they are. Gives the milliseconds after which
 * a rollout that does not get on is late.
 */
export async function reconcileDeployment(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  let sets = await present(cluster, found);
  if (isTerminating(found)) {
    await updateStatus(cluster, found, sets, { rollout: false });
    return undefined;
  }
  if (sets.current !== undefined) sets = await markRevision(cluster, found, sets, sets.current);
  const paused = object(found, 'spec')['paused'] === true;
  if (paused || wasScaled(found, sets)) {
    await resize(cluster, found, afterScaling(found, sets));
    if (paused) await cleanUp(cluster, found, sets);
    await updateStatus(cluster, found, await present(cluster, found), { rollout: false });
    return undefined;
  }
  const told = isRolling(found) ? await roll(cluster, found, sets) : await recreate(cluster, found, sets);
  const after = await present(cluster, found);
  return updateStatus(cluster, found, after, { rollout: true, ...(told !== undefined && { told }) });
}

async function present(cluster: Cluster, found: JsonObject): Promise<Sets> {
  return setsOf(found, await claim(cluster, kinds.replicaSets, found, object(found, 'spec')['selector']));
}

/** One step of a rolling update. */
async function roll(cluster: Cluster, found: JsonObject, sets: Sets): Promise<Progress | undefined> {
  if (sets.current === undefined) return createSet(cluster, found, sets.old);
  const sizes = nextStep(found, sets.current, sets.old);
  await resize(cluster, found, sizes);
  if (sizes.size === 0 && isComplete(found, sets)) await cleanUp(cluster, found, sets);
  return undefined;
}

/** The new set comes when all old pods are gone. */
async function recreate(cluster: Cluster, found: JsonObject, sets: Sets): Promise<Progress | undefined> {
  const running = active(sets.old);
  await resize(cluster, found, new Map(running.map((set) => [set, 0])));
  const mine = new Set(allOf(sets).map(uidOf));
  const left = cluster.list(kinds.pods, namespaceOf(found)).some((pod) => {
    const owner = text(controllerOf(pod), 'uid');
    return mine.has(owner) && (sets.current === undefined || owner !== uidOf(sets.current)) && !isFinished(pod);
  });
  if (running.length > 0 || left) return undefined;
  if (sets.current === undefined) return createSet(cluster, found, sets.old);
  if (replicasOf(sets.current) !== replicasOf(found))
    await resize(cluster, found, new Map([[sets.current, replicasOf(found)]]));
  if (isComplete(found, sets)) await cleanUp(cluster, found, sets);
  return undefined;
}

function isComplete(found: JsonObject, { current }: Sets): boolean {
  const wanted = replicasOf(found);
  const status = (field: string): number => numberAt(found, 0, 'status', field);
  return (
    current !== undefined &&
    ['replicas', 'updatedReplicas', 'availableReplicas'].every((field) => status(field) === wanted) &&
    status('observedGeneration') >= numberAt(found, 0, 'metadata', 'generation')
  );
}

async function createSet(
  cluster: Cluster,
  found: JsonObject,
  old: readonly JsonObject[],
): Promise<Progress | undefined> {
  const template = object(found, 'spec')['template'] ?? null;
  const collisions = numberAt(found, 0, 'status', 'collisionCount');
  const hash = templateHash(template, collisions);
  const metadata = object(template, 'metadata');
  const labels = { ...object(metadata, 'labels'), [hashLabel]: hash };
  const selector = object(found, 'spec', 'selector');
  const name = `${nameOf(found)}-${hash}`;
  const noted = annotationsOfCurrent(found, undefined, old);
  let made: JsonObject;
  try {
    made = await cluster.create(kinds.replicaSets, namespaceOf(found), {
      metadata: {
        name,
        labels,
        annotations: { ...noted, ...bounds(found) },
        ownerReferences: [ownerReference(found)],
      },
      spec: {
        replicas: sizeOfCurrent(found, undefined, old),
        ...(object(found, 'spec')['minReadySeconds'] !== undefined && {
          minReadySeconds: object(found, 'spec')['minReadySeconds'],
        }),
        selector: { ...selector, matchLabels: { ...object(selector, 'matchLabels'), [hashLabel]: hash } },
        template: { ...object(template), metadata: { ...metadata, labels } },
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const told: Progress = { status: 'False', reason: 'ReplicaSetCreateError', message: error.message };
    await updateStatus(cluster, found, { current: undefined, old }, { rollout: true, told });
    throw error;
  }
  if (text(controllerOf(made), 'uid') !== uidOf(found)) {
    // Somebody else's set has the name: the next one is another.
    const status = { ...object(found, 'status'), collisionCount: collisions + 1 };
    await cluster.updateStatus(kinds.deployments, found, status);
    return undefined;
  }
  await noteRevision(cluster, found, String(revisionOf(made)));
  return { status: 'True', reason: 'NewReplicaSetCreated', message: `Created new replica set "${name}"` };
}

/** The current set takes over the Deployment's annotations, and has the highest revision: a template that comes back is a new one. */
async function markRevision(cluster: Cluster, found: JsonObject, sets: Sets, current: JsonObject): Promise<Sets> {
  const wanted = fromPlain(annotationsOfCurrent(found, current, sets.old));
  const seconds = object(found, 'spec')['minReadySeconds'];
  if (
    !equal(object(current, 'metadata', 'annotations'), wanted) ||
    !equal(object(current, 'spec')['minReadySeconds'], seconds)
  )
    await cluster.update(kinds.replicaSets, current, (draft) => {
      draft['metadata'] = fromPlain({ ...object(draft, 'metadata'), annotations: wanted });
      draft['spec'] = fromPlain({ ...object(draft, 'spec'), minReadySeconds: seconds });
    });
  const next = cluster.get(kinds.replicaSets, { namespace: namespaceOf(current), name: nameOf(current) }) ?? current;
  await noteRevision(cluster, found, String(revisionOf(next)));
  return { ...sets, current: next };
}

/** Written by way of the status, a Deployment's annotations do not count as a change of what it wants. */
async function noteRevision(cluster: Cluster, found: JsonObject, revision: string): Promise<void> {
  const known = object(found, 'metadata', 'annotations');
  if (known[annotations.revision] === revision) return;
  await cluster.update(
    kinds.deployments,
    found,
    (draft) => {
      const metadata = object(draft, 'metadata');
      const noted = { ...object(metadata, 'annotations'), [annotations.revision]: revision };
      draft['metadata'] = fromPlain({ ...metadata, annotations: noted });
    },
    'status',
  );
}

/** Sets are told of the Deployment's size whenever they are scaled. */
async function resize(cluster: Cluster, found: JsonObject, sizes: Sizes): Promise<void> {
  for (const [set, replicas] of sizes)
    await cluster.update(kinds.replicaSets, set, (draft) => {
      draft['spec'] = fromPlain({ ...object(draft, 'spec'), replicas });
      const metadata = object(draft, 'metadata');
      draft['metadata'] = fromPlain({
        ...metadata,
        annotations: { ...object(metadata, 'annotations'), ...bounds(found) },
      });
    });
}

async function cleanUp(cluster: Cluster, found: JsonObject, sets: Sets): Promise<void> {
  for (const set of forgettable(found, sets.old)) await cluster.delete(kinds.replicaSets, set);
}
