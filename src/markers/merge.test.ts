import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema, SourcePosition } from '../model/index.ts';
import { mergeSchemas } from './index.ts';

const rule = (text: string): Schema => ({ 'x-kubernetes-validations': [{ rule: text }] });

describe('mergeSchemas', () => {
  it.each<[string, Schema, Schema, Schema]>([
    ['takes what only the member has', { maxLength: 3 }, { type: 'string' }, { type: 'string', maxLength: 3 }],
    ['takes what only the type has', {}, { type: 'string', maxLength: 3 }, { type: 'string', maxLength: 3 }],
    ['takes the greater minimum', { minimum: 1 }, { minimum: 5 }, { minimum: 5 }],
    ['takes the smaller maximum', { maximum: 1 }, { maximum: 5 }, { maximum: 1 }],
    ['takes the greater minLength', { minLength: 2 }, { minLength: 1 }, { minLength: 2 }],
    ['takes the smaller maxItems', { maxItems: 9 }, { maxItems: 3 }, { maxItems: 3 }],
    [
      'keeps an exclusive bound with its number',
      { minimum: 1, exclusiveMinimum: true },
      { minimum: 0 },
      { minimum: 1, exclusiveMinimum: true },
    ],
    [
      'drops an exclusive bound with its number',
      { minimum: 1, exclusiveMinimum: true },
      { minimum: 2 },
      { minimum: 2 },
    ],
    [
      'takes the exclusive one of two equal bounds',
      { maximum: 5 },
      { maximum: 5, exclusiveMaximum: true },
      { maximum: 5, exclusiveMaximum: true },
    ],
    ['takes the finer of two multiples', { multipleOf: 8 }, { multipleOf: 4 }, { multipleOf: 8 }],
    ['takes the least common multiple', { multipleOf: 6 }, { multipleOf: 4 }, { multipleOf: 12 }],
    ['takes the nearer default', { default: 'a' }, { default: 'b' }, { default: 'a' }],
    ['takes the nearer default, also when it is false', { default: false }, { default: true }, { default: false }],
    ['takes the nearer description', { description: 'a' }, { description: 'b' }, { description: 'a' }],
    ['takes the nearer format', { format: 'int64' }, { format: 'int32' }, { format: 'int64' }],
    [
      'takes the nearer list type with its keys',
      { 'x-kubernetes-list-type': 'set' },
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      { 'x-kubernetes-list-type': 'set' },
    ],
    ["takes the member's values", { enum: ['b'] }, { enum: ['a', 'b'] }, { enum: ['b'] }],
    [
      "adds rules up, the member's first",
      rule('member'),
      rule('type'),
      { 'x-kubernetes-validations': [{ rule: 'member' }, { rule: 'type' }] },
    ],
    ['keeps one of two equal patterns', { pattern: 'a' }, { pattern: 'a' }, { pattern: 'a' }],
    [
      'puts two patterns into allOf',
      { pattern: 'b' },
      { pattern: 'a' },
      { allOf: [{ pattern: 'a' }, { pattern: 'b' }] },
    ],
    [
      'adds a third pattern',
      { pattern: 'c' },
      { allOf: [{ pattern: 'a' }, { pattern: 'b' }] },
      { allOf: [{ pattern: 'a' }, { pattern: 'b' }, { pattern: 'c' }] },
    ],
  ])('%s', (_, member, type, merged) => {
    expect(mergeSchemas(member, type)).toEqual({ schema: merged, conflicts: [] });
  });

  it('refuses values that the type does not have', () => {
    const { conflicts } = mergeSchemas({ enum: ['a', 'c'] }, { enum: ['a', 'b'] });
    expect(conflicts).toEqual([{ keyword: 'enum', problem: '"c" is not among the values of its type: "a", "b"' }]);
  });

  it('takes the position of the bound that counts', () => {
    const at = (line: number): SourcePosition => ({ file: 'a.ts', line, column: 1 });
    const located = (minimum: number, line: number): Schema => ({
      minimum,
      origin: { position: at(line), keywords: new Map([['minimum', at(line)]]) },
    });
    expect(mergeSchemas(located(1, 1), located(2, 2)).schema.origin?.keywords?.get('minimum')).toEqual(at(2));
    expect(mergeSchemas(located(3, 1), located(2, 2)).schema.origin?.keywords?.get('minimum')).toEqual(at(1));
  });

  it('admits exactly the numbers that both admit', () => {
    const bounds = fc.record(
      {
        minimum: fc.integer({ min: -5, max: 5 }),
        maximum: fc.integer({ min: -5, max: 5 }),
        exclusiveMinimum: fc.constant(true),
        exclusiveMaximum: fc.constant(true),
      },
      { requiredKeys: [] },
    );
    const admits = (schema: Schema, value: number): boolean => {
      const { minimum, maximum } = schema;
      const low = minimum === undefined || (schema.exclusiveMinimum === true ? value > minimum : value >= minimum);
      const high = maximum === undefined || (schema.exclusiveMaximum === true ? value < maximum : value <= maximum);
      return low && high;
    };
    fc.assert(
      fc.property(bounds, bounds, fc.integer({ min: -6, max: 6 }), (member, type, value) => {
        const { schema } = mergeSchemas(member, type);
        expect(admits(schema, value)).toBe(admits(member, value) && admits(type, value));
      }),
    );
  });
});

describe('allOf', () => {
  it('stays as it was written where nothing is put together', () => {
    const allOf = [{ pattern: 'a', minLength: 2 }, { maxLength: 9 }];
    expect(mergeSchemas({ description: 'x' }, { type: 'string', allOf }).schema.allOf).toEqual(allOf);
  });

  it('keeps what stands beside patterns that are put together', () => {
    const type = { type: 'string', allOf: [{ pattern: 'a', minLength: 2 }] } as const;
    expect(mergeSchemas({ pattern: 'b' }, type).schema.allOf).toEqual([
      { minLength: 2 },
      { pattern: 'a' },
      { pattern: 'b' },
    ]);
  });
});
