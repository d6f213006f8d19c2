import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { freeze } from '../client/cached.ts';
import { apiError } from '../client/errors.ts';
import type { Client } from '../client/types.ts';
import { defineKind } from '../kind/kind.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizer.ts';
import {
  AlreadyOwnedError,
  InvalidOwnerError,
  isControlledBy,
  isOwnedBy,
  withControllerReference,
  withOwnerReference,
  withoutOwnerReference,
} from './owner-reference.ts';

interface Widget extends KubernetesObject {
  spec?: { size: number };
}
const Widget = defineKind<Widget, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});
const Zone = defineKind<KubernetesObject, 'Cluster'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Zone',
  plural: 'zones',
  scope: 'Cluster',
  subresources: [],
});

function widget(metadata: KubernetesObject['metadata'] = {}): Cached<Widget> {
  return freeze({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'one', uid: 'uid-1', resourceVersion: '7', ...metadata },
  });
}
const zone = freeze({ apiVersion: 'example.com/v1', kind: 'Zone', metadata: { name: 'z', uid: 'zone-uid' } });
const child = (metadata: KubernetesObject['metadata'] = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'one', ...metadata },
});
const reference = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name: 'w',
  uid: 'uid-1',
  controller: true,
  blockOwnerDeletion: true,
};

describe('an owner', () => {
  const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p' };

  it('is known by group, kind and uid, whatever the version, as the controller or not', () => {
    const plain = { ...reference, controller: false };
    for (const owned of [reference, plain, { ...reference, apiVersion: 'example.com/v1beta1' }]) {
      expect(isOwnedBy(child({ ownerReferences: [other, owned] }), Widget, widget())).toBe(true);
    }
    for (const owners of [undefined, [other], [{ ...reference, uid: 'another' }], [{ ...reference, kind: 'Gadget' }]]) {
      expect(isOwnedBy(child(owners === undefined ? {} : { ownerReferences: owners }), Widget, widget())).toBe(false);
    }
  });

  it('is taken away alone, and what has none of it comes back as it is', () => {
    const owned = freeze(child({ ownerReferences: [other, reference] }));
    expect(withoutOwnerReference(Widget, widget(), owned).metadata.ownerReferences).toEqual([other]);
    const foreign = freeze(child({ ownerReferences: [other] }));
    expect(withoutOwnerReference(Widget, widget(), foreign)).toBe(foreign);
  });
});

