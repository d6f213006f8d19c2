import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../model/index.ts';
import { defaultDefinition } from './definition-defaults.ts';
import { validateDefinition } from './definition-validation.ts';
import { invalid } from './field-error.ts';
import { DecodeError } from './go-decoder.ts';

const emptySchema: JsonObject = { type: 'object', properties: {} };

function definition(spec: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com', resourceVersion: '1' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1')],
      ...spec,
    },
    ...more,
  };
}

function version(name: string, more: JsonObject = {}): JsonObject {
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: emptySchema }, ...more };
}

/** A definition with this schema of `spec.v`. */
function withSchema(schema: Json): JsonObject {
  const spec = { type: 'object', properties: { v: schema } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return definition({ versions: [version('v1', { schema: { openAPIV3Schema } })] });
}

function messages(value: JsonObject, old?: JsonObject): string[] {
  return validateDefinition(value, old === undefined ? {} : { old })
    .errors.map((error) => error.message)
    .sort();
}

const path = 'spec.validation.openAPIV3Schema.properties[spec].properties[v]';

describe('defaultDefinition', () => {
  it('fills in names, conversion, ports and the stored version', () => {
    const service = { name: 's', namespace: 'n' };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service } } };
    const defaulted = JSON.parse(JSON.stringify(defaultDefinition(definition({ conversion })))) as JsonObject;
    expect(defaulted).toMatchObject({
      spec: {
        names: { singular: 'thing', listKind: 'ThingList' },
        conversion: { webhook: { clientConfig: { service: { port: 443 } } } },
      },
      status: { storedVersions: ['v1'] },
    });
    expect(defaultDefinition(definition())['spec']).toMatchObject({ conversion: { strategy: 'None' } });
  });

  it('leaves malformed parts to the decoder', () => {
    expect(defaultDefinition({ spec: 'x', status: 1 })).toMatchObject({ spec: 'x', status: 1 });
  });
});

