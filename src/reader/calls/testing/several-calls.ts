import { type Case, widgets } from './direct-calls.ts';

const both = ['delete personnel.example.com', 'get personnel.example.com'];
const kinds = ['delete configmaps', 'delete personnel.example.com'];
const asStatus = /^client \[\]: it is passed on as StatusClient, whose calls cannot be followed$/;
const remove = 'export const remove = (by: By): Promise<void> => client.delete(by.chosen(), { name });\n';
const pick = 'interface By { chosen(): Kind }\nclass Own implements By { chosen(): Kind { return Staff; } }\n';

/** Calls of which each may be one of several: of a method, of a type, of a function that says the kind. All of them count. */
export const several: readonly Case[] = [
  ['one of two methods', 'await (name ? client.delete : client.live.get)(Staff, { name });', both],
  [
    'one of two methods by a name',
    'const one = name ? client.delete : client.live.get;\nawait one(Staff, { name });',
    both,
  ],
  [
    'each of a list of methods',
    'for (const each of [client.delete, client.live.get]) await each(Staff, { name });',
    both,
  ],
  [
    'a method of a record',
    "const all = { a: client.delete, b: client.live.get };\ndeclare const which: 'a' | 'b';\nawait all[which](Staff, { name });",
    both,
  ],
  [
    'a parameter of two types of methods',
    'const run = (go: typeof client.delete | typeof client.live.get) => go(Staff, { name });\nawait run(client.delete);',
    both,
  ],
  [
    'a method of one of two clients',
    'await (name ? client.status : client.scale).mergePatch(Widget, key, {});',
    [`patch ${widgets}/scale in a`, `patch ${widgets}/status in a`],
  ],
  [
    'one of two functions',
    'const own = async (_kind: Kind, _key: { name: string }): Promise<void> => {};\nawait (name ? own : client.delete)(Staff, { name });',
    ['delete personnel.example.com'],
  ],
  [
    'the client or a part of it, which have the same methods',
    'await (name ? client.status : client).mergePatch(Widget, key, {});',
    [`patch ${widgets}/status in a`],
    [asStatus],
  ],
  [
    'a part of the client in its place',
    'declare const maybe: Client | undefined;\nawait (maybe ?? client.status).mergePatch(Widget, key, {});',
    [`patch ${widgets}/status in a`],
    [/^maybe \[\]: it is passed on as StatusClient, whose calls cannot be followed$/],
  ],
  [
    'a list of the client and a part of it',
    'for (const each of [client, client.status]) await each.mergePatch(Widget, key, {});',
    [`patch ${widgets}/status in a`],
    [asStatus],
  ],
  [
    'the client as a part of it',
    "const part: Client['status'] = client;\nawait part.mergePatch(Widget, key, {});",
    [`patch ${widgets}/status in a`],
    [asStatus],
  ],
  [
    'a method as another',
    'const patch: typeof client.status.mergePatch = client.mergePatch;\nawait patch(Widget, key, {});',
    [`patch ${widgets}/status in a`],
    [/^client\.mergePatch \[\]: it is passed on as .*, whose calls cannot be followed$/],
  ],
  [
    'a method of the builder by call',
    "const builder = manager.controller('a');\nbuilder.watches.call(builder, Staff, () => []);",
    [],
    [/^builder\.watches\.call\(.*\) \[\]: call hides what is called with which kind$/],
  ],
  [
    'a method that a class below overrides',
    `class By { chosen(): Kind { return Staff; } }\nclass Between extends By {}\nexport class Below extends Between { override chosen(): Kind { return ConfigMap; } }\n${remove}remove(new Below());`,
    kinds,
  ],
  [
    'a getter that a class below overrides',
    'class By { get chosen(): Kind { return Staff; } }\nexport class Below extends By { override get chosen(): Kind { return ConfigMap; } }\nexport const remove = (by: By): Promise<void> => client.delete(by.chosen, { name });\nremove(new Below());',
    kinds,
  ],
  [
    'a property that a class below overrides',
    `class By { chosen = (): Kind => Staff; }\nexport class Below extends By { override chosen = (): Kind => ConfigMap; }\n${remove}remove(new Below());`,
    kinds,
  ],
  [
    'a method that is replaced',
    `class By { chosen(): Kind { return Staff; } }\n${remove}const by = new By();\nby.chosen = () => ConfigMap;\nremove(by);`,
    kinds,
  ],
  ['a class and a literal', `${pick}${remove}remove(new Own());\nremove({ chosen: () => ConfigMap });`, kinds],
  [
    'a class and a literal with a method',
    `${pick}${remove}remove(new Own());\nremove({ chosen() { return ConfigMap; } });`,
    kinds,
  ],
  [
    'a class and a literal by names',
    `${pick}${remove}const choose = (): Kind => ConfigMap;\nremove(new Own());\nremove({ chosen: choose });`,
    kinds,
  ],
  [
    'a class and a literal in short',
    `${pick}${remove}function chosen(): Kind { return ConfigMap; }\nremove(new Own());\nremove({ chosen });`,
    kinds,
  ],
  [
    'kinds through a file that imports nothing of operator-runtime',
    "import { each, load } from './plain.ts';\nawait load(name); each([Widget, Staff], (kind) => client.live.list<KubernetesObject>(kind as Kind));",
    ['list personnel.example.com', `list ${widgets}`],
  ],
  [
    'the client in a file that imports nothing of operator-runtime',
    "import { remove } from './plain.ts';\nremove(client, Widget, key);",
    [],
    [/^client \[\]: it is passed on as Deleter, whose calls cannot be followed$/],
  ],
];
