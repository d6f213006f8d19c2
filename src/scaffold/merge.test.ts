import { assert, array, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeFile } from './merge.ts';
import { hasConflictMarkers, mergeText } from './merge-text.ts';

const labels = { ours: 'yours', theirs: 'scaffold' };
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');

describe('mergeText', () => {
  const base = text('a', 'b', 'c', 'd', 'e', 'f');

  it.each([
    ['nothing', base, base, base],
    ['one side', text('a', 'B', 'c', 'd', 'e', 'f'), base, text('a', 'B', 'c', 'd', 'e', 'f')],
    ['the other side', base, text('a', 'c', 'd', 'e', 'f', 'g'), text('a', 'c', 'd', 'e', 'f', 'g')],
    [
      'both, in different places',
      text('x', 'a', 'b', 'c', 'd', 'e', 'f'),
      text('a', 'b', 'c', 'd', 'E', 'f'),
      text('x', 'a', 'b', 'c', 'd', 'E', 'f'),
    ],
    ['both, in the same way', text('a', 'b', 'X', 'f'), text('a', 'b', 'X', 'f'), text('a', 'b', 'X', 'f')],
    ['both, with deletions', text('b', 'c', 'd', 'e', 'f'), text('a', 'b', 'c', 'd', 'e'), text('b', 'c', 'd', 'e')],
  ])('takes the changes of %s', (_what, ours, theirs, content) => {
    expect(mergeText(base, ours, theirs, labels)).toEqual({ content, conflicts: 0 });
  });

  it('marks lines that both changed, without what they have in common', () => {
    const { content, conflicts } = mergeText(
      base,
      text('a', 'b', 'mine', 'same', 'f'),
      text('a', 'b', 'theirs', 'same', 'f'),
      labels,
    );
    expect(conflicts).toBe(1);
    expect(content).toBe(text('a', 'b', '<<<<<<< yours', 'mine', '=======', 'theirs', '>>>>>>> scaffold', 'same', 'f'));
    expect(hasConflictMarkers(content)).toBe(true);
  });

  it('lets neighbouring changes conflict, as git does', () => {
    expect(
      mergeText(base, text('a', 'B', 'c', 'd', 'e', 'f'), text('a', 'b', 'C', 'd', 'e', 'f'), labels).conflicts,
    ).toBe(1);
  });

  it('marks a last line without an end on a line of its own', () => {
    expect(mergeText('a\nb', 'a\nmine', 'a\ntheirs', labels).content).toBe(
      text('a', '<<<<<<< yours', 'mine', '=======', 'theirs', '>>>>>>> scaffold'),
    );
  });

  it.each(['', 'a\n', '=======\n', text('<<<<<<< yours', 'a', '======='), text('# Title', '=======')])(
    'sees no markers in %j',
    (content) => {
      expect(hasConflictMarkers(content)).toBe(false);
    },
  );

  const anyText = array(constantFrom('a\n', 'b\n', 'c\n', 'd\n'), { maxLength: 8 }).map((lines) => lines.join(''));

  it('gives what one side made of it where the other changed nothing, or the same', () => {
    assert(
      property(anyText, anyText, (before, after) => {
        for (const [ours, theirs] of [
          [before, after],
          [after, before],
          [after, after],
        ] as const) {
          expect(mergeText(before, ours, theirs, labels)).toEqual({ content: after, conflicts: 0 });
        }
      }),
    );
  });

  it('gives the same, whoever comes first, where nothing contradicts', () => {
    assert(
      property(anyText, anyText, anyText, (before, ours, theirs) => {
        const one = mergeText(before, ours, theirs, labels);
        const other = mergeText(before, theirs, ours, labels);
        expect(one.conflicts).toBe(other.conflicts);
        if (one.conflicts === 0) expect(one.content).toBe(other.content);
      }),
    );
  });

  it('loses no line that one side added', () => {
    const added = array(constantFrom('x\n', 'y\n'), { maxLength: 3 });
    assert(
      property(anyText, added, added, (before, head, tail) => {
        const { content } = mergeText(before, head.join('') + before, before + tail.join(''), labels);
        for (const line of ['x\n', 'y\n']) {
          const count = (of: string): number => of.split(line).length - 1;
          expect(count(content)).toBeGreaterThanOrEqual(Math.max(count(head.join('')), count(tail.join(''))));
        }
      }),
    );
  });
});

