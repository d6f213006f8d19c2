import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';

/** Different writes that are remembered for one object, and objects whose specs are remembered. */
const maxWrites = 8;
const maxObjects = 4096;

/**
 * Writes of which the server has said, by answering with an unchanged version, that they change nothing of this version of an object:
 * what differs is only what the server defaults or normalises (`1000m` and `1`). Kept for as long as the cache holds that version.
 */
const byVersion = new WeakMap<Cached<KubernetesObject>, Set<string>>();

/** The same for all versions of one generation; the object that was used last is last. */
const byGeneration = new Map<string, { readonly generation: number; readonly writes: Set<string> }>();

/**
 * For writes of any form. `ofGeneration`: the write is a difference to the object, so that the same difference to the same spec changes
 * nothing either, whatever became of the status.
 */
export function isKnownNoOp(object: Cached<KubernetesObject>, write: string, ofGeneration = false): boolean {
  const { uid = '', generation } = object.metadata;
  if (byVersion.get(object)?.has(write) === true) {
    return true;
  }
  const known = ofGeneration ? byGeneration.get(uid) : undefined;
  return known !== undefined && known.generation === generation && known.writes.has(write);
}

/** After an answer: whether the write changed nothing; it is remembered then. */
export function rememberNoOp(
  before: Cached<KubernetesObject>,
  after: Cached<KubernetesObject>,
  write: string,
  ofGeneration = false,
): boolean {
  const { resourceVersion, uid, generation } = before.metadata;
  if (resourceVersion === undefined || resourceVersion !== after.metadata.resourceVersion) {
    return false;
  }
  remember(byVersion.get(before) ?? new Set(), write, (writes) => byVersion.set(before, writes));
  if (ofGeneration && uid !== undefined && generation !== undefined) {
    const known = byGeneration.get(uid);
    const writes = known?.generation === generation ? known.writes : new Set<string>();
    byGeneration.delete(uid);
    remember(writes, write, (remembered) => byGeneration.set(uid, { generation, writes: remembered }));
    const [oldest] = byGeneration.keys();
    if (byGeneration.size > maxObjects && oldest !== undefined) {
      byGeneration.delete(oldest);
    }
  }
  return true;
}

function remember(writes: Set<string>, write: string, keep: (writes: Set<string>) => void): void {
  if (writes.size < maxWrites) {
    writes.add(write);
  }
  keep(writes);
}
