import { describe, expect, it } from 'vitest';
import { BaseError, changedBase, formatBase, parseBase } from './base.ts';

const tree = new Map([
  ['b/ü "quoted".ts', 'text\n'.repeat(100)],
  ['a', ''],
]);

describe('the base of a project', () => {
  it('gives back what was put in, one line a file, in the order of paths', () => {
    const text = formatBase(tree);
    expect(parseBase(text)).toEqual(tree);
    expect(text.split('\n').filter((line) => /^ {4}"/.test(line))).toHaveLength(2);
    expect(text.indexOf('"a"')).toBeLessThan(text.indexOf('"b/'));
    expect(formatBase(new Map([...tree].reverse()))).toBe(text);
    expect(parseBase(formatBase(new Map()))).toEqual(new Map());
  });

  it('keeps the lines of files that have not changed, however they were packed', () => {
    // Stored, not compressed: 'x'.
    const stored = Buffer.from([1, 1, 0, 254, 255, 120]).toString('base64');
    const previous = `{ "files": { "a": "${stored}" } }`;
    expect(parseBase(previous)).toEqual(new Map([['a', 'x']]));
    expect(formatBase(new Map([['a', 'x']]), previous)).toContain(stored);
    expect(formatBase(new Map([['a', 'y']]), previous)).not.toContain(stored);
  });

  it.each([
    ['{', /base\.json: /],
    ['[]', /no list of files/],
    ['{ "files": { "a": 1 } }', /no list of files/],
    ['{ "files": { "a": "AAAA" } }', /the entry a is damaged/],
  ])('refuses %s', (text, message) => {
    expect(() => parseBase(text)).toThrow(BaseError);
    expect(() => parseBase(text)).toThrow(message);
  });
});

describe('changedBase', () => {
  const map = (files: Record<string, string>) => new Map(Object.entries(files));

  it('makes a change of the scaffold, and leaves all else to upgrade', () => {
    const base = map({ same: 'old', changed: '1\n2\n3\n', gone: 'x', other: 'of another version' });
    const before = map({ same: 'new', changed: '1\n2\n4\n', gone: 'x', unknown: 'y' });
    const after = map({ same: 'new', changed: '0\n2\n4\n', unknown: 'y', added: 'z' });
    expect(changedBase(base, before, after)).toEqual(
      map({ same: 'old', changed: '0\n2\n3\n', other: 'of another version', added: 'z' }),
    );
  });
});
