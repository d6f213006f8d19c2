import type { KubernetesObject } from '../apis/meta/v1.ts';

/**
 * Changes an object before it is cached; called exactly once for each version that is kept. May change its argument. What it drops the
 * client takes as absent: a draft that sets such a field replaces what the server has there.
 */
export type Transform<T extends KubernetesObject> = (object: T) => T;

/**
 * Drops `metadata.managedFields`, often a third of an object, which reconcilers do not need. A policy with exactly this transform cuts
 * them out before they are parsed.
 */
export function stripManagedFields<T extends KubernetesObject>(object: T): T {
  // Deleting what is not there would still make V8 treat the object as a dictionary.
  if (object.metadata.managedFields !== undefined) delete object.metadata.managedFields;
  return object;
}
