import { describe, expect, it } from 'vitest';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

const lost = (text: string): string =>
  `CO1119 ${text} is a marker that cannot be read from the source (write the marker itself, such as @Minimum(1), or a const that is set to it)`;

describe('decorators that are no plain calls', () => {
  it.each([
    ['parentheses', '', '(m.Minimum(3))'],
    ['a constant function', 'const M = m.Minimum;', 'M(3)'],
    ['a constant of a constant', 'const M = m.Minimum; const N = (M);', 'N(3)'],
    ['a constant marker', 'const P = m.Minimum(3);', 'P'],
    ['destructuring', 'const { Minimum } = m;', 'Minimum(3)'],
    ['destructuring with another name', 'const { Minimum: Least } = m;', 'Least(3)'],
    ['a member in brackets', '', "(m['Minimum'](3))"],
    ['a member of a constant', 'const own = { least: m.Minimum(3) };', 'own.least'],
    [
      'a member deep in a constant',
      'const own = { deep: { least: m.Minimum(3) } } as const satisfies object;',
      'own.deep.least',
    ],
    ['a member of a constant that is a function', 'const own = { least: m.Minimum };', 'own.least(3)'],
    ['a member of a constant in brackets', "const own = { 'the least': m.Minimum(3) };", "(own['the least'])"],
  ])('are read through %s', (_, rest, decorator) => {
    expect(specSchema(readSpec(`@${decorator} a!: integer;`, rest)).properties).toEqual({
      a: { type: 'integer', minimum: 3 },
    });
  });

  it.each([
    ['a function', 'function wrap() { return m.Minimum(4); }', 'wrap()'],
    ['a function that infers its type from another', 'const wrap = () => m.Minimum(4);', 'wrap()'],
    ['a choice', 'declare const some: boolean;', '(some ? m.Minimum(1) : m.Maximum(2))'],
    ['a variable', 'let least = m.Minimum;', 'least(1)'],
    ['a member of a variable', 'let own = { least: m.Minimum(1) };', 'own.least'],
    ['a member of what a function gives', 'const own = (() => ({ least: m.Minimum(1) }))();', 'own.least'],
    ['another decorator', 'declare function all(...each: unknown[]): PropertyDecorator;', 'all(m.Minimum(1))'],
  ])('are errors behind %s', (_, rest, decorator) => {
    expect(lines(readSpec(`@${decorator} a!: integer;`, rest).diagnostics)).toEqual([lost(`@${decorator}`)]);
  });

  it("are the user's own where no marker is in them", () => {
    const own = 'function Minimum(least: number): PropertyDecorator { return () => void least; } const M = Minimum;';
    expect(specSchema(readSpec('@Minimum(1) @M(2) a!: integer;', own)).properties).toEqual({ a: { type: 'integer' } });
  });

  it('count in class expressions and on parameters', () => {
    const rest = 'export const Other = class { @m.Minimum() a!: integer; set(@m.Minimum(1) b: integer) {} };';
    const found = lines(readSpec('a: string;', rest).diagnostics);
    expect(found.filter((line) => !line.startsWith('CO1005'))).toEqual([
      "CO1107 Minimum: its argument 'minimum' is missing",
      'CO1105 Minimum cannot stand on a parameter (it stands on members and types)',
    ]);
  });

  it('are errors behind a function of a package, also where no kind leads', () => {
    const { diagnostics } = readSources({
      'node_modules/other/package.json': '{ "name": "other", "types": "index.d.ts" }',
      'node_modules/other/index.d.ts':
        "import type { ClassMarker } from 'operator-runtime/markers'; export declare function Pods(): ClassMarker;",
      'reconciler.ts': "import { Pods } from 'other';\n@Pods() export class Reconciler {}",
    });
    expect(lines(diagnostics)).toEqual([lost('@Pods()')]);
  });
});
