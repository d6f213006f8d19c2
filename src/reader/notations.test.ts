// The two notations have equal power: every marker of the registry, with all of its options, gives the same model in both.
import { describe, expect, it } from 'vitest';
import { type Marker, markers } from '../markers/index.ts';
import type { Model } from '../model/index.ts';
import { lines, readSources } from './testing/read-sources.ts';

/** Where a marker stands in a case: decorators stand on classes and their members only. */
type Target = 'kind' | 'property' | 'type' | 'reconciler' | 'webhook';

interface Case {
  readonly marker: string;
  readonly target: Target;
  /** As in both notations, but for nested markers. */
  readonly values: string;
  /** The type of the member, or the members of the type or kind, that the marker stands on. */
  readonly on: string;
}

const uses = (target: Target, on: string, all: Readonly<Record<string, string>>): Case[] =>
  Object.entries(all).map(([marker, values]) => ({ marker, target, values, on }));

const webhook = `name: 'vthing-v1.kb.io', groups: ['core', 'apps'], versions: ['v1'], resources: ['pods', 'pods/status'],
  verbs: ['create', 'update'], failurePolicy: 'Ignore', sideEffects: 'NoneOnDryRun', matchPolicy: 'Exact', timeoutSeconds: 5,
  admissionReviewVersions: ['v1', 'v1beta1'], scope: '*', objectSelector: { matchLabels: { 'a/b': 'c' } },
  namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
  matchConditions: [{ name: 'c', expression: 'true' }]`;
const service = "path: '/validate', serviceName: 's', serviceNamespace: 'n', servicePort: 8443";
const rule = `{ rule: 'true', message: 'm', messageExpression: "'x'", reason: 'FieldValueForbidden', fieldPath: '.a', optionalOldSelf: false }`;
const docs = "{ url: 'https://example.com', description: 'd' }";

const cases: readonly Case[] = [
  ...uses('kind', 'spec: Spec; status?: Spec;', {
    Resource: `{ group: 'b.example.com', version: 'v2', kind: 'Other', plural: 'them', singular: 'it', scope: 'Cluster',
      shortNames: ['o'], categories: ['all'], storage: true, served: true, deprecated: 'use v3' }`,
    StatusSubresource: '',
    ScaleSubresource:
      "{ specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.s' }",
    PrinterColumn: `{ name: 'N', type: 'integer', jsonPath: '.spec.n', description: 'd', format: 'int32', priority: 1 }`,
    SelectableField: "{ jsonPath: '.spec.s' }",
    Metadata: "{ labels: { 'a/b': 'c' }, annotations: { d: 'e: f' } }",
    Validation: rule,
    PreserveUnknownFields: '',
    Rbac: "{ verbs: ['get'], groups: ['core'], resources: ['pods'], resourceNames: ['a'], namespace: 'n', role: 'r' }",
  }),
  ...uses('reconciler', '', { Rbac: "{ urls: ['/metrics'], verbs: ['get'] }" }),
  ...uses('webhook', '', {
    ValidatingWebhook: `{ ${webhook}, ${service} }`,
    MutatingWebhook: `{ ${webhook}, ${service}, reinvocationPolicy: 'IfNeeded' }`,
    WebhookConfiguration: "{ mutating: 'm', validating: 'v' }",
  }),
  { marker: 'ValidatingWebhook', target: 'webhook', values: `{ ${webhook}, url: 'https://example.com' }`, on: '' },
  { marker: 'MutatingWebhook', target: 'webhook', values: `{ ${webhook}, url: 'https://example.com' }`, on: '' },
  ...uses('property', 'number', {
    Minimum: '-1.5',
    Maximum: '2 ** 4',
    ExclusiveMinimum: '0',
    ExclusiveMaximum: '1e3',
    MultipleOf: '0.5',
    Enum: '1, 2.5',
    Format: "'double'",
    Default: '3',
    Example: '1.5',
  }),
  ...uses('property', 'string', {
    MinLength: '1',
    MaxLength: '63',
    Pattern: String.raw`/^[a-z*\/]+$/i`,
    Validation: rule,
    Title: "'A title'",
    ExternalDocs: docs,
    Immutable: '',
    Ignore: '',
  }),
  ...uses('property', 'string[]', {
    MinItems: '1',
    MaxItems: '9',
    ListType: "'set'",
    Items: "minLength(1), enum('a', 'b'), pattern('^a')",
  }),
  ...uses('property', 'Record<string, string[]>', {
    MinProperties: '1',
    MaxProperties: '9',
    MapType: "'atomic'",
    Values: 'maxItems(3), items(maxLength(5))',
  }),
  { marker: 'ListType', target: 'property', values: "'map', 'k'", on: '{ k: string }[]' },
  ...uses('property', 'number | string', { IntOrString: '', Nullable: '' }),
  ...uses('property', 'object', {
    EmbeddedResource: '',
    Schemaless: '',
    DescriptionDepth: '1',
  }),
  { marker: 'PreserveUnknownFields', target: 'property', values: '', on: '{ a?: string }' },
  { marker: 'Schema', target: 'property', values: "{ type: 'array', items: { type: 'integer' } }", on: 'unknown' },
  ...uses('type', 'a?: string; b?: string;', {
    MinProperties: '1',
    MaxProperties: '2',
    MapType: "'granular'",
    PreserveUnknownFields: '',
    EmbeddedResource: '',
    Schemaless: '',
    Validation: rule,
    Immutable: '',
    Title: "'A title'",
    ExternalDocs: docs,
    Schema: "{ type: 'string' }",
    ExactlyOneOf: "'a', 'b'",
    AtMostOneOf: "'a', 'b'",
    AtLeastOneOf: "'a'",
  }),
];

