import { describe, expect, it } from 'vitest';
import { checkRules } from './index.ts';
import { factsOf, withRules } from './rules.testing.ts';

describe('compile errors', () => {
  it.each([
    ['self.nope == 1', '1:5', "undefined field 'nope'"],
    ['self.i == self.s', '1:8', "found no matching overload for '_==_' applied to '(int, string)'"],
    ['self.i ==', '1:10', 'Syntax error'],
    ["self.s == '\\z'", '1:11', "Syntax error: token recognition error at: ''\\z'"],
    ['if (true) { true }', '1:1', 'reserved identifier: if'],
    ['has(self)', '1:5', 'invalid argument to has() macro'],
    ['has(self.)', '1:5', 'invalid argument to has() macro'],
    ['self.l.all(1, true)', '1:12', 'argument must be a simple name'],
    ["self.s.matches('[')", '1:16', 'invalid matches argument'],
    ["self.d == duration('1w')", '1:20', 'invalid duration argument'],
    ["[1, 'a'].size() == 2", '1:5', "expected type 'int' but found 'string'"],
    [
      "'%d'.format([self.s]) == ''",
      '1:18',
      'error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["self.s.foo() == 'é' && true", '1:11', "undeclared reference to 'foo' (in container '')"],
    ["self.s == 'é' && self.nope == 1", '1:22', "undefined field 'nope'"],
    ['self.i == 1 &&\n  self.nope == 2', '2:7', "undefined field 'nope'"],
    ['self.l.existsOne(x, true)', '1:17', "undeclared reference to 'existsOne' (in container '')"],
    ['Foo{a: 1} == 1', '1:4', "undeclared reference to 'Foo' (in container '')"],
    ['self.i == 99999999999999999999', '1:11', 'invalid int literal'],
  ])('%s', (rule, place, message) => {
    expect(factsOf(rule).error?.detail).toContain(`compilation failed: ERROR: <input>:${place}: ${message}`);
  });

  it('gives offsets within the text', () => {
    expect(factsOf('self.i == 1 &&\n  self.nope == 2').error?.issues).toEqual([
      { message: "undefined field 'nope'", position: { offset: 21, line: 2, column: 7 } },
    ]);
  });

  it('shows the line and the place', () => {
    expect(factsOf("'é' == self.nope").error?.detail).toBe(
      "compilation failed: ERROR: <input>:1:12: undefined field 'nope'\n | 'é' == self.nope\n | .\uff0e.........^",
    );
  });

  it.each(['self.i', "'a'", 'dyn(true)'])('refuses what is no bool: %s', (rule) => {
    expect(factsOf(rule).error?.detail).toBe('cel expression must evaluate to a bool');
  });

  it.each([
    ["int('x') == 1", "type conversion error from 'string' to 'int'"],
    ['type(self.d) == duration', 'reference to undefined type: duration'],
  ])('refuses constants that cannot be computed: %s', (rule, message) => {
    expect(factsOf(rule).error?.detail).toBe(`program instantiation failed: ${message}`);
  });

  it('limits nesting and length', () => {
    expect(factsOf(`${'('.repeat(251)}true${')'.repeat(251)}`).error?.detail).toContain(
      'expression recursion limit exceeded: 250',
    );
    expect(factsOf(`${'(1+'.repeat(124)}1${')'.repeat(124)} == 1`).error).toBeUndefined();
    expect(factsOf(`${Array.from({ length: 252 }, () => '1').join('+')} > 0`).error?.detail).toContain(
      'max recursion depth exceeded',
    );
    expect(factsOf(`'${'a'.repeat(100_000)}' == 'b'`).error?.detail).toContain(
      'expression code point size exceeds limit',
    );
  });

  it.each([
    'self.o.a__dash__b == 1 || true',
    "self.o.`a__dash__b` == ''",
    '!(!(true))',
    '- -1 == 1',
    "{'a': 1,}.size() == 1",
  ])('reads %s', (rule) => {
    expect(factsOf(rule).error?.detail ?? '').not.toContain('Syntax error');
  });
});

describe('static costs', () => {
  it.each([
    ['self.i == 1', 2n],
    ["self.s == 'a'", 3n],
    ['self.s.size() == 1', 4n],
    ["self.l.all(x, x == 'a')", 28n],
    ['has(self.o) && self.o.x > 1', 5n],
    ['self.l == [] || true', 12n],
    ["self.s.matches('^[a-z]+$')", 12n],
    ["'x' + string(self.i) != ''", 1844674407370955267n],
  ])('%s', (rule, cost) => {
    const facts = factsOf(rule);
    expect(facts.error).toBeUndefined();
    expect(facts.maxCost).toBe(cost);
  });

  it('multiplies with how often a rule may be evaluated', () => {
    const node = { type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'a'" }] };
    const bounded = { type: 'object', properties: { l: { type: 'array', maxItems: 7, items: node } } };
    const unbounded = { type: 'object', properties: { l: { type: 'array', items: node } } };
    expect(checkRules(bounded).rules).toMatchObject([{ cardinality: 7n, cost: 14n }]);
    expect(checkRules(unbounded).rules).toMatchObject([{ cardinality: 1_048_576n, cost: 2_097_152n }]);
  });

  it('refuses rules that may cost too much', () => {
    const { errors } = checkRules(withRules(['self.t.matches(self.t)']), { path: 'schema' });
    expect(errors.map((error) => `${error.type} ${error.field}`)).toEqual([
      'FieldValueForbidden schema.properties[node].x-kubernetes-validations[0].rule',
      'FieldValueForbidden schema.properties[node].x-kubernetes-validations[0].rule',
      'FieldValueForbidden schema',
    ]);
    expect(errors[0]?.detail).toContain('estimated rule cost exceeds budget by factor of more than 100x');
  });
});

describe('Kubernetes versions', () => {
  it.each([
    ['[1].includes(1)', '1.37', false],
    ['[1].sort() == [1]', '1.35', true],
    ['[1].sort() == [1]', '1.34', false],
    ["semver('1.2.3').major() == 1", '1.34', true],
    ['[1].all(i, v, true)', '1.34', true],
  ])('%s on %s', (rule, version, compiles) => {
    expect(factsOf(rule, version).error === undefined).toBe(compiles);
  });

  it('knows no versions before 1.34', () => {
    expect(() => factsOf('true', '1.33')).toThrow('"1.33" is not a Kubernetes version from 1.34 on');
  });
});

describe('what stands beside expressions', () => {
  it.each([
    [{ rule: ' ' }, 'rule', 'rule is not specified'],
    [{ rule: 'true', message: ' ' }, 'message', 'must be non-empty if specified'],
    [{ rule: 'true', message: 'a\nb' }, 'message', 'must not contain line breaks'],
    [{ rule: 'true\n&& true' }, 'message', 'message must be specified if rule contains line breaks'],
    [{ rule: 'true', messageExpression: ' ' }, 'messageExpression', 'messageExpression must be non-empty if specified'],
    [{ rule: 'true', messageExpression: '1' }, 'messageExpression', 'messageExpression must evaluate to a string'],
    [{ rule: 'true', fieldPath: '.nope' }, 'fieldPath', 'must be a valid path'],
    [{ rule: 'true', fieldPath: '.l[0]' }, 'fieldPath', 'must be a valid path'],
    [{ rule: 'true', optionalOldSelf: true }, 'optionalOldSelf', 'may not be set if oldSelf is not used in rule'],
  ])('%j', (rule, member, detail) => {
    const { errors } = checkRules(withRules([rule]), { path: 'schema' });
    expect(errors.map((error) => [error.field, error.detail])).toEqual([
      [`schema.properties[node].x-kubernetes-validations[0].${member}`, detail],
    ]);
  });

  it.each(['.o.x', "['o'].x", '.m.key', ".m['a.b']"])('accepts the path %s', (fieldPath) => {
    expect(checkRules(withRules([{ rule: 'true', fieldPath }])).errors).toEqual([]);
  });

  it('refuses oldSelf where old values cannot be found', () => {
    const items = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const { errors } = checkRules(
      { type: 'object', properties: { l: { type: 'array', maxItems: 2, items } } },
      { path: 's' },
    );
    expect(errors[0]?.detail).toBe(
      'oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[l]',
    );
  });
});
