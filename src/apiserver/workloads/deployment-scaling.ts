import type { JsonObject } from '../json.ts';
import { numberAt } from './cluster.ts';
import {
  active,
  allOf,
  annotations,
  availableOf,
  byCreation,
  isRolling,
  limits,
  noted,
  replicasOf,
  sum,
  type Sets,
} from './deployment-sets.ts';

/** How many pods sets are to want from now on: only those that change. */
export type Sizes = ReadonlyMap<JsonObject, number>;

const unchanged: Sizes = new Map();

/** Whether a Deployment has been scaled since its sets were last told of its size. */
export function wasScaled(found: JsonObject, sets: Sets): boolean {
  return active(allOf(sets)).some(
    (set) => (noted(set, annotations.desired) ?? replicasOf(found)) !== replicasOf(found),
  );
}

/** What becomes of the sets when a Deployment is scaled: during a rollout each keeps its share. */
export function afterScaling(found: JsonObject, sets: Sets): Sizes {
  const wanted = replicasOf(found);
  const { current, old } = sets;
  const only = activeOrLatest(sets);
  if (only !== undefined) return replicasOf(only) === wanted ? unchanged : new Map([[only, wanted]]);
  if (current !== undefined && isSaturated(found, current)) return new Map(active(old).map((set) => [set, 0]));
  return isRolling(found) ? inProportion(found, active(allOf(sets))) : unchanged;
}

/** The one set that wants pods, or the latest when none does. */
function activeOrLatest(sets: Sets): JsonObject | undefined {
  const running = active(allOf(sets));
  if (running.length > 1) return undefined;
  return running[0] ?? sets.current ?? [...sets.old].sort(byCreation).at(-1);
}

function isSaturated(found: JsonObject, set: JsonObject): boolean {
  const wanted = replicasOf(found);
  return replicasOf(set) === wanted && noted(set, annotations.desired) === wanted && availableOf(set) === wanted;
}

/** The larger sets first; of equal ones the newer when there is something to give, the older when there is something to take. */
function inProportion(found: JsonObject, sets: readonly JsonObject[]): Sizes {
  const wanted = replicasOf(found);
  const allowed = wanted > 0 ? wanted + limits(found).surge : 0;
  const change = allowed - sum(sets, replicasOf);
  const ordered = [...sets].sort(
    (left, right) => replicasOf(right) - replicasOf(left) || byCreation(left, right) * (change > 0 ? -1 : 1),
  );
  const sizes = new Map<JsonObject, number>();
  let done = 0;
  for (const set of ordered) {
    const part = change === 0 || change === done ? 0 : share(found, set, allowed);
    const given = change > 0 ? Math.min(part, change - done) : Math.max(part, change - done);
    sizes.set(set, replicasOf(set) + given);
    done += given;
  }
  const [largest] = ordered;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + change - done));
  return sizes;
}

/** By how much a set grows with its Deployment; negative when it shrinks. */
function share(found: JsonObject, set: JsonObject, allowed: number): number {
  const size = replicasOf(set);
  if (replicasOf(found) === 0) return -size;
  const before = noted(set, annotations.max) ?? 0;
  const base = before === 0 ? numberAt(found, 0, 'status', 'replicas') : before;
  return base === 0 ? 0 : Math.round((size * allowed) / base) - size;
}

/** How many pods the set of the present template may want beside the others. */
export function sizeOfCurrent(found: JsonObject, current: JsonObject | undefined, old: readonly JsonObject[]): number {
  const wanted = replicasOf(found);
  const present = current === undefined ? 0 : replicasOf(current);
  if (!isRolling(found) || present > wanted) return wanted;
  const room = wanted + limits(found).surge - present - sum(old, replicasOf);
  return room <= 0 ? present : present + Math.min(room, wanted - present);
}

/** One step of a rolling update: the new set grows, or else the old ones shrink as far as pods may be missing. */
export function nextStep(found: JsonObject, current: JsonObject, old: readonly JsonObject[]): Sizes {
  const size = sizeOfCurrent(found, current, old);
  if (size !== replicasOf(current)) return new Map([[current, size]]);
  const running = active(old);
  if (running.length === 0) return unchanged;
  const sets = [...old, current];
  const least = replicasOf(found) - limits(found).unavailable;
  const missing = replicasOf(current) - availableOf(current);
  let removable = sum(sets, replicasOf) - least - missing;
  if (removable <= 0) return unchanged;
  const sizes = new Map<JsonObject, number>();
  const sizeOf = (set: JsonObject): number => sizes.get(set) ?? replicasOf(set);
  const ordered = [...running].sort(byCreation);
  // Pods that are not available go first.
  for (const set of ordered) {
    const removed = Math.min(removable, Math.max(0, replicasOf(set) - availableOf(set)));
    if (removed > 0) sizes.set(set, replicasOf(set) - removed);
    removable -= removed;
  }
  let spare = sum(sets, availableOf) - least;
  for (const set of ordered) {
    const removed = Math.min(sizeOf(set), Math.max(0, spare));
    if (removed > 0) sizes.set(set, sizeOf(set) - removed);
    spare -= removed;
  }
  return sizes;
}
