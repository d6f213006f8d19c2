// What is refused about schemas and kinds, each beside the definition that says the same, so that a real API server can be asked
// whether it refuses that, too (test/conformance/kubernetes/refusals.test.ts; its answers stand in fixtures/refusals.json).

type Json = Readonly<Record<string, unknown>>;

/** Who else refuses what we refuse. */
export type Agreement =
  /** The API server refuses the definition. */
  | { readonly by: 'server' }
  /** controller-gen has an error for it; the API server takes the definition, in which nothing is left of it. */
  | { readonly by: 'controller-gen'; readonly says: string }
  /** Nobody: why we are stricter. */
  | { readonly by: 'us'; readonly because: string };

export interface Refusal {
  readonly code: string;
  readonly what: string;
  /** The text of the members of a spec, or of a whole file where it has a kind. */
  readonly source: string;
  readonly agreement: Agreement;
  /** What stands for the spec in the definition, or the definition's own parts; left out where generate's own definition is meant. */
  readonly spec?: Json;
  readonly definition?: Json;
}

const server: Agreement = { by: 'server' };
const us = (because: string): Agreement => ({ by: 'us', because });
const controllerGen = (says: string): Agreement => ({ by: 'controller-gen', says });
const noValue = us('no value could ever be right, so that it must be a mistake');
const nowhere = us('a path that leads nowhere shows and selects nothing, for ever');

const member = (schema: Json): Json => ({ type: 'object', properties: { x: schema } });
const text = { type: 'string' };
const version = (name: string, rest: Json = {}): Json => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...rest,
});
const kind = (options: string, rest = '', name = 'Thing'): string => `
/** @resource { group: 'refusals.example.com', ${options} }
${rest} */
export interface ${name} { spec: { x: string }; status?: { n?: number } }`;

/** Of types that no schema can express. */
const types: readonly Refusal[] = [
  { code: 'CO1201', what: 'any', source: 'x: any', spec: member({}), agreement: server },
  {
    code: 'CO1202',
    what: 'a tuple',
    source: 'x: [string, number]',
    spec: member({ type: 'array', items: [text, { type: 'number' }] }),
    agreement: server,
  },
  {
    code: 'CO1203',
    what: 'a recursive type',
    source: 'x: Tree',
    spec: member({ type: 'object', properties: { children: { type: 'array', items: { $ref: '#/x' } } } }),
    agreement: server,
  },
  {
    code: 'CO1204',
    what: 'a type that no value has',
    source: 'x: string & number',
    spec: member({ type: 'string', not: {} }),
    agreement: noValue,
  },
  {
    code: 'CO1205',
    what: 'a type of the language',
    source: 'x: Map<string, string>',
    spec: member({}),
    agreement: server,
  },
  {
    code: 'CO1206',
    what: 'a union of a text and an object',
    source: 'x: string | { a: string }',
    spec: member({ oneOf: [text, { type: 'object' }] }),
    agreement: server,
  },
  {
    code: 'CO1208',
    what: 'named members beside an index signature',
    source: 'x: { a: string; [name: string]: string }',
    spec: member({ type: 'object', properties: { a: text }, additionalProperties: text }),
    agreement: server,
  },
  {
    code: 'CO1210',
    what: 'a recursive type of Kubernetes',
    source: "x: import('operator-runtime/apis/apiextensions/v1').JSONSchemaProps",
    spec: member({ type: 'object', properties: { not: { $ref: '#/x' } } }),
    agreement: server,
  },
  {
    code: 'CO1213',
    what: 'a union whose members of one name have two types',
    source: "x: { kind: 'a'; value: string } | { kind: 'b'; value: boolean }",
    spec: member({
      type: 'object',
      oneOf: [{ properties: { value: text } }, { properties: { value: { type: 'boolean' } } }],
    }),
    agreement: server,
  },
  {
    code: 'CO1214',
    what: 'a rule on one type of a union',
    source: "x: Ruled | { kind: 'b' }",
    spec: member({
      type: 'object',
      properties: { kind: text },
      oneOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }, {}],
    }),
    agreement: server,
  },
  {
    code: 'CO1215',
    what: 'a default in one type of a union',
    source: "x: { kind: 'a'; /** @default 'v' */ value?: string } | { kind: 'b' }",
    spec: member({
      type: 'object',
      properties: { kind: text, value: text },
      oneOf: [{ properties: { value: { default: 'v' } } }, {}],
    }),
    agreement: server,
  },
];

