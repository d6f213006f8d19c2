import { describe, expect, it } from 'vitest';
import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze, mutable } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { apiError } from '../client/errors.ts';
import type { Client } from '../client/types.ts';
import { defineKind } from '../kind/kind.ts';
import type { Write } from './guard-patterns.ts';
import { observedClient } from './observed-client.ts';
import { fieldsOfOperations, fieldsOfPatch } from './written-fields.ts';

interface Widget extends KubernetesObject {
  spec: { size: number; tags?: string[] };
  status?: { ready: number };
}
const Widget = defineKind<Widget, 'Namespaced', 'status' | 'scale'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status', 'scale'],
});
const key = { namespace: 'ns', name: 'w' };
const widget = (version: string, size = 1): Cached<Widget> =>
  freeze({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { ...key, resourceVersion: version },
    spec: { size },
  });
const scale = (version: string, replicas: number): Cached<Scale> =>
  freeze({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { ...key, resourceVersion: version },
    spec: { replicas },
  });

/** A client whose writes all answer with the same; the cache has version 1. */
function setUp(answer: Cached<KubernetesObject> | Error) {
  const send = (): Promise<unknown> => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
  const changing = (current: unknown) => (_kind: unknown, _object: unknown, change: (draft: unknown) => unknown) => {
    change(mutable(current));
    return send();
  };
  const calls = { mergePatch: send, jsonPatch: send, apply: send, create: send, update: send };
  const client = {
    ...calls,
    update: changing(widget('1')),
    updateStatus: changing(widget('1')),
    updateScale: changing(scale('1', 1)),
    status: calls,
    scale: calls,
    subresource: () => calls,
  } as unknown as Client;
  const writes: (Omit<Write, 'fields'> & { readonly fields: readonly string[] })[] = [];
  const conflicts: unknown[] = [];
  const observed = observedClient(
    client,
    {
      wrote: ({ fields, ...write }) => void writes.push({ ...write, fields: fields?.() ?? [] }),
      conflicted: (...[kind, of, read, fields]) => void conflicts.push([kind, of, read, fields()]),
      end: () => undefined,
    },
    { existing: (() => ({ indexer: { get: () => widget('1') } })) as never },
  );
  return { observed, writes, conflicts };
}

const writesOf: readonly (readonly [
  string,
  (client: Client) => Promise<unknown>,
  Partial<Write>,
  readonly string[],
])[] = [
  ['update', (client) => client.update(Widget, widget('1'), (draft) => void (draft.spec.size = 2)), {}, ['/spec/size']],
  [
    'updateStatus',
    (client) => client.updateStatus(Widget, widget('1'), (draft) => void (draft.status = { ready: 2 })),
    {},
    ['/status'],
  ],
  ['mergePatch', (client) => client.mergePatch(Widget, key, { spec: { size: 2 } }), {}, ['/spec/size']],
  [
    'jsonPatch',
    (client) => client.jsonPatch(Widget, key, [{ op: 'replace', path: '/spec/size', value: 2 }]),
    {},
    ['/spec/size'],
  ],
  ['apply', (client) => client.apply(Widget, { metadata: key, spec: { size: 2 } }), { how: 'apply' }, ['/spec/size']],
  [
    'status.mergePatch',
    (client) => client.status.mergePatch(Widget, key, { status: { ready: 2 } }),
    {},
    ['/status/ready'],
  ],
  [
    'status.jsonPatch',
    (client) => client.status.jsonPatch(Widget, key, [{ op: 'add', path: '/status', value: {} }]),
    {},
    ['/status'],
  ],
  [
    'status.apply',
    (client) => client.status.apply(Widget, { metadata: key, status: { ready: 2 } }),
    { how: 'apply' },
    ['/status/ready'],
  ],
  [
    'updateScale',
    (client) => client.updateScale(Widget, widget('1'), (draft) => void (draft.spec = { replicas: 2 })),
    { subresource: 'scale' },
    ['/spec/replicas'],
  ],
  [
    'scale.mergePatch',
    (client) => client.scale.mergePatch(Widget, key, { spec: { replicas: 2 } }),
    { subresource: 'scale', before: undefined },
    ['/spec/replicas'],
  ],
  [
    'scale.jsonPatch',
    (client) => client.scale.jsonPatch(Widget, key, [{ op: 'replace', path: '/spec/replicas', value: 2 }]),
    { subresource: 'scale' },
    ['/spec/replicas'],
  ],
  [
    'subresource.update',
    (client) => client.subresource('resize').update(Widget, key, {}),
    { subresource: 'resize' },
    [],
  ],
  [
    'subresource.mergePatch',
    (client) => client.subresource('resize').mergePatch(Widget, key, { spec: { size: 2 } }),
    { subresource: 'resize' },
    ['/spec/size'],
  ],
  [
    'subresource.jsonPatch',
    (client) => client.subresource('resize').jsonPatch(Widget, key, [{ op: 'remove', path: '/spec/size' }]),
    { subresource: 'resize' },
    ['/spec/size'],
  ],
];

