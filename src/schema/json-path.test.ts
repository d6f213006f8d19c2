import { describe, expect, it } from 'vitest';
import { Float, type Json } from '../model/index.ts';
import { checkSimpleJsonPath, JsonPath, JsonPathError, printJsonPathValue, simpleJsonPathNames } from './json-path.ts';

const object: Json = {
  a: { b: [{ n: 'x', v: 1 }, { n: 'y', v: 2.5 }, { n: 'z' }], 'k.d': 5, 'x-y': true },
  l: [1, 2, 3],
  s: 't',
  z: null,
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'Synced', status: 'False' },
  ],
};

describe('JsonPath', () => {
  it.each<[string, Json[]]>([
    ['.a.b[0].n', ['x']],
    ['.a.b[*].v', [1, 2.5]],
    ['.a.b[-1].n', ['z']],
    ['.l[0:2]', [1, 2]],
    ['.l[::2]', [1, 3]],
    ['.l[0,2]', [1, 3]],
    ['.a.k\\.d', [5]],
    [".a['x-y']", [true]],
    ['..n', ['x', 'y', 'z']],
    ['.conditions[?(@.type=="Ready")].status', ['True']],
    ['.a.b[?(@.v)].n', ['x', 'y']],
    ["..'lit'", ['lit']],
    ['.missing.x', []],
    ['.z.y', []],
    ['.z', [null]],
  ])('evaluates %s', (path, values) => {
    expect(new JsonPath(path).evaluate(object)).toEqual(values);
  });

  it.each([
    ['.a[', 'unterminated array'],
    ['.a.b[x]', 'invalid array index x'],
    ['.l,', 'unrecognized character in action: U+002C'],
    ['....', 'invalid multiple recursive descent'],
    ['.a.b[?(@.n=="y"].v', 'unterminated filter'],
    ['.a.b[?(@.n)x', 'unclosed array expect ]'],
    ['"\\q"', 'unquote string "\\q" error invalid syntax'],
  ])('refuses %s as client-go does', (path, message) => {
    expect(() => new JsonPath(path)).toThrow(message);
  });

  it.each([
    ['.l[5]', 'array index out of bounds: index 5, length 3'],
    ['.s[0]', 'is not array or slice'],
    ['.a.b[?(@.v>1)]', 'incompatible types'],
    ['range', 'unrecognized identifier range'],
  ])('fails on %s', (path, message) => {
    const parsed = new JsonPath(path);
    expect(() => parsed.evaluate(object)).toThrow(JsonPathError);
    expect(() => parsed.evaluate(object)).toThrow(message);
  });

  it('prints values as columns do', () => {
    expect(['t', 3, new Float(1e7), null, { b: 1, a: 2 }].map((value) => printJsonPathValue(value))).toEqual([
      't',
      '3',
      '1e+07',
      '<no value>',
      '{"a":2,"b":1}',
    ]);
  });
});

describe('simple paths', () => {
  it('must begin with a dot, and that is all', () => {
    expect(checkSimpleJsonPath('')).toBe('must not be empty');
    expect(checkSimpleJsonPath('spec')).toBe('must be a simple json path starting with .');
    expect(checkSimpleJsonPath('.spec..a[0]')).toBeUndefined();
    expect(simpleJsonPathNames('.spec.replicas')).toEqual(['spec', 'replicas']);
  });
});
