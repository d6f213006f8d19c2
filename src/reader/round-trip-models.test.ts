import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  Kind,
  Model,
  PolicyRule,
  PrinterColumn,
  Schema,
  SourcePosition,
  Version,
  Webhook,
} from '../model/index.ts';
import { compareText } from '../model/index.ts';
import { readFull, readLean } from './read.ts';
import { lines, optionsFor } from './testing/read-sources.ts';
import { sourcesOfModel } from './testing/source-of-model.ts';

const position: SourcePosition = { file: 'x.ts', line: 1, column: 1 };
const text = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .,:;'"\\*/{}()[\]-]{0,20}$/);
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}[a-z]$/);
const words = fc.uniqueArray(word, { maxLength: 3 });
const optional = { requiredKeys: [] };

const column: fc.Arbitrary<PrinterColumn> = fc.record(
  {
    name: text,
    type: fc.constantFrom('integer' as const, 'string' as const, 'date' as const),
    jsonPath: fc.constantFrom('.spec.a', '.status.n', '.metadata.creationTimestamp'),
    description: text,
    format: fc.constantFrom('int32', 'date-time'),
    priority: fc.nat(3),
    position: fc.constant(position),
  },
  { requiredKeys: ['name', 'type', 'jsonPath', 'position'] },
);

/** What a spec says is the business of the random schemas. */
const spec = fc.constantFrom<Schema>(
  { type: 'object', properties: new Map([['a', { type: 'string', minLength: 1 }]]), required: ['a'] },
  { type: 'object', properties: new Map([['b', { type: 'array', items: { type: 'integer', format: 'int32' } }]]) },
);

const version = fc
  .record({
    served: fc.boolean(),
    deprecated: fc.boolean(),
    warning: fc.option(text, { nil: undefined }),
    status: fc.boolean(),
    labelSelectorPath: fc.option(fc.constant('.status.s'), { nil: undefined }),
    scaled: fc.boolean(),
    columns: fc.array(column, { maxLength: 3 }),
    fields: fc.uniqueArray(fc.constantFrom('.spec.a', '.spec.b'), { maxLength: 2 }),
    schema: spec,
  })
  .map(({ served, deprecated, warning, status, labelSelectorPath, scaled, columns, fields, schema }): Version => ({
    name: '',
    served,
    storage: false,
    deprecated,
    ...(deprecated && warning !== undefined ? { deprecationWarning: warning } : {}),
    schema,
    statusSubresource: status,
    ...(scaled
      ? {
          scaleSubresource: {
            specReplicasPath: '.spec.n',
            statusReplicasPath: '.status.n',
            position,
            ...(labelSelectorPath === undefined ? {} : { labelSelectorPath }),
          },
        }
      : {}),
    printerColumns: columns,
    selectableFields: fields.map((jsonPath) => ({ jsonPath, position })),
    declaration: { file: 'x.ts', name: 'Declared' },
    position,
  }));

const kinds = fc
  .array(
    fc.record({
      group: fc.constantFrom('a.example.com', 'b.example.com'),
      scope: fc.constantFrom('Namespaced' as const, 'Cluster' as const),
      shortNames: words,
      categories: words,
      labels: fc.dictionary(word, text, { maxKeys: 2 }),
      annotations: fc.dictionary(word, text, { maxKeys: 2 }),
      names: fc.uniqueArray(fc.constantFrom('v1', 'v10', 'v1beta1', 'v2'), { minLength: 1, maxLength: 3 }),
      versions: fc.array(version, { minLength: 3, maxLength: 3 }),
      stored: fc.nat(2),
    }),
    { maxLength: 3 },
  )
  .map((all): Kind[] =>
    all
      .map(({ names, versions, stored, shortNames, labels, annotations, ...rest }, index): Kind => {
        const sorted = names.toSorted(compareText);
        const kind = `Kind${String.fromCharCode(65 + index)}`;
        return {
          ...rest,
          kind,
          listKind: `${kind}List`,
          plural: `plural${index}`,
          singular: `singular${index}`,
          // Kinds of one group share no names.
          shortNames: shortNames.map((name) => `${name}${index}`),
          labels: new Map(Object.entries(labels)),
          annotations: new Map(Object.entries(annotations)),
          versions: sorted.map((name, place): Version => {
            const isStored = place === stored % sorted.length;
            const one = versions[place] as Version;
            return { ...one, name, storage: isStored, served: one.served || isStored };
          }),
          position,
        };
      })
      .sort((a, b) => compareText(a.group, b.group) || compareText(a.kind, b.kind)),
  );

