import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../model/index.ts';
import { pruneDefaults } from './default-pruning.ts';
import { validateDefaults } from './default-validation.ts';
import { decodeSchema } from './schema-decoder.ts';

function problems(properties: JsonObject): string[] {
  const schema = decodeSchema({ type: 'object', properties });
  return validateDefaults(schema, 'root', { requirePruned: true }).map((error) => error.message);
}

/** A property that is an embedded resource with this schema of its labels. */
function resource(label: JsonObject): JsonObject {
  const labels = { type: 'object', properties: { a: label } };
  return {
    x: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata: { type: 'object', properties: { labels } } },
    },
  };
}

const labelPath = 'root.properties[x].properties[metadata].properties[labels].properties[a].default';

describe('validateDefaults', () => {
  it.each<[string, JsonObject, string[]]>([
    ['one that fits', { a: { type: 'string', default: 'x' } }, []],
    [
      'one that breaks uniqueness',
      { a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, default: ['x', 'x'] } },
      [],
    ],
    [
      'one below additionalProperties',
      { a: { type: 'object', additionalProperties: { type: 'integer', default: 'x' } } },
      [],
    ],
    [
      'one that needs the defaults of its children',
      { a: { type: 'object', default: {}, required: ['b'], properties: { b: { type: 'string', default: 'x' } } } },
      ['root.properties[a].default.b: Required value'],
    ],
    ['a label', resource({ type: 'string', default: 'x' }), []],
    [
      'a label of the wrong type',
      resource({ type: 'integer', default: 5 }),
      [
        `${labelPath}: Invalid value: 5: must result in valid metadata: metadata: Invalid value: {"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
      ],
    ],
    [
      'an embedded resource without a kind',
      {
        x: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          default: { apiVersion: 'v1' },
        },
      },
      ['root.properties[x].default.kind: Required value'],
    ],
  ])('%s', (_title, properties, expected) => {
    expect(problems(properties)).toEqual(expected);
  });

  it('asks for rules with the place of the default', () => {
    const seen: [Json, string, boolean][] = [];
    const schema = decodeSchema({ type: 'object', properties: { a: { type: 'string', default: 'x' } } });
    validateDefaults(schema, 'root', {
      requirePruned: true,
      evaluateRules: (_schema, value, path, isResourceRoot) => {
        seen.push([value, path, isResourceRoot]);
        return [];
      },
    });
    expect(seen).toEqual([['x', 'root.properties[a].default', false]]);
  });
});

describe('pruneDefaults', () => {
  it('removes unknown fields of defaults, and wrong metadata', () => {
    const node = pruneDefaults(
      decodeSchema({
        type: 'object',
        properties: {
          a: { type: 'object', properties: { b: { type: 'string' } }, default: { b: 'x', c: 1 } },
          x: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
            default: { apiVersion: 'v1', kind: 'K', metadata: { name: 1, labels: { l: 'm' } } },
          },
        },
      }),
    );
    expect(JSON.stringify(node.properties.get('a')?.default)).toBe('{"b":"x"}');
    expect(JSON.stringify(node.properties.get('x')?.default)).toBe(
      '{"apiVersion":"v1","kind":"K","metadata":{"labels":{"l":"m"}}}',
    );
  });
});
