// What generate refuses before a cluster sees it, from TypeScript to file:line:column, path and remedy.
import { describe, expect, it } from 'vitest';
import { checkKinds } from '../../src/generate/checks/index.ts';
import type { Diagnostic } from '../../src/model/index.ts';
import { readSources } from '../../src/reader/testing/read-sources.ts';

const head = `import type { int32 } from 'operator-runtime';
/** @resource { group: 'a.example.com', version: 'v1' } */
export interface Thing { spec: Spec }
export interface Spec {
`;

/** The problems of a spec with these members, the first of which stands in line 5. */
function check(members: string, minor = 34): readonly Diagnostic[] {
  const { diagnostics, model } = readSources({ 'thing.ts': `${head}${members}\n}\n` });
  if (diagnostics.some(({ severity }) => severity === 'error')) return diagnostics;
  return [...diagnostics, ...checkKinds(model.kinds, { major: 1, minor })];
}

interface Case {
  readonly what: string;
  readonly members: string;
  /** `line:column` */
  readonly at: string;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

const cases: readonly Case[] = [
  {
    what: 'a schema that is not structural: no type',
    members: "/** @schema { properties: { a: { type: 'string' } } } */ x?: unknown;",
    at: '5:5',
    path: 'spec.x',
    message: 'type: Required value',
    remedy: 'write the type',
  },
  {
    what: 'a schema that is not structural: a list without items',
    members: "/** @schema { type: 'array' } */ x?: unknown;",
    at: '5:5',
    path: 'spec.x',
    message: 'items: Required value',
    remedy: 'write items',
  },
  {
    what: 'a schema that is not structural: a type in a branch',
    members: "/** @schema { type: 'object', oneOf: [{ type: 'object' }] } */ x?: unknown;",
    at: '5:5',
    path: 'spec.x',
    message: 'must be empty to be structural',
    remedy: 'only keywords that check values',
  },
  {
    what: 'uniqueItems',
    members: "/** @schema { type: 'array', uniqueItems: true, items: { type: 'string' } } */ x?: unknown;",
    at: '5:5',
    path: 'spec.x',
    message: 'uniqueItems',
    remedy: "ListType('set')",
  },
  {
    what: 'a key of a list map that is not there',
    members: "/** @listType 'map', 'name' */\nlist?: { nam: string }[];",
    at: '5:5',
    path: 'spec.list',
    message: 'entries must all be names of item properties',
    remedy: 'add the member',
  },
  {
    what: 'a key of a list map that is neither required nor defaulted',
    members: "/** @listType 'map', 'name' */\nlist?: { name?: string }[];",
    at: '6:10',
    path: 'spec.list[].name',
    message: 'must have a default or be a required property',
    remedy: "take the '?' away",
  },
  {
    what: 'a key of a list map that is no scalar',
    members: "/** @listType 'map', 'name' */\nlist?: { name: { a: string } }[];",
    at: '6:10',
    path: 'spec.list[].name',
    message: 'must be a scalar type',
    remedy: 'a text, a number or a boolean as key',
  },
  {
    what: 'a list map of scalars',
    members: "/** @listType 'map', 'name' */\nlist?: string[];",
    at: '6:1',
    path: 'spec.list[]',
    message: 'must be object if parent array',
    remedy: "ListType('set')",
  },
  {
    what: 'a set of objects that are not atomic',
    members: "/** @listType 'set' */\nlist?: { name: string }[];",
    at: '6:1',
    path: 'spec.list[]',
    message: 'must be atomic as item of a list',
    remedy: "ListType('map', ...)",
  },
  {
    what: 'a default below the minimum',
    members: '/**\n * @minimum 5\n * @default 3\n */\nx?: int32;',
    at: '7:4',
    path: 'spec.x',
    message: 'greater than or equal to 5',
    remedy: 'the markers of the member let pass',
  },
  {
    what: 'a default of another type',
    members: "/** @default 'a' */ x?: int32;",
    at: '5:5',
    path: 'spec.x',
    message: 'must be of type integer',
    remedy: "the member's type",
  },
  {
    what: 'a default that is none of the values',
    members: "/** @default 'c' */ x?: 'a' | 'b';",
    at: '5:5',
    path: 'spec.x',
    message: 'supported values: "a", "b"',
    remedy: 'one of the values',
  },
  {
    what: 'a default that lacks a member',
    members: '/** @default {} */ x?: { a: string };',
    at: '5:5',
    path: 'spec.x',
    message: 'default.a: Required value',
    remedy: 'give the member in the default',
  },
  {
    what: 'a default with a member that is not declared',
    members: '/** @default { b: 1 } */ x?: { a?: string };',
    at: '5:5',
    path: 'spec.x',
    message: 'must not have unknown fields',
    remedy: 'declare the member',
  },
  {
    what: 'a default that is not reached',
    members: 'x?: { /** @default 1 */ a?: int32 };',
    at: '5:1',
    path: 'spec.x',
    message: 'has no effect while spec.x is left out',
    remedy: 'the default {}',
  },
  {
    what: 'a pattern that JavaScript accepts and RE2 refuses: look-ahead',
    members: '/** @pattern /(?=a)/ */ x?: string;',
    at: '5:5',
    path: 'spec.x',
    message: 'valid regular expression',
    remedy: 'no look-around',
  },
  {
    what: 'a pattern that JavaScript accepts and RE2 refuses: a reference',
    members: String.raw`/** @pattern /(a)\1/ */ x?: string;`,
    at: '5:5',
    path: 'spec.x',
    message: 'invalid escape sequence',
    remedy: 'no references to groups',
  },
  {
    what: 'a member of an enum that is of another type',
    members: '/** @enum 1, 2 */ x?: string;',
    at: '5:5',
    path: 'spec.x',
    message: '1 is not a value of a string',
    remedy: '',
  },
  {
    what: 'a rule that does not parse',
    members: "/** @validation { rule: 'self ==' } */ x?: string;",
    at: '5:5',
    path: 'spec.x',
    message: 'Syntax error',
    remedy: 'language of rules',
  },
  {
    what: 'a rule on a member that is not declared',
    members: "/** @validation { rule: 'self.b == 1' } */ x?: { a: int32 };",
    at: '5:5',
    path: 'spec.x',
    message: "undefined field 'b'",
    remedy: 'a member that is declared',
  },
  {
    what: 'a rule whose types do not fit',
    members: `/** @validation { rule: 'self.a == "x"' } */ x?: { a: int32 };`,
    at: '5:5',
    path: 'spec.x',
    message: "applied to '(int, string)'",
    remedy: 'values of one type',
  },
  {
    what: 'a rule that is no condition',
    members: "/** @validation { rule: 'self' } */ x?: string;",
    at: '5:5',
    path: 'spec.x',
    message: 'must evaluate to a bool',
    remedy: 'true or false',
  },
  {
    what: 'a message that is no text',
    members: "/** @validation { rule: 'true', messageExpression: 'self.size()' } */ x?: string;",
    at: '5:5',
    path: 'spec.x',
    message: 'must evaluate to a string',
    remedy: 'string(...)',
  },
  {
    what: 'a rule on the old value in a list whose items cannot be told apart',
    members:
      "/** @maxItems 3 */ list?: Array<{\n/** @validation { rule: 'self == oldSelf' }\n * @maxLength 9 */\na: string }>;",
    at: '6:5',
    path: 'spec.list[].a',
    message: 'oldSelf cannot be used',
    remedy: "ListType('map', ...)",
  },
  {
    what: 'a path of an error that leads nowhere',
    members: "/** @validation { rule: 'true', fieldPath: '.b' } */ x?: { a: int32 };",
    at: '5:5',
    path: 'spec.x',
    message: 'must be a valid path',
    remedy: 'the path of a declared member',
  },
  {
    what: 'a format that the API server does not know',
    members: "/** @format 'colour' */ x?: string;",
    at: '5:5',
    path: 'spec.x',
    message: 'unrecognized format "colour"',
    remedy: 'use one that it checks',
  },
];

describe('checks from the source to the place', () => {
  it.each(cases)('$what', ({ members, at, path, message, remedy }) => {
    const found = check(members).filter((each) => each.path === path);
    const [first] = found;
    expect(first?.message).toContain(message);
    expect(`${first?.position?.file}:${first?.position?.line}:${first?.position?.column}`).toBe(`thing.ts:${at}`);
    expect(first?.remedy ?? '').toContain(remedy);
  });

  it('a rule that costs more than 10 million, and with it the schema', () => {
    const found = check("/** @validation { rule: 'self.all(a, self.all(b, a.contains(b)))' } */ x?: string[];");
    expect(found.map(({ path }) => path)).toEqual(['spec.x', 'spec.x', undefined]);
    for (const each of found) expect(each.remedy).toContain('MaxItems');
    const members =
      "/** @validation { rule: 'self.n > 1', messageExpression: `'n is ' + string(self.n)` } */ x?: { n: int32 };";
    expect(check(members)[0]).toMatchObject({
      path: 'spec.x',
      remedy: expect.stringContaining('string(...) of a number'),
    });
    expect(
      check(
        "/** @maxItems 9\n * @items maxLength(9)\n * @validation { rule: 'self.all(a, self.all(b, a.contains(b)))' } */ x?: string[];",
      ),
    ).toEqual([]);
  });

  it('all problems of a kind at once, though the API server stops at the first sort', () => {
    const members = `
      /** @schema { properties: { a: { type: 'string' } } } */ broken?: unknown;
      /** @listType 'map', 'name' */ list?: { nam: string }[];
      /** @default 'a' */ wrong?: int32;
      /** @default { x: 1 } */ partly?: { x: int32; y: int32 };
      /** @pattern /(?=a)/ */ pattern?: string;
      /** @validation { rule: 'self.b == 1' } */ rule?: { a: int32 };
      /** @validation { rule: 'self ==' } */ syntax?: string;`;
    const found = check(members).map(({ code, path }) => `${code} ${path}`);
    expect(found.sort()).toEqual([
      'CO2050 spec.broken',
      'CO2050 spec.list',
      'CO2050 spec.pattern',
      'CO2052 spec.partly',
      'CO2052 spec.wrong',
      'CO2053 spec.rule',
      'CO2053 spec.syntax',
    ]);
  });

  it('nothing of a rule or a default that follows from another problem', () => {
    const members = `
      /** @validation { rule: 'self.broken.a == 1' } */
      outer: {
        /** @schema { properties: { a: { type: 'integer' } } } */ broken?: unknown;
        /** @default { broken: { a: 'x' } } */ other?: { /** @schema { properties: {} } */ broken?: unknown };
      };`;
    const found = check(members).map(({ code, path }) => `${code} ${path}`);
    expect(found).toEqual(['CO2050 spec.outer.broken', 'CO2050 spec.outer.other.broken']);
  });

  it('what is newer than the Kubernetes version of the project', () => {
    const rule = `/** @validation { rule: 'lists.range(2).size() == 2' } */ x?: string;`;
    expect(check(rule, 37)).toEqual([]);
    expect(check(rule, 34)).toMatchObject([
      {
        message: expect.stringContaining('range'),
        path: 'spec.x',
        remedy: expect.stringContaining('Kubernetes version'),
      },
    ]);
  });
});