const rules = fc.array(
  fc.oneof(
    fc.record({ urls: fc.constant(['/metrics']), verbs: fc.constant(['get']) }),
    fc.record(
      {
        groups: fc.constantFrom(['', 'apps'], ['apps']),
        resources: fc.constantFrom(['pods'], ['pods/status', 'pods/log']),
        resourceNames: words,
        verbs: fc.constantFrom(['get'], ['list', 'watch']),
        namespace: word,
        role: word,
      },
      { requiredKeys: ['groups', 'resources', 'verbs'] },
    ),
  ),
  { maxLength: 4 },
);

function policyRule(given: object): PolicyRule {
  return { groups: [], resources: [], resourceNames: [], verbs: [], urls: [], ...given, position };
}

const selector = fc.record(
  {
    matchLabels: fc.dictionary(word, word, { maxKeys: 2 }),
    matchExpressions: fc.constant([{ key: 'k', operator: 'In' as const, values: ['a'] }]),
  },
  optional,
);

const webhook: fc.Arbitrary<Webhook> = fc
  .tuple(
    fc.constantFrom('Mutating' as const, 'Validating' as const),
    fc.oneof(
      fc.record(
        {
          path: fc.constant('/p'),
          serviceName: word,
          serviceNamespace: word,
          servicePort: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: ['path'] },
      ),
      fc.record({ url: fc.constant('https://example.com/p') }),
    ),
    fc.record(
      {
        scope: fc.constantFrom('*' as const, 'Cluster' as const, 'Namespaced' as const),
        matchPolicy: fc.constantFrom('Exact' as const, 'Equivalent' as const),
        timeoutSeconds: fc.integer({ min: 1, max: 30 }),
        objectSelector: selector,
        namespaceSelector: selector,
      },
      optional,
    ),
    fc.record({
      name: word.map((each) => `${each}.kb.io`),
      groups: fc.constantFrom([''], ['apps', 'batch']),
      versions: fc.constantFrom(['v1'], ['*']),
      resources: fc.constantFrom(['pods'], ['*/*']),
      verbs: fc.constantFrom(['create'], ['update', 'delete'], ['*']),
      failurePolicy: fc.constantFrom('Fail' as const, 'Ignore' as const),
      sideEffects: fc.constantFrom('None' as const, 'NoneOnDryRun' as const),
      admissionReviewVersions: fc.constantFrom(['v1'], ['v1', 'v1beta1']),
      matchConditions: fc.array(fc.record({ name: word, expression: text }), { maxLength: 2 }),
    }),
    fc.constantFrom('Never' as const, 'IfNeeded' as const, undefined),
  )
  .map(([type, endpoint, some, all, reinvocationPolicy]): Webhook => ({
    ...endpoint,
    ...some,
    ...all,
    ...(type === 'Mutating' && reinvocationPolicy !== undefined ? { reinvocationPolicy } : {}),
    type,
    position,
  }));

const models: fc.Arbitrary<Model> = fc.record({
  kinds,
  policyRules: rules.map((all) => all.map(policyRule)),
  webhooks: fc.array(webhook, { maxLength: 3 }),
  webhookConfigurations: fc.array(
    fc.record({ mutating: word, validating: word, position: fc.constant(position) }, { requiredKeys: ['position'] }),
    { maxLength: 2 },
  ),
});

/** A model without the places that it comes from; of a version's schema the spec. */
function facts(value: unknown): unknown {
  if (value instanceof Map) return { map: [...value].map(([name, item]) => [name, facts(item)]) };
  if (Array.isArray(value)) return value.map(facts);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !['position', 'origin', 'declaration'].includes(name));
  return Object.fromEntries(members.map(([name, item]) => [name, facts(item)]));
}

/** As the reader has it: the schema of the spec in that of the whole object. */
function withSpecs(model: Model): Model {
  return {
    ...model,
    kinds: model.kinds.map((kind) => ({
      ...kind,
      versions: kind.versions.map((each) => ({ ...each, schema: each.schema.properties?.get('spec') ?? {} })),
    })),
  };
}

describe('random models', () => {
  it('are read from their TypeScript as they were, in both notations, with and without the whole library', () => {
    fc.assert(
      fc.property(models, fc.constantFrom('decorators' as const, 'tags' as const), (model, notation) => {
        const options = optionsFor(sourcesOfModel(model, notation));
        const full = readFull(options);
        expect(lines(full.diagnostics)).toEqual([]);
        expect(facts(withSpecs(full.model))).toEqual(facts(model));
        expect(readLean(options)).toMatchObject({ model: full.model, diagnostics: [] });
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
