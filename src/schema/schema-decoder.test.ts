import { describe, expect, it } from 'vitest';
import { Float, type Json } from '../model/index.ts';
import { DecodeError } from './go-decoder.ts';
import { decodeSchema } from './schema-decoder.ts';

describe('decodeSchema', () => {
  it('ignores nulls and what it does not know', () => {
    const node = decodeSchema({ type: null, default: null, foo: 1, maxLength: 3, additionalProperties: false });
    expect(node.default).toBeUndefined();
    expect([node.type, node.maxLength, node.additionalProperties]).toEqual(['', 3n, { allows: false }]);
  });

  it('sums up what is below', () => {
    const node = decodeSchema({ properties: { a: { items: { default: 1 } }, b: { 'x-kubernetes-list-type': 'set' } } });
    expect([node.hasDefaults, node.hasListTypes, node.hasEmbeddedResources]).toEqual([true, true, false]);
  });

  const prefix = 'json: cannot unmarshal ';
  it.each<[Json, string]>([
    ['x', `${prefix}string into Go value of type v1.JSONSchemaProps`],
    [{ type: ['string'] }, `${prefix}array into Go struct field JSONSchemaProps.type of type string`],
    [{ maxLength: 1.5 }, `${prefix}number 1.5 into Go struct field JSONSchemaProps.maxLength of type int64`],
    [{ maxLength: new Float(3) }, `${prefix}number 3.0 into Go struct field JSONSchemaProps.maxLength of type int64`],
    [{ exclusiveMinimum: 1 }, `${prefix}number into Go struct field JSONSchemaProps.exclusiveMinimum of type bool`],
    [
      { properties: { a: { required: 'x' } } },
      `${prefix}string into Go struct field JSONSchemaProps.properties.required of type []string`,
    ],
    [
      { items: { properties: 1 } },
      `${prefix}number into Go struct field JSONSchemaProps.items.properties of type map[string]v1.JSONSchemaProps`,
    ],
    [{ additionalProperties: 1 }, 'boolean or JSON schema expected'],
    // A type that decodes itself wins over a wrong type before it.
    [{ type: 1, items: { type: 2 } }, `${prefix}number into Go struct field JSONSchemaProps.items.type of type string`],
  ])('refuses %j', (schema, message) => {
    expect(() => decodeSchema(schema)).toThrow(DecodeError);
    expect(() => decodeSchema(schema)).toThrow(expect.objectContaining({ message }));
  });
});