/** Of markers that do not fit what they stand on. */
const markers: readonly Refusal[] = [
  {
    code: 'CO1111',
    what: 'a bound of numbers on a text',
    source: '/** @minimum 1 */ x: string',
    spec: member({ type: 'string', minimum: 1 }),
    agreement: controllerGen('must apply minimum to a numeric value, found string'),
  },
  {
    code: 'CO1111',
    what: 'a list type on a text',
    source: "/** @listType 'set' */ x: string",
    spec: member({ type: 'string', 'x-kubernetes-list-type': 'set' }),
    agreement: server,
  },
  {
    code: 'CO1107',
    what: 'a bound of an integer that is no whole number',
    source: '/** @minimum 1.5 */ x: integer',
    spec: member({ type: 'integer', minimum: 1.5 }),
    agreement: controllerGen('cannot apply non-integral minimum validation (1.500000) to integer value'),
  },
  {
    code: 'CO1114',
    what: 'a minimum above the maximum',
    source: '/** @minimum 5\n * @maximum 3 */ x: number',
    spec: member({ type: 'number', minimum: 5, maximum: 3 }),
    agreement: noValue,
  },
  {
    code: 'CO1115',
    what: 'a member of an enum that is of another type',
    source: "/** @enum 1, 'a' */ x: string",
    spec: member({ type: 'string', enum: [1, 'a'] }),
    agreement: noValue,
  },
  {
    code: 'CO1116',
    what: 'null beside an enum',
    source: "x: 'a' | null",
    spec: member({ type: 'string', nullable: true, enum: ['a'] }),
    agreement: us('the API server lets no null through an enum, whatever nullable says'),
  },
  {
    code: 'CO1117',
    what: 'a one-of marker that names what is not there',
    source: 'x: One',
    spec: member({
      type: 'object',
      properties: { a: text },
      'x-kubernetes-validations': [{ rule: '(has(self.a)?1:0)+(has(self.b)?1:0) == 1' }],
    }),
    agreement: server,
  },
];

/** Of whole kinds. */
const kinds: readonly Refusal[] = [
  {
    code: 'CO1303',
    what: 'a version that is no name',
    source: kind("version: '1.0'"),
    definition: { versions: [version('1.0', { storage: true })] },
    agreement: server,
  },
  {
    code: 'CO1304',
    what: 'one version twice',
    source: kind("version: 'v1', kind: 'Thing'", '', 'A') + kind("version: 'v1', kind: 'Thing'", '', 'B'),
    definition: { versions: [version('v1', { storage: true }), version('v1')] },
    agreement: server,
  },
  {
    code: 'CO1305',
    what: 'no storage version',
    source: kind("version: 'v1', kind: 'Thing'", '', 'A') + kind("version: 'v2', kind: 'Thing'", '', 'B'),
    definition: { versions: [version('v1'), version('v2')] },
    agreement: server,
  },
  {
    code: 'CO1305',
    what: 'two storage versions',
    source:
      kind("version: 'v1', kind: 'Thing', storage: true", '', 'A') +
      kind("version: 'v2', kind: 'Thing', storage: true", '', 'B'),
    definition: { versions: [version('v1', { storage: true }), version('v2', { storage: true })] },
    agreement: server,
  },
  {
    code: 'CO1306',
    what: 'no version that is served',
    source: kind("version: 'v1', served: false"),
    definition: { versions: [version('v1', { storage: true, served: false })] },
    agreement: controllerGen('CRD for Thing.refusals.example.com with version(s) [v1] does not serve any version'),
  },
  {
    code: 'CO1307',
    what: 'versions that disagree about the scope',
    source:
      kind("version: 'v1', kind: 'Thing', storage: true", '', 'A') +
      kind("version: 'v2', kind: 'Thing', scope: 'Cluster'", '', 'B'),
    definition: { versions: [version('v1', { storage: true }), version('v2')] },
    agreement: us('a definition has one scope; controller-gen takes that of one version by chance'),
  },
  {
    code: 'CO1308',
    what: 'a status subresource without a status',
    source: `/** @resource { group: 'refusals.example.com', version: 'v1' }
 * @statusSubresource */
export interface Thing { spec: { x: string } }`,
    definition: { versions: [version('v1', { storage: true, subresources: { status: {} } })] },
    agreement: us('nothing could ever be written there'),
  },
  {
    code: 'CO1311',
    what: 'two kinds of a group with one plural',
    source: kind("version: 'v1', plural: 'same'", '', 'One') + kind("version: 'v1', plural: 'same'", '', 'Two'),
    definition: { versions: [version('v1', { storage: true })] },
    agreement: us('the second definition would replace the first, which has its name'),
  },
];

const schema = (json: string): string => `/** @schema ${json} */ x?: unknown`;
const column = (jsonPath: string): string =>
  kind("version: 'v1'", ` * @printerColumn { name: 'X', type: 'string', jsonPath: '${jsonPath}' }`);
const scale = (spec: string): string =>
  kind(
    "version: 'v1'",
    ` * @statusSubresource
 * @scaleSubresource { specReplicasPath: '${spec}', statusReplicasPath: '.status.n' }`,
  );

