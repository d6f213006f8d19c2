import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lines, plain, readSpec, theKind } from './testing/read-sources.ts';

const declarations = `
  type Same<T> = T;
  type First<A, B> = A;
  type NotText<T> = T extends string ? never : T;
  type ValueOf<T> = T extends { v: infer U } ? U : never;
  type ItemOf<T> = T extends (infer U)[] ? U : never;
  type Nullable<T> = T | null;
  type Mapped<T> = { [K in keyof T]: T[K] };
  type Loose<T> = { [K in keyof T]?: T[K] };
  type Renamed<T> = { [K in keyof T as \`x\${K & string}\`]: T[K] };
  type Get<T, K extends keyof T> = T[K];
  type Values<T> = T[keyof T];
  interface Box<T> { value: T }
  class Case<T> { value!: T }
  interface Derived<T> extends Box<T> {}
  type Both<T> = Box<T> & { other: string };`;

/** Types that come out as what they are given. */
const followed: readonly string[] = [
  'NonNullable<X | null>',
  'NonNullable<Nullable<X>>',
  "{ a: X }['a']",
  '(X)[][number]',
  'ReadonlyArray<X>[number]',
  'Record<string, X>[string]',
  "Record<'a', X>['a']",
  "Pick<{ a: X; b: string }, 'a'>['a']",
  "Omit<{ a: X; b: string }, 'b'>['a']",
  "Required<{ a?: X }>['a']",
  "Readonly<{ a: X }>['a']",
  "NonNullable<Loose<{ a: X }>['a']>",
  "Mapped<{ a: X }>['a']",
  "Renamed<{ a: X }>['xa']",
  "{ [K in 'a']: X }['a']",
  'Same<X>',
  'First<X, string>',
  'NotText<X>',
  'ValueOf<{ v: X }>',
  'ItemOf<(X)[]>',
  "Get<{ a: X; b: string }, 'a'>",
  "Box<X>['value']",
  "Box<Box<X>>['value']['value']",
  "Case<X>['value']",
  "Derived<X>['value']",
  "Both<X>['value']",
  '(X & {})',
  '(X extends infer U ? U : never)',
];

/** Types of which the checker alone knows what comes out. */
const opaque: readonly string[] = [
  'Values<{ a: X }>',
  'ReturnType<() => X>',
  'Awaited<Promise<X>>',
  'Parameters<(a: X) => void>[0]',
  "Exclude<X | 'a', string>",
];

const around: readonly string[] = ['X', '(X)[]', 'Record<string, X>', '{ z?: X }', 'X | null'];

/** A type made of these, one inside of the other, with the marked alias at the heart. */
function types(templates: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.constantFrom(...templates), { minLength: 1, maxLength: 3 }), fc.constantFrom(...around))
    .map(([all, outer]) => [...all, outer].reduce((inner, template) => template.replace('X', () => inner), 'Port'));
}

function read(
  all: readonly string[],
  alias: string,
): { readonly text: string; readonly problems: readonly string[] }[] {
  const members = all.map((type, index) => `m${index}: ${type};`).join('\n');
  const result = readSpec(members, alias + declarations, 'interface');
  const spec = theKind(result).versions[0]?.schema.properties?.get('spec');
  return all.map((_, index) => {
    const own = new RegExp(`^spec\\.m${index}\\b`);
    const schema = spec?.properties?.get(`m${index}`);
    return {
      text: schema === undefined ? '' : JSON.stringify(plain(schema)),
      problems: lines(result.diagnostics.filter(({ path }) => own.test(path ?? ''))),
    };
  });
}

describe.each([
  ['a number', '/** @minimum 7 */ type Port = int32;', '"minimum":7'],
  ['a list', '/** @maxItems 7 */ type Port = string[];', '"maxItems":7'],
  ['an object', '/** @minProperties 7 */ type Port = { q: string };', '"minProperties":7'],
])('the markers of an alias of %s', (_, alias, marked) => {
  it('come out of all types that hand it on', () => {
    fc.assert(
      fc.property(fc.array(types(followed), { minLength: 40, maxLength: 40 }), (all) => {
        const found = read(all, alias).map(({ text, problems }, index) => ({
          type: all[index],
          problems,
          times: text.split(marked).length - 1,
        }));
        expect(found).toEqual(all.map((type) => ({ type, problems: [], times: 1 })));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  }, 60_000);

  it('come out, or are an error, where the compiler alone knows what a type is', () => {
    fc.assert(
      fc.property(fc.array(types([...followed, ...opaque]), { minLength: 40, maxLength: 40 }), (all) => {
        for (const [index, { text, problems }] of read(all, alias).entries()) {
          if (problems.length > 0) {
            expect(problems, all[index]).toEqual([expect.stringMatching(/^CO1112 the markers of (Port|int32) cannot/)]);
          } else expect(text.split(marked), all[index]).toHaveLength(2);
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
  }, 60_000);
});
