import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptCode } from './kept-code.ts';

let folder: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-code-'));
  kept = join(folder, 'kept');
  write(
    'main.cjs',
    "const { add } = loadModule(require('node:path').join(__dirname, 'add.cjs')); exports.sum = () => add(1, 2);",
  );
  write('add.cjs', 'module.exports = { add: (a, b) => a + b };');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** One process: what the main module says, and then the end. */
function run(where: string | undefined = kept, name = 'main.cjs'): unknown {
  const code = new KeptCode('test', where);
  const { sum } = code.load(join(folder, name)) as { sum: () => unknown };
  const result = sum();
  code.keep();
  return result;
}

const keptFiles = (): string[] => readdirSync(kept).sort();
const inodes = (): number[] => keptFiles().map((name) => statSync(join(kept, name)).ino);

describe('KeptCode', () => {
  it('keeps the code of each module once', () => {
    expect(run()).toBe(3);
    expect(keptFiles()).toEqual([
      expect.stringMatching(/^create-operator-test-add\.cjs-\d+-[0-9a-f]+$/),
      expect.stringMatching(/^create-operator-test-main\.cjs-\d+-[0-9a-f]+$/),
    ]);
    const before = inodes();
    expect(run()).toBe(3);
    expect(inodes()).toEqual(before);
  });

  it('takes no code of another text of the same length', () => {
    expect(run()).toBe(3);
    write('add.cjs', 'module.exports = { add: (a, b) => a - b };');
    expect(run()).toBe(-1);
    expect(keptFiles()).toHaveLength(3);
  });

  it.each([
    ['was cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['is empty', () => Buffer.alloc(0)],
    ['has another bit', (bytes: Buffer) => bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte))],
  ])('makes code anew that %s', (_title, harm) => {
    expect(run()).toBe(3);
    for (const name of keptFiles()) writeFileSync(join(kept, name), harm(readFileSync(join(kept, name))));
    const before = inodes();
    expect(run()).toBe(3);
    const after = inodes();
    expect(after.every((inode, index) => inode !== before[index])).toBe(true);
    expect(run()).toBe(3);
    expect(inodes()).toEqual(after);
  });

  it('keeps nothing of a run that did little', () => {
    write('alone.cjs', 'exports.sum = () => 0;');
    expect(run(kept, 'alone.cjs')).toBe(0);
    expect(readdirSync(folder)).not.toContain('kept');
  });

  it('does without a folder, and with one that cannot be written', () => {
    expect(new KeptCode('test', undefined).load(join(folder, 'add.cjs'))).toHaveProperty('add');
    write('file', '');
    expect(run(join(folder, 'file'))).toBe(3);
  });
});
