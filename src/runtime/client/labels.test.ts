import { describe, expect, it } from 'vitest';
import { InvalidCallError } from './errors.ts';
import { labelMatcher, labelSelectorString } from './labels.ts';

describe('labelMatcher', () => {
  it.each([
    ['', {}, true],
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'web' }, true],
    ['app = web', { app: 'web' }, true],
    ['app=web', { app: 'db' }, false],
    ['app=web', {}, false],
    ['app=', { app: '' }, true],
    ['app=', {}, false],
    ['app!=web', { app: 'db' }, true],
    ['app!=web', {}, true],
    ['app!=web', { app: 'web' }, false],
    ['tier in (web, db)', { tier: 'db' }, true],
    ['tier in (web,db)', { tier: 'x' }, false],
    ['tier notin (web,db)', {}, true],
    ['tier notin (web,db)', { tier: 'web' }, false],
    ['app', { app: '' }, true],
    ['!app', {}, true],
    ['!app', { app: 'x' }, false],
    ['example.com/app=web,tier in (a,b),!old', { 'example.com/app': 'web', tier: 'a' }, true],
    ['size>3', { size: '12' }, true],
    ['size<3', { size: '12' }, false],
    ['size>3', { size: 'x' }, false],
    ['constructor', {}, false],
  ] as const)('%s on %j: %s', (selector, labels, expected) => {
    expect(labelMatcher(selector)(labels)).toBe(expected);
  });

  it('takes labels that must be equal', () => {
    expect(labelMatcher({ app: 'web', tier: 'a' })({ app: 'web', tier: 'a', other: 'x' })).toBe(true);
    expect(labelMatcher({ app: 'web' })(undefined)).toBe(false);
    expect(labelMatcher({})(undefined)).toBe(true);
    expect(labelSelectorString({ app: 'web', tier: 'a' })).toBe('app=web,tier=a');
    expect(labelSelectorString('a in (b)')).toBe('a in (b)');
  });

  it.each(['app=web,', 'app=a b', 'tier in web', 'tier in (a', '=web', 'size>x', 'a=b;c=d'])(
    'refuses %s',
    (selector) => {
      expect(() => labelMatcher(selector)).toThrow(InvalidCallError);
      expect(() => labelSelectorString(selector)).toThrow(InvalidCallError);
    },
  );
});
