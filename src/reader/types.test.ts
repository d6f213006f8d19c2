import { describe, expect, it } from 'vitest';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

const intOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
const anything = { 'x-kubernetes-preserve-unknown-fields': true };
const string = { type: 'string' };
const int32 = { type: 'integer', format: 'int32' };

const decimal = String.raw`-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?`;

/** A member's type as it is written, what stands in front, and the schema that must come out. */
type Case = readonly [title: string, type: string, schema: object, rest?: string];

interface Named {
  readonly title: string;
  readonly type: string;
  readonly schema: object;
  readonly rest: string;
}

function named(cases: readonly Case[]): Named[] {
  return cases.map(([title, type, schema, rest = '']) => ({ title, type, schema, rest }));
}

describe('types of members', () => {
  it.each(
    named([
      ['string', 'string', string],
      ['boolean', 'boolean', { type: 'boolean' }],
      ['number', 'number', { type: 'number' }],
      ['integer', 'integer', { type: 'integer' }],
      ['int32', 'int32', int32],
      ['int64', 'int64', { type: 'integer', format: 'int64' }],
      ['float', 'float', { type: 'number', format: 'float' }],
      ['double', 'double', { type: 'number', format: 'double' }],
      ['Time', 'Time', { type: 'string', format: 'date-time' }],
      ['MicroTime', 'MicroTime', { type: 'string', format: 'date-time' }],
      ['Duration', 'Duration', string],
      ['IntOrString', 'IntOrString', intOrString],
      ['number | string', 'number | string', intOrString],
      ['int32 | string', 'int32 | string', intOrString],
      ['null beside a type', 'string | null', { type: 'string', nullable: true }],
      ['an alias beside null', 'int32 | null', { ...int32, nullable: true }],
      ['unknown', 'unknown', anything],
      ['object', 'object', { type: 'object', ...anything }],
      ['an empty object', '{}', { type: 'object' }],
      ['a list', 'string[]', { type: 'array', items: string }],
      ['a readonly list', 'readonly int32[]', { type: 'array', items: int32 }],
      ['ReadonlyArray', 'ReadonlyArray<int32>', { type: 'array', items: int32 }],
      ['a list of lists', 'int32[][]', { type: 'array', items: { type: 'array', items: int32 } }],
      ['a list of unknown', 'unknown[]', { type: 'array', items: anything }],
      ['Record', 'Record<string, int32>', { type: 'object', additionalProperties: int32 }],
      ['an index signature', '{ [name: string]: int32 }', { type: 'object', additionalProperties: int32 }],
      ['Record of unknown', 'Record<string, unknown>', { type: 'object', additionalProperties: anything }],
      [
        'a map of lists',
        'Record<string, string[]>',
        { type: 'object', additionalProperties: { type: 'array', items: string } },
      ],
      [
        'Record of named keys',
        "Record<'b' | 'a', int32>",
        { type: 'object', properties: { b: int32, a: int32 }, required: ['a', 'b'] },
      ],
      [
        'an inline object',
        '{ cpu: int32; memory?: string }',
        { type: 'object', properties: { cpu: int32, memory: string }, required: ['cpu'] },
      ],
      ['a literal', "'only'", { type: 'string', enum: ['only'] }],
      ['literals in written order', "'b' | 'a' | 'c'", { type: 'string', enum: ['b', 'a', 'c'] }],
      ['literals in another order', "'c' | 'a' | 'b'", { type: 'string', enum: ['c', 'a', 'b'] }],
      ['whole numbers', '302 | 301', { type: 'integer', enum: [302, 301] }],
      ['numbers', '0.5 | 1', { type: 'number', enum: [0.5, 1] }],
      ['numbers and texts', "1 | 2 | 'auto'", { ...intOrString, enum: [1, 2, 'auto'] }],
      ['true alone', 'true', { type: 'boolean', enum: [true] }],
      ['a template of a text', '`a.${string}`', { type: 'string', pattern: '^a\\.[\\s\\S]*$' }],
      ['a template of a number', '`${number}%`', { type: 'string', pattern: `^${decimal}%$` }],
      ['a template of a whole number', '`v${bigint}`', { type: 'string', pattern: '^v-?\\d+$' }],
      [
        'templates and literals',
        "`b-${string}` | 'a' | `${bigint}`",
        { type: 'string', pattern: '^(-?\\d+|a|b-[\\s\\S]*)$' },
      ],
      [
        'a template of templates',
        '`x${`${bigint}m` | `${bigint}h`}`',
        { type: 'string', pattern: '^(x-?\\d+h|x-?\\d+m)$' },
      ],
      ['a template of literals', "`${'a' | 'b'}${1 | 2}`", { type: 'string', enum: ['a1', 'a2', 'b1', 'b2'] }],
      ['numbers and a template', '`${bigint}%` | number', { ...intOrString, pattern: '^-?\\d+%$' }],
      ['numbers and a literal', "number | 'auto'", { ...intOrString, pattern: '^auto$' }],
      ['any text with suggestions', "'a' | (string & {})", string],
      [
        'an enum of texts',
        'Level',
        { type: 'string', enum: ['off', 'on'] },
        "enum Level { /** quiet */ Off = 'off', On = 'on' }",
      ],
      ['an enum of numbers', 'N', { type: 'integer', enum: [0, 1] }, 'enum N { A, B }'],
      [
        'the values of a constant',
        'Color',
        { type: 'string', enum: ['green', 'blue', 'red'] },
        "const Color = { Green: 'green', Blue: 'blue', Red: 'red' } as const; type Color = (typeof Color)[keyof typeof Color];",
      ],
      [
        'the items of a constant',
        '(typeof all)[number]',
        { type: 'string', enum: ['y', 'x'] },
        "const all = ['y', 'x'] as const;",
      ],
      ['keys', 'keyof Point', { type: 'string', enum: ['y', 'x'] }, 'interface Point { y: number; x: number }'],
      ['Exclude', "Exclude<State, 'b'>", { type: 'string', enum: ['c', 'a'] }, "type State = 'c' | 'b' | 'a';"],
      [
        'a union of unions',
        "Cold | 'warm' | Hot",
        { type: 'string', enum: ['ice', 'cool', 'warm', 'fire'] },
        "type Hot = 'fire'; type Cold = 'ice' | 'cool';",
      ],
      [
        'a class',
        'Point',
        { type: 'object', properties: { x: int32, y: int32 }, required: ['x'] },
        'class Point { x!: int32; y?: int32 | undefined }',
      ],
      [
        'undefined in the type',
        '{ a: string | undefined; b: string | null }',
        { type: 'object', properties: { a: string, b: { type: 'string', nullable: true } }, required: ['b'] },
      ],
      [
        'extends',
        'Derived',
        {
          type: 'object',
          properties: { size: int32, region: { type: 'string', minLength: 2 } },
          required: ['region', 'size'],
        },
        'interface Base { /** @minLength 2 */ region: string } interface Derived extends Base { size: int32 }',
      ],
      [
        'an intersection',
        'Base & { tier: string }',
        {
          type: 'object',
          properties: { region: { type: 'string', minLength: 2 }, tier: string },
          required: ['region', 'tier'],
        },
        'class Base { @m.MinLength(2) region!: string }',
      ],
      [
        'an interface that shares its name with a namespace',
        'Outer.Inner & Outer',
        { type: 'object', properties: { b: int32, a: string }, required: ['a', 'b'] },
        'interface Outer { a: string } namespace Outer { export interface Inner { b: int32 } export const MAX = 5; }',
      ],
      [
        'unions in an intersection',
        "({ a: 'x' } | { a: 'y' }) & ({ b: 1 } | { b: 2 })",
        {
          type: 'object',
          properties: { a: { type: 'string', enum: ['x', 'y'] }, b: { type: 'integer', enum: [1, 2] } },
          required: ['a', 'b'],
          oneOf: [
            { properties: { a: { enum: ['x'] }, b: { enum: [1] } }, required: ['a', 'b'] },
            { properties: { a: { enum: ['x'] }, b: { enum: [2] } }, required: ['a', 'b'] },
            { properties: { a: { enum: ['y'] }, b: { enum: [1] } }, required: ['a', 'b'] },
            { properties: { a: { enum: ['y'] }, b: { enum: [2] } }, required: ['a', 'b'] },
          ],
        },
      ],
      ['a readonly member', '{ readonly a: string }', { type: 'object', properties: { a: string }, required: ['a'] }],
    ]),
  )('$title', ({ type, schema, rest }) => {
    expect(specSchema(readSpec(`value: ${type};`, rest, 'interface')).properties).toEqual({ value: schema });
  });

  it('takes a Date for the text that it is in JSON, with a warning', () => {
    const result = readSpec('value?: Date; list?: Date[];', '', 'interface');
    const time = { type: 'string', format: 'date-time' };
    expect(specSchema(result).properties).toEqual({ value: time, list: { type: 'array', items: time } });
    const message = 'CO1216 JSON has no Date: the member is a text (date-time), and clients read it as a text';
    const remedy = '(use Time of operator-runtime: a text in RFC 3339)';
    expect(lines(result.diagnostics)).toEqual([
      `${message} [spec.value] ${remedy}`,
      `${message} [spec.list[*]] ${remedy}`,
    ]);
  });

  it('keeps quantities as controller-gen writes them', () => {
    const { pattern, ...rest } = specSchema(readSpec('value!: Quantity;')).properties?.['value'] ?? {};
    expect(rest).toEqual(intOrString);
    expect('500m').toMatch(new RegExp(String(pattern)));
    expect('1.5.2').not.toMatch(new RegExp(String(pattern)));
  });

  it('keeps members of any name, in the order of their declaration', () => {
    const names = [
      'description',
      'type',
      'properties',
      'required',
      'items',
      'default',
      'toString',
      '__proto__',
      'a.b',
      'x-y',
    ];
    const members = names.map((name) => `${JSON.stringify(name)}: string;`).join('\n');
    const result = readSpec(`${members}\nconstructor: string;\n['computed']: string;`, '', 'interface');
    const spec = result.model.kinds[0]?.versions[0]?.schema.properties?.get('spec');
    expect(lines(result.diagnostics)).toEqual([]);
    expect([...(spec?.properties?.keys() ?? [])]).toEqual([...names, 'constructor', 'computed']);
  });
});

