import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Float, type Json, type JsonObject, jsonObject } from '../model/index.ts';
import { compileSchema } from './compiled-schema.ts';
import { equalJson, parseJson, stringifyJson } from './json.ts';

/** A schema with these properties of `spec`. */
function schemaOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { spec: { type: 'object', properties, ...more } } };
}

function object(spec: Json): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'thing' }, spec };
}

function messages(schema: JsonObject, spec: Json, old?: Json): string[] {
  const options = old === undefined ? {} : { old: object(old) };
  return compileSchema(schema)
    .validate(object(spec), options)
    .map((error) => error.message)
    .sort();
}

/** Plain text of what a request becomes: objects without a prototype do not compare as others do. */
function admitted(schema: JsonObject, spec: Json): [spec: string, unknown: readonly string[], errors: string[]] {
  const result = compileSchema(schema).admit(object(spec));
  if ('problem' in result) throw new Error(result.problem);
  return [
    stringifyJson(result.object['spec'] ?? null),
    result.unknownFields,
    result.errors.map((error) => error.message),
  ];
}

describe('defaults', () => {
  const schema = schemaOf({
    a: { type: 'integer', default: 1 },
    n: { type: 'string', nullable: true, default: 'x' },
    inner: { type: 'object', properties: { b: { type: 'string', default: 'y' } } },
    made: { type: 'object', default: {}, properties: { c: { type: 'boolean', default: true } } },
    list: { type: 'array', items: { type: 'object', properties: { d: { type: 'integer', default: 2 } } } },
    map: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { e: { type: 'integer', default: 3 } } },
    },
  });

  it('fills in what is missing, inside of what is there', () => {
    expect(admitted(schema, {})[0]).toBe('{"a":1,"n":"x","made":{"c":true}}');
    expect(admitted(schema, { inner: {}, list: [{}, { d: 9 }], map: { k: {} } })[0]).toBe(
      '{"inner":{"b":"y"},"list":[{"d":2},{"d":9}],"map":{"k":{"e":3}},"a":1,"n":"x","made":{"c":true}}',
    );
  });

  it('replaces null only where it is not allowed', () => {
    expect(admitted(schema, { a: null, n: null })[0]).toBe('{"a":1,"n":null,"made":{"c":true}}');
  });

  it('does not change what it is given', () => {
    const given = object(parseJson('{"inner":{},"list":[{}]}'));
    const before = stringifyJson(given);
    compileSchema(schema).admit(given);
    expect(stringifyJson(given)).toBe(before);
  });
});

describe('nulls', () => {
  const schema = schemaOf({
    a: { type: 'string' },
    n: { type: 'string', nullable: true },
    list: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
  });

  it('are dropped from members and map values that do not allow them, and refused in lists', () => {
    expect(admitted(schema, { a: null, n: null, map: { k: null, l: 'x' } })[0]).toBe('{"n":null,"map":{"l":"x"}}');
    expect(admitted(schema, { list: [null] })[2]).toEqual([
      'spec.list[0]: Invalid value: "null": spec.list[0] in body must be of type string: "null"',
    ]);
  });
});

describe('pruning', () => {
  const schema = schemaOf({
    a: { type: 'object', properties: { b: { type: 'string' } } },
    list: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'object' } } },
    map: { type: 'object', additionalProperties: true },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
  });

  it('removes unknown fields and names them', () => {
    const [spec, unknown] = admitted(schema, { a: { b: 'x', c: 1 }, list: [{ d: 1 }], z: 1 });
    expect(spec).toBe('{"a":{"b":"x"},"list":[{}]}');
    expect(unknown).toEqual(['spec.a.c', 'spec.list[0].d', 'spec.z']);
  });

  it('stops below preserved fields, but not in what they name', () => {
    expect(admitted(schema, { any: { x: { y: 1 }, known: { z: 1 } } }).slice(0, 2)).toEqual([
      '{"any":{"x":{"y":1},"known":{}}}',
      ['spec.any.known.z'],
    ]);
  });

  it('keeps the keys of an open map and nothing below them', () => {
    expect(admitted(schema, { map: { k: 1, l: { m: 1 } } }).slice(0, 2)).toEqual([
      '{"map":{"k":1,"l":{}}}',
      ['spec.map.l.m'],
    ]);
  });

  it('keeps apiVersion, kind and metadata of embedded resources', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', foo: 1 }, status: {} };
    const [spec, unknown] = admitted(schema, { pod });
    expect(spec).toBe('{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}');
    expect(unknown).toEqual(['spec.pod.metadata.foo', 'spec.pod.status']);
  });
});

