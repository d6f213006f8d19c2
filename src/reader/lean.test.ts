import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readFull, readLean, type ReadResult } from './read.ts';
import { SourceProject } from './source-project.ts';
import { optionsFor, specSource } from './testing/read-sources.ts';

const fixtures = new URL('../../fixtures/', import.meta.url);

function sourcesOf(fixture: string): Record<string, string> {
  const folder = new URL(`${fixture}/`, fixtures);
  const files = globSync('**/*.ts', { cwd: folder }).sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
}

/** What a result says of the sources; from which files it came differs. */
function said(result: ReadResult | undefined): unknown {
  return { model: result?.model, diagnostics: result?.diagnostics };
}

describe('reading without the whole library', () => {
  it.each(globSync('*/{decorators,jsdoc,sources,operator}', { cwd: fixtures }).sort())(
    'gives the same model for fixtures/%s',
    (fixture) => {
      const options = optionsFor(sourcesOf(fixture));
      const lean = readLean(options);
      const { kinds, policyRules, webhooks } = lean?.model ?? { kinds: [], policyRules: [], webhooks: [] };
      expect([...kinds, ...policyRules, ...webhooks]).not.toEqual([]);
      expect(said(lean)).toEqual(said(readFull(options)));
      expect(said(readLean(options, new SourceProject(options, 'calls')))).toEqual(said(lean));
    },
  );

  const point = 'interface Point { x: int32; y?: string }';

  it.each([
    ['members', 'value: string; list: int32[]; map: Record<string, Quantity>; when?: Time', ''],
    ['utility types', "value: Pick<Point, 'x'> & Partial<Omit<Point, 'x'>>; ro: Readonly<Point>", point],
    ['keys of objects', 'value: keyof Point; other: Point["x"]', point],
    [
      'mapped types',
      'value: Loose<Point>; list: Loose<string[]>',
      `type Loose<T> = { [P in keyof T]?: T[P] };${point}`,
    ],
    [
      'constants',
      'value: (typeof all)[number]; other: Color',
      "const all = ['a', 'b'] as const; const colors = { A: 'a' } as const; type Color = (typeof colors)[keyof typeof colors];",
    ],
    ['suggestions', "value: 'a' | (string & {})", ''],
    ['generics', 'value: Box<int32>', 'interface Box<T> { value: T; more: T[] }'],
    ['unions', "value: { kind: 'a' } | { kind: 'b' }", ''],
    ['Exclude and NonNullable', "value: Exclude<'a' | 'b', 'a'>; other: NonNullable<string | null>", ''],
  ])('is enough for %s', (_, members, rest) => {
    const options = optionsFor({ 'thing.ts': specSource(members, rest, 'interface') });
    const lean = readLean(options);
    expect(lean).toBeDefined();
    expect(said(lean)).toEqual(said(readFull(options)));
    expect(said(readLean(options, new SourceProject(options, 'calls')))).toEqual(said(lean));
  });

  it.each([
    ['a conditional type', 'value: If<string>', 'type If<T> = T extends string ? int32 : string;'],
    ['an inferred type', 'value: Item<string[]>', 'type Item<T> = T extends (infer U)[] ? U : T;'],
    ['keys of a list', 'value: Record<keyof string[], string>', ''],
    ['keys of a text', "value?: Extract<keyof string, 'length'>", ''],
    ['a member of a list', "value: string[]['length']", ''],
    ['keys of a type parameter', 'value: Keys<{ a: string }>', 'type Keys<T> = keyof T;'],
    ['what is picked from a list', "value: Pick<string[], 'length'>", ''],
    ['a list that is extended', 'value: Many', 'interface Many extends Array<string> {}'],
    ['a list with members', 'value: string[] & { a: string }', ''],
    ['renamed keys', 'value: Re<{ a: string }>', 'type Re<T> = { [P in keyof T as `get${string & P}`]: T[P] };'],
    ['other types of the library', 'value?: Date', ''],
    ['intrinsic types', "value: Uppercase<'a'>", ''],
    ['an error', 'value: Missing', ''],
    ['names that are unresolved', 'value?: Buffer', ''],
  ])('is not trusted with %s', (_, members, rest) => {
    const options = optionsFor({ 'thing.ts': specSource(members, rest, 'interface') });
    expect(readLean(options)).toBeUndefined();
    // With what the reader of calls needs of the library it may be enough; then it says the same.
    const lean = readLean(options, new SourceProject(options, 'calls'));
    if (lean !== undefined) expect(said(lean)).toEqual(said(readFull(options)));
  });

  it('does not read packages that only other files need', () => {
    const options = optionsFor({
      'thing.ts': specSource('value: string', '', 'interface'),
      'controller.ts': `import { other } from 'library';
        import * as m from 'operator-runtime/markers';
        @m.Rbac({ groups: [''], resources: ['pods'], verbs: ['get'] })
        export class Controller { readonly other = other; readonly at = new Date(); }`,
      'node_modules/library/package.json': '{ "name": "library", "version": "1.0.0", "types": "./index.d.ts" }',
      'node_modules/library/index.d.ts': 'export declare const other: string;',
    });
    const lean = readLean(options);
    expect(lean?.model.policyRules).toHaveLength(1);
    expect(said(lean)).toEqual(said(readFull(options)));
  });

  it('reads packages that types need', () => {
    const options = optionsFor({
      'thing.ts': specSource('value: Name', "import type { Name } from 'library';", 'interface'),
      'node_modules/library/package.json': '{ "name": "library", "version": "1.0.0", "types": "./index.d.ts" }',
      'node_modules/library/index.d.ts': 'export type Name = string;',
    });
    expect(readLean(options)).toBeUndefined();
    expect(readFull(options).diagnostics).toEqual([]);
  });
});
