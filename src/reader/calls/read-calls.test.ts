import { beforeAll, describe, expect, it } from 'vitest';
import type { CallReport } from '../../model/index.ts';
import { type Case, calls, head, widgets } from './testing/direct-calls.ts';
import { kinds, readCallsOf } from './testing/read-calls.ts';

const ways: readonly Case[] = [
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

const unknown: readonly Case[] = [
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

const cases = [...calls, ...ways, ...unknown];
const fileOf = (index: number): string => `case-${index}.ts`;

let report: CallReport;
beforeAll(() => {
  const sources = Object.fromEntries(
    cases.map(([, source], index) => [fileOf(index), `${head}\n${source}\nexport {};\n`]),
  );
  report = readCallsOf(
    {
      ...kinds,
      'lazy.ts': `import type { Client } from 'operator-runtime';\nimport { Staff } from './kinds.ts';\nexport const run = (client: Client): Promise<void> => client.delete(Staff, { name: String() });\n`,
      'node_modules/helpers/package.json': JSON.stringify({ name: 'helpers', type: 'module', types: './index.d.ts' }),
      'node_modules/helpers/index.d.ts':
        "import type { Client } from 'operator-runtime';\nexport declare function sync(options: { client: Client }): Promise<void>;\n",
      'node_modules/@kubernetes/client-node/package.json': JSON.stringify({
        name: '@kubernetes/client-node',
        types: './index.d.ts',
      }),
      'node_modules/@kubernetes/client-node/index.d.ts': 'export declare class KubeConfig {}\n',
      ...sources,
    },
    cases.map((_, index) => fileOf(index)),
  );
}, 120_000);

/** What was found in the file of one case. */
function found(index: number): { readonly uses: readonly string[]; readonly unresolved: readonly string[] } {
  const isOfCase = ({ position }: { readonly position: { readonly file: string } }): boolean =>
    position.file === fileOf(index) || (position.file === 'lazy.ts' && cases[index]?.[1].includes('lazy.ts') === true);
  const uses = report.uses.filter(isOfCase).map((use) => {
    const [main = '', ...sub] = use.resource.split('/');
    const resource = [use.group === '' ? main : `${main}.${use.group}`, ...sub].join('/');
    const place = `${use.namespace === undefined ? '' : ` in ${use.namespace}`}${use.name === undefined ? '' : ` named ${use.name}`}`;
    return `${use.verb} ${resource}${place}${use.ownNamespace === true ? ' of its own' : ''}`;
  });
  const unresolved = report.unresolved
    .filter(isOfCase)
    .map(({ call, problem, verbs }) => `${call} [${verbs.join(', ')}]: ${problem}`);
  return { uses: [...new Set(uses)].sort(), unresolved };
}

describe('readCalls', () => {
  it.each(cases.map((each, index) => [each[0], index] as const))('%s', (_title, index) => {
    const [, , uses, unresolved = []] = cases[index] ?? ['', '', []];
    const { uses: foundUses, unresolved: foundUnresolved } = found(index);
    expect(foundUses).toEqual([...uses].sort());
    expect(foundUnresolved).toEqual(unresolved.map((pattern) => expect.stringMatching(pattern)));
  });

  it('says where each call stands, and why', () => {
    const index = cases.findIndex(([title]) => title === 'get');
    const line = head.split('\n').length + 1;
    expect(report.uses.filter(({ position }) => position.file === fileOf(index))).toEqual([
      ...['list', 'watch'].map((verb) => ({
        group: 'example.com',
        resource: 'widgets',
        verb,
        clusterScoped: false,
        reason: 'client.get(Widget): the cache',
        position: { file: fileOf(index), line, column: 14 },
      })),
      expect.objectContaining({ verb: 'get', reason: 'client.get(Widget): a live read where the cache is behind' }),
    ]);
  });

  it('reads only what the program imports', () => {
    const { uses } = readCallsOf(
      {
        ...kinds,
        'main.ts': "import './used.ts';\n",
        'used.ts': `${head}await client.live.get(Widget, key);\n`,
        'unused.ts': `${head}await client.delete(Widget, key);\n`,
      },
      ['main.ts'],
    );
    expect(uses.map(({ verb }) => verb)).toEqual(['get']);
  });
});
