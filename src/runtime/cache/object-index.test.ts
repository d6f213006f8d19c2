import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { Bodies } from './bodies.ts';
import type { StoredObject } from './lazy-object.ts';
import { ObjectIndex } from './object-index.ts';
import { ObjectReader } from './object-reader.ts';

const reader = new ObjectReader({
  expected: { apiVersion: 'v1', kind: 'ConfigMap' },
  metadataOnly: false,
  withoutManagedFields: false,
  bodies: new Bodies(),
});
const object = (name: string, characters = 10): StoredObject<KubernetesObject> => {
  const data = { value: 'x'.repeat(characters) };
  const item = reader.item(
    Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })),
  );
  if (item === undefined) throw new Error('an item without a name');
  return item;
};
const index = (): ObjectIndex<KubernetesObject> =>
  new ObjectIndex<KubernetesObject>(
    () => ['all'],
    (error) => {
      throw error;
    },
  );
/** How many of the objects were asked about. */
const parsed = (objects: readonly StoredObject<KubernetesObject>[]): number =>
  objects.filter(({ isParsed }) => isParsed).length;

describe('objects that wait for the function of an index', () => {
  it.each([
    ['many small ones', 3000, 10, 3000 - 1024],
    ['large ones', 30, 200_000, 20],
    ['one that is larger than all that may wait', 1, 5_000_000, 0],
  ])('are bounded: %s', (_name, count, characters, expected) => {
    const all = index();
    const objects = Array.from({ length: count }, (_, number) => object(`o-${number}`, characters));
    for (const one of objects) all.put(one.key, one);
    expect(parsed(objects)).toBe(expected);
    expect([...all.lookup('all')]).toHaveLength(count);
    expect(parsed(objects)).toBe(count);
  });

  it('are counted once, however often they change, and not any more when they are gone', () => {
    const all = index();
    const versions = Array.from({ length: 5000 }, () => object('same', 1000));
    for (const one of versions) all.put(one.key, one);
    expect(parsed(versions)).toBe(0);
    const last = versions.at(-1);
    expect([...all.lookup('all')]).toEqual([last]);
    expect(parsed(versions)).toBe(1);
    for (let round = 0; round < 20; round++) {
      const large = object(`large-${round}`, 1_000_000);
      all.put(large.key, large);
      all.remove(large.key);
      expect(large.isParsed).toBe(false);
    }
    expect([...all.lookup('all')]).toEqual([last]);
  });
});
