import { describe, expect, it } from 'vitest';
import { lines, readSources, readSpec, specSchema } from './testing/read-sources.ts';

const string = { type: 'string' };
const rules = (...all: string[]): object => ({ 'x-kubernetes-validations': all.map((rule) => ({ rule })) });

/** A marker in both notations on a member of a type, and what it makes of the member's schema. */
type Case = readonly [tag: string, decorator: string, type: string, schema: object];

describe('markers on members', () => {
  it.each<Case>([
    ['minimum 1', 'Minimum(1)', 'integer', { type: 'integer', minimum: 1 }],
    ['maximum -1.5', 'Maximum(-1.5)', 'number', { type: 'number', maximum: -1.5 }],
    ['exclusiveMinimum 0', 'ExclusiveMinimum(0)', 'number', { type: 'number', minimum: 0, exclusiveMinimum: true }],
    ['exclusiveMaximum 9', 'ExclusiveMaximum(9)', 'number', { type: 'number', maximum: 9, exclusiveMaximum: true }],
    ['multipleOf 8', 'MultipleOf(8)', 'int64', { type: 'integer', format: 'int64', multipleOf: 8 }],
    ['minLength 1', 'MinLength(1)', 'string', { type: 'string', minLength: 1 }],
    ['maxLength 63', 'MaxLength(63)', 'string', { type: 'string', maxLength: 63 }],
    ["pattern '^a$'", "Pattern('^a$')", 'string', { type: 'string', pattern: '^a$' }],
    ['pattern /^\\/[(]{2}$/i', 'Pattern(/^\\/[(]{2}$/i)', 'string', { type: 'string', pattern: '(?i)^/[(]{2}$' }],
    ['minItems 1', 'MinItems(1)', 'string[]', { type: 'array', items: string, minItems: 1 }],
    ['maxItems 2', 'MaxItems(2)', 'string[]', { type: 'array', items: string, maxItems: 2 }],
    [
      'minProperties 1',
      'MinProperties(1)',
      'Record<string, string>',
      { type: 'object', additionalProperties: string, minProperties: 1 },
    ],
    [
      'maxProperties 2',
      'MaxProperties(2)',
      '{ a?: string }',
      { type: 'object', properties: { a: string }, maxProperties: 2 },
    ],
    ["enum 'b', 'a'", "Enum('b', 'a')", 'string', { type: 'string', enum: ['b', 'a'] }],
    ['enum 301, 302', 'Enum(301, 302)', 'integer', { type: 'integer', enum: [301, 302] }],
    ["format 'ipv4'", "Format('ipv4')", 'string', { type: 'string', format: 'ipv4' }],
    ["format 'int64'", "Format('int64')", 'int32', { type: 'integer', format: 'int64' }],
    [
      "validation { rule: 'self > 0' }",
      "Validation({ rule: 'self > 0' })",
      'number',
      { type: 'number', ...rules('self > 0') },
    ],
    ["title 'A title'", "Title('A title')", 'string', { type: 'string', title: 'A title' }],
    [
      "externalDocs { url: 'https://example.com' }",
      "ExternalDocs({ url: 'https://example.com' })",
      'string',
      { type: 'string', externalDocs: { url: 'https://example.com' } },
    ],
    [
      'preserveUnknownFields',
      'PreserveUnknownFields()',
      '{}',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'embeddedResource',
      'EmbeddedResource()',
      'object',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    ['schemaless', 'Schemaless()', 'Date', {}],
    ["schema { type: 'string' }", "Schema({ type: 'string' })", 'Date', { type: 'string' }],
    [
      "listType 'set'",
      "ListType('set')",
      'string[]',
      { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    ],
    [
      "listType 'map', 'b', 'a'",
      "ListType('map', 'b', 'a')",
      '{ a: string; b: string }[]',
      {
        type: 'array',
        items: { type: 'object', properties: { a: string, b: string }, required: ['a', 'b'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b', 'a'],
      },
    ],
    ["mapType 'atomic'", "MapType('atomic')", '{}', { type: 'object', 'x-kubernetes-map-type': 'atomic' }],
    [
      'immutable',
      'Immutable()',
      'string',
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'field is immutable' }] },
    ],
    ['default false', 'Default(false)', 'boolean', { type: 'boolean', default: false }],
    ["default ''", "Default('')", 'string', { type: 'string', default: '' }],
    ['default []', 'Default([])', 'string[]', { type: 'array', items: string, default: [] }],
    ['example 42', 'Example(42)', 'integer', { type: 'integer', example: 42 }],
    ['nullable', 'Nullable()', 'string | null', { type: 'string', nullable: true }],
    [
      'items minLength(1), maxLength(63)',
      'Items(m.MinLength(1), m.MaxLength(63))',
      'string[]',
      { type: 'array', items: { type: 'string', minLength: 1, maxLength: 63 } },
    ],
    [
      'items items(maximum(9))',
      'Items(m.Items(m.Maximum(9)))',
      'number[][]',
      { type: 'array', items: { type: 'array', items: { type: 'number', maximum: 9 } } },
    ],
    [
      "values enum('a')",
      "Values(m.Enum('a'))",
      'Record<string, string>',
      { type: 'object', additionalProperties: { type: 'string', enum: ['a'] } },
    ],
    [
      'intOrString',
      'IntOrString()',
      'number | string',
      { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    ],
  ])('@%s', (tag, decorator, type, schema) => {
    const tagged = readSpec(`/**\n * @${tag}\n */\nvalue: ${type};`, '', 'interface');
    const decorated = readSpec(`@m.${decorator}\nvalue!: ${type};`);
    expect(specSchema(tagged).properties).toEqual({ value: schema });
    expect(specSchema(decorated).properties).toEqual({ value: schema });
  });

  it('leaves a member out that is ignored', () => {
    expect(specSchema(readSpec('@m.Ignore() date!: Date; a?: string;'))).toEqual({
      type: 'object',
      properties: { a: string },
    });
  });

  it('says that an optional member cannot be taken away once it is immutable', () => {
    const spec = specSchema(
      readSpec("@m.Immutable() a?: string; @m.Immutable() 'b-c'?: string; @m.Immutable() d!: string;"),
    );
    expect(spec['x-kubernetes-validations']).toEqual([
      { rule: '!has(oldSelf.a) || has(self.a)', message: 'field a is immutable once set' },
      { rule: '!has(oldSelf.b__dash__c) || has(self.b__dash__c)', message: 'field b-c is immutable once set' },
    ]);
  });

  it('orders rules: the member, the type, what it generates, what it inherits', () => {
    const rest = `
      /** @validation { rule: 'inherited' } */ interface Base { a?: string; b?: string }
      /**
       * @atLeastOneOf 'a', 'b'
       * @validation { rule: 'own' }
       * @exactlyOneOf 'a', 'b'
       * @atMostOneOf 'a', 'b'
       */
      interface Own extends Base { /** @immutable */ c?: string }`;
    const spec = specSchema(readSpec("@m.Validation({ rule: 'member' }) own!: Own;", rest));
    const own = spec.properties?.['own']?.['x-kubernetes-validations'] as { rule: string; message?: string }[];
    expect(own).toEqual([
      { rule: 'member' },
      { rule: '!has(oldSelf.c) || has(self.c)', message: 'field c is immutable once set' },
      { rule: 'own' },
      { rule: '(has(self.a)?1:0)+(has(self.b)?1:0) <= 1', message: 'at most one of the fields in [a b] may be set' },
      { rule: '(has(self.a)?1:0)+(has(self.b)?1:0) == 1', message: 'exactly one of the fields in [a b] must be set' },
      { rule: 'has(self.a)||has(self.b)', message: 'at least one of the fields in [a b] must be set' },
      { rule: 'inherited' },
    ]);
  });

  it('keeps as many levels of descriptions as are wanted', () => {
    const rest = '/** Point. */ interface Point { /** The x. */ x: string }';
    const member = (levels: number): string => `/** Where. */ @m.DescriptionDepth(${levels}) p${levels}!: Point;`;
    const { properties } = specSchema(readSpec([0, 1, 2].map(member).join('\n'), rest));
    const depth = (name: string): unknown[] => [
      properties?.[name]?.['description'],
      properties?.[name]?.properties?.['x']?.['description'],
    ];
    expect([depth('p0'), depth('p1'), depth('p2')]).toEqual([
      [undefined, undefined],
      ['Where.', undefined],
      ['Where.', 'The x.'],
    ]);
  });
});

describe('a member against its type (B03)', () => {
  const proto = '/** @default "TCP"\n * @minLength 1 */\ntype Proto = "TCP" | "UDP";';

  it('takes the nearer of single values and the tighter of bounds, without allOf', () => {
    const members = "@m.Default('TCP') proto?: Proto; @m.Default('UDP') @m.MinLength(2) other?: Proto;";
    expect(specSchema(readSpec(members, proto)).properties).toEqual({
      proto: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP', minLength: 1 },
      other: { type: 'string', enum: ['TCP', 'UDP'], default: 'UDP', minLength: 2 },
    });
  });

  it('lets a member that is declared again replace the inherited one whole', () => {
    const rest = `interface Base { /** Base.\n * @maxLength 80 */ title: string }
      interface Derived extends Base { /** Derived.\n * @minLength 1 */ title: string }`;
    const { properties } = specSchema(readSpec('d!: Derived;', rest));
    expect(properties?.['d']?.properties).toEqual({ title: { type: 'string', description: 'Derived.', minLength: 1 } });
  });

  it.each([
    [
      "/** @enum 'TCP', 'X' */ value: Proto;",
      'CO1114 "X" is not among the values of its type: "TCP", "UDP" [spec.value]',
    ],
    [
      '/** @minimum 5\n * @maximum 3 */ value: number;',
      'CO1114 no value is left: minimum is 5 and maximum is 3 [spec.value]',
    ],
    [
      '/** @minLength 5\n * @maxLength 3 */ value: string;',
      'CO1114 no value is left: minLength is 5 and maxLength is 3 [spec.value]',
    ],
    [
      '/** @exclusiveMinimum 3\n * @maximum 3 */ value: number;',
      'CO1114 no value is left: minimum is 3 (exclusive) and maximum is 3 [spec.value]',
    ],
    [
      'value: "a" | null;',
      'CO1116 a value of an enum cannot be null: the API server lets no null through an enum [spec.value] (make the member optional in place of null, or add a value that means none)',
    ],
    ["/** @enum 'a', 1 */ value: string;", 'CO1115 1 is not a value of a string [spec.value]'],
    ['/** @enum 1.5 */ value: integer;', 'CO1115 1.5 is not a value of an integer [spec.value]'],
    [
      '/** @minimum 0.5 */ value: integer;',
      'CO1107 Minimum: a bound of an integer must be a whole number [spec.value]',
    ],
    ['/** @minimum 1 */ value: string;', 'CO1111 Minimum cannot apply to a string [spec.value]'],
    ['/** @minLength 1 */ value: number;', 'CO1111 MinLength cannot apply to a number [spec.value]'],
    ['/** @maxItems 1 */ value: Record<string, string>;', 'CO1111 MaxItems cannot apply to an object [spec.value]'],
    ["/** @mapType 'atomic' */ value: string[];", 'CO1111 MapType cannot apply to a list [spec.value]'],
    ['/** @items minLength(1) */ value: string;', 'CO1111 Items cannot apply to a string [spec.value]'],
    ['/** @maxLength 1 */ value: unknown;', 'CO1111 MaxLength cannot apply to any JSON value [spec.value]'],
  ])('refuses %s', (member, line) => {
    expect(lines(readSpec(member, proto, 'interface').diagnostics)).toEqual([line]);
  });
});

describe('free-form members (B06, B08, B09)', () => {
  const open = { 'x-kubernetes-preserve-unknown-fields': true };

  it('take types that cannot be expressed', () => {
    const members = `
      @m.PreserveUnknownFields() anything!: any;
      @m.PreserveUnknownFields() nodes?: Node[];
      @m.Schemaless() @m.PreserveUnknownFields() node!: Node;
      @m.EmbeddedResource() template!: KubernetesObject;
      @m.Enum(1, 2, 'auto') n!: number | string;`;
    const rest =
      "import type { KubernetesObject } from 'operator-runtime';\nclass Node { name!: string; children?: Node[] }";
    expect(specSchema(readSpec(members, rest)).properties).toEqual({
      anything: open,
      nodes: open,
      node: open,
      template: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
      n: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true, enum: [1, 2, 'auto'] },
    });
  });
});

describe('how markers are written', () => {
  it.each<readonly [title: string, member: string, lines: readonly string[]]>([
    [
      'a misspelt tag',
      '/** @minimun 1 */ a: number;',
      ["CO1103 '@minimun' is neither a marker nor a standard tag (did you mean @minimum?)"],
    ],
    [
      'an unknown tag',
      '/** @swimlane x */ a: number;',
      [
        "CO1103 '@swimlane' is neither a marker nor a standard tag (a tag of your own goes into 'allowedTags' of operator.json)",
      ],
    ],
    [
      'a marker of webhook classes on a member',
      `/** @webhookConfiguration { mutating: 'example-mutating' } */ a: number;`,
      ['CO1105 WebhookConfiguration cannot stand on a member (it stands on webhook classes)'],
    ],
    [
      '@required',
      '/** @required */ a: number;',
      [
        "CO1110 '@required' means nothing here: a member is optional when it has '?' or 'undefined' in its type, else required (write '?' behind the member's name, or nothing)",
      ],
    ],
    [
      'text behind the arguments',
      '/** @minimum 1 at least */ a: number;',
      [
        "CO1108 the arguments of '@minimum' cannot be read: ',' expected. (text belongs in front of the first tag; arguments are constant expressions, separated by commas)",
      ],
    ],
    [
      'text behind a marker without arguments',
      '/** @nullable always */ a: number;',
      [
        "CO1108 the arguments of '@nullable' cannot be read: it takes no arguments (text belongs in front of the first tag; arguments are constant expressions, separated by commas)",
      ],
    ],
    [
      'text on the next line',
      '/**\n * @minimum 1\n * at least\n */ a: number;',
      [
        "CO1108 the arguments of '@minimum' cannot be read: ',' expected. (text belongs in front of the first tag; arguments are constant expressions, separated by commas)",
      ],
    ],
    [
      'a marker twice',
      '/** @minimum 1\n * @minimum 2 */ a: number;',
      ['CO1106 Minimum stands twice here, and counts once'],
    ],
    [
      'a marker in the wrong place',
      '/** @statusSubresource */ a: number;',
      ['CO1105 StatusSubresource cannot stand on a member (it stands on kinds)'],
    ],
    [
      'a marker behind its member',
      'a: number; /** @minimum 1 */',
      ['CO1105 Minimum cannot stand on the line behind a member (put the comment in front of it)'],
    ],
    [
      'a wrong argument',
      "/** @minimum '1' */ a: number;",
      ["CO1107 @minimum: its argument 'minimum' must be a number"],
    ],
    ['a missing argument', '/** @minimum */ a: number;', ["CO1107 @minimum: its argument 'minimum' is missing"]],
    [
      'a default of null',
      '/** @default null */ a: number;',
      ['CO1107 Default: null cannot be a default [spec.a] (leave the marker out: an absent member has no value)'],
    ],
    [
      'a default inside of items',
      '/** @items default(1) */ a: number[];',
      ['CO1113 Default cannot stand inside Items'],
    ],
    [
      'a marker of Go',
      '// +kubebuilder:validation:Minimum=1\na: number;',
      [
        "CO1104 '+kubebuilder:validation:Minimum=1' is a marker of controller-gen, which is not read here (write the marker Minimum (@Minimum(...) or the tag @minimum))",
      ],
    ],
    [
      'a marker of Go in a doc comment',
      '/**\n * +optional\n */\na: number;',
      [
        "CO1104 '+optional' is a marker of controller-gen, which is not read here (write '?' behind the name of an optional member, and remove it)",
      ],
    ],
    [
      'a pasted tag of Go',
      '/**\n * @kubebuilder:validation:XValidation:rule="self > 0"\n */\na: number;',
      [
        'CO1104 \'@kubebuilder:validation:XValidation:rule="self > 0"\' is a marker of controller-gen, which is not read here (write the marker Validation (@Validation(...) or the tag @validation))',
      ],
    ],
    [
      'a one-of name that is not there',
      'a: One;',
      [
        "CO1117 AtMostOneOf names 'b', which is required [spec.a] (write '?' behind the member's name)",
        "CO1117 AtMostOneOf names 'c', which is not there [spec.a] (did you mean 'a'?)",
      ],
    ],
  ])('%s', (_, member, wanted) => {
    const rest = "/** @atMostOneOf 'c', 'b', 'a' */ interface One { a?: string; b: string }";
    const { diagnostics } = readSpec(member, wanted[0]?.includes('One') === true ? rest : '', 'interface');
    expect(lines(diagnostics)).toEqual(wanted);
  });

  it.each([
    '/** type Foo struct{ // +listType=map */ a!: number;',
    '/**\n * type Foo struct {\n *   // +optional\n * }\n */ a!: number;',
  ])('takes Go code in a description for what it is: %s', (member) => {
    expect(lines(readSpec(member).diagnostics)).toEqual([]);
  });

  it('lets standard tags and those of the project pass', () => {
    const source = `/** @resource { group: 'a.example.com', version: 'v1' }
      * @see the manual
      * @since 1.0 */
      export interface Thing {
        /** @remarks text: 'quotes {
         * @swimlane 3
         * @maxLength 3 */
        spec: string;
      }`;
    const result = readSources({ 'thing.ts': source }, { allowedTags: ['swimlane'] });
    expect(specSchema(result)).toEqual({ type: 'string', maxLength: 3 });
  });

  it('knows markers by their declaration (B33)', () => {
    const source = `
      import { Resource as R, MaxLength as Longest } from 'operator-runtime/markers';
      import * as markers from 'operator-runtime/markers';
      function Minimum(_: number) { return (_target: unknown, _key: unknown): void => {}; }
      class Spec { @Minimum(1) @Longest(3) a!: string; @markers.MinLength(1) b!: string; }
      @R({ group: 'a.example.com', version: 'v1' }) export class Thing { spec!: Spec }`;
    expect(specSchema(readSources({ 'thing.ts': source })).properties).toEqual({
      a: { type: 'string', maxLength: 3 },
      b: { type: 'string', minLength: 1 },
    });
  });

  it('belong to the first member where they stand behind the brace of its type', () => {
    const members = 'a: { /** @minimum 1 */\n n: number; m: number } /** @maximum 9 */ ; b?: number';
    const { diagnostics } = readSpec(members, '', 'interface');
    expect(lines(diagnostics)).toEqual([expect.stringContaining('Maximum cannot stand on a comment without')]);
    const spec = 'export interface Inner { /** First.\n * @minimum 1 */\n n: number; m: number }';
    expect(specSchema(readSpec('inner: Inner', spec, 'interface')).properties?.['inner']).toEqual({
      type: 'object',
      properties: { n: { type: 'number', description: 'First.', minimum: 1 }, m: { type: 'number' } },
      required: ['m', 'n'],
    });
  });

  it('on a type stand in place of its members, where they say so, and go no further than this type', () => {
    const rest = `
      /** @schema { type: 'string' } */ interface Replaced { a: Replaced }
      @m.Schemaless() class Open { next!: Open }
      interface Derived extends Open { b: string }`;
    expect(specSchema(readSpec('a!: Replaced; b!: Open[];', rest)).properties).toEqual({
      a: { type: 'string' },
      b: { type: 'array', items: {} },
    });
    expect(lines(readSpec('c!: Derived;', rest).diagnostics)).toEqual([]);
  });

  it.each([
    ["schema { type: 'object' }", 'Schema'],
    ['schemaless', 'Schemaless'],
    ['intOrString', 'IntOrString'],
  ])('cannot replace the members of a kind: @%s', (tag, name) => {
    const source = `/** @${tag}\n * @resource { group: 'a.example.com', version: 'v1' } */\nexport interface Thing { spec: { a: string } }`;
    expect(lines(readSources({ 'thing.ts': source }).diagnostics)).toEqual([
      `CO1111 ${name} cannot apply to a kind (put it on a member)`,
    ]);
  });

  it('of a number or a text cannot apply to an object type', () => {
    const rest = '/** @intOrString */ interface A { a: string }';
    expect(lines(readSpec('a!: A;', rest).diagnostics)).toEqual([
      'CO1111 IntOrString cannot apply to an object [spec.a]',
    ]);
  });

  it.each([[true], [false]])(
    'type-checks the decorators where experimentalDecorators is %s',
    (experimentalDecorators) => {
      const source = `
      import { Minimum, Default, Pattern } from 'operator-runtime/markers';
      export class Spec {
        @Minimum(1) @Default(3) size?: number;
        @Default(1) name!: string;
        @Pattern(/a/) port!: number | string;
      }
      /** @resource { group: 'a.example.com', version: 'v1' } */
      export interface Thing { spec: Spec }`;
      const { diagnostics } = readSources({ 'spec.ts': source }, { compilerOptions: { experimentalDecorators } });
      const errors = diagnostics.filter(({ code }) => code === 'CO1005' || code === 'CO1120');
      expect(errors.map(({ position }) => position?.line)).toContain(5);
      expect(errors.every(({ position }) => position?.line === 5)).toBe(true);
      expect(diagnostics.some(({ code }) => code === 'CO1006')).toBe(!experimentalDecorators);
    },
  );
});
