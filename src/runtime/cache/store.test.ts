import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import type { StoredObject } from './lazy-object.ts';
import { Bodies } from './bodies.ts';
import { ObjectReader } from './object-reader.ts';
import { Store } from './store.ts';
import { NamespacedStores } from './stores.ts';

const reader = new ObjectReader({
  expected: { apiVersion: 'v1', kind: 'ConfigMap' },
  metadataOnly: false,
  withoutManagedFields: false,
  bodies: new Bodies(),
});
/** An object as it comes from the server, not parsed yet. */
const object = (
  namespace: string,
  name: string,
  resourceVersion: string,
  label = 'x',
  uid = `${namespace}-${name}`,
): StoredObject<KubernetesObject> => {
  const metadata = { namespace, name, uid, resourceVersion, labels: { label } };
  const item = reader.item(Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })));
  if (item === undefined) throw new Error('an item without a name');
  return item;
};
const store = (budget = new TurnBudget(createVirtualEnvironment())): Store<KubernetesObject> =>
  new Store({
    budget,
    onIndexError: (name, error) => {
      throw new Error(`${name}: ${String(error)}`);
    },
  });
/** A list, as `replace` takes it. */
const all = (...objects: readonly StoredObject<KubernetesObject>[]): Map<string, StoredObject<KubernetesObject>> =>
  new Map(objects.map((one) => [one.key, one]));
const budget = new TurnBudget(createVirtualEnvironment());
const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').sort();
const byLabel = ({
  metadata,
}: {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}): string[] => [metadata.labels?.['label'] ?? ''];

