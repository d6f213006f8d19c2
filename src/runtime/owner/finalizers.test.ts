import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { apiError } from '../client/errors.ts';
import type { Client } from '../client/types.ts';
import { defineKind } from '../kind/kind.ts';
import { Finalizers } from './finalizers.ts';

const Widget = defineKind<KubernetesObject, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});
const widget = (metadata: ObjectMeta): Cached<KubernetesObject> =>
  freeze({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'ns', ...metadata } });

/** A client whose updates are noted: the finalizers after each. */
function clientOf(fail?: Error): { client: Client; updates: (readonly string[] | undefined)[] } {
  const updates: (readonly string[] | undefined)[] = [];
  const update = (
    _: unknown,
    object: KubernetesObject,
    change: (draft: KubernetesObject) => void,
  ): Promise<unknown> => {
    const draft = structuredClone(object);
    change(draft);
    updates.push(draft.metadata.finalizers);
    return fail === undefined ? Promise.resolve(draft) : Promise.reject(fail);
  };
  return { client: { update } as unknown as Client, updates };
}

function registry(failing: readonly string[] = []): {
  finalizers: Finalizers<KubernetesObject, string>;
  ran: string[];
} {
  const ran: string[] = [];
  const finalizers = new Finalizers<KubernetesObject, string>();
  for (const name of ['a.com/one', 'a.com/two', 'a.com/three']) {
    finalizers.register(name, async (_object, context) => {
      ran.push(`${name} ${context}`);
      if (failing.includes(name)) {
        throw new Error(name);
      }
      await Promise.resolve();
    });
  }
  return { finalizers, ran };
}

const deletionTimestamp = '2026-01-01T00:00:00Z';

describe('named finalizers', () => {
  it('are added all with one write, beside those of others, and not again', async () => {
    const { finalizers, ran } = registry();
    const { client, updates } = clientOf();
    const object = await finalizers.reconcile(client, Widget, widget({ finalizers: ['other', 'a.com/two'] }), 'x');
    expect(updates).toEqual([['other', 'a.com/two', 'a.com/one', 'a.com/three']]);
    expect(object?.metadata.finalizers).toEqual(updates[0]);
    const complete = widget({ finalizers: ['a.com/one', 'a.com/two', 'a.com/three'] });
    expect(await finalizers.reconcile(client, Widget, complete, 'x')).toBe(complete);
    expect(updates).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it('run in order when the object is being deleted, those that it has, and go with one write', async () => {
    const { finalizers, ran } = registry();
    const { client, updates } = clientOf();
    const deleted = widget({ deletionTimestamp, finalizers: ['a.com/three', 'other', 'a.com/one'] });
    expect(await finalizers.reconcile(client, Widget, deleted, 'x')).toBeUndefined();
    expect(ran).toEqual(['a.com/one x', 'a.com/three x']);
    expect(updates).toEqual([['other']]);
  });

  it('that fail stay; the others go, and the error comes out', async () => {
    const { finalizers, ran } = registry(['a.com/two']);
    const { client, updates } = clientOf();
    const deleted = widget({ deletionTimestamp, finalizers: ['a.com/one', 'a.com/two', 'a.com/three'] });
    await expect(finalizers.reconcile(client, Widget, deleted, 'x')).rejects.toThrow('a.com/two');
    expect(ran).toHaveLength(3);
    expect(updates).toEqual([['a.com/two']]);
    const both = registry(['a.com/one', 'a.com/two']);
    await expect(both.finalizers.reconcile(client, Widget, deleted, 'x')).rejects.toThrow(AggregateError);
  });

  it('that an object never got are not run, and nothing is written', async () => {
    const { finalizers, ran } = registry();
    const { client, updates } = clientOf();
    const deleted = widget({ deletionTimestamp, finalizers: ['other'] });
    expect(await finalizers.reconcile(client, Widget, deleted, 'x')).toBeUndefined();
    expect([ran, updates]).toEqual([[], []]);
  });

  it('count an object that is gone as done', async () => {
    const { finalizers } = registry();
    const gone = apiError(404, { reason: 'NotFound' }, { verb: 'patch', path: '/x' });
    const deleted = widget({ deletionTimestamp, finalizers: ['a.com/one'] });
    expect(await finalizers.reconcile(clientOf(gone).client, Widget, deleted, 'x')).toBeUndefined();
    const conflict = apiError(409, { reason: 'Conflict' }, { verb: 'patch', path: '/x' });
    await expect(finalizers.reconcile(clientOf(conflict).client, Widget, deleted, 'x')).rejects.toBe(conflict);
  });

  it.each(['cleanup', 'A.com/x', '/x', 'a.com/', 'a.com/x y'])('are not called %j', (name) => {
    expect(() => new Finalizers().register(name, () => Promise.resolve())).toThrow(RangeError);
  });

  it('have different names', () => {
    const { finalizers } = registry();
    expect(() => finalizers.register('a.com/one', () => Promise.resolve())).toThrow(/already/);
  });
});
