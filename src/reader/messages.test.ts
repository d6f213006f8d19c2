import { describe, expect, it } from 'vitest';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

describe('one mistake', () => {
  it.each([
    ['@m.Minimum(1) a!: string;', ['CO1111 Minimum cannot apply to a string [spec.a]']],
    ["@m.Pattern('x') a!: number;", ['CO1111 Pattern cannot apply to a number [spec.a]']],
    [
      "@m.Resource({ group: 'a.example.com', version: 'v1' }) a!: string;",
      ['CO1105 Resource cannot stand on a member (it stands on kinds)'],
    ],
    ['a!: Gone;', ["CO1005 Cannot find name 'Gone' (TS2304)"]],
    ['a!: Record<string, { b: Gone[] }>;', ["CO1005 Cannot find name 'Gone' (TS2304)"]],
    [
      '/** @minItems 1\n   * +listType=set\n   */\n a!: string[];',
      [expect.stringMatching(/^CO1104 '\+listType=set' is a marker of controller-gen/)],
    ],
    [
      '/** @minimum 1\n   * +kubebuilder:validation:Maximum=2 */\n a!: number;',
      [expect.stringMatching(/^CO1104 '\+kubebuilder:validation:Maximum=2'/)],
    ],
  ])('gives one message: %s', (members, expected) => {
    expect(lines(readSpec(members).diagnostics)).toEqual(expected);
  });

  it.each([
    ["@m.Default('x') a!: 'y';", "m.Default('x') does not fit a member of type 'y' (TS1240)"],
    ["@m.Default('x') a!: int32;", "m.Default('x') does not fit a member of type int32 (TS1240)"],
    [
      '@m.Example({ b: 1 }) a!: { b: string };',
      'm.Example({ b: 1 }) does not fit a member of type { b: string } (TS1240)',
    ],
  ])('of a decorator that only the compiler sees names the marker and the type: %s', (member, message) => {
    expect(lines(readSpec(member).diagnostics)).toEqual([`CO1120 ${message} (use a value of the member's type)`]);
  });

  it.each([
    ["@m.Minimum('a') a!: int32;", ["CO1107 Minimum: its argument 'minimum' must be a number"]],
    ['@m.Immutable(3) a!: int32;', ['CO1107 Immutable: it takes no arguments']],
    [
      "@m.Validation({ rule: 'true', mesage: 'm' }) a!: int32;",
      ["CO1107 Validation: it has no option 'mesage' (did you mean 'message'?)"],
    ],
  ])('of an argument is not told again by the compiler: %s', (member, expected) => {
    expect(lines(readSpec(member).diagnostics)).toEqual(expected);
  });

  it('of the compiler gives one line without its reasons', () => {
    const found = readSpec('a!: Same<{ b: 1 }>;', 'type Same<T extends { b: { c: string } }> = T;').diagnostics;
    expect(lines(found)).toEqual([
      "CO1005 Type '{ b: 1; }' does not satisfy the constraint '{ b: { c: string; }; }' (TS2344)",
    ]);
  });

  it('keeps any where the user wrote it', () => {
    expect(lines(readSpec('a!: any; b!: Gone;').diagnostics)).toEqual([
      "CO1201 the type is any, of which nothing is known [spec.a] (write the type; 'unknown' stands for any JSON value)",
      "CO1005 Cannot find name 'Gone' (TS2304)",
    ]);
  });

  it('keeps what is unresolved in a package, of which the compiler does not tell', () => {
    const found = readSources({
      'node_modules/other/package.json': '{ "name": "other", "types": "index.d.ts" }',
      'node_modules/other/index.d.ts': 'export type Other = Gone;',
      'thing.ts':
        "import type { Other } from 'other';\n/** @resource { group: 'test.example.com', version: 'v1' } */\nexport interface Thing { spec: { a: Other } }",
    });
    expect(lines(found.diagnostics)).toEqual([expect.stringMatching(/^CO1201 .* \[spec\.a\]/)]);
  });
});

