import { describe, expect, it } from 'vitest';
import { Bodies } from './bodies.ts';
import { StoredObject } from './lazy-object.ts';
import { ObjectReader } from './object-reader.ts';
import { Store } from './store.ts';
import type { IndexFunction } from './types.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { looksAtMetadataOnly, metadataView } from './metadata-view.ts';
import { labelIndex, ownerIndex } from './indexes.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  generationChanged,
  labelsChanged,
  moreThanStatusChanged,
  not,
  resourceVersionChanged,
  type UpdatePredicate,
} from '../controller/predicates.ts';

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

describe('indexes of metadata', () => {
  it.each<[string, IndexFunction<KubernetesObject>, object, string[]]>([
    ['ownerIndex', ownerIndex, {}, []],
    ['ownerIndex', ownerIndex, { ownerReferences: [{ uid: 'a' }, { uid: 'b' }] }, ['a', 'b']],
    ['labelIndex', labelIndex('app'), { labels: { app: 'x', other: 'y' } }, ['x']],
    ['labelIndex', labelIndex('app'), { labels: { other: 'y' } }, []],
    ['labelIndex', labelIndex('toString'), { labels: {} }, []],
  ])('%s', (_name, index, metadata, expected) => {
    const object = lazy(widget(metadata));
    expect(looksAtMetadataOnly(index)).toBe(true);
    expect(index(metadataView(object))).toEqual(expected);
    expect(index(widget(metadata))).toEqual(expected);
  });

  it('are the same function for the same label, so that several may ask for one index', () => {
    expect(labelIndex('app')).toBe(labelIndex('app'));
    expect(labelIndex('app')).not.toBe(labelIndex('tier'));
  });

  it('are kept without a body being parsed', () => {
    const store = new Store<KubernetesObject>({
      onIndexError: () => undefined,
      budget: new TurnBudget(createVirtualEnvironment()),
    });
    store.addIndex('owner', ownerIndex);
    store.addIndex('size', () => ['any']);
    const [one, other] = ['o', 'p'].map((uid) => lazy(widget({ name: uid, ownerReferences: [{ uid }] })));
    if (one === undefined || other === undefined) throw new Error('no objects');
    store.upsert(one);
    store.upsert(other);
    expect(store.byIndex('owner', 'o')).toHaveLength(1);
    expect([one.isParsed, other.isParsed]).toEqual([true, false]);
    expect(store.byIndex('size', 'any')).toHaveLength(2);
    expect(other.isParsed).toBe(true);
  });
});
