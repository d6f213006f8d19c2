import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeCacheFile } from './cache-file.ts';

describe('writeCacheFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cache-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes folders, and leaves the file alone beside nothing else', () => {
    const file = join(folder, 'a/b/c.json');
    writeCacheFile(file, 'one');
    writeCacheFile(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'a/b'))).toEqual(['c.json']);
  });

  it('does without where there can be no file', () => {
    writeFileSync(join(folder, 'a'), '');
    writeCacheFile(join(folder, 'a/b.json'), 'text');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('');
  });
});