describe('remedies', () => {
  it.each([
    ['@enum a, b', 'string', "a text stands in quotes: 'a'"],
    ['@listType set', 'string[]', "a text stands in quotes: 'set'"],
    ['@format date-time', 'string', "a text stands in quotes: 'date-time'"],
    ['@default hello', 'string', "a text stands in quotes: 'hello'"],
    ['@default hello world', 'string', "a text stands in quotes: @default 'hello world'"],
    ['@pattern ^a$', 'string', "a text stands in quotes: @pattern '^a$'"],
    ['@default "TCP" @minLength 1', 'string', 'each tag begins a line: put @minLength on a line of its own'],
    ['@minimum 1 @maximum 2', 'number', 'each tag begins a line: put @maximum on a line of its own'],
    [
      '@example\n * ```ts\n * foo()\n * ```\n',
      'string',
      '@example takes a value; put code into the description, in front of the first tag',
    ],
    ["@nullable @example 'a'", 'string', 'each tag begins a line: put @example on a line of its own'],
    [
      '@minimum 1 is the least',
      'number',
      'text belongs in front of the first tag; arguments are constant expressions, separated by commas',
    ],
  ])('say what to do about %s', (tag, type, remedy) => {
    const { diagnostics } = readSpec(`/** ${tag} */ a!: ${type};`);
    expect(diagnostics.map((each) => each.remedy)).toEqual([remedy]);
  });

  it.each([
    'interface Nest<T> { next: Nest<T[]> }',
    'interface Nest<T> { next?: Nest<{ a: T }>; b: T }',
    'type Nest<T> = { next: Nest<T[]> };',
  ])('name the generic that never ends, once: %s', (nest) => {
    expect(lines(readSpec('a!: Nest<string>;', nest).diagnostics)).toEqual([
      'CO1203 the type is recursive: spec.a → Nest → next → Nest (with other type arguments each time) [spec.a] (mark the member as free-form with Schemaless() and PreserveUnknownFields())',
    ]);
  });

  it('keep the path of what is too deep short', () => {
    const deep = `${'{ a: '.repeat(70)}string${' }'.repeat(70)}`;
    expect(lines(readSpec(`a!: ${deep};`).diagnostics)).toEqual([
      expect.stringMatching(
        /^CO1203 the type is recursive: spec\.a\.[a.]{43}\.\.\.[a.]{20} lies 61 types deep \[.{73}\]/,
      ),
    ]);
  });
});

describe('what to do', () => {
  it.each([
    ['@m.Minimum(1) @m.Minimum(2) a!: number;', 'take one of them out'],
    ['@m.Minimum(1) a!: string;', 'Items'],
    ['@m.Items(m.Default(1)) a!: number[];', 'MinLength(1)'],
    ['@m.Minimum(2) @m.Maximum(1) a!: number;', 'change one of the two'],
    ["@m.Enum('a') a!: number;", "the member's type"],
    ['/** @minimum Date.now() */ a!: number;', 'write a literal'],
    ['a!: string & number;', 'change one of the types'],
    ['a!: () => void;', 'plain JSON'],
    ['a!: { [Symbol.iterator]: string };', 'a text as its name'],
    ['a;', 'behind a colon'],
  ])('about %s is said', (members, remedy) => {
    const found = readSpec(members).diagnostics.filter(({ code }) => code !== 'CO1005');
    expect(found.map((each) => each.remedy)).toEqual([expect.stringContaining(remedy)]);
  });
});

describe('types of the language that are made of others', () => {
  it.each(['Awaited<Promise<string>>', 'ReturnType<() => string>', 'Parameters<(a: string) => void>[0]'])(
    '%s is a text, also beside aliases of texts',
    (type) => {
      const { a, q } = specSchema(
        readSpec(`a!: ${type}; q!: Quantity; n!: Name;`, '/** @minLength 1 */ type Name = string;'),
      ).properties as Record<string, object>;
      expect(a).toEqual({ type: 'string' });
      expect(q).not.toEqual(a);
    },
  );

  it.each(['Awaited<Promise<Name>>', 'ReturnType<() => Name>', 'Parameters<(a: Name) => void>[0]'])(
    '%s loses no marker in silence',
    (type) => {
      const found = lines(
        readSpec(`a!: ${type}; q!: Quantity;`, '/** @minLength 1 */ type Name = string;').diagnostics,
      );
      expect(found).toEqual([expect.stringMatching(/^CO1112 the markers of Name cannot be followed/)]);
    },
  );
});