describe('values', () => {
  it.each<[JsonObject, Json, string[]]>([
    [{ type: 'integer' }, new Float(1), []],
    [
      { type: 'integer' },
      1.5,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.v',
        'spec.v: Invalid value: "number": spec.v in body must be of type integer: "number"',
      ],
    ],
    [{ type: 'integer', enum: [3] }, new Float(3), []],
    [{ enum: ['a'] }, 97, []],
    [
      { type: 'number', multipleOf: 0.5 },
      1,
      ['spec.v: Invalid value: 0: factor MultipleOf declared for spec.v must be positive: 0'],
    ],
    [{ type: 'number', multipleOf: 0.5 }, new Float(2), []],
    [{ type: 'string', maxLength: 1 }, '\u{1f600}', []],
    [{ type: 'string', maxLength: 1 }, 'ab', ['spec.v: Too long: may not be more than 1 byte']],
    [{ type: 'string', format: 'uuid' }, [], []],
    [{ type: 'string', format: 'uuid' }, true, ['spec.v: Invalid value: "": spec.v in body must be of type uuid: ""']],
    [{ 'x-kubernetes-int-or-string': true }, '5%', []],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.v: Invalid value: "boolean": spec.v in body must be of type integer,string: "boolean"'],
    ],
    [
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      ['spec.v: Too many: 2: must have at most 1 item'],
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] },
      {},
      ['spec.v.a: Required value', 'spec.v.b: Required value'],
    ],
  ])('%j of %j', (schema, value, expected) => {
    expect(messages(schemaOf({ v: schema }), { v: value })).toEqual(expected);
  });

  it('reports of a junctor the errors of the branch that came furthest', () => {
    const oneOf = [{ required: ['a'] }, { required: ['b'], properties: { a: { minLength: 3 } } }];
    const schema = schemaOf({ a: { type: 'string' }, b: { type: 'string' } }, { oneOf });
    expect(messages(schema, {})).toEqual([
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.a: Required value',
    ]);
    expect(messages(schema, { a: 'xyz', b: 'y' })).toEqual([
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
  });
});

describe('list types', () => {
  const schema = schemaOf({
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 2 }, v: { type: 'integer' } },
      },
    },
  });

  it('refuses what stands twice, once', () => {
    expect(messages(schema, { set: [1, 1, 1, new Float(1), new Float(0), new Float(-0)] })).toEqual([
      'spec.set[1]: Duplicate value: 1',
      'spec.set[5]: Duplicate value: -0',
    ]);
    expect(messages(schema, { map: [{ name: 'a' }, { name: 'a', v: 1 }] })).toEqual([
      'spec.map[1]: Duplicate value: {"name":"a"}',
    ]);
  });

  it('lets an update keep duplicates and other errors that were there', () => {
    const old = { set: [1, 1], map: [{ name: 'long', v: 1 }] };
    expect(messages(schema, { set: [1, 1, 1], map: [{ name: 'new!' }, { name: 'long', v: 1 }] }, old)).toEqual([
      'spec.map[0].name: Too long: may not be more than 2 bytes',
    ]);
    expect(messages(schema, { map: [{ name: 'long', v: 2 }] }, old)).toEqual([]);
  });
});

describe('embedded resources', () => {
  const schema = schemaOf({
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  });

  it('are checked as resources', () => {
    expect(admitted(schema, { pod: { kind: '', metadata: { name: 'a/b' } } })[2].sort()).toEqual([
      'spec.pod.apiVersion: Required value',
      'spec.pod.kind: Invalid value: "": must not be empty',
      'spec.pod.metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
  });

  it('stop the request where their metadata cannot be read', () => {
    expect(admitted(schema, { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 1 } } })[2]).toEqual([
      'spec.pod.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ]);
  });
});

describe('metadata of the object', () => {
  it('must be readable', () => {
    expect(compileSchema({ type: 'object' }).admit({ metadata: 'x' })).toEqual({
      problem: 'json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    });
  });
});

describe('properties', () => {
  const schema = compileSchema(
    schemaOf({
      a: { type: 'string', default: 'x' },
      b: { type: 'object', default: {}, properties: { c: { type: 'integer', default: 1 } } },
      l: {
        type: 'array',
        items: { type: 'object', nullable: true, properties: { a: { type: 'string', default: 'y' } } },
      },
      m: { type: 'object', additionalProperties: { type: 'object', properties: { d: { type: 'boolean' } } } },
    }),
  );
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, 'x', 1, 1.5, true, new Float(1)),
      fc.array(tie('json'), { maxLength: 3 }),
      fc
        .dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'l', 'm', '__proto__'), tie('json'), {
          maxKeys: 4,
          noNullPrototype: false,
        })
        .map((members) => jsonObject(Object.entries(members))),
    ),
  }));
  const steps = ['applyDefaults', 'dropNulls'] as const;

  it.each(steps)('%s twice is %s once', (step) => {
    fc.assert(
      fc.property(json, (spec) => {
        const once = schema[step](object(spec));
        return equalJson(schema[step](once), once);
      }),
    );
  });

  it('pruned objects have no unknown fields', () => {
    fc.assert(
      fc.property(json, (spec) => {
        const once = schema.prune(object(spec)).value;
        const twice = schema.prune(once);
        return twice.unknownFields.length === 0 && twice.value === once;
      }),
    );
  });
});
