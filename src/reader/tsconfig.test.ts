import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../model/index.ts';
import { read } from './read.ts';
import { readCalls } from './calls/read-calls.ts';
import { optionsFor, root } from './testing/read-sources.ts';

const thing =
  "/** @resource { group: 'test.example.com', version: 'v1' } */\nexport interface Thing { spec: { a: string } }";

function problemsOf(files: Readonly<Record<string, string>>): readonly Diagnostic[] {
  const { fileSystem, ...options } = optionsFor({ 'thing.ts': thing });
  const all = new Map(fileSystem);
  for (const [name, text] of Object.entries(files)) all.set(`${root}/${name}`, text);
  return read({ ...options, fileSystem: all }).diagnostics;
}

const at = (line: number, column: number, file = 'tsconfig.json'): object => ({ file, line, column });

describe('problems of tsconfig.json', () => {
  it.each<
    readonly [what: string, files: Readonly<Record<string, string>>, position: object, text: string, remedy: RegExp]
  >([
    ['broken JSON', { 'tsconfig.json': '{\n  "compilerOptions": ,\n}' }, at(2, 22), 'Expression expected', /JSON/],
    [
      'broken JSON of its base',
      { 'tsconfig.json': '{ "extends": "./base.json" }', 'base.json': '{\n"compilerOptions" {} }' },
      at(2, 19, 'base.json'),
      "':' expected",
      /JSON of base.json/,
    ],
    [
      'a missing base',
      { 'tsconfig.json': '{\n  "extends": "./base.json" }' },
      at(2, 14),
      "Cannot read file 'base.json'",
      /correct "extends"/,
    ],
    [
      'a base of a package that is missing',
      { 'tsconfig.json': '{ "extends": "@tsconfig/node24/tsconfig.json" }' },
      at(1, 14),
      "File '@tsconfig/node24/tsconfig.json' not found",
      /install the package/,
    ],
    [
      'a value that an option does not have',
      { 'tsconfig.json': '{ "compilerOptions": {\n"moduleResolution": "bundle" } }' },
      at(2, 21),
      "Argument for '--moduleResolution' option must be: 'node16', 'nodenext', 'bundler'",
      /value of the option/,
    ],
  ])('are told of with their place: %s', (_, files, position, text, remedy) => {
    const found = problemsOf(files);
    expect(found).toEqual([
      { code: 'CO1003', severity: 'error', message: text, position, remedy: expect.stringMatching(remedy) },
    ]);
  });

  it('are told of all at once', () => {
    const found = problemsOf({
      'tsconfig.json': '{ "compilerOptions": { "target": "es1", "strict": "yes", "lib": ["es1"] } }',
    });
    expect(found.map(({ code, position }) => [code, position?.column])).toEqual([
      ['CO1003', 34],
      ['CO1003', 51],
      ['CO1003', 66],
    ]);
  });

  it('stop the reading of calls, too', () => {
    const { fileSystem, ...options } = optionsFor({ 'thing.ts': thing });
    const broken = new Map(fileSystem).set(`${root}/tsconfig.json`, '{ "extends": "./base.json" }');
    expect(() => readCalls({ ...options, fileSystem: broken })).toThrow(
      "tsconfig.json:1: Cannot read file 'base.json'",
    );
  });
});