/** `minLength(1), items(...)` of a tag as a decorator has it. */
const nested = (values: string): string => values.replace(/\b([a-z]\w*)\(/g, (_, name: string) => `m.${upper(name)}(`);
const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const isNested = (name: string): boolean => name === 'Items' || name === 'Values';

type Notation = 'decorators' | 'tags';

function mark(name: string, values: string, notation: Notation): string {
  if (notation === 'decorators') return `@m.${name}(${isNested(name) ? nested(values) : values}) `;
  const tag = name.charAt(0).toLowerCase() + name.slice(1);
  return `/** @${tag} ${values.replaceAll('*/', '*\\/')} */\n`;
}

function source({ marker, target, values, on }: Case, notation: Notation): string {
  const use = mark(marker, values, notation);
  const others =
    target !== 'kind' || marker === 'Resource'
      ? ''
      : mark('Resource', "{ group: 'a.example.com', version: 'v1' }", notation);
  const status = target === 'kind' && marker !== 'StatusSubresource' ? mark('StatusSubresource', '', notation) : '';
  const spec = 'export class Spec { /** Size. */ n?: number; s?: string; ignored?: string }';
  const kind = (members: string): string =>
    `/** @resource { group: 'a.example.com', version: 'v1' } */\nexport interface Thing { spec: { ${members} } }`;
  const head = "import * as m from 'operator-runtime/markers';";
  const sources: Readonly<Record<Target, string>> = {
    kind: `${head} ${spec}\n${others}${status}${use}export class Thing { ${on.replace('spec:', 'spec!:')} }`,
    reconciler: `${head}\n${use}export class Handler {}`,
    webhook: `${head}\n${use}export class Handler {}`,
    type: `${head}\n${use}class It { ${on} }\n${kind('it: It')}`,
    property: `${head}\nclass It { ${use}value?: ${on}; /** Other. */ other?: string }\n${kind('it: It')}`,
  };
  return sources[target];
}

/** A model without the places that it was read from. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'position' && name !== 'origin');
  return Object.fromEntries(members.map(([name, item]) => [name, plain(item)]));
}

function modelOf(each: Case, notation: Notation): Model {
  const { model, diagnostics } = readSources({ 'thing.ts': source(each, notation) });
  expect(lines(diagnostics)).toEqual([]);
  return model;
}

const unmarked = (each: Case): unknown => {
  const text = source(each, 'decorators').replace(mark(each.marker, each.values, 'decorators'), '');
  return plain(readSources({ 'thing.ts': text }).model);
};

describe('the notations', () => {
  it.each(cases)('say the same with $marker($values) on a $target', (each) => {
    const decorated = plain(modelOf(each, 'decorators'));
    expect(plain(modelOf(each, 'tags'))).toEqual(decorated);
    // And it says something: null is allowed by the type already, and there is one description.
    const idle = each.marker === 'DescriptionDepth' || each.marker === 'IntOrString';
    if (!idle) expect(decorated).not.toEqual(unmarked(each));
  });

  const placesOf = (marker: Marker): readonly string[] => marker.targets.filter((target) => target !== 'type');

  it.each(markers)('have a case for $name wherever it stands, with all that it takes', (marker) => {
    const own = cases.filter((each) => each.marker === marker.name);
    expect(own.length).toBeGreaterThan(0);
    expect(own.map(({ target }) => target)).toEqual(expect.arrayContaining([...placesOf(marker)]));
    for (const { type } of marker.parameters) {
      if (type.kind !== 'options') continue;
      const texts = own.map(({ values }) => values).join('\n');
      for (const option of Object.keys(type.members)) expect(texts).toMatch(new RegExp(`\\b${option}:`));
    }
  });
});
