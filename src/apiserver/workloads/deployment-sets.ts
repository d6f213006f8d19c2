import { equal, object, shallow, text, type Json, type JsonObject, type MutableObject } from '../json.ts';
import { isTerminating, nameOf, numberAt, scaled } from './cluster.ts';

export const hashLabel = 'pod-template-hash';

const prefix = 'deployment.kubernetes.io/';
/** Where a Deployment and its ReplicaSets note things about rollouts. */
export const annotations = {
  revision: `${prefix}revision`,
  history: `${prefix}revision-history`,
  desired: `${prefix}desired-replicas`,
  max: `${prefix}max-replicas`,
} as const;

/** What a set does not take over from its Deployment. */
const own: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

/** How long the list of former revisions of a set may become. */
const historyLength = 2000;

/** A Deployment's sets: the one of its present template, if there is one, and those of former ones. */
export interface Sets {
  readonly current: JsonObject | undefined;
  readonly old: readonly JsonObject[];
}

export function setsOf(found: JsonObject, sets: readonly JsonObject[]): Sets {
  const current = [...sets].sort(byCreation).find((set) => equal(templateOf(set), templateOf(found)));
  return { current, old: sets.filter((set) => set !== current) };
}

export function allOf({ current, old }: Sets): readonly JsonObject[] {
  return current === undefined ? old : [...old, current];
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

export function byCreation(left: JsonObject, right: JsonObject): number {
  const key = (set: JsonObject): string => `${text(set, 'metadata', 'creationTimestamp')} ${nameOf(set)}`;
  return key(left) < key(right) ? -1 : Number(key(left) > key(right));
}

export function byRevision(left: JsonObject, right: JsonObject): number {
  return revisionOf(left) - revisionOf(right) || byCreation(left, right);
}

export function replicasOf(value: JsonObject): number {
  return numberAt(value, 1, 'spec', 'replicas');
}

export function availableOf(set: JsonObject): number {
  return numberAt(set, 0, 'status', 'availableReplicas');
}

/** The sum of a number of sets. */
export function sum(sets: readonly JsonObject[], number: (set: JsonObject) => number): number {
  return sets.reduce((total, set) => total + number(set), 0);
}

/** The sets that want pods. */
export function active(sets: readonly JsonObject[]): readonly JsonObject[] {
  return sets.filter((set) => replicasOf(set) > 0);
}

export function isRolling(found: JsonObject): boolean {
  return text(found, 'spec', 'strategy', 'type') !== 'Recreate';
}

/** How many pods there may be beyond those wanted, and how many of them may be missing. */
export function limits(found: JsonObject): { readonly surge: number; readonly unavailable: number } {
  const wanted = replicasOf(found);
  if (!isRolling(found)) return { surge: 0, unavailable: 0 };
  const rolling = object(found, 'spec', 'strategy', 'rollingUpdate');
  const surge = scaled(rolling['maxSurge'], wanted, true);
  const unavailable = scaled(rolling['maxUnavailable'], wanted, false);
  // Something must be able to move.
  return { surge, unavailable: Math.min(wanted, surge === 0 && unavailable === 0 ? 1 : unavailable) };
}

/** The sizes that a set notes of its Deployment, by which it is told that the Deployment was scaled. */
export function bounds(found: JsonObject): Readonly<Record<string, string>> {
  return {
    [annotations.desired]: String(replicasOf(found)),
    [annotations.max]: String(replicasOf(found) + limits(found).surge),
  };
}

/** The number that a set has noted; nothing when it has none. */
export function noted(set: JsonObject, name: string): number | undefined {
  const known = text(set, 'metadata', 'annotations', name);
  return /^\d+$/.test(known) ? Number(known) : undefined;
}

export function revisionOf(value: JsonObject): number {
  return noted(value, annotations.revision) ?? 0;
}

/**
 * The annotations of the set of the present template: those of the Deployment, the highest of all revisions, and, when its template comes
 * back, the revisions that it has had before.
 */
export function annotationsOfCurrent(
  found: JsonObject,
  set: JsonObject | undefined,
  old: readonly JsonObject[],
): Readonly<Record<string, string>> {
  const known = object(set, 'metadata', 'annotations') as Readonly<Record<string, string>>;
  const taken = Object.entries(object(found, 'metadata', 'annotations')).filter(([name]) => !own.has(name));
  const result: Record<string, string> = { ...known, ...Object.fromEntries(taken as [string, string][]) };
  const before = known[annotations.revision];
  const next = 1 + Math.max(0, ...old.map(revisionOf));
  if (Number(before ?? 0) >= next) return result;
  result[annotations.revision] = String(next);
  if (before !== undefined) result[annotations.history] = lengthened(known[annotations.history] ?? '', before);
  return result;
}

/** The list with one revision more; without its first ones where it would become too long. */
function lengthened(history: string, revision: string): string {
  const revisions = history === '' ? [] : history.split(',');
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(',').length > historyLength) revisions.shift();
  return revisions.join(',');
}

/** The sets that may be forgotten beyond the history that a Deployment keeps, the oldest first. */
export function forgettable(found: JsonObject, old: readonly JsonObject[]): readonly JsonObject[] {
  const limit = numberAt(found, 10, 'spec', 'revisionHistoryLimit');
  const present = old.filter((set) => !isTerminating(set)).sort(byRevision);
  const isEmpty = (set: JsonObject): boolean =>
    replicasOf(set) === 0 &&
    numberAt(set, 0, 'status', 'replicas') === 0 &&
    numberAt(set, 0, 'metadata', 'generation') <= numberAt(set, 0, 'status', 'observedGeneration');
  return present.slice(0, Math.max(0, present.length - limit)).filter(isEmpty);
}
