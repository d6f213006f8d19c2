import { describe, expect, it } from 'vitest';
import { FieldPathError, resolveFieldPath } from './field-path.ts';
import { decodeSchema } from './schema-decoder.ts';

const schema = decodeSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        'a.b': { type: 'string' },
        m: { type: 'object', additionalProperties: { type: 'integer' } },
        list: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
      },
    },
  },
});

describe('resolveFieldPath', () => {
  it.each([
    ['.spec.name', 'spec.name', 'string'],
    ['.spec.m.key', 'spec.m[key]', 'integer'],
    [".spec['a.b']", 'spec.a.b', 'string'],
    [".spec.m['it\\'s']", "spec.m[it's]", 'integer'],
  ])('follows %s', (path, shown, type) => {
    const resolved = resolveFieldPath(path, schema, { allowBrackets: true });
    expect([resolved.path, resolved.schema?.type, resolved.root]).toEqual([shown, type, 'spec']);
  });

  it.each([
    ['spec', 'expected [ or . but got: spec'],
    ['.spec.', 'unexpected end of JSON path'],
    ['.spec.other', 'does not refer to a valid field'],
    ['.spec.list.x', 'does not refer to a valid field'],
    ['.spec[0]', 'expected single quoted string but got 0'],
    [".spec['name'", 'unexpected end of JSON path'],
    [".spec['\\q']", 'invalid string literal: invalid escape char \\q'],
  ])('refuses %s', (path, message) => {
    expect(() => resolveFieldPath(path, schema, { allowBrackets: true })).toThrow(new FieldPathError(message));
  });

  it('refuses brackets where they are not allowed', () => {
    expect(() => resolveFieldPath(".spec['name']", schema, { allowBrackets: false })).toThrow(
      'array notation is not allowed',
    );
  });
});