describe('mergeFile', () => {
  const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
  const merged = (base: object, ours: object, theirs: object) => {
    const { content, conflicts } = mergeFile('package.json', json(base), json(ours), json(theirs), labels);
    return conflicts === 0 ? (JSON.parse(content) as object) : conflicts;
  };

  it('merges JSON by members, where lines touch each other', () => {
    const base = { scripts: { a: '1', b: '2' } };
    expect(
      merged(base, { scripts: { a: '1', b: '2', mine: '3' } }, { scripts: { a: '1', b: '2', ours: '4' } }),
    ).toEqual({
      scripts: { a: '1', b: '2', ours: '4', mine: '3' },
    });
    expect(merged(base, { scripts: { a: '1' } }, { scripts: { a: 'new', b: '2' } })).toEqual({ scripts: { a: 'new' } });
    expect(merged(base, { scripts: { a: '9', b: '2' } }, { scripts: { a: '8', b: '2' } })).toBe(1);
  });

  it.each([
    ['the higher of two versions', '^1.0.0', '^1.4.0', '^1.2.0', '^1.4.0'],
    ['the higher of two versions, ours', '^1.0.0', '1.1.0', '~2.0.0', '~2.0.0'],
    ['what comes from elsewhere', '^1.0.0', 'file:../a.tgz', '^2.0.0', 'file:../a.tgz'],
    ['the version of the workspace', '^1.0.0', 'workspace:*', '^2.0.0', 'workspace:*'],
  ])('takes of a dependency %s', (_what, before, ours, theirs, wanted) => {
    const at = (version: string) => ({ dependencies: { a: version } });
    expect(merged(at(before), at(ours), at(theirs))).toEqual(at(wanted));
  });

  it('leaves a dependency away that the user removed', () => {
    expect(merged({ dependencies: { a: '^1.0.0' } }, { dependencies: {} }, { dependencies: { a: '^2.0.0' } })).toEqual({
      dependencies: {},
    });
  });

  it("keeps the user's layout of JSON where it can", () => {
    const base = '{ "a": 1,\n\n  "b": 2,\n\n  "c": 3 }\n';
    expect(mergeFile('x.json', base, base.replace('1', '9'), base.replace('3', '7'), labels)).toEqual({
      content: '{ "a": 9,\n\n  "b": 2,\n\n  "c": 7 }\n',
      conflicts: 0,
    });
  });

  it('writes conflicts of JSON into the text', () => {
    expect(mergeFile('x.json', '{ "a": 1 }\n', '{ "a": 2 }\n', '{ "a": 3 }\n', labels).content).toContain(
      '<<<<<<< yours',
    );
    expect(mergeFile('x.json', 'a\n', 'b\n', 'a\n', labels)).toEqual({ content: 'b\n', conflicts: 0 });
  });

  it('merges the resources of kustomizations, where lines touch each other', () => {
    const base = text('resources:', '  - a.yaml', '  - b.yaml');
    const ours = text('# mine', 'resources:', '  - a.yaml', '  - b.yaml', '  - mine.yaml', 'namePrefix: x-');
    const theirs = text('resources:', '  - b.yaml', '  - c.yaml');
    expect(mergeFile('config/crd/kustomization.yaml', base, ours, theirs, labels)).toEqual({
      content: text('# mine', 'resources:', '  - b.yaml', '  - mine.yaml', '  - c.yaml', 'namePrefix: x-'),
      conflicts: 0,
    });
    expect(mergeFile('config/x.yaml', base, ours, theirs, labels).conflicts).toBe(1);
    const more = `${theirs}namespace: y\n`;
    expect(mergeFile('config/crd/kustomization.yaml', base, ours, more, labels).conflicts).toBe(1);
  });
});
