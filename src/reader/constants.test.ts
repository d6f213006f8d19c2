import { describe, expect, it } from 'vitest';
import { Float } from '../model/index.ts';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

const loops = 'const loop: number = loop2; const loop2: number = loop;';
const names = `
  const MIN = 3;
  const limits = { min: 1, deep: { max: 2 ** 4 }, list: [7, 8] } as const satisfies object;
  enum Level { Off = 'off', On = 'on' }
  enum Size { S = 1, M = S * 2, L }
  const values = ['x', 'y'] as const;
  const base = { a: 1, b: 'two' };
  namespace other { export const MAX = 7; }
  let mutable = 1;
  function call(): number { return 1; }
`;

describe('constant expressions', () => {
  it.each<readonly [expression: string, value: unknown]>([
    ["'text'", 'text'],
    ['"it\\\'s"', "it's"],
    ['`plain`', 'plain'],
    ['`${MIN + 1}-${Level.On}`', '4-on'],
    ["'a' + 'b' + MIN", 'ab3'],
    ['true', true],
    ['!true', false],
    ['-3', -3],
    ['+3', 3],
    ['0x10', 16],
    ['1_000', 1000],
    ['1.5', 1.5],
    ['2.0', new Float(2)],
    ['1e3', new Float(1000)],
    ['9007199254740993', 9007199254740993n],
    ['5n', 5],
    ['(1 + 2) * 3 - 4 / 2', 7],
    ['7 % 4', 3],
    ['2 ** 10', 1024],
    ['1 << 4 | 1', 17],
    ['MIN', 3],
    ['limits.min', 1],
    ['limits.deep.max', 16],
    ["limits['min']", 1],
    ['limits.list[1]', 8],
    ['Level.On', 'on'],
    ['Size.L', 3],
    ['other.MAX', 7],
    ['[1, ...limits.list, 2]', [1, 7, 8, 2]],
    ["{ ...base, b: 2, 'c-d': [true], ['e']: null, 3: 4 }", { a: 1, b: 2, 'c-d': [true], e: null, 3: 4 }],
    ['{ MIN }', { MIN: 3 }],
    ['3 as const', 3],
    ['3 satisfies number', 3],
    ['{ __proto__: 1 }', JSON.parse('{"__proto__":1}')],
  ])('%s', (expression, value) => {
    const decorated = readSpec(`@m.Schemaless() @m.Example(${expression} as any) value!: unknown;`, names);
    const tagged = readSpec(`/**\n * @schemaless\n * @example ${expression}\n */\nvalue: unknown;`, names, 'interface');
    for (const result of [decorated, tagged]) {
      const example = specSchema(result).properties?.['value']?.['example'];
      expect(JSON.stringify(example, exactly)).toBe(JSON.stringify(value, exactly));
    }
  });

  it.each<readonly [expression: string, problem: string]>([
    ['call()', 'CO1109 call() is not a constant expression: functions are not called'],
    ['mutable', "CO1109 mutable is not a constant expression: it is not declared with 'const'"],
    [
      'unknownName',
      "CO1109 unknownName is not a constant expression: the name is not known here (a text stands in quotes: 'unknownName')",
    ],
    ['undefined', 'CO1109 undefined is not a constant expression: leave out what is not there'],
    ['limits.max', "CO1109 limits.max is not a constant expression: there is no constant member 'max'"],
    ['1 / 0', 'CO1109 1 / 0 is not a constant expression: the result is not a finite number'],
    ["'a' * 2", "CO1109 'a' * 2 is not a constant expression: the operator does not fit its operands"],
    [
      'MIN ? 1 : 2',
      'CO1109 MIN ? 1 : 2 is not a constant expression: only literals, arithmetic, constants and enum members can be folded',
    ],
    [
      'new Date()',
      'CO1109 new Date() is not a constant expression: only literals, arithmetic, constants and enum members can be folded',
    ],
    ['loop', 'CO1109 loop is not a constant expression: it is defined by itself'],
    ['...MIN', 'CO1109 ...MIN is not a constant expression: only a list can be spread here'],
  ])('refuses %s', (expression, problem) => {
    const { diagnostics } = readSpec(`/** @example ${expression} */ value: unknown;`, names + loops, 'interface');
    const found = lines(diagnostics.filter(({ code }) => code === 'CO1109'));
    expect(found).toEqual([problem]);
  });

  it('says where an expression stands, in a tag, too', () => {
    const source = `/** @resource {
 *   group: 'a.example.com',
 *   version: nothing,
 * }
 */
export interface Thing {}`;
    const { diagnostics } = readSources({ 'thing.ts': source });
    expect(diagnostics[0]?.position).toEqual({ file: 'thing.ts', line: 3, column: 15 });
  });

  it('follows constants through imports, in both notations', () => {
    const result = readSources({
      'limits.ts':
        "export const MAX = 10;\nexport const limits = { name: MAX * 2 } as const;\nexport enum Level { On = 'on' }\n",
      'barrel.ts': "export * from './limits.ts';\nexport { MAX as MOST } from './limits.ts';\n",
      'thing.ts': `
        import { MaxLength, Default } from 'operator-runtime/markers';
        import { limits, MOST } from './barrel.ts';
        import * as all from './barrel.ts';
        class Spec {
          @MaxLength(limits.name) a?: string;
          @MaxLength(MOST) @Default(all.Level.On) b?: string;
          /** @maxLength all.limits.name + MOST */
          c?: string;
        }
        /** @resource { group: 'a.example.com', version: 'v1' } */
        export interface Thing { spec: Spec }`,
    });
    expect(specSchema(result).properties).toEqual({
      a: { type: 'string', maxLength: 20 },
      b: { type: 'string', maxLength: 10, default: 'on' },
      c: { type: 'string', maxLength: 30 },
    });
  });
});

