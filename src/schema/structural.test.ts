import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/index.ts';
import { decodeSchema } from './schema-decoder.ts';
import { findUnsupported, validateStructuralSchema } from './structural.ts';

function problems(schema: JsonObject): string[] {
  return validateStructuralSchema(decodeSchema(schema), 'root').map((error) => error.message);
}

function ofSpec(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { spec }, ...more };
}

describe('validateStructuralSchema', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a sound schema', ofSpec({ type: 'array', items: { type: 'string' } }), []],
    ['no type at the root', {}, ['root.type: Required value: must not be empty at the root']],
    [
      'another type at the root',
      { type: 'string' },
      ['root.type: Invalid value: "string": must be object at the root'],
    ],
    [
      'an array without items',
      ofSpec({ type: 'array' }),
      ['root.properties[spec].items: Required value: must be specified'],
    ],
    [
      'additionalProperties at the root',
      { type: 'object', additionalProperties: true },
      ['root.additionalProperties: Forbidden: must not be used at the root'],
    ],
    [
      'int-or-string that preserves',
      ofSpec({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }),
      [
        'root.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    [
      'an embedded resource that says nothing',
      ofSpec({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      [
        'root.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'metadata with labels',
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      [
        'root.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'metadata with a name',
      {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      },
      [],
    ],
    [
      'a clause of the root that names more than the root',
      ofSpec({ type: 'object' }, { anyOf: [{ properties: { spec: { required: ['a'] }, other: {} } }] }),
      ['root.properties[other]: Required value: because it is defined in root.anyOf[0].properties[other]'],
    ],
    ['such a clause further down', ofSpec({ type: 'object', anyOf: [{ properties: { other: {} } }] }), []],
    [
      'a clause that describes',
      ofSpec({ type: 'string', not: { title: 'x', default: 1 } }),
      [
        'root.properties[spec].not.default: Forbidden: must be undefined to be structural',
        'root.properties[spec].not.title: Forbidden: must be empty to be structural',
      ],
    ],
    ['a clause that closes', ofSpec({ type: 'object', oneOf: [{ additionalProperties: false }] }), []],
    [
      'int-or-string with more than the two types',
      ofSpec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }] }),
      [
        'root.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
        'root.properties[spec].anyOf[1].type: Forbidden: must be empty to be structural',
      ],
    ],
  ])('%s', (_title, schema, expected) => {
    expect(problems(schema)).toEqual(expected);
  });
});

describe('findUnsupported', () => {
  it.each<[JsonObject, string | undefined]>([
    [{ id: 'x' }, "OpenAPIV3Schema 'id' is not supported"],
    [{ properties: { a: { $schema: 'x' } } }, "OpenAPIV3Schema 'schema' is not supported"],
    [{ allOf: [{ items: [{}] }] }, "OpenAPIV3Schema 'items' must be a schema, but is an array"],
    [{ $ref: '' }, undefined],
    [{ definitions: {}, dependencies: {}, patternProperties: {} }, undefined],
  ])('%j: %s', (schema, problem) => {
    expect(findUnsupported(decodeSchema(schema))).toBe(problem);
  });
});
