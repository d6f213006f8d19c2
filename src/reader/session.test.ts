import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, type ReadOptions, type ReadResult } from './read.ts';
import { ReadSession } from './session.ts';
import { optionsFor } from './testing/read-sources.ts';

function kindOf(name: string, members: string, imports = ''): string {
  return `${imports}
export interface ${name}Spec { ${members} }
/** @resource { group: 'test.example.com', version: 'v1' } */
export interface ${name} { spec: ${name}Spec }
`;
}

const shared = 'export type Size = number;\nexport interface Point { x: number }\n';
const importsSize = "import type { Size } from './shared.js';";
const base = {
  'shared.ts': shared,
  'a.types.ts': kindOf('A', 'size: Size', importsSize),
  'b.types.ts': kindOf('B', '/** @minLength 1 */ text?: string'),
  'c.types.ts': kindOf('C', "point: import('./shared.js').Point"),
};

function said({ model, diagnostics }: ReadResult): unknown {
  return { model, diagnostics };
}

describe('readings of one session', () => {
  it('give what each would give alone, whatever was read before', () => {
    const session = new ReadSession();
    const steps: (readonly [title: string, sources: Readonly<Record<string, string>>])[] = [
      ['the first', base],
      ['the same again', base],
      ['a member', { ...base, 'b.types.ts': kindOf('B', '/** @minLength 2 */ text?: string') }],
      ['a type that others import', { ...base, 'shared.ts': shared.replace('Size = number', 'Size = string') }],
      ['a type in an import type', { ...base, 'shared.ts': shared.replace('x: number', 'x: number; y?: string') }],
      ['a type that is not there any more', { ...base, 'shared.ts': 'export type Size = number;\n' }],
      ['back', base],
      ['a misspelt marker', { ...base, 'b.types.ts': kindOf('B', '/** @minLenght 2 */ text?: string') }],
      ['the same mistake', { ...base, 'b.types.ts': kindOf('B', '/** @minLenght 2 */ text?: string') }],
      ['a warning', { ...base, 'b.types.ts': kindOf('B', '').replace('spec:', 'status?: object; spec:') }],
      ['a member beside a warning', { ...base, 'b.types.ts': kindOf('B', '').replace('spec:', 'status?: {}; spec:') }],
      ['another kind', { ...base, 'd.types.ts': kindOf('D', 'a: string') }],
      ['a kind less', { 'shared.ts': shared, 'a.types.ts': base['a.types.ts'] }],
      ['a kind of the same name', { ...base, 'd.types.ts': kindOf('B', 'a: string') }],
      ['a nearer module', { ...base, 'shared.d.ts': 'export type Size = boolean;', 'shared.ts': shared }],
      ['a type that needs the library', { ...base, 'shared.ts': `${shared}export type If<T> = T extends 1 ? 2 : 3;` }],
      ['the same', { ...base, 'shared.ts': `${shared}export type If<T> = T extends 1 ? 2 : 3; ` }],
      ['a global type', { ...base, 'globals.ts': 'interface Everywhere { a: string }' }],
      ['a use of it', { ...base, 'globals.ts': 'interface E { a: string }', 'b.types.ts': kindOf('B', 'e: E') }],
      ['a change of it', { ...base, 'globals.ts': 'interface E { b: string }', 'b.types.ts': kindOf('B', 'e: E') }],
      ['all as at first', base],
    ];
    for (const [title, sources] of steps) {
      const options = optionsFor(sources);
      expect([title, said(read(options, session))]).toEqual([title, said(read(options))]);
    }
  }, 60_000);

  it('see other settings', () => {
    const session = new ReadSession();
    for (const compilerOptions of [{}, { exactOptionalPropertyTypes: true }, { strict: false }, {}]) {
      const options = optionsFor(base, { compilerOptions });
      expect(said(read(options, session))).toEqual(said(read(options)));
    }
  });

  it('keep the kinds that stayed as they were', () => {
    const session = new ReadSession();
    const [a, b, c] = read(optionsFor(base), session).model.kinds;
    const changed = { ...base, 'b.types.ts': kindOf('B', 'other?: string') };
    const after = read(optionsFor(changed), session).model.kinds;
    expect(after[0]).toBe(a);
    expect(after[1]).not.toBe(b);
    expect(after[2]).toBe(c);
  });

  it('keep the whole program where that is needed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'session-')).replaceAll('\\', '/');
    try {
      const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
      put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [], "target": "es2023" } }');
      put('if.ts', 'export type If<T> = T extends string ? "a" | "b" : never;\n');
      const files = ['thing.ts', 'if.ts'].map((name) => `${folder}/${name}`);
      const options: ReadOptions = { files, root: folder, tsconfig: `${folder}/tsconfig.json` };
      const session = new ReadSession();
      const imports = "import type { If } from './if.js';";
      for (const members of ['a: If<string>', 'a?: If<string>', 'a: Missing', 'a: If<"x">; b: string']) {
        put('thing.ts', kindOf('Thing', members, imports));
        expect(said(read(options, session))).toEqual(said(read(options)));
      }
      put('if.ts', 'export type If<T> = T extends string ? "c" : never;\n');
      expect(said(read(options, session))).toEqual(said(read(options)));
      expect(session.needsWhole).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