describe('constants of other forms', () => {
  const files = {
    'limits.ts': `
      import * as m from 'operator-runtime/markers';
      const limits = { min: 1, nested: { max: 20 } } as const;
      export default limits;
      export const short = m.MaxLength(limits.nested.max);
      export class Limits { static readonly MAX = 63; static readonly NAMES = ['a', 'b'] as const; static most = 3; }
      export const { min, nested: inner } = limits;
      export const [first] = [1];
      export const { other = 4 } = { other: 2 };
    `,
    'ten.ts': 'export default 10;',
  };
  const head = `
    import * as m from 'operator-runtime/markers';
    import limits, { first, inner, Limits, min, other, short } from './limits.ts';
    import ten from './ten.ts';
    import * as all from './limits.ts';`;
  const source = (members: string): Record<string, string> => ({
    ...files,
    'thing.ts': `${head}
      class Spec {
        ${members} }
      /** @resource { group: 'a.example.com', version: 'v1' } */
      export interface Thing { spec: Spec }`,
  });

  it.each([
    ['a default export', 'limits.min', 1],
    ['the value of a default export', 'ten', 10],
    ['a default export of a module', 'all.default.min', 1],
    ['a static member of a class', 'Limits.MAX', 63],
    ['an item of a static member', 'Limits.NAMES.length', 2],
    ['a member that was taken apart', 'min', 1],
    ['a member that was taken apart with another name', 'inner.max - 15', 5],
    ['optional access', 'limits?.nested?.max', 20],
  ])('%s', (_, expression, value) => {
    const result = readSources(
      source(`@m.Minimum(${expression}) a!: number;
      /** @minimum ${expression} */ b!: number;`),
    );
    const number = { type: 'number', minimum: value };
    expect(specSchema(result).properties).toEqual({ a: number, b: number });
  });

  it('a marker inside of Items', () => {
    const result = readSources(source('@m.Items(short) a!: string[];\n/** @items short */ b!: string[];'));
    const list = { type: 'array', items: { type: 'string', maxLength: 20 } };
    expect(specSchema(result).properties).toEqual({ a: list, b: list });
  });

  it.each([
    ['Limits.most', "Limits.most is not a constant expression: it is not declared with 'static readonly'"],
    ['first', 'first is not a constant expression: its value is not known'],
    ['other', 'other is not a constant expression: its value is not known'],
    ['Limits.none', 'Limits.none is not a constant expression: the name is not known here'],
  ])('%s is none', (expression, problem) => {
    const { diagnostics } = readSources(source(`/** @minimum ${expression} */ b!: number;`));
    expect(lines(diagnostics)).toEqual([`CO1109 ${problem}`]);
  });
});

function exactly(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value;
}
