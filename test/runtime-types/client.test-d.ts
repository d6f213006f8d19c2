import { defineKind, type Condition, type Kind, type KubernetesObject } from 'operator-runtime';
import { mutable, type Cached, type Client, type ObjectKey } from 'operator-runtime/client';

interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec: { size: number; labels?: Record<string, string>; args?: string[] };
  status?: { ready: number; conditions?: Condition[] };
}
interface ConfigMap extends KubernetesObject {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  data?: Record<string, string>;
}
interface Zone extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Zone';
  spec: { region: string };
}

declare const Widget: Kind<Widget, 'Namespaced', 'status'>;
declare const ConfigMap: Kind<ConfigMap, 'Namespaced', never>;
declare const Zone: Kind<Zone, 'Cluster', 'status' | 'scale'>;
declare const client: Client;
declare const request: { readonly namespace: string; readonly name: string };

export async function reads(): Promise<void> {
  const widget: Cached<Widget> | undefined = await client.get(Widget, request);
  await client.get(Widget, { namespace: 'a', name: 'b' });
  // @ts-expect-error a namespaced kind needs a namespace
  await client.get(Widget, { name: 'b' });
  await client.get(Zone, { name: 'b' });
  // @ts-expect-error a cluster-scoped kind has none
  await client.get(Zone, { namespace: 'a', name: 'b' });
  await client.get(Zone, request);
  if (widget === undefined) return;
  // @ts-expect-error cached objects are read-only
  widget.spec.size = 4;
  // @ts-expect-error at all depths
  widget.spec.args?.push('x');
  // @ts-expect-error no such field
  void widget.spec.sise;
  const copy: Widget = mutable(widget);
  copy.spec.size = 4;
  const widgets: readonly Cached<Widget>[] = await client.list(Widget, { namespace: 'a', labels: { app: 'x' } });
  await client.list(Widget, { index: { name: 'owner', value: 'x' }, readYourWrites: false });
  // @ts-expect-error a cluster-scoped kind has no namespaces
  await client.list(Zone, { namespace: 'a' });
  await client.live.get(Zone, { name: widgets[0]?.metadata.name ?? '' });
  await client.live.list(Widget, { fields: 'metadata.name=x' });
}

