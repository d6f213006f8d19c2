import { describe, expect, it } from 'vitest';
import { fromPlain, type JsonObject } from '../json.ts';
import { exactMatch, parseFieldSelector } from './field-selector.ts';
import { labelSelectorOf, parseLabelSelector, SelectorError } from './label-selector.ts';

const labels = fromPlain({ app: 'web', tier: 'front', size: '5', empty: '' }) as JsonObject;

describe('label selectors', () => {
  it.each([
    ['', true],
    ['app', true],
    ['!app', false],
    ['!none', true],
    ['app=web', true],
    ['app==web', true],
    ['app=db', false],
    ['app!=db', true],
    ['none!=db', true],
    ['empty=', true],
    ['app in (web, db)', true],
    ['app notin (web)', false],
    ['none notin (web)', true],
    ['size>4', true],
    ['size<4', false],
    ['app=web,tier in (front),!none', true],
    ['example.com/a', false],
  ])('%s', (source, expected) => {
    expect(parseLabelSelector(source).matches(labels)).toBe(expected);
  });

  it.each(['a b', 'a=b c', 'a in b', 'a in (b', '=a', 'a,', 'a>b', 'a=b/c', 'a/b/c=d', `a=${'x'.repeat(64)}`])(
    'refuses %s',
    (source) => {
      expect(() => parseLabelSelector(source)).toThrow(SelectorError);
    },
  );

  it.each([
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }, true],
    [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] }, true],
  ])('object %j', (selector, expected) => {
    expect(labelSelectorOf(fromPlain(selector)).matches(labels)).toBe(expected);
  });
});

describe('field selectors', () => {
  const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'x,y=z\\' };
  const fieldOf = (name: string): string => fields[name] ?? '';

  it.each([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['metadata.name=a,metadata.none=', true],
    ['status.phase=x\\,y\\=z\\\\', true],
  ])('%s', (source, expected) => {
    expect(parseFieldSelector(source).matches(fieldOf)).toBe(expected);
  });

  it.each(['metadata.name', 'a=b\\c', 'a=b=c'])('refuses %s', (source) => {
    expect(() => parseFieldSelector(source)).toThrow(SelectorError);
  });

  it('finds what a field must be', () => {
    expect(exactMatch(parseFieldSelector('a!=x,a=b'), 'a')).toBe('b');
    expect(exactMatch(parseFieldSelector('a!=x'), 'a')).toBeUndefined();
  });
});
