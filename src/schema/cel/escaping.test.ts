import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeName, unescapeName } from './escaping.ts';

describe('escaped names', () => {
  it.each([
    ['a', 'a'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
    ['1a', undefined],
    ['a b', undefined],
    ['', undefined],
    ['$ref', undefined],
  ])('%s', (name, escaped) => {
    expect(escapeName(name)).toBe(escaped);
  });

  it('are read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '0', '-', '.', '/') }), (name) => {
        const escaped = escapeName(name);
        if (escaped !== undefined) expect(unescapeName(escaped)).toBe(name);
      }),
    );
  });

  it('are refused where they stand for nothing', () => {
    expect(unescapeName('a__nope__b')).toBeUndefined();
    expect(unescapeName('a__in__b')).toBeUndefined();
  });
});
