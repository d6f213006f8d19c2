import { describe, expect, it } from 'vitest';
import { packageFolder, thirdPartyLicenses } from './licenses.ts';

describe('packageFolder', () => {
  it.each([
    ['node_modules/yaml/browser/index.js', 'node_modules/yaml'],
    ['node_modules/@clack/prompts/dist/index.mjs', 'node_modules/@clack/prompts'],
    ['node_modules/a/node_modules/@b/c/lib/d.js', 'node_modules/a/node_modules/@b/c'],
    ['src/cli/main.ts', undefined],
  ])('%s belongs to %s', (input, folder) => {
    expect(packageFolder(input)).toBe(folder);
  });
});

describe('thirdPartyLicenses', () => {
  it('names each package once, with its version and its text', async () => {
    const text = await thirdPartyLicenses(['src/cli/main.ts', 'node_modules/yaml/a.js', 'node_modules/yaml/b.js']);
    expect(text.match(/^yaml \d+\.\d+\.\d+ \(ISC\)$/gm)).toHaveLength(1);
    expect(text).toContain('Permission to use, copy, modify, and/or distribute this software');
  });
});
