import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, violations } from './rules.testing.ts';

const pieces = fc.constantFrom(
  'self',
  '.',
  'i',
  's',
  'l',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '?',
  ':',
  ',',
  '&&',
  '||',
  '==',
  '+',
  '-',
  '!',
  ' ',
  '1',
  '1u',
  '1.5',
  "'a'",
  '.all(',
  'x, ',
  'has(',
  'in',
  'true',
  'null',
  '`a`',
  'b"',
  '\\',
  '//',
  '\n',
  'é',
  '😀',
  '.map(',
  'optional.of(',
  '.?s',
  '[?0]',
  'dyn(',
);
const garbage = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(''));

describe('any text', () => {
  it('compiles or has an error with a place in the text', () => {
    fc.assert(
      fc.property(fc.oneof(garbage, fc.string({ unit: 'binary' })), (rule) => {
        const { error } = factsOf(rule);
        for (const { position } of error?.issues ?? []) {
          if (position === undefined) continue;
          expect(position.offset).toBeLessThanOrEqual(rule.length);
          expect(position.line).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is evaluated without an exception', () => {
    fc.assert(
      fc.property(garbage, fc.jsonValue(), (rule, value) => {
        const json = JSON.parse(JSON.stringify(value)) as null | string;
        violations(`(${rule}) == 1 || true`, { s: 'a', i: 1, l: ['a'], p: json });
      }),
      { numRuns: 300 },
    );
  });
});
