import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { apiError } from '../client/errors.ts';
import type { Change, Client } from '../client/types.ts';
import { defineKind } from '../kind/kind.ts';
import { createOrPatch } from './create-or-patch.ts';
import { createOrUpdate } from './create-or-update.ts';
import { mergeDifference } from './merge-difference.ts';

interface Widget extends KubernetesObject {
  spec?: { size?: number; tags?: string[]; note?: string | null };
  status?: { ready: boolean };
}
const Widget = defineKind<Widget, 'Namespaced', 'status'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
const key = { namespace: 'ns', name: 'w' };
const widget = (spec: NonNullable<Widget['spec']>, metadata: ObjectMeta = {}): Cached<Widget> =>
  freeze({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { ...key, uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    spec,
  });

/** A client whose cache, and whose server, have these; patches answer with `patched`. */
function clientOf(cached: Cached<Widget> | undefined, patched?: Cached<Widget>, live?: Cached<Widget>) {
  const sent: unknown[] = [];
  const client = {
    get: () => Promise.resolve(cached),
    live: { get: () => Promise.resolve(live) },
    create(object: Widget) {
      sent.push({ create: object });
      return live === undefined
        ? Promise.resolve(object)
        : Promise.reject(apiError(409, { reason: 'AlreadyExists' }, { verb: 'create', path: '/x' }));
    },
    mergePatch(_kind: unknown, _key: unknown, patch: unknown) {
      sent.push(patch);
      return Promise.resolve(patched ?? cached ?? live);
    },
  } as unknown as Client;
  return { client, sent };
}

describe('createOrPatch', () => {
  it('creates what is not there', async () => {
    const { client, sent } = clientOf(undefined);
    const { operation } = await createOrPatch(client, Widget, key, (draft) => void (draft.spec = { size: 1 }));
    expect(operation).toBe('created');
    expect(sent).toEqual([
      { create: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: key, spec: { size: 1 } } },
    ]);
  });

  it('patches what differs, of this object and no other, under no version', async () => {
    const { client, sent } = clientOf(
      widget({ size: 1, tags: ['a'], note: 'x' }),
      widget({}, { resourceVersion: '2' }),
    );
    const { operation } = await createOrPatch(client, Widget, key, (draft) => {
      draft.metadata.labels = { a: 'b' };
      draft.spec = { ...draft.spec, size: 2, tags: ['a', 'b'] };
      delete draft.spec.note;
    });
    expect(operation).toBe('updated');
    expect(sent).toEqual([
      { metadata: { labels: { a: 'b' }, uid: 'u' }, spec: { size: 2, tags: ['a', 'b'], note: null } },
    ]);
  });

  it('patches what was created meanwhile', async () => {
    const { client, sent } = clientOf(undefined, widget({ size: 2 }, { resourceVersion: '2' }), widget({ size: 1 }));
    const { operation } = await createOrPatch(client, Widget, key, (draft) => void (draft.spec = { size: 2 }));
    expect(operation).toBe('updated');
    expect(sent.at(-1)).toEqual({ metadata: { uid: 'u' }, spec: { size: 2 } });
  });

  it('sends nothing for a draft that does not differ, and asks once about what the server takes for the same', async () => {
    const same = clientOf(widget({ size: 1 }));
    const keep: Change<Widget> = (draft) => void (draft.spec = { size: 1 });
    expect(await createOrPatch(same.client, Widget, key, keep)).toMatchObject({ operation: 'unchanged' });
    expect(same.sent).toEqual([]);
    const asked = clientOf(widget({ size: 1 }, { uid: 'asked' }));
    const other: Change<Widget> = (draft) => void (draft.spec = { size: 1, note: 'dropped' });
    expect(await createOrPatch(asked.client, Widget, key, other)).toMatchObject({ operation: 'unchanged' });
    expect(await createOrPatch(asked.client, Widget, key, other)).toMatchObject({ operation: 'unchanged' });
    expect(asked.sent).toHaveLength(1);
  });

  it.each<[string, Change<Widget>, RegExp]>([
    ['another name', (draft) => void (draft.metadata.name = 'x'), /cannot be changed/],
    ['a status', (draft) => void (draft.status = { ready: true }), /does not write the status: use patchStatus/],
    ['a null', (draft) => void (draft.spec = { note: null }), /\/spec\/note cannot be set to null/],
    // A function that has not run to its end yet.
    ['a promise', (async () => Promise.resolve()) as unknown as Change<Widget>, /promise/],
  ])('refuses %s', async (_, change, message) => {
    const { client, sent } = clientOf(widget({ size: 1 }));
    await expect(createOrPatch(client, Widget, key, change)).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});

/** RFC 7386, section 2. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = new Map(
    typeof target === 'object' && target !== null && !Array.isArray(target) ? Object.entries(target) : [],
  );
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'x/y'), tie('value'), { maxKeys: 3 }),
  ),
}));
const anyObject = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'x/y'), anyValue, { maxKeys: 4 });

describe('an object that is not there', () => {
  it.each<[string, Change<Widget>, RegExp]>([
    ['a promise', (async () => Promise.resolve()) as unknown as Change<Widget>, /promise/],
    ['a promise that fails', (() => Promise.reject(new Error('no'))) as unknown as Change<Widget>, /promise/],
    ['another name', (draft) => void (draft.metadata.name = 'x'), /cannot be changed/],
    ['another namespace', (draft) => void (draft.metadata.namespace = 'x'), /cannot be changed/],
  ])('is not created by %s', async (_, change, message) => {
    for (const ensure of [createOrPatch, createOrUpdate]) {
      const { client, sent } = clientOf(undefined);
      await expect(ensure(client, Widget, key, change)).rejects.toThrow(message);
      expect(sent).toEqual([]);
    }
  });
});

describe('a merge patch', () => {
  it('makes one of any two objects of the other', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (from, to) => {
        const patch = mergeDifference(from, to);
        expect(merged(from, patch ?? {})).toEqual(merged({}, to));
        expect(patch === undefined).toBe(JSON.stringify(sorted(from)) === JSON.stringify(sorted(to)));
      }),
      { numRuns: 500 },
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, sorted(member)]);
  return { members: members.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}
