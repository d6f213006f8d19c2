import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { ofMetadata } from './metadata-view.ts';

/** An index function for objects of any kind. */
type IndexOfMetadata = (object: Cached<KubernetesObject>) => readonly string[];

/** Finds objects by the uids of their owners. */
export const ownerIndex: IndexOfMetadata = ofMetadata(
  ({ metadata }: Cached<KubernetesObject>): readonly string[] => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
);

const labelIndexes = new Map<string, IndexOfMetadata>();

/** Finds objects by the value of a label. The same key gives the same function. */
export function labelIndex(key: string): IndexOfMetadata {
  const known = labelIndexes.get(key);
  if (known !== undefined) return known;
  const index = ofMetadata(({ metadata: { labels = {} } }: Cached<KubernetesObject>): readonly string[] => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [value];
  });
  labelIndexes.set(key, index);
  return index;
}
