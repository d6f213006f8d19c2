import { describe, expect, it } from 'vitest';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

const string = { type: 'string' };
const int32 = { type: 'integer', format: 'int32' };

describe('discriminated unions', () => {
  it('are all members of all types, and oneOf with what each type is', () => {
    const rest = `
      /** A git repository. */
      interface Git { type: 'git'; /** The URL. */ url: string; depth?: int32 }
      interface Bucket { type: 'bucket'; bucket: string; depth?: int32 }
      /** Where it comes from. */
      type Source = Git | Bucket;`;
    const { properties } = specSchema(readSpec('value: Source;', rest, 'interface'));
    expect(properties).toEqual({
      value: {
        type: 'object',
        description: 'Where it comes from.',
        properties: {
          type: { type: 'string', enum: ['git', 'bucket'] },
          url: { type: 'string', description: 'The URL.' },
          depth: int32,
          bucket: string,
        },
        required: ['type'],
        oneOf: [
          { properties: { type: { enum: ['git'] } }, required: ['type', 'url'], not: { required: ['bucket'] } },
          { properties: { type: { enum: ['bucket'] } }, required: ['bucket', 'type'], not: { required: ['url'] } },
        ],
      },
    });
  });

  it.each([
    ['texts', "{ kind: 'a'; a: string } | { kind: 'b' }"],
    ['texts of which one type has several', "{ kind: 'a' | 'c'; a: string } | { kind: 'b' }"],
    ['numbers', '{ kind: 1; a: string } | { kind: 2 }'],
    ['booleans', '{ kind: true; a: string } | { kind: false }'],
    ['members of an enum', '{ kind: E.A; a: string } | { kind: E.B }'],
    ['members that the others never have', '{ a: string; b?: never } | { a?: never; b: string }'],
    ['members that are undefined in the others', '{ a: string; b?: undefined } | { a?: undefined; b: string }'],
    ['a member that one never has', '{ a: string } | { a?: never; c?: string }'],
    ['generics', "Tagged<'x', string> | Tagged<'y', int32[]>"],
    ['null beside the types', "{ kind: 'a' } | { kind: 'b' } | null"],
    ['intersections', "({ kind: 'a' } & Named) | ({ kind: 'b' } & Named)"],
    ['distributed members', "{ kind: 'a' | 'b'; name: string } | { kind: 'c' }"],
  ])('are told apart by %s', (_, type) => {
    const rest = `
      enum E { A = 'a', B = 'b' }
      interface Named { name: string }
      type Tagged<K extends string, T> = { [P in K]: T } & { kind: K };`;
    const value = specSchema(readSpec(`value: ${type};`, rest, 'interface')).properties?.['value'];
    expect(value).toMatchObject({ type: 'object' });
    expect(value?.['oneOf']).toHaveLength(2);
  });

  it('keep bounds that differ in their branches, and those that do not in front', () => {
    const type = `
      | { kind: 'a'; /** @maxLength 9 @minLength 1 */ name: string }
      | { kind: 'b'; /** @maxLength 5 @minLength 1 */ name: string }`.replaceAll(' @min', '\n * @min');
    const value = specSchema(readSpec(`value: ${type};`, '', 'interface')).properties?.['value'];
    expect(value?.properties?.['name']).toEqual({ type: 'string', minLength: 1 });
    expect(value?.['oneOf']).toEqual([
      { properties: { kind: { enum: ['a'] }, name: { maxLength: 9 } }, required: ['kind', 'name'] },
      { properties: { kind: { enum: ['b'] }, name: { maxLength: 5 } }, required: ['kind', 'name'] },
    ]);
  });

  it('keep the markers of aliases inside', () => {
    const rest = '/** @minimum 1 */ type Port = int32;';
    const type = "{ kind: 'tcp'; port: Port } | { kind: 'unix'; path: string; ports?: Port[] }";
    const value = specSchema(readSpec(`value: ${type};`, rest, 'interface')).properties?.['value'];
    expect(value?.properties?.['port']).toEqual({ ...int32, minimum: 1 });
    expect(value?.properties?.['ports']).toEqual({ type: 'array', items: { ...int32, minimum: 1 } });
  });

  it.each([
    ['type literals', "{ ok: true; value: T } | { ok: false; error: 'no' }"],
    ['interfaces', 'Ok<T> | Err'],
    ['intersections', "({ ok: true } & { value: T }) | { ok: false; error: 'no' }"],
    ['one alias that is named twice', "Tagged<true, 'value', T> | Tagged<false, 'error', 'no'>"],
  ])('keep the markers of what a generic union is given: %s', (_, union) => {
    const rest = `
      /** @minimum 1 */ type Port = int32;
      interface Ok<T> { ok: true; value: T }
      interface Err { ok: false; error: 'no' }
      type Tagged<K, P extends string, T> = { ok: K } & { [Q in P]: T };
      type Result<T> = ${union};`;
    const value = specSchema(readSpec('value: Result<Port>;', rest, 'interface')).properties?.['value'];
    expect(value?.properties?.['value']).toEqual({ ...int32, minimum: 1 });
    expect(value?.properties?.['error']).toEqual({ type: 'string', enum: ['no'] });
  });

  it('of one generic type tell their arguments apart', () => {
    const rest = `
      /** @minimum 1 */ type Port = int32;
      type Tagged<K extends string, T> = { kind: K; value: T };
      type Two<A, B> = Tagged<'a', A> | Tagged<'b', B>;`;
    const value = specSchema(readSpec('value: Two<int32, Port>;', rest, 'interface')).properties?.['value'];
    expect(value?.['oneOf']).toMatchObject([
      { properties: { kind: { enum: ['a'] } } },
      { properties: { kind: { enum: ['b'] }, value: { minimum: 1 } } },
    ]);
  });

  it('stand in lists, maps and under generics, with rules of the union', () => {
    const rest = `
      /** @validation { rule: 'self.kind != "c"' } */
      type Either = { kind: 'a' } | { kind: 'b' };
      interface Box<T> { content: T }`;
    const members = 'list: Either[]; map: Record<string, Either>; box: Box<Either>; own: Either;';
    const { properties } = specSchema(readSpec(members, rest, 'interface'));
    const either = {
      type: 'object',
      properties: { kind: { type: 'string', enum: ['a', 'b'] } },
      required: ['kind'],
      oneOf: [
        { properties: { kind: { enum: ['a'] } }, required: ['kind'] },
        { properties: { kind: { enum: ['b'] } }, required: ['kind'] },
      ],
      'x-kubernetes-validations': [{ rule: 'self.kind != "c"' }],
    };
    expect(properties).toEqual({
      list: { type: 'array', items: either },
      map: { type: 'object', additionalProperties: either },
      box: { type: 'object', properties: { content: either }, required: ['content'] },
      own: either,
    });
  });

  it('stand in written order, whatever the checker met first', () => {
    const value = specSchema(
      readSpec("first: { kind: 'b' }; value: { kind: 'c' } | { kind: 'b' } | { kind: 'a' };", '', 'interface'),
    ).properties?.['value'];
    expect(value?.properties?.['kind']?.['enum']).toEqual(['c', 'b', 'a']);
  });

  it.each([
    ['{ a: string } | { b: string }', 'CO1206 the union', 'ExactlyOneOf'],
    ["{ kind: 'a' } | { kind: string }", 'CO1206', 'tell the types apart'],
    ["{ kind?: 'a' } | { kind?: 'b' }", 'CO1206', 'tell the types apart'],
    ['{ a: string } | string[]', 'CO1206', 'tell the types apart'],
    ["{ kind: 'a' } | Record<string, string>", 'CO1206', 'tell the types apart'],
    ["{ kind: 'a' } | string", 'CO1206', ''],
    [
      "{ kind: 'a'; value: string } | { kind: 'b'; value: int32 }",
      "CO1213 the types of a union disagree about 'value': string and integer (thing.ts:",
      'other names',
    ],
    [
      "{ kind: 'a'; value: string[] } | { kind: 'b'; value: int32[] }",
      "CO1213 the types of a union disagree about 'value': list of string and list of integer",
      'other names',
    ],
    ["{ kind: 'a'; value: string } | { kind: 'b'; value: string | null }", 'CO1213', 'other names'],
    [
      "{ kind: 'a'; value: { n: int32 } } | { kind: 'b'; value: { s: string } }",
      "CO1213 the types of a union disagree about 'value': { n } and { s }",
      'other names',
    ],
    ['Ruled', 'CO1214 a rule cannot stand on one of the types', 'alias'],
    ["{ kind: 'a'; /** @default 1 */ size?: int32 } | { kind: 'b' }", "CO1215 'size' cannot have a default", 'all'],
    ['Tree', 'CO1203 the type is recursive', 'free-form'],
  ])('%s is an error', (type, message, remedy) => {
    const rest = `
      /** @validation { rule: 'true' } */ interface One { kind: 'a' }
      type Ruled = One | { kind: 'b' };
      type Tree = { kind: 'leaf' } | { kind: 'node'; children: Tree[] };`;
    const { diagnostics } = readSpec(`value: ${type};`, rest, 'interface');
    expect(diagnostics).toHaveLength(1);
    const [line] = lines(diagnostics);
    expect(line).toContain(message);
    expect(line).toContain('[spec.value');
    expect(diagnostics[0]?.remedy).toContain(remedy);
    expect(diagnostics[0]?.position).toMatchObject({ file: 'thing.ts' });
  });

  it('follow types of other files through barrels', () => {
    const result = readSources({
      'parts/a.ts': "export interface A { kind: 'a'; /** @minLength 2 */ name: string }",
      'parts/b.ts': "export interface B { kind: 'b'; size?: number }",
      'parts/index.ts': "export * from './b.ts'; export type { A as First } from './a.ts';",
      'thing.ts': `import type { First, B } from './parts/index.ts';
        /** @resource { group: 'a.example.com', version: 'v1' } */
        export interface Thing { spec: First | B }`,
    });
    expect(specSchema(result)).toMatchObject({
      properties: { kind: { enum: ['a', 'b'] }, name: { minLength: 2 }, size: { type: 'number' } },
    });
  });
});
