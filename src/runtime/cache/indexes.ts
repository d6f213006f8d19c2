import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { ofMetadata } from './metadata-view.ts';
import type { IndexFunction } from './types.ts';

/** Finds objects by the uids of their owners. */
export const ownerIndex: IndexFunction<KubernetesObject> = ofMetadata(
  ({ metadata }: Cached<KubernetesObject>): readonly string[] => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
);

const labelIndexes = new Map<string, IndexFunction<KubernetesObject>>();

/** Finds objects by the value of a label. The same key gives the same function. */
export function labelIndex(key: string): IndexFunction<KubernetesObject> {
  const known = labelIndexes.get(key);
  if (known !== undefined) return known;
  const index = ofMetadata(({ metadata: { labels = {} } }: Cached<KubernetesObject>): readonly string[] => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [value];
  });
  labelIndexes.set(key, index);
  return index;
}
