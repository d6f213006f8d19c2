import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeFile } from '../merge.ts';
import { inLayoutOfOurs, sameButLayout } from './layout.ts';
import { markdownTokens } from './markdown.ts';
import { scriptTokens } from './script.ts';
import { textOf } from './token.ts';

describe('sameButLayout', () => {
  it.each([
    [
      'a.ts',
      `const a = { 'b': "it's", c: [1, 2.50, 0XFF] };\n`,
      `const a = {\n\tb: 'it\\'s',\n\tc: [\n1,\n2.5,\n0xff,\n],\n}\n`,
    ],
    ['a.ts', 'f((a) => a);', 'f(a => a)'],
    ['a.ts', 'type A = "a" | "b";', `type A =\n  | 'a'\n  | 'b'`],
    ['a.ts', 'interface A { "b"?: c; }', 'interface A {\n  b?: c\n}'],
    ['a.ts', 'return a || b;', 'return (\n  a ||\n  b\n);'],
    ['a.ts', 'const f = () => (a ? b : c);', 'const f = () =>\n  a\n    ? b\n    : c;'],
    ['a.ts', '/**\n * a\n */\nclass A {}', 'x'.slice(1) + '  /**\n   * a\n   */\n  class A {\n}'],
    ['a.ts', 'const a = `${b}c${ d }`;', 'const a = `${ b }c${d}`'],
    ['a.ts', "import { b, a } from 'x';\nimport c from 'a';\nf();", "import c from 'a'\nimport { a, b } from 'x'\nf()"],
    ['a.mjs', '#!/usr/bin/env node\na(/[/]\'/g, "b")', "#!/usr/bin/env node\na(/[/]'/g, 'b');\n"],
    ['a.json', '{"a": 1, "b": [1]}', '{\n    "b": [\n1\n],\n"a": 1}'],
    ['tsconfig.json', '{\n  // why\n  "a": [1],\n}', '{ // why\n"a": [ 1 ] }'],
    [
      'a.md',
      '| a | b |\n| --- | --- |\n* one *two*\n',
      '| a   | b   |\n| --- | :-- |\n- one\n  _two_\n'.replace(':--', '---'),
    ],
    ['a.yaml', "a: 'b'\nc:\n  - d: [1, 2]\n  # why\n  - e\n", 'a: b\nc:\n    - d: [ 1, 2 ]\n    # why\n    - e\n'],
    ['a.yaml', 'a: some words\n---\nb: |\n  x\n', 'a:\n  some\n  words\n---\nb: |\n    x\n'],
  ])('%s: %j and %j', (path, a, b) => {
    expect(sameButLayout(path, a, b)).toBe(true);
    expect(sameButLayout(path, b, a)).toBe(true);
  });

  it.each([
    ['a.ts', 'a', 'b'],
    ['a.ts', "f('a')", 'f(a)'],
    ['a.ts', "f('a b')", "f('a  b')"],
    ['a.ts', 'f(`a b`)', 'f(`a  b`)'],
    ['a.ts', 'f(/a b/)', 'f(/a  b/)'],
    ['a.ts', '// a\nf()', 'f()'],
    ['a.ts', '(a + b) * c', 'a + b * c'],
    ['a.ts', 'return (a + b) * c;', 'return a + b * c;'],
    ['a.ts', 'return (a || b).c;', 'return a || b.c;'],
    ['a.ts', 'f(a, b)', 'f(b, a)'],
    ['a.ts', 'f(() => ({ a }))', 'f(() => { a })'],
    ['a.ts', 'f([a, , b])', 'f([a, b])'],
    ['a.ts', 'f([,])', 'f([])'],
    ['a.ts', 'for (;a;) b()', 'for (a;;) b()'],
    ['a.ts', "a ? 'b' : c", 'a ? b : c'],
    ['a.ts', 'a | b', 'a & b'],
    ['a.ts', "import a from 'a';", "import a from 'b';"],
    ['a.ts', "import 'b';\nf();\nimport 'a';", "import 'a';\nf();\nimport 'b';"],
    ['a.json', '[1, 2]', '[2, 1]'],
    ['a.json', '{"a": 1}', '{"a": "1"}'],
    ['a.md', 'one two', 'one three'],
    ['a.md', 'one `a*b`', 'one `a_b`'],
    ['a.yaml', 'a: "1"', 'a: 1'],
    ['a.yaml', 'a: 0644', 'a: 644'],
    ['a.yaml', 'a: "0644"', 'a: 0644'],
    ['a.yaml', "a: 'yes'", 'a: yes'],
    ['a.yaml', 'a: 1.10', 'a: 1.1'],
    ['a.yaml', 'a: b # why', 'a: b'],
    ['a.yaml', 'a: [b, c]', 'a: [c, b]'],
    ['a.yaml', '{{ if a }}\nb: c\n', '{{ if a }}\nb:   c\n'],
    ['Makefile', 'a:\n\tb\n', 'a:\n\tb\n\n'],
  ])('%s: not %j and %j', (path, a, b) => {
    expect(sameButLayout(path, a, b)).toBe(false);
  });
});

