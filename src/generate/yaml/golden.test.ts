import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../../model/index.ts';
import { emitFile } from './emit.ts';

const golden = fileURLToPath(new URL('../../../../shared/golden/', import.meta.url));

describe.skipIf(!existsSync(golden))('emitFile beside controller-gen (needs ../shared/golden)', () => {
  const read = (text: string): Json[] =>
    parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Json);
  /** The keys in their order, with their indentation; not those in blocks of text. */
  const keys = (text: string): string[] => {
    const found: string[] = [];
    let block: number | undefined;
    for (const line of text.split('\n')) {
      const indent = line.search(/\S/);
      if (indent === -1 || (block !== undefined && indent > block)) continue;
      block = undefined;
      const [, key, rest = ''] = /^([ -]*[\w."'/-]+):( .*)?$/.exec(line) ?? [];
      if (key === undefined) continue;
      found.push(key.replaceAll(/["']/g, ''));
      // Texts over several lines are indented deeper than the column of their key.
      if (rest !== '' && !rest.endsWith('{}')) block = key.search(/[^ -]/);
    }
    return found;
  };

  it.each(globSync('**/*.yaml', { cwd: golden }).sort())(
    'writes %s with the same content, keys in the same order',
    (file) => {
      const theirs = readFileSync(`${golden}/${file}`, 'utf8');
      const objects = read(theirs);
      const ours = emitFile(objects);
      expect(read(ours)).toEqual(objects);
      expect(keys(ours).length).toBeGreaterThan(10);
      expect(keys(ours)).toEqual(keys(theirs));
    },
  );
});
