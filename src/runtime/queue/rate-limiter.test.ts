import { describe, expect, it } from 'vitest';
import { seededRandom } from '../environment/virtual-random.ts';
import { ExponentialBackoff } from './rate-limiter.ts';

describe('exponential backoff', () => {
  it("has client-go's numbers without jitter, capped however often a key fails", () => {
    const limiter = new ExponentialBackoff<string>({ random: seededRandom(1), jitter: 0 });
    const delays = Array.from({ length: 20 }, () => limiter.when('a'));
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.slice(17)).toEqual([655_360, 1_000_000, 1_000_000]);
    for (let index = 0; index < 2000; index++) {
      limiter.when('a');
    }
    expect(limiter.when('a')).toBe(1_000_000);
    expect(limiter.numRequeues('a')).toBe(2021);
    limiter.forget('a');
    expect([limiter.numRequeues('a'), limiter.when('a')]).toEqual([0, 5]);
  });

  it('stretches each delay by less than a tenth by default', () => {
    const limiter = new ExponentialBackoff<string>({ random: seededRandom(7), baseDelay: 100, maxDelay: 100 });
    const delays = Array.from({ length: 200 }, () => limiter.when('a'));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...delays)).toBeLessThan(110);
    expect(new Set(delays).size).toBeGreaterThan(190);
  });

  it.each([
    [{ baseDelay: 0 }, 'baseDelay'],
    [{ baseDelay: -1 }, 'baseDelay'],
    [{ maxDelay: Number.NaN }, 'maxDelay'],
    [{ jitter: -0.1 }, 'jitter'],
    [{ jitter: Number.NaN }, 'jitter'],
  ])('refuses %o', (options, name) => {
    expect(() => new ExponentialBackoff({ random: seededRandom(1), ...options })).toThrow(name);
  });
});
