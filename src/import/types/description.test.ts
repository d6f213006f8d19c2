import { describe, expect, it } from 'vitest';
import { isWritable } from './description.ts';

describe('isWritable', () => {
  it.each([
    'a word',
    'two\nlines',
    'a\n\n  indented',
    'a */ b',
    '* a point',
    'in the middle --- TODO @tag +optional',
    'mail@example.com',
    '@ alone',
    '```\n@inside\n--- of a fence\n```',
    '+1 is no marker',
  ])('takes %j', (description) => {
    expect(isWritable(description)).toBe(true);
  });

  it.each([
    '',
    ' ',
    '\na',
    'a\n',
    'a  \nb',
    'a\r\nb',
    'a\u2028b',
    'a *\\/ b',
    '@tag',
    'a\n  @tag',
    '---',
    'a\n--- b',
    'TODO a',
    '+optional',
    '+kubebuilder:validation:Minimum=1',
    '~~~\n```\n~~~\n@outside',
  ])('leaves %j to a Schema marker', (description) => {
    expect(isWritable(description)).toBe(false);
  });
});