describe('tokens', () => {
  const piece = constantFrom(
    'a',
    '1.',
    ' ',
    '\n',
    "'",
    '"',
    '`',
    '${',
    '}',
    '{',
    '(',
    ')',
    '/',
    '*',
    '//',
    ',',
    ';',
    '|',
    '=>',
    '\\',
    '#',
  );

  it('make up the text that they are read from, whatever it is', () => {
    assert(
      property(
        array(piece).map((pieces) => pieces.join('')),
        string({ unit: 'binary' }),
        (text, other) => {
          for (const each of [text, other]) {
            expect(textOf(scriptTokens(each))).toBe(each);
            expect(textOf(markdownTokens(each))).toBe(each);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('inLayoutOfOurs', () => {
  it('formats the base and the change as the user did', () => {
    const base = "f('a', b);\ng({ c: 1 });\n";
    const ours = 'f("a", b)\nmine()\ng({\n    c: 1,\n})\n';
    const theirs = "f('a', b);\ng({ c: 1, d: 2 });\nh();\n";
    expect(inLayoutOfOurs('a.ts', { base, ours, theirs })).toEqual({
      base: 'f("a", b)\ng({\n    c: 1,\n})\n',
      ours,
      theirs: 'f("a", b)\ng({\n    c: 1, d: 2,\n});\nh()\n',
    });
  });

  it('gives up where a parenthesis would be left alone', () => {
    const texts = { base: 'f((a) => a);', ours: 'f(a => a)', theirs: 'f((a, b) => a);' };
    expect(inLayoutOfOurs('a.ts', texts)?.theirs).toBe('f((a, b) => a)');
    expect(
      inLayoutOfOurs('a.ts', { base: 'f(a => a)', ours: 'f((a) => a);', theirs: 'f((a, b) => a)' }),
    ).toBeUndefined();
  });
});

describe('mergeFile', () => {
  const labels = { ours: 'yours', theirs: 'scaffold' };

  it.each([
    [
      'code',
      'a.ts',
      'const a = { b: 1 };\nf();\nconst c = { d: 1 };\n',
      'const a = {\n  b: 1\n}\nf()\nconst c = {\n  d: 2\n}\n',
      'const a = { b: 3 };\nf();\nconst c = { d: 1 };\n',
      'const a = {\n  b: 3\n}\nf()\nconst c = {\n  d: 2\n}\n',
    ],
    [
      'YAML, with the indentation of the user',
      'a.yaml',
      'a:\n  b: 1\n  c:\n    - x\n    - y\nd: 1\n',
      'a:\n    b: "2"\n    c:\n        - x\n        - y\nd: 1\n',
      'a:\n  b: 1\n  c:\n    - x\n    - y\n    - z\nd: 1\n',
      'a:\n    b: "2"\n    c:\n        - x\n        - y\n        - z\nd: 1\n',
    ],
    [
      'YAML, with the numbers that others read otherwise',
      'a.yaml',
      'a:\n  mode: 1\n  b: x\n  c: x\n  d: x\n',
      'a:\n    mode: 0644\n    b: x\n    c: x\n    d: x\n    on: "0755"\n',
      'a:\n  mode: 1\n  b: x\n  c: y\n  d: x\n',
      'a:\n    mode: 0644\n    b: x\n    c: y\n    d: x\n    on: "0755"\n',
    ],
    [
      'prose',
      'a.md',
      'One two three four.\n\nFive six.\n',
      'One two\nthree four.\n\nFive 6.\n',
      'One two drei four.\n\nFive six.\n',
      'One two\ndrei four.\n\nFive 6.\n',
    ],
  ])('merges %s that was formatted', (_what, path, base, ours, theirs, content) => {
    expect(mergeFile(path, base, ours, theirs, labels)).toEqual({ content, conflicts: 0 });
  });

  it('shows a conflict in the layout of the user, and nothing but it', () => {
    const base = 'f({ a: 1 });\ng();\nh({ b: 1 });\n';
    const ours = 'f({\n    a: 2\n})\ng()\nh({\n    b: 1\n})\n';
    const theirs = 'f({ a: 3 });\ng();\nh({ b: 1 });\n';
    expect(mergeFile('a.ts', base, ours, theirs, labels)).toEqual({
      content: 'f({\n<<<<<<< yours\n    a: 2\n=======\n    a: 3\n>>>>>>> scaffold\n})\ng()\nh({\n    b: 1\n})\n',
      conflicts: 1,
    });
  });
});
