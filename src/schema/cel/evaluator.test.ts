import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/index.ts';
import { compileRules } from './index.ts';
import { violations, withRules } from './rules.testing.ts';

describe('messages', () => {
  it.each([
    [{ rule: 'self.i > 1' }, 'failed rule: self.i > 1'],
    [{ rule: 'self.i > 1', message: ' too small ' }, 'too small'],
    [{ rule: 'self.i > 1', messageExpression: "'got ' + string(self.i)" }, 'got 1'],
    [{ rule: 'self.i > 1', message: 'm', messageExpression: "'a\\nb'" }, 'm'],
    [{ rule: 'self.i > 1', message: 'm', messageExpression: "'a\\n'" }, 'a'],
    [{ rule: 'self.i > 1', message: 'm', messageExpression: 'string(self.n)' }, 'm'],
    [{ rule: 'self.i > 1', message: 'm', messageExpression: "''" }, 'm'],
    [{ rule: 'self.i > 1', message: 'm', messageExpression: 'string(oldSelf.i)' }, 'm'],
  ])('%j', (rule, message) => {
    expect(violations(rule, { i: 1 })).toEqual([message]);
  });

  it('uses reason and path', () => {
    const rule = { rule: 'self.i > 1', reason: 'FieldValueForbidden', fieldPath: '.o.x' };
    expect(compileRules(withRules([rule])).evaluate({ node: { i: 1 } }).errors).toMatchObject([
      { type: 'FieldValueForbidden', field: 'node.o.x', detail: 'failed rule: self.i > 1' },
    ]);
    const duplicate = { rule: 'self.i > 1', reason: 'FieldValueDuplicate' };
    expect(violations(duplicate, { i: 1 })).toEqual(['']);
  });

  it('shows scalars and leaves objects out', () => {
    const rules = [{ rule: 'false' }];
    const schema: JsonObject = {
      type: 'object',
      properties: {
        n: { type: 'integer', 'x-kubernetes-validations': rules },
        o: { type: 'object', 'x-kubernetes-validations': rules, properties: { x: { type: 'integer' } } },
      },
    };
    expect(
      compileRules(schema)
        .evaluate({ n: 4, o: {} })
        .errors.map((error) => error.message),
    ).toEqual(['n: Invalid value: 4: failed rule: false', 'o: Invalid value: failed rule: false']);
  });
});

describe('changes', () => {
  it.each([
    ['self.i >= oldSelf.i', { i: 1 }, { i: 2 }, ['failed rule: self.i >= oldSelf.i']],
    ['self.i >= oldSelf.i', { i: 2 }, { i: 1 }, []],
    ['self.i >= oldSelf.i', { i: 1 }, undefined, []],
  ])('%s', (rule, self, old, expected) => {
    expect(violations(rule, self, old)).toEqual(expected);
  });

  it('gives an optional old value on request', () => {
    const rule = { rule: '!oldSelf.hasValue() || oldSelf.value().i == self.i', optionalOldSelf: true };
    expect(violations(rule, { i: 1 })).toEqual([]);
    expect(violations(rule, { i: 1 }, { i: 2 })).toHaveLength(1);
  });

  it('finds old items of list maps by their keys', () => {
    const schema: JsonObject = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        properties: { k: { type: 'string' }, v: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v' }],
      },
    };
    const { errors } = compileRules({ type: 'object', properties: { l: schema } }).evaluate(
      {
        l: [
          { k: 'b', v: 1 },
          { k: 'a', v: 1 },
        ],
      },
      {
        l: [
          { k: 'a', v: 2 },
          { k: 'b', v: 1 },
        ],
      },
    );
    expect(errors.map((error) => error.field)).toEqual(['l[1]']);
  });

  it('leaves out errors of values that did not change, except those of rules about the change', () => {
    const rules = compileRules(withRules(['self.i > 1', 'self.i > oldSelf.i']));
    const { errors } = rules.evaluate({ node: { i: 1 } }, { node: { i: 1 } }, { ratchet: () => true });
    expect(errors.map((error) => error.detail)).toEqual(['failed rule: self.i > oldSelf.i']);
  });
});

describe('collections', () => {
  it.each([
    ["self.set == ['b', 'a']", { set: ['a', 'b'] }, true],
    ["['b', 'a'] == self.set", { set: ['a', 'b'] }, false],
    ["(self.set + ['a', 'c']).size() == 3", { set: ['a', 'b'] }, true],
    ["self.m == {'a': 1}", { m: { a: 1 } }, true],
    ["self.o.a__dash__b == 'x'", { o: { 'a-b': 'x' } }, true],
    ['has(self.s)', { s: null }, false],
    ["self.p == 1 || self.p == 'x'", { p: 'x' }, true],
  ])('%s', (rule, self, holds) => {
    expect(violations(rule, self).length === 0).toBe(holds);
  });
});

describe('limits', () => {
  const long = Array.from({ length: 1000 }, () => 'a');
  const schema: JsonObject = { type: 'object', properties: { l: { type: 'array', items: { type: 'string' } } } };

  it('ends at a million for one evaluation', () => {
    const rule = 'self.l.all(x, self.l.all(y, self.l.all(z, x == y || y == z || true)))';
    const { errors, cost } = compileRules(withRules([rule], schema)).evaluate({ node: { l: long } });
    expect(errors.map((error) => error.detail)).toEqual([
      `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
    expect(cost).toBe(-1);
  });

  it('ends when the budget of the object is used up', () => {
    const rules = compileRules(withRules(['self.l.all(x, true)', 'true == true'], schema));
    expect(rules.evaluate({ node: { l: long } }, undefined, { budget: 100 }).errors).toMatchObject([
      { detail: 'validation failed due to running out of cost budget, no further validation rules will be run' },
    ]);
  });

  it('counts what is evaluated only', () => {
    const cost = (rule: string) => compileRules(withRules([rule])).evaluate({ node: { i: 1, s: 'abc' } }).cost;
    expect(cost('self.i == 1 || self.s == self.s')).toBe(3);
    expect(cost("self.s in ['abc', 'd']")).toBe(2);
    expect(cost('has(self.s)')).toBe(1);
  });
});

it('reports rules of stored definitions that do not compile', () => {
  expect(violations('self.nope == 1')[0]).toContain(
    'rule compile error: compilation failed: ERROR: <input>:1:5: undefined field',
  );
});
