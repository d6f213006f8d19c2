import { describe, expect, it } from 'vitest';
import { InvalidResultError, RetryAfterError, TerminalError, explicitDelay, isPanic, isTerminal } from './errors.ts';

/** Two errors, each of which is said to have caused the other. */
function circle(): Error {
  const outer = new Error('outer');
  outer.cause = new Error('inner', { cause: outer });
  return outer;
}

describe('what was thrown', () => {
  it.each<[string, unknown, boolean]>([
    ['an error of JavaScript', new TypeError('x is not a function'), true],
    ['no error', 'a string', true],
    ['nothing', undefined, true],
    ['no result', new InvalidResultError('widget', undefined), true],
    [
      'what fetch says of a broken connection',
      new TypeError('fetch failed', { cause: new Error('ECONNRESET') }),
      false,
    ],
    ['an error of the program', new Error('boom'), false],
    ['one that was caused by an error of JavaScript', new Error('boom', { cause: new TypeError('x') }), false],
  ])('counts as a panic when it is %s: %s', (_, thrown, panic) => {
    expect(isPanic(thrown)).toBe(panic);
  });

  it.each<[string, unknown, boolean]>([
    ['a TerminalError', new TerminalError('bad spec'), true],
    ['caused by one', new Error('outer', { cause: new TerminalError('bad spec') }), true],
    ['one of another copy of the package', Object.assign(new Error('bad spec'), { reason: 'Terminal' }), true],
    ['no error', { reason: 'Terminal' }, false],
    ['caused by itself', circle(), false],
  ])('is terminal when it is %s: %s', (_, thrown, terminal) => {
    expect(isTerminal(thrown)).toBe(terminal);
  });

  it.each<[string, unknown, number | undefined]>([
    ['a RetryAfterError', new RetryAfterError('1m30s'), 90_000],
    ['caused by one', new Error('outer', { cause: new RetryAfterError(5) }), 5],
    ['any other', new Error('boom'), undefined],
    ['one whose delay is no number', Object.assign(new Error('x'), { reason: 'RetryAfter', delay: '5s' }), undefined],
    [
      'one whose delay is not finite',
      Object.assign(new Error('x'), { reason: 'RetryAfter', delay: Infinity }),
      undefined,
    ],
  ])('brings its delay when it is %s: %s', (_, thrown, delay) => {
    expect(explicitDelay(thrown)).toBe(delay);
  });
});
