import { describe, expect, it } from 'vitest';
import { Bodies } from '../cache/bodies.ts';
import { StoredObject } from '../cache/lazy-object.ts';
import { ObjectReader } from '../cache/object-reader.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { metadataView } from './metadata-view.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  generationChanged,
  labelsChanged,
  looksAtMetadataOnly,
  moreThanStatusChanged,
  not,
  resourceVersionChanged,
  type UpdatePredicate,
} from './predicates.ts';

const reader = new ObjectReader({
  expected: { apiVersion: 'example.com/v1', kind: 'Widget' },
  metadataOnly: false,
  withoutManagedFields: false,
  bodies: new Bodies(),
});
const widget = (metadata: object): KubernetesObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', uid: 'u', ...metadata },
});
const lazy = (object: KubernetesObject): StoredObject<KubernetesObject> =>
  reader.item(Buffer.from(JSON.stringify(object))) ?? StoredObject.of(object);

const predicates: [string, UpdatePredicate][] = [
  ['generationChanged', generationChanged],
  ['moreThanStatusChanged', moreThanStatusChanged],
  ['labelsChanged', labelsChanged],
  ['annotationsChanged', annotationsChanged],
  ['resourceVersionChanged', resourceVersionChanged],
  ['deletionStarted', deletionStarted],
  ['anyOf', anyOf(labelsChanged, deletionStarted)],
  ['allOf', allOf(generationChanged, not(labelsChanged))],
];
const versions = [
  {},
  { generation: 1, resourceVersion: '1' },
  { generation: 2, resourceVersion: '2' },
  { generation: 2, resourceVersion: '3', labels: { a: 'b' } },
  { generation: 2, resourceVersion: '4', annotations: { a: 'b' } },
  { generation: 2, resourceVersion: '5', finalizers: ['x/y'] },
  { generation: 2, resourceVersion: '6', ownerReferences: [{ name: 'o', uid: 'o' }] },
  { generation: 3, resourceVersion: '7', deletionTimestamp: '2026-01-01T00:00:00Z' },
].map(widget);

describe('a view of metadata', () => {
  it.each(predicates)('%s says the same of it as of the object, whose body it does not parse', (_name, predicate) => {
    expect(looksAtMetadataOnly(predicate)).toBe(true);
    for (const one of versions) {
      for (const other of versions) {
        const [previous, object] = [lazy(one), lazy(other)];
        expect(predicate(metadataView(previous), metadataView(object))).toBe(predicate(one, other));
        expect([previous.isParsed, object.isParsed]).toEqual([false, false]);
      }
    }
  });

  it('is not for predicates of the user, nor for what is made of them', () => {
    const own: UpdatePredicate = () => true;
    for (const predicate of [own, anyOf(own, labelsChanged), allOf(labelsChanged, own), not(own)]) {
      expect(looksAtMetadataOnly(predicate)).toBe(false);
    }
  });
});