export async function writes(widget: Cached<Widget>, zone: Cached<Zone>): Promise<void> {
  const created: Cached<ConfigMap> = await client.create<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'a', labels: widget.spec.labels ?? {}, finalizers: widget.spec.args ?? [] },
    data: widget.spec.labels ?? {},
  });
  await client.create(created);
  // @ts-expect-error a wrong type of a field
  await client.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: 1 } });
  await client.update(Widget, widget, (draft) => {
    draft.spec.size = 4;
    draft.metadata.finalizers ??= [];
    draft.metadata.finalizers.push('example.com/cleanup');
  });
  await client.update(Widget, widget, (draft) => draft.metadata.finalizers?.push('x'));
  await client.update(Widget, widget, (draft) => {
    // @ts-expect-error a wrong type
    draft.spec.size = '4';
  });
  // @ts-expect-error a draft is not filled asynchronously
  await client.update(Widget, widget, async (draft) => {
    draft.spec.size = await Promise.resolve(4);
  });
  // @ts-expect-error an object of another kind
  await client.update(Widget, zone, () => undefined);
  await client.updateStatus(Widget, widget, (draft) => {
    draft.status = { ready: 1 };
  });
  // @ts-expect-error ConfigMap has no status
  await client.updateStatus(ConfigMap, {} as Cached<ConfigMap>, () => undefined);
  // @ts-expect-error Widget has no scale
  await client.updateScale(Widget, widget, () => undefined);
  await client.updateScale(Zone, zone, (draft) => {
    draft.spec = { replicas: 3 };
  });
  await client.mergePatch(Widget, request, { spec: { labels: { a: null } }, metadata: { annotations: { x: 'y' } } });
  // @ts-expect-error a wrong type
  await client.mergePatch(Widget, request, { spec: { size: 'x' } });
  // @ts-expect-error a JSON patch is no merge patch
  await client.mergePatch(Widget, request, [{ op: 'add', path: '/x', value: 1 }]);
  await client.jsonPatch(Widget, request, [{ op: 'add', path: '/spec/size', value: 1 }]);
  // @ts-expect-error a pointer starts with a slash
  await client.jsonPatch(Widget, request, [{ op: 'add', path: 'spec/size', value: 1 }]);
  // @ts-expect-error a merge patch is no JSON patch
  await client.jsonPatch(Widget, request, { spec: { size: 1 } });
  await client.apply(
    ConfigMap,
    { metadata: { name: 'x', namespace: 'a' }, data: widget.spec.labels ?? {} },
    { force: true },
  );
  await client.apply(Widget, { metadata: { name: 'x', namespace: 'a' }, spec: { args: widget.spec.args ?? [] } });
  // @ts-expect-error a configuration has a name
  await client.apply(ConfigMap, { metadata: { namespace: 'a' }, data: {} });
  // @ts-expect-error and a namespace, for namespaced kinds
  await client.apply(ConfigMap, { metadata: { name: 'a' }, data: {} });
  await client.apply(Zone, { metadata: { name: 'a' }, spec: { region: 'x' } });
  await client.status.apply(Widget, { metadata: { name: 'x', namespace: 'a' }, status: { ready: 1 } });
  await client.status.mergePatch(Widget, request, { status: { ready: 1 } });
  // @ts-expect-error ConfigMap has no status
  await client.status.mergePatch(ConfigMap, request, {});
  // @ts-expect-error ConfigMap has no status
  await client.status.apply(ConfigMap, { metadata: { name: 'x', namespace: 'a' } });
  await client.delete(Widget, request, {
    propagation: 'Foreground',
    preconditions: { uid: widget.metadata.uid ?? '' },
  });
  // @ts-expect-error no such policy
  await client.delete(Widget, request, { propagation: 'foreground' });
}

/** Kinds known only at run time take any key and have every subresource, as far as the compiler can tell. */
export async function dynamic(kind: Kind, key: ObjectKey): Promise<void> {
  const object = await client.get(kind, key);
  if (object !== undefined) await client.updateStatus(kind, object, () => undefined);
  const made = defineKind<Widget, 'Namespaced'>({
    group: 'g',
    version: 'v1',
    kind: 'W',
    plural: 'ws',
    scope: 'Namespaced',
    subresources: [],
  });
  // @ts-expect-error no subresource was declared
  await client.updateStatus(made, {} as Cached<Widget>, () => undefined);
}

export async function collectionsAndSubresources(): Promise<void> {
  await client.deleteCollection(Widget, { namespace: 'a', labels: { app: 'x' } });
  // @ts-expect-error of a namespaced kind only one namespace at a time
  await client.deleteCollection(Widget, { labels: { app: 'x' } });
  await client.deleteCollection(Zone, {});
  // @ts-expect-error a cluster-scoped kind has no namespaces
  await client.deleteCollection(Zone, { namespace: 'a' });
  const replicas: number | undefined = (await client.scale.get(Zone, { name: 'x' })).spec?.replicas;
  await client.scale.mergePatch(Zone, { name: 'x' }, { spec: { replicas: replicas ?? null } });
  // @ts-expect-error the kind has no scale subresource
  await client.scale.get(Widget, request);
  for await (const event of client.live.watch(Widget, { namespace: 'a' })) {
    if (event.type === 'BOOKMARK') continue;
    const size: number = event.object.spec.size;
    // @ts-expect-error objects are read-only
    event.object.spec.size = size;
  }
  const Learned = await client.kindFor('example.com/v1', 'Widget');
  const learned = await client.live.get(Learned, request);
  const spec: unknown = learned?.['spec'];
  await client.subresource('eviction').create(Widget, request, { kind: 'Eviction', spec });
}
