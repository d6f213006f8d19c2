import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';

/**
 * Writes of which the server has said, by answering with an unchanged version, that they change nothing of this version of an object:
 * what differs is only what the server defaults or normalises (`1000m` and `1`). Kept for as long as the cache holds that version.
 */
const noOps = new WeakMap<Cached<KubernetesObject>, Set<string>>();

/** Different writes that are remembered for one object. */
const maxRemembered = 8;

export function isKnownNoOp(object: Cached<KubernetesObject>, write: string): boolean {
  return noOps.get(object)?.has(write) ?? false;
}

/** After an answer: whether the write changed nothing; it is remembered then. */
export function rememberNoOp(
  before: Cached<KubernetesObject>,
  after: Cached<KubernetesObject>,
  write: string,
): boolean {
  const { resourceVersion } = before.metadata;
  if (resourceVersion === undefined || resourceVersion !== after.metadata.resourceVersion) {
    return false;
  }
  const writes = noOps.get(before) ?? new Set();
  if (writes.size < maxRemembered) {
    noOps.set(before, writes.add(write));
  }
  return true;
}
