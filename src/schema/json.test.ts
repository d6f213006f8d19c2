import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Float, type Json, jsonObject } from '../model/index.ts';
import { equalJson, JsonSyntaxError, parseJson, stringifyJson } from './json.ts';

describe('parseJson', () => {
  it.each<[string, Json]>([
    ['1', 1],
    ['1.0', new Float(1)],
    ['1e3', new Float(1000)],
    ['0.5', 0.5],
    ['-0', 0],
    ['-0.0', new Float(-0)],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775808', new Float(2 ** 63)],
    ['{"a":1,"a":2}', { a: 2 }],
    ['"\\ud800"', '\ufffd'],
    ['["\\ud83d\\ude00"]', ['\u{1f600}']],
    ['{"a":":1.5"}', { a: ':1.5' }],
    ['{"a":"{\\"b\\":1.5}","c":[1.0]}', { a: '{"b":1.5}', c: [new Float(1)] }],
  ])('reads %s', (text, value) => {
    expect(equalJson(parseJson(text), value)).toBe(true);
  });

  it('keeps a member called __proto__ as one like any other', () => {
    const value = parseJson('{"__proto__":{"a":1.0}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
  });

  it.each([
    ['', 'unexpected end of JSON input', 0],
    ['{"a":}', "invalid character '}' looking for beginning of value", 5],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", 1],
    ['[1 2]', "invalid character '2' after array element", 3],
    ['{"a" 1}', "invalid character '1' after object key", 5],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair", 7],
    ['tru', 'unexpected end of JSON input', 3],
    ['trux', "invalid character 'x' in literal true (expecting 'e')", 3],
    ['"\\x"', "invalid character 'x' in string escape code", 2],
    ['"\n"', "invalid character '\\n' in string literal", 1],
    ['01', "invalid character '1' after top-level value", 1],
    ['1.', 'unexpected end of JSON input', 2],
    ['[1.5,]', "invalid character ']' looking for beginning of value", 5],
  ])('refuses %j with the place', (text, message, position) => {
    try {
      parseJson(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonSyntaxError);
      expect(error).toMatchObject({ message, position });
    }
  });

  it('refuses floats beyond the doubles', () => {
    expect(() => parseJson('[1e500]')).toThrow('cannot unmarshal number 1e500');
  });
});

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (Number.isInteger(value) ? new Float(value) : value)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'grapheme' }),
    number,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('json'), { maxKeys: 4 }).map((members) => jsonObject(Object.entries(members))),
  ),
}));

describe('stringifyJson', () => {
  it('writes what parseJson reads as the same value', () => {
    fc.assert(fc.property(json, (value) => equalJson(parseJson(stringifyJson(value)), value)));
  });

  it('keeps the dot of whole floats', () => {
    expect(stringifyJson({ a: new Float(1), b: 2n ** 60n, c: [new Float(1e21), new Float(-0)] })).toBe(
      '{"a":1.0,"b":1152921504606846976,"c":[1e+21,-0.0]}',
    );
  });
});

describe('equalJson', () => {
  it.each<[Json, Json, boolean]>([
    [1, new Float(1), false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: null }, { b: null }, false],
    [[], {}, false],
    [[1], [1, 1], false],
    ['1', 1, false],
  ])('%j and %j: %s', (left, right, isEqual) => {
    expect(equalJson(left, right)).toBe(isEqual);
  });
});
