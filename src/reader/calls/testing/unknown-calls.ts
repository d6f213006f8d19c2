import { type Case, widgets } from './direct-calls.ts';

export const unknown: readonly Case[] = [
  [
    'a client of any kind',
    'export class Store<T extends KubernetesObject> { constructor(private readonly objects: KindMethods<T>) {} clear(): Promise<void> { return this.objects.deleteCollection(); } }',
    [],
    [/^this\.objects\.deleteCollection\(\) \[deletecollection\]: the kind of its client is known only at run time/],
  ],
  [
    'a parameter that nobody gives',
    'export async function f(kind: Kind): Promise<void> { await client.delete(kind, { name }); }',
    [],
    [/^client\.delete\(kind\) \[delete\]: kind is a parameter, and nothing in the program calls f \(/],
  ],
  [
    'a kind of run time',
    'await client.delete(await client.kindFor(name, name), { name });',
    [],
    [/known only at run time/],
  ],
  [
    'a definition of run time',
    "const kind: Kind = defineKind({ group: name, version: 'v1', kind: 'A', plural: 'as', scope: 'Cluster', subresources: [] });\nawait client.delete(kind, { name });",
    [],
    [/defines a kind that is known only at run time/],
  ],
  [
    'a declared kind',
    'declare const kind: Kind; await client.delete(kind, { name });',
    [],
    [/declared without its value/],
  ],
  [
    'one that is known and one that is not',
    "declare const kind: Kind; await client.delete(name === '' ? kind : (Widget as Kind), { name });",
    [`delete ${widgets}`],
    [/declared without its value/],
  ],
  [
    'an object of run time',
    'await client.create({ apiVersion: name, kind: name, metadata: { name } });',
    [],
    [/apiVersion and a kind that are known only at run time/],
  ],
  [
    'a subresource of run time',
    'await client.subresource(name).get(Widget, { name });',
    [],
    [/subresource is known only at run time/],
  ],
  [
    'arguments in a list',
    'declare const args: [typeof Widget, typeof key]; await client.delete(...args);',
    [],
    [/spread from a list/],
  ],
  ['any', 'const c: any = client; await c.delete(Widget, key);', [], [/^client \[\]: it is passed on as any/]],
  [
    'a cast',
    'const c = client as unknown as { list(kind: unknown): void }; c.list(Widget);',
    [],
    [/passed on as unknown/],
  ],
  [
    'a type of its own',
    'interface Lister { list(kind: typeof Widget): Promise<readonly unknown[]> }\nconst lister: Lister = client; await lister.list(Widget);',
    [],
    [/passed on as Lister/],
  ],
  [
    'a context as what holds a client of its own',
    'interface Deps { readonly client: { list(kind: typeof Widget): Promise<readonly unknown[]> } }\nconst step = ({ client: c }: Deps): Promise<unknown> => c.list(Widget);\nexport const r = (_: Request, context: ReconcileContext): Promise<unknown> => step(context);',
    [],
    [/^context \[\]: it is passed on as Deps/],
  ],
  ['bind', 'const get = client.live.get.bind(client.live); void get;', [], [/bind hides/]],
  ['a method of run time', 'await (client as any)[name](Widget);', [], [/passed on as any/]],
  [
    'a computed method',
    "declare const method: 'list' | 'live'; void client[method];",
    [],
    [/the method is known only at run time/],
  ],
  [
    'a function of a package',
    "import { sync } from 'helpers'; await sync({ client });",
    [],
    [/given to sync, whose source is not at hand/],
  ],
  [
    'requests of its own',
    'declare const configuration: ClusterConfiguration; createTransport(configuration);',
    [],
    [/^createTransport\(configuration\)/],
  ],
  [
    'the client of another library',
    "import { KubeConfig } from '@kubernetes/client-node'; void KubeConfig;",
    [],
    [/client-node/],
  ],
  ['a module of run time', 'await import(name);', [], [/the module is known only at run time/]],
];
