import { describe, expect, it } from 'vitest';
import { compilePattern, PatternError } from './re2.ts';

describe('compilePattern', () => {
  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
    ['\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['\\', 'error parsing regexp: trailing backslash at end of expression: ``'],
    ['(?P<y>a)(?P<y>b', 'error parsing regexp: missing closing ): `(?P<y>a)(?P<y>b`'],
    ['\\p{Foo}', 'error parsing regexp: invalid character class range: `\\p{Foo}`'],
  ])('refuses %s as Go does', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(new PatternError(message));
  });

  it.each([
    ['^a', 'ab', true],
    ['^a', 'ba', false],
    ['a', 'bab', true],
    ['(?i)straße', 'STRAßE', true],
    ['^.$', '\u{1f600}', true],
    ['(?P<n>a)(?P<n>b)', 'ab', true],
    ['^\\p{letter}$', 'é', true],
    ['a$', 'a\n', false],
    ['\\Qa.b\\E', 'a.b', true],
  ])('matches %s on %j: %s', (pattern, text, matches) => {
    expect(compilePattern(pattern).matches(text)).toBe(matches);
  });

  it('finds the leftmost match, and all that do not overlap', () => {
    const pattern = compilePattern('[0-9]+');
    expect(pattern.find('a12b3')).toBe('12');
    expect(pattern.find('abc')).toBeUndefined();
    expect(pattern.findAll('a12b3c4')).toEqual(['12', '3', '4']);
    expect(pattern.findAll('a12b3c4', 2)).toEqual(['12', '3']);
  });

  it('takes linear time where a backtracking engine does not', () => {
    expect(compilePattern('^(a+)+$').matches(`${'a'.repeat(20_000)}b`)).toBe(false);
  });
});
