/** What each case begins with. */
export const head = `
import * as runtime from 'operator-runtime';
import { addFinalizer, applyIfChanged, controllerReference, createClient, createManager, createOrPatch, createOrUpdate, createTransport, defineKind,
  Finalizers, kindClient, patchStatus, removeFinalizer, withControllerReference } from 'operator-runtime';
import type { Cached, Client, ClusterConfiguration, Environment, Kind, KindClient, KindMethods, KubernetesObject, Manager, ReconcileContext, Reconciler, Request, Result,
  Transport } from 'operator-runtime';
import { createLeaseLock } from 'operator-runtime/election';
import type { Deployment } from 'operator-runtime/apis/apps/v1';
import type { Pod } from 'operator-runtime/apis/core/v1';
import { ConfigMap, Staff, Widget } from './kinds.ts';

declare const client: Client;
declare const manager: Manager;
declare const widget: Cached<Widget>;
declare const name: string;
const key = { namespace: 'a', name };
`;

/** `verb resource`, and behind it the name or namespace where the source says it. */
export type Case = readonly [title: string, source: string, uses: readonly string[], unresolved?: readonly RegExp[]];

export const widgets = 'widgets.example.com';

/** Each call by itself. */
export const calls: readonly Case[] = [
  ['get', 'await client.get(Widget, key);', ['get widgets.example.com in a', `list ${widgets}`, `watch ${widgets}`]],
  ['list', 'await client.list(Widget);', [`list ${widgets}`, `watch ${widgets}`]],
  [
    'create',
    "await client.create<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });",
    ['create configmaps'],
  ],
  ['delete', 'await client.delete(Staff, { name });', ['delete personnel.example.com']],
  ['update', 'await client.update(Widget, widget, (draft) => { draft.spec.size = 1; });', [`patch ${widgets}`]],
  [
    'updateStatus',
    'await client.updateStatus(Widget, widget, (draft) => { draft.status = {}; });',
    [`patch ${widgets}/status`],
  ],
  [
    'updateScale',
    'await client.updateScale(Widget, widget, () => {});',
    [`get ${widgets}/scale`, `patch ${widgets}/scale`],
  ],
  ['mergePatch', 'await client.mergePatch(Widget, key, {});', [`patch ${widgets} in a`]],
  [
    'jsonPatch',
    "await client.jsonPatch(Widget, { namespace: 'a', name: 'b' }, []);",
    [`patch ${widgets} in a named b`],
  ],
  [
    'apply',
    'await client.apply(Widget, { metadata: key, spec: {} });',
    [`create ${widgets} in a`, `patch ${widgets} in a`],
  ],
  [
    'apply in a namespace',
    "await client.apply(Widget, { metadata: { namespace: 'a', name: 'b' }, spec: {} });",
    [`create ${widgets} in a`, `patch ${widgets} in a named b`],
  ],
  [
    'deleteCollection',
    "await client.deleteCollection(Widget, { namespace: 'a' });",
    [`deletecollection ${widgets} in a`],
  ],
  [
    'status.apply',
    'await client.status.apply(Widget, { metadata: key, status: {} });',
    [`patch ${widgets}/status in a`],
  ],
  ['status.mergePatch', 'await client.status.mergePatch(Widget, key, {});', [`patch ${widgets}/status in a`]],
  ['scale.get', 'await client.scale.get(Widget, key);', [`get ${widgets}/scale in a`]],
  ['scale.mergePatch', 'await client.scale.mergePatch(Widget, key, {});', [`patch ${widgets}/scale in a`]],
  [
    'subresource',
    "await client.subresource('eviction').create(ConfigMap, { namespace: name, name }, {});",
    ['create configmaps/eviction'],
  ],
  [
    'a subresource by a constant',
    "const token = client.subresource('token'); await token.update(ConfigMap, { name }, {});",
    ['update configmaps/token'],
  ],
  ['live.get', 'await client.live.get(Widget, key);', [`get ${widgets} in a`]],
  ['live.list', "await client.live.list(Widget, { fields: 'metadata.name=b' });", [`list ${widgets} named b`]],
  ['live.watch', 'for await (const _event of client.live.watch(Widget)) break;', [`watch ${widgets}`]],
  [
    'for, owns, watches',
    "manager.controller('a').for(Widget).owns(ConfigMap).watches(Staff, () => []);",
    [
      'list configmaps',
      'list personnel.example.com',
      `list ${widgets}`,
      'watch configmaps',
      'watch personnel.example.com',
      `watch ${widgets}`,
    ],
  ],
  [
    'kinds of Kubernetes',
    "const [core, apps] = [await import('operator-runtime/apis/core/v1'), await import('operator-runtime/apis/apps/v1')];\nmanager.controller('a').for(Widget).owns(apps.Deployment); await client.live.get(core.Namespace, { name: 'x' });",
    [
      'get namespaces named x',
      'list deployments.apps',
      `list ${widgets}`,
      'watch deployments.apps',
      `watch ${widgets}`,
    ],
  ],
  ['an informer', 'manager.cache.informerFor(Widget);', [`list ${widgets}`, `watch ${widgets}`]],
  ['an informer for a while', 'manager.cache.acquire(Widget);', [`list ${widgets}`, `watch ${widgets}`]],
  [
    'finalizers',
    "await addFinalizer(client, Widget, widget, 'f'); await removeFinalizer(client, Widget, widget, 'f');",
    [`patch ${widgets}`],
  ],
  [
    'a set of finalizers',
    "await new Finalizers<Widget>().register('a.com/b', async () => {}).reconcile(client, Widget, widget, undefined);",
    [`patch ${widgets}`],
  ],
  [
    'create or update',
    'await createOrUpdate(client, ConfigMap, key, (draft) => { draft.data = {}; });',
    ['create configmaps in a', 'get configmaps in a', 'list configmaps', 'patch configmaps in a', 'watch configmaps'],
  ],
  [
    'create or patch',
    'await createOrPatch(client, ConfigMap, key, (draft) => { draft.data = {}; });',
    ['create configmaps in a', 'get configmaps in a', 'list configmaps', 'patch configmaps in a', 'watch configmaps'],
  ],
  [
    'apply if changed',
    "await applyIfChanged(client, Widget, { metadata: { namespace: 'a', name: 'b' }, spec: {} });",
    [
      `create ${widgets} in a`,
      `get ${widgets} in a named b`,
      `list ${widgets}`,
      `patch ${widgets} in a named b`,
      `watch ${widgets}`,
    ],
  ],
  [
    'a patch of the status',
    'await patchStatus(client, Widget, key, (draft) => { draft.status = {}; });',
    [`get ${widgets} in a`, `list ${widgets}`, `patch ${widgets}/status in a`, `watch ${widgets}`],
  ],
  ['an owner reference', 'controllerReference(Widget, widget);', [`update ${widgets}/finalizers`]],
  ['an owner reference that does not block', 'controllerReference(Widget, widget, { blockOwnerDeletion: false });', []],
  [
    'a child with its owner',
    "const child = { apiVersion: 'v1' as const, kind: 'ConfigMap' as const, metadata: {} }; await client.create(withControllerReference(Widget, widget, child));",
    ['create configmaps', `update ${widgets}/finalizers`],
  ],
  [
    'leader election',
    "createManager({ leaderElection: { id: 'x.example.com', namespace: 'ops' } });",
    [
      'create leases.coordination.k8s.io in ops',
      'get leases.coordination.k8s.io in ops named x.example.com',
      'update leases.coordination.k8s.io in ops named x.example.com',
    ],
  ],
  [
    'leader election on demand',
    "createManager({ ...(name === '' ? {} : { leaderElection: { id: name } }) });",
    [
      'create leases.coordination.k8s.io of its own',
      'get leases.coordination.k8s.io of its own',
      'update leases.coordination.k8s.io of its own',
    ],
  ],
  [
    'sharding',
    "createManager({ sharding: { id: 'x.example.com' } });",
    [
      'create leases.coordination.k8s.io of its own',
      'delete leases.coordination.k8s.io of its own',
      'list leases.coordination.k8s.io of its own',
      'update leases.coordination.k8s.io of its own',
    ],
  ],
  [
    'a lock of its own',
    'declare const transport: Transport; declare const environment: Environment;\ncreateLeaseLock({ transport, environment, namespace: name, name });',
    [
      'create leases.coordination.k8s.io of its own',
      'get leases.coordination.k8s.io of its own',
      'update leases.coordination.k8s.io of its own',
    ],
  ],
  [
    'a client without cache',
    'declare const transport: Transport; declare const environment: Environment;\nconst bare = createClient({ transport, environment }); await bare.get(Widget, { namespace: name, name }); await bare.list(ConfigMap);',
    [`get ${widgets}`, 'list configmaps'],
  ],
  [
    'an event',
    "manager.eventRecorder('a').event(widget, { reason: 'A', note: name });",
    ['create events.events.k8s.io', 'patch events.events.k8s.io'],
  ],
  [
    'an event of a reconciler, about what has no namespace',
    "declare const staff: Cached<Staff>; export const r = (_: Request, { events }: ReconcileContext): void => { events.event(staff, { reason: 'A', note: name }); };",
    ['create events.events.k8s.io in default', 'patch events.events.k8s.io in default'],
  ],
  [
    'metrics',
    "createManager({ metrics: { bindAddress: ':8443' } });",
    ['create subjectaccessreviews.authorization.k8s.io', 'create tokenreviews.authentication.k8s.io'],
  ],
  ['metrics for everybody', "createManager({ metrics: { bindAddress: ':8080', secure: false } });", []],
  ['no call', 'export const title = Widget.kind;', []],
  [
    'the client of one kind',
    "const widgets = kindClient(client, Widget, 'a');\nawait widgets.get('b'); await widgets.delete(name); await widgets.create({ metadata: { name }, spec: {} });",
    [
      `create ${widgets} in a`,
      `delete ${widgets} in a`,
      `get ${widgets} in a named b`,
      `list ${widgets}`,
      `watch ${widgets}`,
    ],
  ],
  [
    'a generated client',
    "const WidgetClient = (given: Client, namespace: string): KindClient<Widget, 'status'> => kindClient<Widget, 'status'>(given, Widget, namespace);\nawait WidgetClient(client, 'a').status.mergePatch('b', {}); await WidgetClient(client, name).live.list();",
    [`list ${widgets}`, `patch ${widgets}/status in a named b`],
  ],
  [
    'the writes of the client of one kind',
    "const widgets = kindClient(client, Widget, name);\nawait widgets.update(widget, () => {}); await widgets.scale.update(widget, () => {}); await widgets.status.update(widget, () => {});\nawait widgets.deleteCollection(); await widgets.apply({ metadata: { name: 'b' } });",
    [
      `create ${widgets}`,
      `deletecollection ${widgets}`,
      `get ${widgets}/scale`,
      `patch ${widgets}`,
      `patch ${widgets} named b`,
      `patch ${widgets}/scale`,
      `patch ${widgets}/status`,
    ],
  ],
  [
    'the client of a cluster-scoped kind',
    "await kindClient(client, Staff).list(); await kindClient(client, Staff).get('a');",
    ['get personnel.example.com named a', 'list personnel.example.com', 'watch personnel.example.com'],
  ],
  [
    'the client of a kind as a parameter',
    "async function clear(objects: KindMethods<Widget>): Promise<void> { await objects.deleteCollection(); }\nawait clear(kindClient(client, Widget, 'a'));",
    [`deletecollection ${widgets}`],
  ],
];
