import { expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { Arrivals } from './arrivals.ts';
import { Bodies } from './bodies.ts';
import type { StoredObject } from './lazy-object.ts';
import { ObjectReader } from './object-reader.ts';
import { Store } from './store.ts';

const expected = { apiVersion: 'example.com/v1', kind: 'Widget' };
const request = { verb: 'watch', path: '/apis/example.com/v1/widgets' } as const;
const reader = new ObjectReader({ expected, metadataOnly: false, withoutManagedFields: true, bodies: new Bodies() });

/** An object of an event, and the bytes that it came with. */
function arrive(
  name: string,
  version: number,
): { readonly object: StoredObject<KubernetesObject>; readonly line: Buffer } {
  const metadata = {
    name,
    uid: name,
    resourceVersion: String(version),
    managedFields: [{ manager: 'm' }],
    labels: { a: 'ä' },
  };
  const line = Buffer.from(JSON.stringify({ type: 'MODIFIED', object: { ...expected, metadata, spec: { version } } }));
  const event = reader.event(line, request);
  if (!('object' in event)) throw new Error('no object');
  return { object: event.object, line };
}

it('detaches objects when what they keep of sockets is too much together', () => {
  const detached: number[] = [];
  const arrivals = new Arrivals(1000);
  const piece = new ArrayBuffer(400);
  const add = (id: number, of: ArrayBuffer): void => {
    arrivals.add({ detach: () => void detached.push(id) }, { piece: of });
  };
  add(1, piece);
  add(2, piece);
  add(3, piece);
  add(4, new ArrayBuffer(400));
  expect(detached).toEqual([]);
  add(5, new ArrayBuffer(400));
  expect(detached).toEqual([1, 2, 3, 4, 5]);
  arrivals.settle();
  add(6, piece);
  expect(detached).toEqual([1, 2, 3, 4, 5]);
});

it('an object that is detached no longer reads what it came from, and says the same', () => {
  const { object, line } = arrive('a', 1);
  expect(object.metadata).toEqual({ name: 'a', uid: 'a', resourceVersion: '1', labels: { a: 'ä' } });
  object.settle().detach();
  line.fill(0);
  expect(object.isParsed).toBe(false);
  expect(object.metadata.labels).toEqual({ a: 'ä' });
  expect(object.object).toMatchObject({ metadata: { name: 'a' }, spec: { version: 1 } });
});

it('of versions whose place another one has taken no text is made; whoever has one can read it', () => {
  const store = new Store<KubernetesObject>({
    onIndexError: () => undefined,
    budget: new TurnBudget(createVirtualEnvironment()),
  });
  const [first, second] = [arrive('b', 1), arrive('b', 2)];
  store.upsert(first.object);
  store.upsert(second.object);
  const gone = arrive('b', 3);
  const [last] = store.delete(gone.object);
  for (const { object } of [first, second, gone]) object.detach();
  expect(first.object.object).toMatchObject({ spec: { version: 1 } });
  expect(last?.object.object).toMatchObject({ spec: { version: 3 } });
  // It still lies in the bytes.
  second.line.fill(0);
  expect(() => second.object.object).toThrow('is no JSON');
});

it('what changed is told of objects as they came, and of those that were detached', () => {
  const [first, second, third] = [arrive('c', 1).object, arrive('c', 2).object, arrive('c', 2).object];
  expect(second.changedSince(first)).toEqual(['/spec']);
  first.detach();
  expect(second.changedSince(first)).toEqual(['/spec']);
  expect(third.changedSince(second)).toEqual([]);
});
