import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultEnvironment, environmentSince, monotonicEpoch } from './default.ts';

const { clock, random } = defaultEnvironment();
/** What Node's timers take at most. */
const longest = 2 ** 31 - 1;
const year = 365 * 24 * 3_600_000;

describe('a timer of the real world', () => {
  let fired: number;
  const fire = (): void => void fired++;

  beforeEach(() => {
    fired = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, longest, longest + 1, 2 * longest + 5, year])('of %d ms fires once, then', async (delay) => {
    clock.setTimer(fire, delay);
    await vi.advanceTimersByTimeAsync(delay - 1);
    expect([fired, vi.getTimerCount()]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([fired, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it.each([0, -1, Number.NEGATIVE_INFINITY])('of %d ms fires at once', async (delay) => {
    clock.setTimer(fire, delay);
    await vi.advanceTimersByTimeAsync(0);
    expect(fired).toBe(1);
  });

  it('is cancelled in any part of its time', async () => {
    const timer = clock.setTimer(fire, year);
    await vi.advanceTimersByTimeAsync(3 * longest);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
    timer.cancel();
    await vi.advanceTimersByTimeAsync(year);
    expect(fired).toBe(0);
  });

  it('needs a number', () => {
    expect(() => clock.setTimer(fire, Number.NaN)).toThrow(RangeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [undefined, true],
    [{ keepAlive: true }, true],
    [{ keepAlive: false }, false],
  ])('with %o keeps the process alive: %s', async (options, keepsAlive) => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const timer = clock.setTimer(fire, longest + 5, options);
    // In the second part of its time, too.
    await vi.advanceTimersByTimeAsync(longest);
    expect(set.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([keepsAlive, keepsAlive]);
    timer.cancel();
    set.mockRestore();
  });
});

describe('the real world', () => {
  it('has one monotonic time for all threads', () => {
    const other = environmentSince(monotonicEpoch());
    const [before, there, after] = [clock.monotonic(), other.clock.monotonic(), clock.monotonic()];
    expect(there).toBeGreaterThanOrEqual(before - 1);
    expect(there).toBeLessThanOrEqual(after + 1);
  });

  it('draws numbers below 1, and ids that differ', () => {
    const drawn = Array.from({ length: 100 }, () => random.next());
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    expect(random.uuid()).not.toBe(random.uuid());
  });
});