describe('markers on aliases', () => {
  const port = `/** @minimum 1\n * @maximum 65535 */\ntype Port = int32;`;
  const marked = { type: 'integer', format: 'int32', minimum: 1, maximum: 65535 };
  const object = (properties: object, ...required: string[]): object =>
    required.length === 0 ? { type: 'object', properties } : { type: 'object', properties, required };

  it.each(
    named([
      ['reach a member', 'Port', marked],
      ['reach a member beside null', 'Port | null', { ...marked, nullable: true }],
      ['reach items', 'Port[]', { type: 'array', items: marked }],
      ['reach readonly items', 'readonly Port[]', { type: 'array', items: marked }],
      ['reach the values of a map', 'Record<string, Port>', { type: 'object', additionalProperties: marked }],
      ['reach through an alias', 'Other', { ...marked, minimum: 10 }, '/** @minimum 10 */\ntype Other = Port;'],
      [
        'reach through a generic interface',
        'Box<Port>',
        object({ value: marked }, 'value'),
        'interface Box<T> { value: T }',
      ],
      ['reach through a generic class', 'Box<Port>', object({ value: marked }, 'value'), 'class Box<T> { value!: T }'],
      ['reach through a generic alias', 'Maybe<Port>', { ...marked, nullable: true }, 'type Maybe<T> = T | null;'],
      [
        'reach through two generics',
        'Outer<Port>',
        object({ b: object({ a: { type: 'array', items: marked } }, 'a') }, 'b'),
        'interface Inner<T> { a: T[] } interface Outer<U> { b: Inner<U> }',
      ],
      ['reach through a default', 'Box', object({ value: marked }, 'value'), 'interface Box<T = Port> { value: T }'],
      [
        'reach through extends of a generic',
        'Named',
        object({ value: marked }, 'value'),
        'interface Box<T> { value: T } interface Named extends Box<Port> {}',
      ],
      ['reach through Partial', 'Partial<{ port: Port }>', object({ port: marked })],
      ['reach through Required', 'Required<{ port?: Port }>', object({ port: marked }, 'port')],
      ['reach through Readonly', 'Readonly<{ port: Port }>', object({ port: marked }, 'port')],
      ['reach through Pick', "Pick<{ port: Port; b: string }, 'port'>", object({ port: marked }, 'port')],
      ['reach through Omit', "Omit<{ port: Port; b: string }, 'b'>", object({ port: marked }, 'port')],
      ['reach through Record of names', "Record<'a', Port>", object({ a: marked }, 'a')],
      ['reach through an indexed access', "{ port: Port }['port']", marked],
      ['reach through the items of a list', 'Port[][number]', marked],
      ['reach through NonNullable', 'NonNullable<Port | null>', marked],
      [
        'reach through a mapped type',
        'Wrapped<{ port: Port }>',
        object({ port: object({ v: marked }, 'v') }, 'port'),
        'type Wrapped<T> = { [K in keyof T]: { v: T[K] } };',
      ],
      ['reach through a conditional type', 'Pair<Port>', marked, 'type Pair<T> = T extends string ? string : T;'],
      [
        'reach through a deep partial type',
        'Deep<{ a: { port: Port } }>',
        object({ a: object({ port: marked }) }),
        'type Deep<T> = T extends object ? { [P in keyof T]?: Deep<T[P]> } : T;',
      ],
      [
        'reach through an inferred member',
        'Value<{ value: Port }>',
        marked,
        'type Value<T> = T extends { value: infer U } ? U : never;',
      ],
      [
        'reach through inferred values',
        'Value<Record<string, Port>>',
        marked,
        'type Value<T> = T extends Record<string, infer U> ? U : never;',
      ],
      [
        'reach through an inferred argument',
        'Value<Box<Port>>',
        marked,
        'interface Box<T> { value: T } type Value<T> = T extends Box<infer U> ? U : never;',
      ],
      [
        'reach through members that are inferred deep inside',
        'Value<{ list: { port: Port }[] }>',
        marked,
        'type Value<T> = T extends { list: { port: infer U }[] } ? U : never;',
      ],
      ['reach through inferred items', 'Item<Port[]>', marked, 'type Item<T> = T extends (infer U)[] ? U : never;'],
      [
        'reach through a list of what is inferred',
        'Value<{ value: Port }>',
        { type: 'array', items: marked },
        'type Value<T> = T extends { value: infer U } ? U[] : never;',
      ],
      [
        'reach through an object of what is inferred',
        'Value<Port>',
        object({ v: marked }, 'v'),
        'type Value<T> = T extends infer U ? { v: U } : never;',
      ],
      [
        'reach through a map of inferred items',
        'Value<Port[]>',
        { type: 'object', additionalProperties: marked },
        'type Value<T> = T extends (infer U)[] ? Record<string, U> : never;',
      ],
      ['reach through the values of a map', 'Record<string, Port>[string]', marked],
      [
        'reach through keys that are renamed',
        "{ [K in 'a-b' as `x${K}`]: Port[] }",
        object({ 'xa-b': { type: 'array', items: marked } }, 'xa-b'),
      ],
      [
        'reach through renamed keys and what they stood for',
        'Renamed<{ a: { port: Port } }>',
        object({ xa: { type: 'array', items: object({ port: marked }, 'port') } }, 'xa'),
        'type Renamed<T> = { [K in keyof T as `x${K & string}`]: T[K][] };',
      ],
      [
        'reach through the members that both parts of an intersection have',
        'Merged<{ port: Port }, { port: Port; other?: string }>',
        object({ port: marked, other: { type: 'string' } }, 'port'),
        'type Merged<A, B> = { [K in keyof (A & B)]: (A & B)[K] };',
      ],
      [
        'reach through a type with some members made optional',
        "SetOptional<{ port: Port; other: string }, 'port'>",
        object({ other: { type: 'string' }, port: marked }, 'other'),
        `type Simplify<T> = { [K in keyof T]: T[K] } & {};
         type SetOptional<T, K extends keyof T> = Simplify<Omit<T, K> & Partial<Pick<T, K>>>;`,
      ],
      [
        'reach through a mapped map',
        'Frozen<{ map: Record<string, Port> }>',
        object({ map: { type: 'object', additionalProperties: marked } }, 'map'),
        `type Frozen<T> = T extends (infer U)[] ? readonly Frozen<U>[]
          : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;`,
      ],
      [
        'reach through a mapped type with null',
        'Frozen<{ list: { port?: Port | null }[] }>',
        object({ list: { type: 'array', items: object({ port: { ...marked, nullable: true } }) } }, 'list'),
        `type Frozen<T> = T extends (infer U)[] ? readonly Frozen<U>[]
          : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;`,
      ],
      [
        'reach through an intersection of unions',
        "({ kind: 'a'; port: Port } | { kind: 'b' }) & { other?: Port }",
        {
          type: 'object',
          properties: { kind: { type: 'string', enum: ['a', 'b'] }, port: marked, other: marked },
          required: ['kind'],
          oneOf: [
            { properties: { kind: { enum: ['a'] } }, required: ['kind', 'port'] },
            { properties: { kind: { enum: ['b'] } }, required: ['kind'], not: { required: ['port'] } },
          ],
        },
      ],
    ]),
  )('$title', ({ type, schema, rest }) => {
    const result = specSchema(readSpec(`value: ${type};`, `${port}\n${rest}`, 'interface'));
    expect(result.properties).toEqual({ value: schema });
  });

  it.each([
    [
      'what several places infer',
      'Value<{ a: Port; b: Other }>',
      '/** @minimum 2 */ type Other = int32; type Value<T> = T extends { a: infer U; b: infer U } ? U[] : never;',
    ],
    ['a function', 'Result<() => Port>', 'type Result<T> = T extends () => infer U ? U : never;'],
    ['a union', 'Port | string', ''],
  ])('are an error where they would be lost in %s', (_, type, rest) => {
    const result = readSpec(`value: ${type};`, `${port}\n${rest}`, 'interface');
    expect(result.diagnostics).toMatchObject([
      { code: 'CO1112', path: expect.stringMatching(/^spec\.value/), message: expect.stringMatching(/Port/) },
    ]);
  });

  it('belong to lists and their items', () => {
    const rest = '/** @maxItems 5\n * @items maxLength(3), pattern(/^a/) */\ntype Names = string[];';
    const names = { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 3, pattern: '^a' } };
    expect(
      specSchema(readSpec('a!: Names; @m.MaxItems(3) @m.Items(m.MaxLength(9), m.MinLength(1)) b!: Names;', rest))
        .properties,
    ).toEqual({
      a: names,
      b: { ...names, maxItems: 3, items: { ...names.items, minLength: 1 } },
    });
  });

  it('of a library come through as well', () => {
    const result = readSources({
      'node_modules/library/package.json': JSON.stringify({ name: 'library', version: '1.0.0', types: './index.d.ts' }),
      'node_modules/library/index.d.ts': '/** @maxLength 9 */\nexport type Name = string;\n',
      'deep.ts': "import type { Name } from 'library';\nexport type Alias = Name;\n",
      'barrel.ts': "export * from './deep.ts';\n",
      'thing.ts': `import type { Alias } from './barrel.ts';
        /** @resource { group: 'a.example.com', version: 'v1' } */
        export interface Thing { spec: { name: Alias } }`,
    });
    expect(specSchema(result).properties).toEqual({ name: { type: 'string', maxLength: 9 } });
  });
});

