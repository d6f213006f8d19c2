import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeWithoutManagedFields } from './managed-fields.ts';

const fields = [{ manager: 'a"]}\\', fieldsV1: { 'f:metadata': { 'k:{"a":"b"}': {} } } }];
const cut = (value: unknown, parents: 1 | 2 = 1): unknown =>
  JSON.parse(decodeWithoutManagedFields(Buffer.from(JSON.stringify(value)), parents));

describe('decodeWithoutManagedFields', () => {
  it.each<[string, object, object]>([
    ['first', { metadata: { managedFields: fields, name: 'x' } }, { metadata: { name: 'x' } }],
    ['last', { metadata: { name: 'x', managedFields: fields } }, { metadata: { name: 'x' } }],
    ['alone', { metadata: { managedFields: fields }, spec: 1 }, { metadata: {}, spec: 1 }],
    ['in the middle', { a: 1, metadata: { b: 1, managedFields: [], c: 'ü' } }, { a: 1, metadata: { b: 1, c: 'ü' } }],
  ])('%s', (_name, object, expected) => {
    expect(cut(object)).toEqual(expected);
    expect(cut({ type: 'ADDED', object }, 2)).toEqual({ type: 'ADDED', object: expected });
  });

  it.each<[string, object]>([
    ['none', { metadata: { name: 'x' } }],
    ['in the spec', { metadata: { name: 'x' }, spec: { managedFields: fields } }],
    [
      'in the metadata of a template',
      { metadata: { name: 'x' }, spec: { template: { metadata: { managedFields: fields } } } },
    ],
    ['at the top', { managedFields: fields, metadata: { name: 'x' } }],
    ['within metadata, but deeper', { metadata: { annotations: { managedFields: fields } } }],
    ['in a string', { metadata: { name: '"metadata":{"managedFields":[]' } }],
    ['not an array', { metadata: { managedFields: null } }],
  ])('leaves alone: %s', (_name, object) => {
    const text = JSON.stringify(object);
    expect(decodeWithoutManagedFields(Buffer.from(text), 1)).toBe(text);
  });

  it.each([
    '',
    '{',
    '{"metadata":{"managedFields":[{"a":"]',
    '{"metadata":{"managedFields":["x',
    ']]}',
    '{"metadata":{"a',
    'ü',
  ])('leaves what is no JSON to the parser: %s', (text) => {
    expect(decodeWithoutManagedFields(Buffer.from(text), 1)).toBe(text);
  });

  it('cuts the right one among several', () => {
    const object = {
      data: { metadata: { managedFields: fields } },
      metadata: { annotations: { x: '"managedFields":[' }, managedFields: fields, z: 1 },
    };
    expect(cut(object)).toEqual({ data: object.data, metadata: { annotations: object.metadata.annotations, z: 1 } });
  });

  it('equals deleting the member after parsing, for any object', () => {
    const key = fc.constantFrom('metadata', 'managedFields', 'object', 'x', '"managedFields":[');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (object) => {
        const expected = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
        const { metadata } = expected;
        if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) {
          const members = metadata as Record<string, unknown>;
          if (Array.isArray(members['managedFields'])) delete members['managedFields'];
        }
        expect(cut(object)).toEqual(expected);
      }),
    );
  });
});