/** Of schemas that could be read: the definition is generate's own. */
const checks: readonly Refusal[] = [
  {
    code: 'CO2001',
    what: 'bounds inside of a written schema that leave no value',
    source: schema("{ type: 'array', items: { type: 'integer', minimum: 3, maximum: 2 } }"),
    agreement: noValue,
  },
  { code: 'CO2002', what: 'an empty enum', source: schema("{ type: 'string', enum: [] }"), agreement: noValue },
  {
    code: 'CO2003',
    what: 'a member of an enum of a written schema that is of another type',
    source: schema("{ type: 'string', enum: [1] }"),
    agreement: noValue,
  },
  {
    code: 'CO2004',
    what: 'null beside an enum inside of a written schema',
    source: schema("{ type: 'array', items: { type: 'string', nullable: true, enum: ['a'] } }"),
    agreement: us('the API server lets no null through an enum, whatever nullable says'),
  },
  { code: 'CO2010', what: 'a column whose path is none', source: column('.spec['), agreement: nowhere },
  { code: 'CO2011', what: 'a column of a member that is not there', source: column('.spec.y'), agreement: nowhere },
  {
    code: 'CO2012',
    what: 'a scale of a member that is no number',
    source: scale('.spec.x'),
    agreement: us('kubectl scale would write a number into a text'),
  },
  {
    code: 'CO2011',
    what: 'a scale of a member that is not there',
    source: scale('.spec.none'),
    agreement: nowhere,
  },
  {
    code: 'CO2050',
    what: 'a list map without its key',
    source: "/** @listType 'map', 'name' */ x?: { nam: string }[]",
    agreement: server,
  },
  {
    code: 'CO2052',
    what: 'a list map whose key is optional',
    source: "/** @listType 'map', 'name' */ x?: { name?: string }[]",
    agreement: server,
  },
  {
    code: 'CO2050',
    what: 'a list map whose key is no scalar',
    source: "/** @listType 'map', 'name' */ x?: { name: { a: string } }[]",
    agreement: server,
  },
  {
    code: 'CO2050',
    what: 'a set of objects that are not atomic',
    source: "/** @listType 'set' */ x?: { name: string }[]",
    agreement: server,
  },
  {
    code: 'CO2050',
    what: 'a pattern that RE2 refuses',
    source: '/** @pattern /(?=a)/ */ x?: string',
    agreement: server,
  },
  {
    code: 'CO2050',
    what: 'a type in a branch',
    source: schema("{ type: 'object', oneOf: [{ type: 'object' }] }"),
    agreement: server,
  },
  {
    code: 'CO2050',
    what: 'a selectable field that is not there',
    source: kind("version: 'v1'", " * @selectableField { jsonPath: '.spec.y' }"),
    agreement: server,
  },
  {
    code: 'CO1303',
    what: 'a plural that is no name',
    source: kind("version: 'v1', plural: 'Things'"),
    agreement: server,
  },
  { code: 'CO2052', what: 'a default of another type', source: "/** @default 'a' */ x?: integer", agreement: server },
  {
    code: 'CO2052',
    what: 'a default below the minimum',
    source: '/** @default 1\n * @minimum 2 */ x?: integer',
    agreement: server,
  },
  {
    code: 'CO2052',
    what: 'a default that lacks a member',
    source: '/** @default {} */ x?: { a: string }',
    agreement: server,
  },
  {
    code: 'CO2052',
    what: 'a default with a member that is not declared',
    source: '/** @default { b: 1 } */ x?: { a?: string }',
    agreement: server,
  },
  {
    code: 'CO2053',
    what: 'a rule that does not parse',
    source: "/** @validation { rule: 'self ==' } */ x?: string",
    agreement: server,
  },
  {
    code: 'CO2053',
    what: 'a rule whose types do not fit',
    source: "/** @validation { rule: 'self == 1' } */ x?: string",
    agreement: server,
  },
  {
    code: 'CO2053',
    what: 'a rule that costs too much',
    source: "/** @validation { rule: 'self.all(a, self.all(b, a.contains(b)))' } */ x?: string[]",
    agreement: server,
  },
];

export const refusals: readonly Refusal[] = [...types, ...markers, ...kinds, ...checks];

/** What a source stands for: itself where it has a kind, else a kind with these members in its spec. */
export function sourceOf({ source }: Refusal): string {
  if (source.includes('@resource')) return source;
  return `import type { integer } from 'operator-runtime';
interface Tree { children?: Tree[] }
/** @exactlyOneOf 'a', 'b' */
interface One { a?: string }
/** @validation { rule: 'true' } */
interface Ruled { kind: 'a' }
/** @resource { group: 'refusals.example.com', version: 'v1' } */
export interface Thing { spec: { ${source} } }`;
}

/** The definition that says the same; undefined where generate makes it. */
export function definitionOf({ spec, definition }: Refusal): Json | undefined {
  if (spec === undefined && definition === undefined) return undefined;
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.refusals.example.com' },
    spec: {
      group: 'refusals.example.com',
      names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
      scope: 'Namespaced',
      ...(definition ?? { versions: [version('v1', { storage: true, schema: { openAPIV3Schema } })] }),
    },
  };
}

/** What the API server said of a definition. */
export interface Verdict {
  readonly code: string;
  readonly what: string;
  readonly accepted: boolean;
  /** Field and message of each cause. */
  readonly causes: readonly string[];
}
