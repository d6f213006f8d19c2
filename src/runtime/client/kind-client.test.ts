import { describe, expect, expectTypeOf, it } from 'vitest';
import { Widget as PlainWidget, widget } from '../../../test/support/informer-bench.ts';
import type { Scale } from '../apis/autoscaling/v1.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import type { Cached } from './cached.ts';
import { createClient } from './client.ts';
import { kindClient } from './kind-client.ts';
import type { KindMethods } from './kind-client-types.ts';

interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec?: { size?: number };
  status?: { size?: number };
}
const Widget = defineKind<Widget, 'Namespaced', 'status' | 'scale'>({
  ...PlainWidget,
  subresources: ['status', 'scale'],
});
const Plain = defineKind<Widget, 'Namespaced'>({ ...PlainWidget, subresources: [] });
const Zone = defineKind<KubernetesObject, 'Cluster'>({
  ...PlainWidget,
  plural: 'zones',
  kind: 'Zone',
  scope: 'Cluster',
});

function setUp() {
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { resourceVersion: '3' },
    spec: { replicas: 1 },
  };
  const transport = new ScriptedTransport((one) =>
    one.request.method === 'GET' && /widgets(\?|$)/.test(one.request.path)
      ? one.answer(200, { kind: 'WidgetList', metadata: {}, items: [] })
      : one.answer(200, one.request.path.includes('/scale') ? scale : widget('w', '8')),
  );
  const client = createClient({
    transport,
    environment: createVirtualEnvironment(),
    fieldManager: 'me',
    kinds: [Widget, Zone],
  });
  const sent = (): unknown[] => transport.exchanges.map(({ request, body }) => [request.method, request.path, body]);
  return { client, sent };
}

const objects = '/apis/example.com/v1/namespaces/a/widgets';
const query = '?fieldManager=me';
const read = { ...widget('w', '7') } as unknown as Cached<Widget>;

