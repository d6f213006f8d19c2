import { type Case, widgets } from './direct-calls.ts';

/** Programs in which packages have a hand, and what the types of these say. */
export const withPackages: readonly Case[] = [
  [
    'a function that a package wraps',
    "import { memoize } from 'helpers';\nconst remove = memoize(async (kind: Kind) => { await client.delete(kind, { name }); });\nawait remove(Widget); await remove(ConfigMap);",
    ['delete configmaps', `delete ${widgets}`],
  ],
  [
    'a client through a package',
    "import { identity } from 'helpers';\nconst same = identity(client);\nawait same.delete(Widget, key);",
    [`delete ${widgets} in a`],
    [/given to identity/],
  ],
  [
    'clients that a package goes through',
    "import { each } from 'helpers';\neach([client], (one) => one.delete(Widget, key));",
    [`delete ${widgets} in a`],
    [/given to each/],
  ],
  [
    'a kind through a package',
    "import { identity } from 'helpers';\nawait client.delete(identity(Widget), key);",
    [`delete ${widgets} in a`],
  ],
  [
    'what a package holds',
    "import { Holder } from 'helpers';\nconst held = new Holder(Widget);\nawait client.delete(held.value, key);",
    [`delete ${widgets} in a`],
  ],
  [
    'a constant of a package',
    "import { NAMESPACE } from 'helpers';\nawait client.delete(Widget, { namespace: NAMESPACE, name: 'b' });",
    [`delete ${widgets} in helpers-system named b`],
  ],
  [
    'a base class of a package',
    "import { Base } from 'helpers';\nexport class Store extends Base { constructor(private readonly c: Client) { super(); } clear(): Promise<void> { return this.c.delete(Widget, key); } }",
    [`delete ${widgets} in a`],
  ],
  [
    'what only looks like a client',
    "import { log } from 'helpers';\nlog.info(log.get(name)); await client.delete(Widget, key);",
    [`delete ${widgets} in a`],
  ],
  [
    'settled promises',
    'const [first] = await Promise.allSettled([Promise.resolve(client)]);\nif (first.status === "fulfilled") await first.value.delete(Widget, key);',
    [`delete ${widgets} in a`],
  ],
  [
    'a field of a package',
    "import { Store } from 'helpers';\nexport class Reader { readonly #store: Store; constructor(store: Store) { this.#store = store; } async run(c: Client): Promise<void> { this.#store.get(name); await c.delete(Widget, key); } }",
    [`delete ${widgets} in a`],
  ],
  [
    'a field that a package holds a client in',
    "import { Holder } from 'helpers';\nexport class Reader { constructor(readonly held: Holder<Client>) {} run(): Promise<void> { return this.held.value.delete(Widget, key); } }",
    [`delete ${widgets} in a`],
  ],
  [
    'calls of packages as people write them',
    "import { log, Store } from 'helpers';\nconst store = new Store();\nfor (const [id, text] of store.entries()) { log.info(`${id} ${text.trim()}`); }\nconst found = store.get(name) ?? 'none'; log.info(found.toUpperCase()); await client.delete(Widget, key);",
    [`delete ${widgets} in a`],
  ],
  [
    'requests of its own to others',
    "export const run = async (signal: AbortSignal): Promise<void> => {\nconst response = await fetch('https://example.com', { method: 'PUT', body: JSON.stringify(widget.spec), signal });\nconst answer = await response.json(); process.stdout.write(String(answer.id)); await client.delete(Widget, key); };",
    [`delete ${widgets} in a`],
  ],
];