type Refusal = readonly [type: string, code: string, message: RegExp, rest?: string];

function refusals(all: readonly Refusal[]): { type: string; code: string; message: RegExp; rest: string }[] {
  return all.map(([type, code, message, rest = '']) => ({ type, code, message, rest }));
}

describe('types without a schema', () => {
  it.each(
    refusals([
      ['any', 'CO1201', /any/],
      ['[string, number]', 'CO1202', /tuple \[string, number\]/],
      ['() => void', 'CO1202', /function/],
      ['new () => object', 'CO1202', /function/],
      ['symbol', 'CO1202', /symbol/],
      ['bigint', 'CO1202', /bigint/],
      ['undefined', 'CO1202', /undefined/],
      ['null', 'CO1202', /null/],
      ['`a${Uppercase<string>}`', 'CO1202', /a\$\{Uppercase<string>\}/],
      ['`a${string}` | 1', 'CO1206', /a\$\{string\}/],
      ['string & { brand: 1 }', 'CO1202', /brand/],
      ['{ [index: number]: string }', 'CO1202', /number/],
      ['never', 'CO1204', /no value/],
      ['Map<string, string>', 'CO1205', /Map<string, string>/],
      ['Set<string>', 'CO1205', /Set/],
      ['Promise<string>', 'CO1205', /Promise/],
      ['RegExp', 'CO1205', /RegExp/],
      ['Uint8Array', 'CO1205', /Uint8Array/],
      ['boolean | string', 'CO1206', /boolean/],
      ["'a' | 1.5", 'CO1206', /1\.5/],
      ['{ a: string; [name: string]: string }', 'CO1208', /index signature/],
      [
        'Tree',
        'CO1203',
        /spec\.value → Tree → children\[\*\] → Tree \(recursive\)/,
        'interface Tree { children?: Tree[] }',
      ],
      ['Endless<string>', 'CO1203', /Endless → next → Endless/, 'interface Endless<T> { next?: Endless<T[]> }'],
    ]),
  )('$type is an error with its path', ({ type, code, message, rest }) => {
    const { diagnostics } = readSpec(`value: ${type};`, rest, 'interface');
    expect(diagnostics).toMatchObject([
      { code, message: expect.stringMatching(message), path: expect.stringMatching(/^spec\.value/) },
    ]);
    expect(diagnostics[0]?.position?.file).toBe('thing.ts');
  });

  it('names both places of a contradiction', () => {
    const { diagnostics } = readSpec('value!: V;', 'type V = { p: string } &\n{ p: number };');
    expect(lines(diagnostics)).toEqual([
      'CO1204 no value can have this type: its parts contradict each other (thing.ts:4:12 and thing.ts:5:3) [spec.value.p]',
    ]);
  });

  it.each([
    ['static count = 1;', /static/],
    ['#secret = 1;', /#private/],
    ['method(): void {}', /method/],
    ['get size(): number { return 1; }', /accessor/],
    ['constructor() {}', /constructor/],
    ['value = 3;', /initialiser/],
    ['private value!: string;', /private/],
    ['static {}', /static block/],
  ])('refuses in a class: %s', (member, message) => {
    const { diagnostics } = readSpec(member);
    expect(diagnostics.filter(({ code }) => code === 'CO1207')).toMatchObject([
      { message: expect.stringMatching(message), remedy: expect.any(String) },
    ]);
  });

  it('lets modifiers pass that mean nothing', () => {
    const rest = 'abstract class Base { a!: string; abstract b: string; }';
    const result = readSources({
      'thing.ts': `${rest}
        class Spec extends Base { declare a: string; override readonly b!: string; declare public c: string; }
        /** @resource { group: 'a.example.com', version: 'v1' } */
        export interface Thing { spec: Spec }`,
    });
    expect(Object.keys(specSchema(result).properties ?? {})).toEqual(['a', 'b', 'c']);
  });
});