describe('the guards are told', () => {
  it.each(writesOf)('of %s, and what it is about', async (_, write, expected, fields) => {
    const { observed, writes } = setUp(widget('2', 2));
    await write(observed);
    expect(writes).toMatchObject([{ kind: 'Widget', how: 'patch', ...expected, fields, after: widget('2', 2) }]);
  });

  it.each(writesOf.slice(0, 11))('of a conflict of %s', async (_, write, _expected, fields) => {
    const conflict = apiError(409, { reason: 'Conflict' }, { verb: 'patch', path: '/x' });
    const { observed, writes, conflicts } = setUp(conflict);
    await expect(write(observed)).rejects.toBe(conflict);
    expect(writes).toEqual([]);
    expect(conflicts).toEqual([['Widget', key, widget('1'), fields]]);
  });

  it('of creations, and whether the server made up the name', async () => {
    const { observed, writes } = setUp(widget('2'));
    await observed.create(widget('0'));
    await observed.create<Widget>({ ...widget('0'), metadata: { namespace: 'ns', generateName: 'w-' } });
    expect(writes).toMatchObject([
      { how: 'create', generatedName: false },
      { how: 'create', generatedName: true },
    ]);
  });

  it('of nothing where nothing was sent, stored or shown', async () => {
    const same = setUp(widget('2'));
    await same.observed.updateScale(Widget, widget('1'), () => undefined);
    await same.observed.mergePatch(Widget, key, {}, { dryRun: true });
    await same.observed.updateScale(Widget, widget('1'), (draft) => void (draft.spec = { replicas: 9 }), {
      dryRun: true,
    });
    await same.observed.create(widget('0'), { dryRun: true });
    await same.observed.subresource('resize').update(Widget, key, {}, { dryRun: true });
    await same.observed.subresource('eviction').create(Widget, key, {});
    expect(same.writes).toEqual([]);
    const other = setUp(freeze({ apiVersion: 'v1', kind: 'Status', metadata: {} }));
    await other.observed.subresource('resize').update(Widget, key, {});
    expect(other.writes).toEqual([]);
    const unchanged = setUp(new Error('not asked'));
    const read = widget('1');
    const client = observedClient(
      { update: () => Promise.resolve(read), status: {}, live: {} } as unknown as Client,
      {
        wrote: (write) => unchanged.writes.push({ ...write, fields: [] }),
        conflicted: () => undefined,
        end: () => undefined,
      },
      {},
    );
    await client.update(Widget, read, () => undefined);
    expect(unchanged.writes).toEqual([]);
  });
});

describe('the fields of a write', () => {
  it.each([
    [{ spec: { size: 1, tags: ['a'] } }, ['/spec/size', '/spec/tags']],
    [{ metadata: { name: 'n', labels: { 'a/b': 'c' } } }, ['/metadata/labels/a~1b']],
    [{ apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, data: null }, ['/data']],
    [{ spec: {} }, ['/spec']],
  ])('are of a patch %j: %j', (patch, fields) => {
    expect(fieldsOfPatch(patch)).toEqual(fields);
  });

  it('are of operations those that they change', () => {
    expect(
      fieldsOfOperations([
        { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
        { op: 'test', path: '/spec/a', value: 1 },
        { op: 'remove', path: '/spec/b' },
      ]),
    ).toEqual(['/spec/b']);
  });
});