describe('validateDefinition', () => {
  it('accepts a definition', () => {
    expect(validateDefinition(definition())).toEqual({ errors: [], warnings: [] });
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'a group without a dot',
      { group: 'example' },
      ['should be a domain with at least one dot', 'must be spec.names.plural'],
    ],
    [
      'an unknown scope',
      { scope: 'namespaced' },
      ['Unsupported value: "namespaced": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'no storage version',
      { versions: [version('v2')] },
      ['must have exactly one version marked as storage version', 'must have at least one stored version'],
    ],
    [
      'kind and list kind alike',
      { names: { plural: 'things', kind: 'Thing', listKind: 'Thing' } },
      ['kind and listKind may not be the same'],
    ],
    [
      'a warning of a version that is not deprecated',
      { versions: [version('v1', { deprecationWarning: 'x' })] },
      ['can only be set for deprecated versions'],
    ],
    [
      'a column without a path',
      { versions: [version('v1', { additionalPrinterColumns: [{ name: 'A', type: 'string' }] })] },
      ['spec.additionalPrinterColumns[0].JSONPath: Required value'],
    ],
    [
      'a scale path outside of the spec',
      {
        versions: [
          version('v1', { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.r' } } }),
        ],
      },
      ['should be a json path under .spec'],
    ],
    [
      'a webhook without https',
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://a' } },
        },
      },
      ["'https' is the only allowed URL scheme"],
    ],
    [
      'a webhook of no known review version',
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v2'], clientConfig: { url: 'https://a' } },
        },
      },
      ['must include at least one of v1, v1beta1'],
    ],
    [
      'a URL that is none',
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a b' } },
        },
      },
      ['parse "https://a b": invalid character " " in host name'],
    ],
  ])('refuses %s', (_title, spec, details) => {
    const found = messages(definition(spec));
    for (const detail of details) expect(found).toContainEqual(expect.stringContaining(detail));
    expect(found).toHaveLength(details.length);
  });

  it.each<[string, Json, string[]]>([
    ['no type', {}, [`${path}.type: Required value: must not be empty for specified object fields`]],
    [
      'a pattern that is none',
      { type: 'string', pattern: '(' },
      [
        `${path}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      ],
    ],
    [
      'a type inside of a junctor',
      { type: 'string', anyOf: [{ type: 'string' }] },
      [`${path}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'a wrong default',
      { type: 'integer', default: 'x' },
      [`${path}.default: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'a default with unknown fields',
      { type: 'object', properties: {}, default: { a: 1 } },
      [`${path}.default: Invalid value: {"a":1}: must not have unknown fields`],
    ],
    [
      'a set of granular objects',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
      [
        `${path}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      'unique items',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      [
        `${path}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'a rule without an expression',
      { type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] },
      [`${path}.x-kubernetes-validations[0].rule: Required value: rule is not specified`],
    ],
  ])('refuses a schema with %s', (_title, schema, expected) => {
    expect(messages(withSchema(schema))).toEqual(expected);
  });

  it('accepts the pattern of int-or-string', () => {
    const anyOf = [{ type: 'integer' }, { type: 'string' }];
    expect(messages(withSchema({ 'x-kubernetes-int-or-string': true, anyOf }))).toEqual([]);
    expect(messages(withSchema({ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf }, { pattern: 'a' }] }))).toEqual(
      [],
    );
  });

  it('refuses what does not fit the Go types before it validates', () => {
    expect(() => validateDefinition(withSchema({ type: 'string', maxLength: 1.5 }))).toThrow(DecodeError);
    expect(() => validateDefinition(definition({ names: 1 }))).toThrow(
      'json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.names of type v1.CustomResourceDefinitionNames',
    );
  });

  it('needs an approval for groups of the community', () => {
    const metadata = { name: 'things.x.k8s.io' };
    expect(messages({ ...definition({ group: 'x.k8s.io' }), metadata })).toEqual([
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ]);
    const annotations = { 'api-approved.kubernetes.io': 'https://example.com/1' };
    expect(messages({ ...definition({ group: 'x.k8s.io' }), metadata: { ...metadata, annotations } })).toEqual([]);
  });
});

describe('updates', () => {
  const established = { status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] } };

  it('keep what is established', () => {
    const changed = definition({ scope: 'Cluster', names: { plural: 'things', kind: 'Other' } }, established);
    expect(messages(changed, definition({}, established))).toEqual([
      'spec.names.kind: Invalid value: "Other": field is immutable',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
    expect(messages(changed, definition())).toEqual([]);
  });

  it('need the version of what is stored', () => {
    const metadata = { name: 'things.example.com' };
    expect(messages({ ...definition(), metadata }, definition())).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    ]);
  });

  it.each<[string, Json, number]>([
    ['sets of granular objects', { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }, 0],
    ['defaults with unknown fields', { type: 'object', properties: {}, default: { a: 1 } }, 0],
    ['wrong defaults', { type: 'integer', default: 'x' }, 1],
    ['missing types', {}, 1],
  ])('may keep %s or not', (_title, schema, count) => {
    expect(messages(withSchema(schema))).toHaveLength(1);
    expect(messages(withSchema(schema), withSchema(schema))).toHaveLength(count);
  });
});

describe('warnings', () => {
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'array', items: { type: 'string' } } };

  it('name formats that are not checked, and sets of lists', () => {
    const setWarning =
      'x-kubernetes-list-type: set for items of type "array" is not supported by server-side apply or CEL validation rules';
    expect(validateDefinition(withSchema({ type: 'string', format: 'foo' })).warnings).toEqual([
      'unrecognized format "foo"',
    ]);
    expect(validateDefinition(withSchema(set)).warnings).toEqual([setWarning]);
    expect(validateDefinition(withSchema(set), { old: withSchema(set) }).warnings).toEqual([]);
  });
});

describe('rules', () => {
  const rules = [{ rule: 'true' }];

  it('are checked by the hook, with the schema as it stands in the definition', () => {
    const seen: [JsonObject, string][] = [];
    const value = withSchema({ type: 'string', 'x-kubernetes-validations': rules });
    const error = invalid(`${path}.x-kubernetes-validations[0].rule`, 'true', 'is wrong');
    const { errors } = validateDefinition(value, {
      checkRules: (schema, at) => {
        seen.push([schema, at]);
        return [error];
      },
    });
    expect(errors).toEqual([error]);
    expect(seen.map(([, at]) => at)).toEqual(['spec.validation.openAPIV3Schema']);
    expect(seen[0]?.[0]).toMatchObject({
      properties: { spec: { properties: { v: { 'x-kubernetes-validations': rules } } } },
    });
  });

  it('are not checked where the schema is wrong otherwise', () => {
    const value = withSchema({
      type: 'array',
      items: { type: 'string' },
      uniqueItems: true,
      'x-kubernetes-validations': rules,
    });
    const error = invalid(`${path}.x-kubernetes-validations[0].rule`, 'true', 'is wrong');
    expect(validateDefinition(value, { checkRules: () => [error] }).errors).toHaveLength(1);
  });

  it('are evaluated on defaults that are valid otherwise', () => {
    const value = withSchema({ type: 'string', default: 'x', 'x-kubernetes-validations': rules });
    const { errors } = validateDefinition(value, {
      evaluateRules: (_schema, found, at) => [invalid(at, found, 'is wrong')],
    });
    expect(errors.map((error) => error.message)).toEqual([`${path}.default: Invalid value: "x": is wrong`]);
  });
});
