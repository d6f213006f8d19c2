import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';
import { reasonForError } from '../client/errors.ts';

/** How long an informer may fail before the process counts as not ready, in milliseconds. */
const longestFailure = 180_000;

/**
 * Throws unless each informer has its objects and none has failed to reach the API server for three minutes on end. The message names
 * the kinds. Leadership does not matter: a replica that waits is as ready as the leader.
 */
export function assertInformersReady(
  informers: readonly Pick<SharedInformer<KubernetesObject>, 'kind' | 'hasSynced' | 'health'>[],
  now: number,
): void {
  const problems = informers.flatMap((informer) => {
    const { kind } = informer.kind;
    const { error, lastProgress = Number.NEGATIVE_INFINITY } = informer.health();
    if (!informer.hasSynced()) {
      return [`${kind} is not synced${error === undefined ? '' : ` (${error.message})`}`];
    }
    return error !== undefined && now - lastProgress > longestFailure
      ? [`${kind} has not reached the API server for too long (${error.message})`]
      : [];
  });
  if (problems.length > 0) {
    throw new Error(problems.join('; '));
  }
}

/** The state of each informer and how long ago the server gave it its latest sign of life, for people: errors may hold what is secret. */
export function describeInformers(
  informers: readonly Pick<SharedInformer<KubernetesObject>, 'kind' | 'health'>[],
  now: number,
): readonly string[] {
  return informers.map((informer) => {
    const { group, kind } = informer.kind;
    const { state, synced, lastProgress, error } = informer.health();
    const progress =
      lastProgress === undefined ? 'no progress yet' : `last progress ${Math.round((now - lastProgress) / 1000)} s ago`;
    const failing = error === undefined ? '' : `, failing (${reasonForError(error) ?? error.name})`;
    return `${group === '' ? kind : `${kind}.${group}`}: ${state}, ${synced ? 'synced' : 'not synced'}, ${progress}${failing}`;
  });
}
