import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { Store } from './store.ts';

const object = (
  namespace: string,
  name: string,
  resourceVersion: string,
  label = 'x',
  uid = `${namespace}-${name}`,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, uid, resourceVersion, labels: { label } },
});
const store = (): Store<KubernetesObject> =>
  new Store((name, error) => {
    throw new Error(`${name}: ${String(error)}`);
  });
const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').sort();
const byLabel = ({
  metadata,
}: {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}): string[] => [metadata.labels?.['label'] ?? ''];

describe('Store', () => {
  it('finds by key, namespace and index', () => {
    const objects = store();
    objects.addIndex('label', byLabel);
    objects.replace([object('a', 'one', '1'), object('a', 'two', '2', 'y'), object('b', 'one', '3', 'y')]);
    expect(objects.size).toBe(3);
    expect(objects.get({ namespace: 'b', name: 'one' })?.metadata.uid).toBe('b-one');
    expect(objects.get({ namespace: 'c', name: 'one' })).toBeUndefined();
    expect(names(objects.list({ namespace: 'a' }))).toEqual(['one', 'two']);
    expect(names(objects.list({ namespace: '' }))).toEqual(['one', 'one', 'two']);
    expect(names(objects.byIndex('label', 'y'))).toEqual(['one', 'two']);
    expect(names(objects.byIndex('label', 'y', { namespace: 'a' }))).toEqual(['two']);
    expect(objects.byIndex('label', 'z')).toEqual([]);
    expect(() => objects.byIndex('lable', 'y')).toThrow('no index "lable"');
  });

  it('moves an object between values, and takes an index at any time', () => {
    const objects = store();
    objects.replace([object('a', 'one', '1')]);
    objects.addIndex('label', byLabel);
    objects.addIndex('label', byLabel);
    expect(() => objects.addIndex('label', () => [])).toThrow('another function');
    objects.upsert(object('a', 'one', '2', 'y'));
    expect(objects.byIndex('label', 'x')).toEqual([]);
    expect(names(objects.byIndex('label', 'y'))).toEqual(['one']);
    objects.delete(object('a', 'one', '3', 'y'));
    expect(objects.byIndex('label', 'y')).toEqual([]);
    expect(objects.list({ namespace: 'a' })).toEqual([]);
  });

  it('a replace tells deletes first, with the last known state, and nothing of what is unchanged', () => {
    const objects = store();
    objects.replace([
      object('a', 'gone', '1'),
      object('a', 'same', '2'),
      object('a', 'new', '3'),
      object('a', 'other', '4'),
    ]);
    const same = objects.get({ namespace: 'a', name: 'same' });
    const deltas = objects.replace([
      object('a', 'same', '2'),
      object('a', 'new', '5'),
      object('a', 'other', '6', 'x', 'second'),
      object('a', 'added', '7'),
    ]);
    expect(deltas.map((delta) => `${delta.type} ${delta.object.metadata.name}`)).toEqual([
      'delete gone',
      'update new',
      'delete other',
      'add other',
      'add added',
    ]);
    expect(deltas[0]).toMatchObject({ finalStateUnknown: true });
    expect(objects.get({ namespace: 'a', name: 'same' })).toBe(same);
  });

  it('replaces one namespace and leaves the others', () => {
    const objects = store();
    objects.replace([object('a', 'one', '1')], 'a');
    objects.replace([object('b', 'one', '2')], 'b');
    expect(objects.replace([], 'a').map(({ type }) => type)).toEqual(['delete']);
    expect(objects.size).toBe(1);
    expect(names(objects.list({ namespace: 'b' }))).toEqual(['one']);
  });

  it('takes the delete of an object that it has not seen as the delete of the one that it has', () => {
    const objects = store();
    objects.upsert(object('a', 'one', '1', 'x', 'first'));
    expect(objects.delete(object('a', 'one', '9', 'x', 'second'))).toMatchObject([
      { type: 'delete', object: { metadata: { uid: 'first' } }, finalStateUnknown: true },
    ]);
    expect(objects.delete(object('a', 'one', '10'))).toEqual([]);
  });

  it('has indexes that equal a scan, whatever happens', () => {
    const operation = fc.record({
      what: fc.constantFrom('upsert', 'delete', 'replace'),
      namespace: fc.constantFrom('a', 'b'),
      name: fc.constantFrom('one', 'two', 'three'),
      label: fc.constantFrom('x', 'y', 'z'),
      uid: fc.constantFrom('1', '2'),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const objects = store();
        objects.addIndex('label', byLabel);
        let version = 1;
        for (const { what, namespace, name, label, uid } of operations) {
          const one = object(namespace, name, String(version++), label, uid);
          if (what === 'replace') objects.replace([one, object(namespace, 'fixed', String(version++), label)]);
          else objects[what](one);
          const all = objects.list();
          for (const value of ['x', 'y', 'z']) {
            expect(new Set(objects.byIndex('label', value))).toEqual(
              new Set(all.filter(({ metadata }) => metadata.labels?.['label'] === value)),
            );
          }
          for (const value of ['a', 'b']) {
            expect(new Set(objects.list({ namespace: value }))).toEqual(
              new Set(all.filter(({ metadata }) => metadata.namespace === value)),
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
