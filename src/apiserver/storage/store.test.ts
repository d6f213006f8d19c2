import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPlain, text, type JsonObject } from '../json.ts';
import { CompactedError, Store, type StoreEvent } from './store.ts';

const object = (name: string, value = 0): JsonObject => fromPlain({ metadata: { name }, value }) as JsonObject;
const key = (name: string, namespace = 'default'): { namespace: string; name: string } => ({ namespace, name });
const names = (objects: readonly JsonObject[]): readonly string[] =>
  objects.map((found) => text(found, 'metadata', 'name'));

describe('Store', () => {
  it('counts every write of every resource with one counter', () => {
    const store = new Store();
    const first = store.collection('a').create(key('x'), object('x'));
    const second = store.collection('b').create(key('x'), object('x'));
    const third = store.collection('a').update(key('x'), object('x', 1));
    store.collection('b').delete(key('x'));
    expect([first, second, third].map((found) => text(found, 'metadata', 'resourceVersion'))).toEqual(['2', '3', '4']);
    expect(store.revision).toBe(5);
  });

  it('lists by namespace and name as etcd sorts its keys', () => {
    const collection = new Store().collection('a');
    for (const [namespace, name] of [
      ['a', 'z'],
      ['a-b', 'x'],
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      collection.create(key(name, namespace), object(name));
    expect(names(collection.list())).toEqual(['x', 'b', 'z', 'a']);
    expect(names(collection.list('a'))).toEqual(['b', 'z']);
    expect(collection.list('none')).toEqual([]);
  });

  it('gives a deletion its own revision', () => {
    const store = new Store();
    const events: StoreEvent[] = [];
    const stop = store.collection('a').subscribe((event) => events.push(event));
    store.collection('a').create(key('x'), object('x'));
    store.collection('a').delete(key('x'));
    stop();
    store.collection('a').create(key('y'), object('y'));
    expect(events.map(({ type, revision }) => [type, revision])).toEqual([
      ['ADDED', 2],
      ['DELETED', 3],
    ]);
    expect(text(events[1]?.object, 'metadata', 'resourceVersion')).toBe('3');
  });

  it('refuses what is gone after compaction', () => {
    const store = new Store();
    const collection = store.collection('a');
    for (const name of ['x', 'y', 'z']) collection.create(key(name), object(name));
    store.compact(3);
    expect(() => collection.eventsAfter(2)).toThrow(CompactedError);
    expect(() => collection.list(undefined, 2)).toThrow(CompactedError);
    expect(names(collection.list(undefined, 3))).toEqual(['x', 'y']);
    expect(collection.eventsAfter(3)).toHaveLength(1);
  });

  it('drops the oldest events when there are too many', () => {
    const collection = new Store({ historyLimit: 8 }).collection('a');
    for (let index = 0; index < 40; index++) collection.create(key(`n-${index}`), object(`n-${index}`));
    expect(collection.compactedRevision).toBeGreaterThan(0);
    expect(collection.eventsAfter(collection.compactedRevision).length).toBeLessThanOrEqual(9);
  });

  it('restores what it dumped', () => {
    const store = new Store();
    store.collection('a').create(key('x'), fromPlain({ metadata: { name: 'x', namespace: 'default' } }) as JsonObject);
    const copy = new Store();
    copy.restore(store.dump());
    expect(copy.revision).toBe(store.revision);
    expect(copy.collection('a').list()).toEqual(store.collection('a').list());
  });

  it('shows the past exactly as it was, whatever was written', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.integer(), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store();
        const collection = store.collection('a');
        const states = new Map<number, readonly JsonObject[]>();
        for (const { name, value, remove } of steps) {
          const present = collection.get(key(name)) !== undefined;
          if (!present) collection.create(key(name), object(name, value));
          else if (remove) collection.delete(key(name));
          else collection.update(key(name), object(name, value));
          states.set(store.revision, collection.list());
        }
        for (const [revision, state] of states) expect(collection.list(undefined, revision)).toEqual(state);
      }),
    );
  });
});