describe('a controller reference', () => {
  it('is added to a child made of frozen parts, which stay as they are', () => {
    const frozen = freeze(child());
    const owned = withControllerReference(Widget, widget(), frozen);
    expect(owned.metadata.ownerReferences).toEqual([reference]);
    expect(frozen.metadata.ownerReferences).toBeUndefined();
    expect(isControlledBy(owned, Widget, widget())).toBe(true);
    expect(isControlledBy(owned, Widget, widget({ uid: 'uid-2' }))).toBe(false);
  });

  it('is not added twice, and turns a plain reference to the same owner into one', () => {
    const owned = withControllerReference(Widget, widget(), child());
    expect(withControllerReference(Widget, widget(), owned)).toBe(owned);
    const plain = withOwnerReference(Widget, widget(), child());
    expect(withOwnerReference(Widget, widget(), plain)).toBe(plain);
    expect(withControllerReference(Widget, widget(), plain).metadata.ownerReferences).toEqual([reference]);
    expect(withOwnerReference(Widget, widget(), owned)).toBe(owned);
  });

  it('keeps other owners, and sees one of another version of the kind as the same', () => {
    const other = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'uid-s' };
    const older = { ...reference, apiVersion: 'example.com/v1beta1' };
    const owned = withControllerReference(Widget, widget(), child({ ownerReferences: [older, other] }));
    expect(owned.metadata.ownerReferences).toEqual([other, reference]);
    // As one of its owners it is there already, and stays the controller.
    const controlled = child({ ownerReferences: [older] });
    expect(withOwnerReference(Widget, widget(), controlled)).toBe(controlled);
  });

  it('does not hold up the deletion of the owner where that is not wanted', () => {
    const owned = withControllerReference(Widget, widget(), child(), { blockOwnerDeletion: false });
    expect(owned.metadata.ownerReferences).toEqual([{ ...reference, blockOwnerDeletion: false }]);
  });

  it.each([
    ['another kind', { ...reference, kind: 'Gadget' }],
    ['another group', { ...reference, apiVersion: 'example.org/v1' }],
    ['an earlier owner of the same name', { ...reference, uid: 'uid-0' }],
  ])('is refused when %s is the controller', (_, existing) => {
    expect(() => withControllerReference(Widget, widget(), child({ ownerReferences: [existing] }))).toThrow(
      AlreadyOwnedError,
    );
  });

  it.each([
    ['a child of another namespace', child({ namespace: 'two' }), /same namespace/],
    ['a cluster-scoped child', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }, /has no namespace/],
  ])('of a namespaced owner is refused for %s', (_, object, message) => {
    expect(() => withControllerReference(Widget, widget(), object)).toThrow(InvalidOwnerError);
    expect(() => withOwnerReference(Widget, widget(), object)).toThrow(message);
  });

  it.each([child(), { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }])(
    'of a cluster-scoped owner fits any child',
    (object) => {
      expect(withControllerReference(Zone, zone, object).metadata.ownerReferences).toMatchObject([
        { kind: 'Zone', uid: 'zone-uid' },
      ]);
    },
  );

  it('needs an owner that came from an API server', () => {
    const { uid: _, ...metadata } = widget().metadata;
    expect(() => withControllerReference(Widget, { ...widget(), metadata }, child())).toThrow(/no uid/);
  });
});

describe('finalizers', () => {
  /** A client whose `update` applies the change to a copy, or fails. */
  function clientOf(fail?: Error): { client: Client; updates: unknown[] } {
    const updates: unknown[] = [];
    const update = (_kind: unknown, object: unknown, change: (draft: never) => unknown): Promise<unknown> => {
      if (fail !== undefined) {
        return Promise.reject(fail);
      }
      const draft = structuredClone(object);
      change(draft as never);
      updates.push(draft);
      return Promise.resolve(draft);
    };
    return { client: { update } as unknown as Client, updates };
  }
  const request = { verb: 'patch', path: '/apis/example.com/v1/namespaces/one/widgets/w' } as const;

  it('are added once, behind those of others', async () => {
    const { client, updates } = clientOf();
    const added = await addFinalizer(client, Widget, widget({ finalizers: ['other'] }), 'mine');
    expect(added.metadata.finalizers).toEqual(['other', 'mine']);
    expect(hasFinalizer(added, 'mine')).toBe(true);
    expect(await addFinalizer(client, Widget, added, 'mine')).toBe(added);
    expect(updates).toHaveLength(1);
  });

  it('are not added to what is being deleted', async () => {
    const deleted = widget({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await expect(addFinalizer(clientOf().client, Widget, deleted, 'mine')).rejects.toThrow(/being deleted/);
  });

  it('are removed alone; nothing is sent when there is nothing to remove', async () => {
    const { client, updates } = clientOf();
    await removeFinalizer(client, Widget, widget({ finalizers: ['a', 'mine', 'b'] }), 'mine');
    await removeFinalizer(client, Widget, widget({ finalizers: ['a'] }), 'mine');
    await removeFinalizer(client, Widget, widget(), 'mine');
    expect(updates).toMatchObject([{ metadata: { finalizers: ['a', 'b'] } }]);
  });

  it('of an object that is gone count as removed; a conflict is passed on', async () => {
    const object = widget({ finalizers: ['mine'] });
    await removeFinalizer(clientOf(apiError(404, { reason: 'NotFound' }, request)).client, Widget, object, 'mine');
    const conflict = apiError(409, { reason: 'Conflict' }, request);
    await expect(removeFinalizer(clientOf(conflict).client, Widget, object, 'mine')).rejects.toBe(conflict);
  });
});
