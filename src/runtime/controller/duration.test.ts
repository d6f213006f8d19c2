import { describe, expect, it } from 'vitest';
import { milliseconds, parseDuration } from './duration.ts';

describe('a duration in the notation of Go', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['.5m', 30_000],
    ['2.h', 7_200_000],
    ['250ms', 250],
    ['-2m', -120_000],
    ['+1s', 1_000],
    ['1h2m3s4ms', 3_723_004],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1500μs', 1.5],
  ])('%s', (text, expected) => {
    expect(parseDuration(text)).toBeCloseTo(expected, 9);
  });

  it.each(['', '30', 's', '1d', '1 s', '1s ', '1h-1m', 'PT1S', '1e3s', '.s', 'Infinity', '1S', '--1s'])(
    'is not %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow(`not a duration: ${JSON.stringify(text)}`);
    },
  );
});

describe('a delay', () => {
  it.each([
    [5, 5],
    [-5, -5],
    ['5s', 5_000],
  ])('%j', (delay, expected) => {
    expect(milliseconds(delay)).toBe(expected);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, null, undefined, {}, true])('is not %j', (delay) => {
    expect(() => milliseconds(delay as number)).toThrow(RangeError);
  });
});
