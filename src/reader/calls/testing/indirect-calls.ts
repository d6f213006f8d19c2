import { type Case, widgets } from './direct-calls.ts';

export const ways: readonly Case[] = [
  ['an alias of the client', 'const c = client; await c.live.get(Widget, key);', [`get ${widgets} in a`]],
  [
    'an alias of a method',
    'const { mergePatch: change } = client; await change(Widget, key, {});',
    [`patch ${widgets} in a`],
  ],
  ['a part of the client', 'const { live } = client; await live.list(Widget);', [`list ${widgets}`]],
  ['a method by its name', "await client['delete'](Widget, key);", [`delete ${widgets} in a`]],
  ['another name of the function', 'await runtime.addFinalizer(client, Widget, widget, name);', [`patch ${widgets}`]],
  [
    'a narrower interface made of the client',
    "const reader: Pick<Client, 'list'> = client; await reader.list(Widget);",
    [`list ${widgets}`, `watch ${widgets}`],
  ],
  [
    'a destructured context',
    'export const r = async (request: Request, { client: c }: ReconcileContext): Promise<void> => { await c.live.get(Widget, request); };',
    [`get ${widgets}`],
  ],
  [
    'a context',
    'export class R implements Reconciler { async reconcile(_request: Request, context: ReconcileContext): Promise<Result> { await context.client.delete(Widget, { namespace: name, name }); return runtime.done; } }',
    [`delete ${widgets}`],
  ],
  [
    'a generic helper',
    'async function remove<T extends KubernetesObject>(kind: Kind<T>): Promise<void> { await client.delete(kind, key); }\nawait remove(Widget); await remove(ConfigMap);',
    ['delete configmaps in a', `delete ${widgets} in a`],
  ],
  [
    'helpers of helpers',
    'const inner = (kind: Kind): Promise<void> => client.delete(kind, { name });\nfunction outer(kind: Kind): Promise<void> { return inner(kind); }\nawait outer(Widget);',
    [`delete ${widgets}`],
  ],
  [
    'a default',
    'async function f(kind: Kind = ConfigMap): Promise<void> { await client.delete(kind, { name }); }\nawait f(); await f(Widget);',
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'a method of a class',
    'class Helper { remove(kind: Kind): Promise<void> { return client.delete(kind, { name }); } }\nawait new Helper().remove(Widget);',
    [`delete ${widgets}`],
  ],
  [
    'a method by an interface',
    'interface Remover { remove(kind: Kind): Promise<void> }\nclass Helper implements Remover { remove(kind: Kind): Promise<void> { return client.delete(kind, { name }); } }\nconst remover: Remover = new Helper(); await remover.remove(Widget);',
    [`delete ${widgets}`],
  ],
  [
    'a generic class',
    'class Store<T extends KubernetesObject> { readonly #kind: Kind<T>; constructor(kind: Kind<T>) { this.#kind = kind; } clear(): Promise<void> { return client.delete(this.#kind, key); } }\nawait new Store(Widget).clear();',
    [`delete ${widgets} in a`],
  ],
  [
    'a base class',
    'abstract class Base { abstract readonly kind: Kind; clear(): Promise<void> { return client.delete(this.kind, { name }); } }\nexport class Derived extends Base { readonly kind = Widget as Kind; }',
    [`delete ${widgets}`],
  ],
  [
    'options in an object',
    'interface Options<T extends KubernetesObject> { readonly kind: Kind<T> }\nasync function clear<T extends KubernetesObject>({ kind }: Options<T>): Promise<void> { await client.delete(kind, key); }\nawait clear({ kind: Widget });',
    [`delete ${widgets} in a`],
  ],
  [
    'a list',
    'const all: Kind[] = [Widget, ConfigMap];\nfor (const kind of all) await client.delete(kind, { name });',
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'a callback over a list',
    'await Promise.all([Widget, ConfigMap].map((kind: Kind) => client.delete(kind, { name })));',
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'a record',
    'const all: Record<string, Kind> = { w: Widget, c: ConfigMap };\nconst kind = all[name]; if (kind !== undefined) await client.delete(kind, { name });',
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'entries of a record',
    'const all: Record<string, Kind> = { w: Widget };\nfor (const [, kind] of Object.entries(all)) await client.delete(kind, { name });',
    [`delete ${widgets}`],
  ],
  [
    'one of two',
    "await client.delete((name === '' ? Widget : ConfigMap) as Kind, { name });",
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'a kind in place',
    "const secret: Kind = defineKind({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced', subresources: [] });\nawait client.delete(secret, { name });",
    ['delete secrets'],
  ],
  [
    'a kind by name',
    "const kind = await client.kindFor('apps/v1', 'StatefulSet'); await client.delete(kind, { name });",
    ['delete statefulsets.apps'],
  ],
  ['an object by its type', 'declare const pod: Pod; await client.create(pod);', ['create pods']],
  [
    'an object of a function',
    'function build(): Deployment { throw new Error(name); }\nawait client.create(build());',
    ['create deployments.apps'],
  ],
  [
    'an object through a generic helper',
    'function make<T extends KubernetesObject>(object: T): Promise<unknown> { return client.create(object); }\ndeclare const pod: Pod & KubernetesObject; await make(pod); await make(widget as Widget);',
    ['create pods', `create ${widgets}`],
  ],
  [
    'an object made of a kind',
    'const body: KubernetesObject = { apiVersion: Widget.apiVersion, kind: Widget.kind, metadata: { name } };\nawait client.create(body);',
    [`create ${widgets}`],
  ],
  [
    'a context as what holds a client',
    'const step = (deps: { readonly client: Client; readonly log: unknown }): Promise<void> => deps.client.delete(Widget, { namespace: name, name });\nexport const r = (_: Request, context: ReconcileContext): Promise<void> => step(context);',
    [`delete ${widgets}`],
  ],
  [
    'a context as what holds a part of a client',
    "interface Deps { readonly client: Pick<Client, 'delete'> }\nconst step = ({ client: c }: Deps): Promise<void> => c.delete(Widget, { namespace: name, name });\nexport const r = (_: Request, context: ReconcileContext): Promise<void> => step(context);",
    [`delete ${widgets}`],
  ],
  [
    'a parameter property',
    'export class R { constructor(private readonly c: Client) {} run(): Promise<void> { return this.c.delete(Widget, { namespace: name, name }); } }\nnew R(client);',
    [`delete ${widgets}`],
  ],
  [
    'pairs of kinds and others',
    'for (const [kind, limit] of [[Widget, 1], [ConfigMap, 2]] as const) if (limit > 1) await client.live.list(kind as Kind);',
    ['list configmaps', `list ${widgets}`],
  ],
  [
    'a map of kinds',
    "const map = new Map<string, Kind>([['w', Widget], ['c', ConfigMap]]);\nfor (const kind of map.values()) await client.live.list(kind);",
    ['list configmaps', `list ${widgets}`],
  ],
  [
    'a getter',
    'class Base { get kind(): Kind { return Widget; } }\nawait client.live.list(new Base().kind);',
    [`list ${widgets}`],
  ],
  [
    'a callback of one’s own',
    'const each = async (visit: (kind: Kind) => Promise<unknown>): Promise<void> => { for (const kind of [Widget, ConfigMap] as Kind[]) await visit(kind); };\nawait each((kind) => client.live.list(kind));',
    ['list configmaps', `list ${widgets}`],
  ],
  [
    'a file that is imported when needed',
    "await (await import('./lazy.ts')).run(client);",
    ['delete personnel.example.com'],
  ],
];