describe('Store', () => {
  it('selects by labels without parsing what does not match', () => {
    const one = store();
    one.addIndex('all', () => ['yes']);
    one.upsert(object('a', 'one', '1', 'x'));
    one.upsert(object('a', 'two', '2', 'y'));
    one.upsert(object('b', 'three', '3', 'x'));
    const labels = (found: Readonly<Record<string, string>> | undefined): boolean => found?.['label'] === 'x';
    expect(names(one.list({ labels, namespace: 'a' }))).toEqual(['one']);
    expect(names(one.list({ labels }))).toEqual(['one', 'three']);
    expect([one.peek({ namespace: 'a', name: 'one' }), one.peek({ namespace: 'a', name: 'two' })]).toMatchObject([
      { isParsed: true },
      { isParsed: false },
    ]);
    expect(names(one.byIndex('all', 'yes', { labels, namespace: 'b' }))).toEqual(['three']);
  });

  it('finds by key, namespace and index', async () => {
    const objects = store();
    objects.addIndex('label', byLabel);
    await objects.replace(
      all(object('a', 'one', '1'), object('a', 'two', '2', 'y'), object('b', 'one', '3', 'y')),
      budget,
    );
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

  it('moves an object between values, and takes an index at any time', async () => {
    const objects = store();
    await objects.replace(all(object('a', 'one', '1')), budget);
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

  it('a replace tells deletes first, with the last known state, and nothing of what is unchanged', async () => {
    const objects = store();
    await objects.replace(
      all(object('a', 'gone', '1'), object('a', 'same', '2'), object('a', 'new', '3'), object('a', 'other', '4')),
      budget,
    );
    const same = objects.get({ namespace: 'a', name: 'same' });
    const deltas = await objects.replace(
      all(
        object('a', 'same', '2'),
        object('a', 'new', '5'),
        object('a', 'other', '6', 'x', 'second'),
        object('a', 'added', '7'),
      ),
      budget,
    );
    expect(deltas.map((delta) => `${delta.type} ${delta.object.name}`)).toEqual([
      'delete gone',
      'update new',
      'delete other',
      'add other',
      'add added',
    ]);
    expect(deltas[0]).toMatchObject({ finalStateUnknown: true });
    expect(objects.get({ namespace: 'a', name: 'same' })).toBe(same);
  });

  it('takes the delete of an object that it has not seen as the delete of the one that it has', async () => {
    const objects = store();
    objects.upsert(object('a', 'one', '1', 'x', 'first'));
    expect(objects.delete(object('a', 'one', '9', 'x', 'second'))).toMatchObject([
      { type: 'delete', object: { uid: 'first' }, finalStateUnknown: true },
    ]);
    expect(objects.delete(object('a', 'one', '10'))).toEqual([]);
  });

  it('has indexes that equal a scan, whatever happens', async () => {
    const operation = fc.record({
      what: fc.constantFrom('upsert', 'delete', 'replace'),
      namespace: fc.constantFrom('a', 'b'),
      name: fc.constantFrom('one', 'two', 'three'),
      label: fc.constantFrom('x', 'y', 'z'),
      uid: fc.constantFrom('1', '2'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const objects = store();
        objects.addIndex('label', byLabel);
        let version = 1;
        for (const { what, namespace, name, label, uid } of operations) {
          const one = object(namespace, name, String(version++), label, uid);
          if (what === 'replace')
            await objects.replace(all(one, object(namespace, 'fixed', String(version++), label)), budget);
          else if (what === 'upsert') objects.upsert(one);
          else objects.delete(one);
          const listed = objects.list();
          for (const value of ['x', 'y', 'z']) {
            expect(new Set(objects.byIndex('label', value))).toEqual(
              new Set(listed.filter(({ metadata }) => metadata.labels?.['label'] === value)),
            );
          }
          for (const value of ['a', 'b']) {
            expect(new Set(objects.list({ namespace: value }))).toEqual(
              new Set(listed.filter(({ metadata }) => metadata.namespace === value)),
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('takes an index that comes while a replace is under way, and shows nothing of it before its end', async () => {
    const environment = createVirtualEnvironment();
    // Time passes with each look at the clock, so that every step asks for a turn.
    let now = 0;
    const slow = new TurnBudget({
      clock: { ...environment.clock, monotonic: () => (now += 20) },
      scheduler: environment.scheduler,
    });
    const objects = store();
    await objects.replace(all(object('a', 'one', '1')), budget);
    const others = Array.from({ length: 100 }, (_, index) => object('b', `other-${index}`, '3', 'z'));
    const replaced = objects.replace(all(object('a', 'one', '2', 'y'), object('a', 'two', '3', 'y'), ...others), slow);
    objects.addIndex('label', byLabel);
    expect(names(objects.byIndex('label', 'x'))).toEqual(['one']);
    expect(objects.size).toBe(1);
    await environment.settle();
    await replaced;
    expect(names(objects.byIndex('label', 'y'))).toEqual(['one', 'two']);
    expect(objects.byIndex('label', 'x')).toEqual([]);
  });
});

describe('an index that comes when there are many objects', () => {
  /** A store of a hundred, where time passes with each look at the clock. */
  const filled = async (): Promise<{
    readonly objects: Store<KubernetesObject>;
    readonly slow: TurnBudget;
    readonly settle: () => Promise<void>;
  }> => {
    const environment = createVirtualEnvironment();
    let now = 0;
    const slow = new TurnBudget({
      clock: { ...environment.clock, monotonic: () => (now += 3) },
      scheduler: environment.scheduler,
    });
    const objects = store(slow);
    const many = Array.from({ length: 100 }, (_, index) => object('a', `o-${index}`, '1', index % 2 ? 'odd' : 'even'));
    await objects.replace(all(...many), budget);
    return { objects, slow, settle: () => environment.settle() };
  };

  it('is filled with turns of the event loop between, and refuses to answer before its end', async () => {
    const { objects, settle } = await filled();
    let asked = 0;
    objects.addIndex('label', (one) => {
      asked++;
      return byLabel(one);
    });
    expect(asked).toBeLessThan(10);
    expect(() => objects.byIndex('label', 'odd')).toThrow('is being filled: wait for whenIndexed("label")');
    expect(() => objects.addIndex('label', () => [])).toThrow('another function');
    let isReady = false;
    const ready = objects.whenIndexed('label').then(() => (isReady = true));
    objects.upsert(object('a', 'o-1', '2', 'even'));
    objects.upsert(object('a', 'new', '3', 'odd'));
    objects.delete(object('a', 'o-99', '4', 'odd'));
    expect(isReady).toBe(false);
    await settle();
    await ready;
    expect(objects.byIndex('label', 'odd')).toHaveLength(49);
    expect(objects.byIndex('label', 'even')).toHaveLength(51);
    await objects.whenIndexed('label');
    await objects.whenIndexed('nothing');
  });

  it('knows of other objects after a replace meanwhile', async () => {
    const { objects, slow, settle } = await filled();
    objects.addIndex('label', byLabel);
    const ready = objects.whenIndexed('label');
    const replaced = objects.replace(all(object('b', 'one', '5', 'odd')), slow);
    await settle();
    await Promise.all([ready, replaced]);
    expect(names(objects.byIndex('label', 'odd'))).toEqual(['one']);
    expect(objects.byIndex('label', 'even')).toEqual([]);
  });
});

describe('NamespacedStores', () => {
  it('are one store, of which each namespace is replaced alone', async () => {
    const [a, b] = [store(), store()];
    const both = new NamespacedStores(
      new Map([
        ['a', a],
        ['b', b],
      ]),
    );
    both.addIndex('label', byLabel);
    await a.replace(all(object('a', 'one', '1')), budget);
    await b.replace(all(object('b', 'one', '2')), budget);
    expect(both.size).toBe(2);
    expect(names(both.list())).toEqual(['one', 'one']);
    expect(both.get({ namespace: 'b', name: 'one' })?.metadata.uid).toBe('b-one');
    expect(both.get({ namespace: 'c', name: 'one' })).toBeUndefined();
    expect(both.byIndex('label', 'x', { namespace: 'b' })).toHaveLength(1);
    expect(both.list({ namespace: 'c' })).toEqual([]);
    expect(() => both.byIndex('lable', 'x', { namespace: 'c' })).toThrow('no index "lable"');
    expect((await a.replace(all(), budget)).map(({ type }) => type)).toEqual(['delete']);
    expect(names(both.list({ namespace: 'b' }))).toEqual(['one']);
    expect(both.size).toBe(1);
  });
});
