import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { excerpt, shellLines, tree, wrapped } from './screen.ts';

it('draws the files of a folder, sorted, without those to skip', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'));
  try {
    mkdirSync(join(folder, 'b', 'c'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'b', 'c', 'd.yaml'), '');
    writeFileSync(join(folder, 'b', 'e.yaml'), '');
    writeFileSync(join(folder, 'a.json'), '');
    expect(tree(folder, ['node_modules']).split('\n')).toEqual([
      '├── a.json',
      '└── b/',
      '    ├── c/',
      '    │   └── d.yaml',
      '    └── e.yaml',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each([
  ['b', 2, '...\nb\nc\n...'],
  ['a', 1, 'a\n...'],
  ['c', 9, '...\nc\nd'],
])('excerpt from %s, %i lines', (from, count, expected) => {
  expect(excerpt('a\nb\nc\nd', from, count)).toBe(expected);
});

it('writes commands as one would type them', () => {
  expect(
    shellLines('npx create-operator', [
      'generate',
      '--source',
      'src/**/*.ts',
      '--crd-dir',
      'config/crd/bases',
      '--stdout',
    ]),
  ).toEqual(["npx create-operator generate --source 'src/**/*.ts'", '--crd-dir config/crd/bases --stdout']);
  expect(shellLines('echo', ["it's"])).toEqual([String.raw`echo 'it'\''s'`]);
});

it.each([
  ['short', ['short']],
  ['', ['']],
  [`${'a'.repeat(70)} bcdefgh`, ['a'.repeat(70), '    bcdefgh']],
  ['a'.repeat(80), ['a'.repeat(75), `    ${'a'.repeat(5)}`]],
  [`  ${'a'.repeat(80)}`, [`  ${'a'.repeat(73)}`, `    ${'a'.repeat(7)}`]],
])('wraps %j', (line, expected) => {
  expect(wrapped(line)).toEqual(expected);
});
