import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { SharedInformer } from '../cache/types.ts';

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
