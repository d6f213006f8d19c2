import { describe, expect, it } from 'vitest';
import { Float } from '../model/index.ts';
import { compareNames, goDecimal, goFloat, goInt64, goJson, goQuote, goValue } from './go-format.ts';

describe('goFloat', () => {
  it.each([
    [1000000.5, '1.0000005e+06'],
    [999999, '999999'],
    [1e6, '1e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [2 ** 63, '9.223372036854776e+18'],
    [-0, '-0'],
  ])('prints %d as %s', (value, text) => {
    expect(goFloat(value)).toBe(text);
  });

  it('has a form without exponents', () => {
    expect(goDecimal(1e21)).toBe('1000000000000000000000');
    expect(goDecimal(1.5e-7)).toBe('0.00000015');
  });
});

describe('goQuote', () => {
  it.each([
    ['a"b\\', '"a\\"b\\\\"'],
    ['\n\x00\x7f', '"\\n\\x00\\x7f"'],
    ['é\u200b\u{1f600}', '"é\\u200b\u{1f600}"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('quotes %j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('goJson', () => {
  it('sorts names, escapes for HTML and writes whole floats as integers', () => {
    expect(goJson({ b: new Float(1), a: '<&>\u2028', c: [null, 2n ** 60n] })).toBe(
      '{"a":"\\u003c\\u0026\\u003e\\u2028","b":1,"c":[null,1152921504606846976]}',
    );
  });

  it('sorts by bytes of UTF-8', () => {
    expect(['\u{1f600}', '\uffee', 'a'].sort(compareNames)).toEqual(['a', '\uffee', '\u{1f600}']);
  });
});

describe('conversions', () => {
  it('prints values as %v', () => {
    expect(goValue({ b: [1, 'x'], a: new Float(1e7), c: null })).toBe('map[a:1e+07 b:[1 x] c:<nil>]');
  });

  it('truncates to int64, and gives the least one for what does not fit', () => {
    expect(goInt64(-1.9)).toBe(-1n);
    expect(goInt64(1e19)).toBe(-(2n ** 63n));
  });
});