describe('kindClient', () => {
  it('sends what the client sends, for names of one namespace', async () => {
    const { client, sent } = setUp();
    const widgets = kindClient(client, Widget, 'a');
    await widgets.get('w');
    await widgets.list({ labels: { a: 'b' } });
    await widgets.create({ metadata: { name: 'w' }, spec: { size: 1 } });
    await widgets.delete('w');
    await widgets.update(read, (draft) => {
      draft.spec = { size: 9 };
    });
    await widgets.mergePatch('w', { spec: { size: 2 } });
    await widgets.jsonPatch('w', [{ op: 'remove', path: '/spec' }]);
    await widgets.apply({ metadata: { name: 'w' }, spec: { size: 3 } });
    await widgets.deleteCollection({ labels: 'a=b' });
    await widgets.live.get('w');
    await widgets.live.list();
    expect(sent()).toEqual([
      ['GET', `${objects}/w`, undefined],
      ['GET', expect.stringMatching(new RegExp(`^${objects}\\?.*labelSelector=a%3Db`)), undefined],
      [
        'POST',
        `${objects}${query}`,
        {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', namespace: 'a' },
          spec: { size: 1 },
        },
      ],
      ['DELETE', `${objects}/w`, expect.anything()],
      ['PATCH', `${objects}/w${query}`, expect.arrayContaining([expect.objectContaining({ path: '/spec' })])],
      ['PATCH', `${objects}/w${query}`, { spec: { size: 2 } }],
      ['PATCH', `${objects}/w${query}`, [{ op: 'remove', path: '/spec' }]],
      [
        'PATCH',
        `${objects}/w${query}`,
        {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', namespace: 'a' },
          spec: { size: 3 },
        },
      ],
      ['DELETE', `${objects}?labelSelector=a%3Db`, expect.anything()],
      ['GET', `${objects}/w`, undefined],
      ['GET', expect.stringMatching(new RegExp(`^${objects}(\\?|$)`)), undefined],
    ]);
  });

  it('reaches status and scale', async () => {
    const { client, sent } = setUp();
    const widgets = kindClient(client, Widget, 'a');
    await widgets.status.update(read, (draft) => {
      draft.status = { size: 1 };
    });
    await widgets.status.mergePatch('w', { status: { size: 2 } });
    await widgets.status.jsonPatch('w', []);
    await widgets.status.apply({ metadata: { name: 'w' }, status: { size: 3 } });
    expect((await widgets.scale.get('w')).spec?.replicas).toBe(1);
    await widgets.scale.update(read, (scale) => {
      scale.spec = { replicas: 2 };
    });
    await widgets.scale.mergePatch('w', { spec: { replicas: 3 } });
    await widgets.scale.jsonPatch('w', []);
    expect(sent()).toEqual([
      ...[1, 2, 3, 4].map(() => ['PATCH', `${objects}/w/status${query}`, expect.anything()]),
      ['GET', `${objects}/w/scale`, undefined],
      ['GET', `${objects}/w/scale`, undefined],
      ...[1, 2, 3].map(() => ['PATCH', `${objects}/w/scale${query}`, expect.anything()]),
    ]);
  });

  it('has no namespace for cluster-scoped kinds', async () => {
    const { client, sent } = setUp();
    const zones = kindClient(client, Zone);
    await zones.get('z');
    await zones.apply({ metadata: { name: 'z' } });
    await zones.create({ metadata: { name: 'z' } });
    expect(sent()).toEqual([
      ['GET', '/apis/example.com/v1/zones/z', undefined],
      ['PATCH', `/apis/example.com/v1/zones/z${query}`, expect.objectContaining({ metadata: { name: 'z' } })],
      ['POST', `/apis/example.com/v1/zones${query}`, expect.objectContaining({ metadata: { name: 'z' } })],
    ]);
  });

  it('refuses objects of other namespaces and kinds, and sends nothing', async () => {
    const { client, sent } = setUp();
    const widgets = kindClient(client, Widget, 'other');
    const misplaced = /the object is in the namespace a, and the client of Widget is for the namespace other/;
    await expect(widgets.update(read, () => {})).rejects.toThrow(misplaced);
    await expect(widgets.status.update(read, () => {})).rejects.toThrow(misplaced);
    await expect(widgets.create({ metadata: { name: 'w', namespace: 'a' } })).rejects.toThrow(misplaced);
    await expect(widgets.apply({ metadata: { name: 'w', namespace: 'a' } })).rejects.toThrow(misplaced);
    const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'w' } } as unknown as Widget;
    await expect(widgets.create(gadget)).rejects.toThrow(/the object is a Gadget, and the client is of Widget/);
    expect(sent()).toEqual([]);
    // What the types forbid.
    expect(() => kindClient(client, Widget, '')).toThrow(/needs a namespace/);
    expect(() => Reflect.apply(kindClient, undefined, [client, Zone, 'a'])).toThrow(/has no namespace/);
  });

  it('has the types of its kind', () => {
    const { client } = setUp();
    const widgets = kindClient(client, Widget, 'a');
    expectTypeOf<ReturnType<typeof widgets.get>>().resolves.toEqualTypeOf<Cached<Widget> | undefined>();
    expectTypeOf<ReturnType<typeof widgets.scale.get>>().resolves.toEqualTypeOf<Cached<Scale>>();
    expectTypeOf(kindClient(client, Plain, 'a')).toEqualTypeOf<KindMethods<Widget>>();
    expectTypeOf(kindClient(client, Zone)).not.toHaveProperty('status');
    // @ts-expect-error a namespaced kind needs a namespace
    expect(() => kindClient(client, Widget)).toThrow();
    // @ts-expect-error no text
    void ((): unknown => widgets.mergePatch('w', { spec: { size: 'a' } }));
    // @ts-expect-error another kind
    void ((): unknown => widgets.create({ kind: 'Gadget', metadata: {} }));
    void ((): unknown => widgets.apply({ metadata: { name: 'w', finalizers: ['a/b'] } }));
    // @ts-expect-error a list has no gaps
    void ((): unknown => widgets.apply({ metadata: { name: 'w', finalizers: [undefined] } }));
    // @ts-expect-error a name is needed
    void ((): unknown => widgets.apply({ metadata: {} }));
  });
});
