import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stampOf } from './repeat.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'repeat-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('stampOf', () => {
  it('is that of the names in a folder', () => {
    const before = stampOf(folder);
    writeFileSync(join(folder, 'a'), '');
    expect(stampOf(folder)).not.toBe(before);
    rmSync(join(folder, 'a'));
    expect(stampOf(folder)).toBe(before);
  });

  it('is the same when the folder of caches comes to be', () => {
    const before = stampOf(folder);
    mkdirSync(join(folder, '.cache'));
    expect(stampOf(folder)).toBe(before);
  });

  it('is empty of what is not there', () => {
    expect(stampOf(join(folder, 'none'))).toBe('');
  });
});
