import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { looksAtMetadataOnly, ofMetadata } from '../cache/metadata-view.ts';
import type { Cached } from '../client/cached.ts';

/** What decides about cached objects. An interface, so that one of any object serves for a kind, too (`in`). */
interface Predicate<in C> {
  (previous: C, object: C): boolean;
}

/**
 * Decides whether an update is worth a run; creations and deletions always are. It sees the object before and after. Filters of
 * updates lose nothing only if the reconciler looks at nothing else of the object.
 */
export type UpdatePredicate<T extends KubernetesObject = KubernetesObject> = Predicate<Cached<T>>;

type AnyCached = Cached<KubernetesObject>;

/**
 * The spec changed, or deletion started (`metadata.generation`). An object without a generation (ConfigMap, Secret, Node and other
 * kinds that do not count it) always passes, unlike in controller-runtime, where all its updates are lost. Changes of labels,
 * annotations, finalizers and status alone do not pass.
 */
export function generationChanged(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  return (
    object.metadata.generation === undefined ||
    previous.metadata.generation !== object.metadata.generation ||
    previous.metadata.deletionTimestamp !== object.metadata.deletionTimestamp
  );
}

/**
 * Something other than the status changed: the spec, labels, annotations, finalizers, owners, or deletion started. With it a controller
 * is not woken by its own status writes. It is not the default, since a reconciler may rely on being woken: one that goes from phase to
 * phase in the status must then return `requeueAfter(0)`. An object without a generation always passes.
 */
export function moreThanStatusChanged(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  return (
    generationChanged(previous, object) ||
    labelsChanged(previous, object) ||
    annotationsChanged(previous, object) ||
    !isDeepStrictEqual(previous.metadata.finalizers, object.metadata.finalizers) ||
    !isDeepStrictEqual(previous.metadata.ownerReferences, object.metadata.ownerReferences)
  );
}

export function labelsChanged(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  return !sameEntries(previous.metadata.labels, object.metadata.labels);
}

export function annotationsChanged(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  return !sameEntries(previous.metadata.annotations, object.metadata.annotations);
}

/** The version changed: true for every update but those that only tell again of what is there. */
export const resourceVersionChanged: UpdatePredicate = (previous, object) =>
  previous.metadata.resourceVersion !== object.metadata.resourceVersion;

/** `metadata.deletionTimestamp` appeared. */
export function deletionStarted(previous: Cached<KubernetesObject>, object: Cached<KubernetesObject>): boolean {
  return previous.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined;
}

for (const predicate of [
  generationChanged,
  moreThanStatusChanged,
  labelsChanged,
  annotationsChanged,
  resourceVersionChanged,
  deletionStarted,
]) {
  ofMetadata(predicate);
}

/** Predicates that ask whether the spec changed by its generation, which some kinds do not have. */
const generationPredicates = new WeakSet<(previous: never, object: never) => boolean>([
  generationChanged,
  moreThanStatusChanged,
]);

/** Whether the predicate, or one that it is made of, looks at `metadata.generation`. */
export function looksAtGeneration(predicate: (previous: never, object: never) => boolean): boolean {
  return generationPredicates.has(predicate);
}

/** Notes that `made` looks at metadata only when all its parts do, and at the generation when one does. */
function madeOf<C>(parts: readonly Predicate<C>[], made: Predicate<C>): Predicate<C> {
  if (parts.every(looksAtMetadataOnly)) ofMetadata(made);
  if (parts.some(looksAtGeneration)) generationPredicates.add(made);
  return made;
}

// Two signatures each: where the kind is known from the place, the parts take it from there; elsewhere it is that of the parts.

/** One of them holds. */
export function anyOf<C extends AnyCached>(...predicates: readonly Predicate<NoInfer<C>>[]): Predicate<C>;
export function anyOf<C extends AnyCached>(...predicates: readonly Predicate<C>[]): Predicate<C>;
export function anyOf<C extends AnyCached>(...predicates: readonly Predicate<C>[]): Predicate<C> {
  return madeOf(predicates, (previous, object) => predicates.some((predicate) => predicate(previous, object)));
}

/** All of them hold. */
export function allOf<C extends AnyCached>(...predicates: readonly Predicate<NoInfer<C>>[]): Predicate<C>;
export function allOf<C extends AnyCached>(...predicates: readonly Predicate<C>[]): Predicate<C>;
export function allOf<C extends AnyCached>(...predicates: readonly Predicate<C>[]): Predicate<C> {
  return madeOf(predicates, (previous, object) => predicates.every((predicate) => predicate(previous, object)));
}

export function not<C extends AnyCached>(predicate: Predicate<C>): Predicate<C> {
  return madeOf([predicate], (previous, object) => !predicate(previous, object));
}

function sameEntries(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
