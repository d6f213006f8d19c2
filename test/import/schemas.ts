// Schemas of definitions at random, as an API server takes them.
import fc from 'fast-check';
import { stringify } from 'yaml';

type Plain = Record<string, unknown>;

/** The YAML reader of the tests takes a point without a digit for a number. */
function isRead(each: string): boolean {
  return !/^[-+]?\.[._]*$/.test(each);
}

const text = fc.oneof(
  fc.constantFrom(
    'a',
    "it's",
    'a "b"',
    '*/',
    '\\',
    '${x}',
    '`',
    'line\nbreak',
    ' blank ',
    '@tag',
    '{',
    '// x',
    'TODO x',
    '--- x',
  ),
  fc.string({ maxLength: 12 }).filter(isRead),
);
const description = fc.oneof(
  fc.constantFrom('A word.', 'Two\nlines.', 'a */ b', '* a\n* b', '  indented\nand not', '```\n@x\n```', '@x'),
  fc.string({ minLength: 1, maxLength: 20 }).filter((each) => each.trimEnd() === each && each !== '' && isRead(each)),
);
const names = fc.oneof(
  fc.constantFrom(
    'name',
    'size',
    'constructor',
    '__proto__',
    'of.dots',
    'a-b',
    'static',
    'toString',
    '1',
    "it's",
    'type',
    '$ref',
  ),
  fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme-ascii' }).filter(isRead),
);

/** Some of these members. */
function some(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Plain> {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Plain>;
}

function merged(...parts: readonly fc.Arbitrary<Plain>[]): fc.Arbitrary<Plain> {
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Plain);
}

const common = some({
  description,
  title: text.filter((each) => each !== ''),
  nullable: fc.constant(true),
  externalDocs: fc.constant({ url: 'https://example.com/a', description: "the page's" }),
  'x-kubernetes-validations': fc.constantFrom(
    [{ rule: 'true' }],
    [
      { rule: 'self == oldSelf', message: "it's immutable" },
      { rule: '1 < 2', reason: 'FieldValueForbidden' },
    ],
  ),
});
const limit = fc.integer({ min: 0, max: 5 });
const more = fc.integer({ min: 5, max: 9 });

const texts = merged(
  fc.constant({ type: 'string' }),
  common,
  some({
    minLength: limit,
    maxLength: more,
    pattern: fc.constantFrom('^a', "^[a-z'/]+$", '\\d{2}\\\\', '(?i)x', '*/'.replace('*', 'x*')),
    format: fc.constantFrom('date-time', 'date', 'ipv4', 'byte', 'password', 'own'),
    example: text,
    allOf: fc.constantFrom([{ pattern: 'a' }, { pattern: 'b' }], [{ maxLength: 9 }]),
    not: fc.constant({ enum: ['x'] }),
  }),
);
const enums = merged(
  fc.uniqueArray(text, { minLength: 1, maxLength: 4 }).map((values) => ({ type: 'string', enum: values })),
  some({ description, title: fc.constant('A') }),
);
const numbers = fc.constantFrom('integer', 'number').chain((type) =>
  merged(
    fc.constant({ type }),
    common,
    some({ minimum: limit, maximum: more, multipleOf: fc.constantFrom(1, 5), exclusiveMinimum: fc.boolean() }),
    some({ format: fc.constantFrom('int32', 'int64', 'float', 'double', 'int8'), example: fc.constantFrom(3, -1) }),
  ).map((schema) =>
    // Without a bound it says nothing, and with two equal ones it leaves no value, which generate refuses.
    schema['minimum'] === undefined || schema['minimum'] === schema['maximum']
      ? { ...schema, exclusiveMinimum: false }
      : schema,
  ),
);
const booleans = merged(fc.constant({ type: 'boolean' }), common, some({ default: fc.boolean() }));
const either = merged(
  fc.constantFrom(
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  ),
  common,
  some({ maxLength: more }),
);
const open = merged(
  fc.constantFrom<Plain[]>(
    { type: 'object' },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
  ),
  common,
);
const scalars = fc.oneof(texts, enums, numbers, booleans, either);

function lists(inner: fc.Arbitrary<Plain>): fc.Arbitrary<Plain> {
  const bounds = some({ minItems: limit, maxItems: more, 'x-kubernetes-list-type': fc.constant('atomic') });
  return merged(
    inner.map((items) => ({ type: 'array', items })),
    common,
    bounds,
  );
}

function maps(inner: fc.Arbitrary<Plain>): fc.Arbitrary<Plain> {
  const bounds = some({ minProperties: limit, 'x-kubernetes-map-type': fc.constantFrom('atomic', 'granular') });
  return merged(
    inner.map((values) => ({ type: 'object', additionalProperties: values })),
    common,
    bounds,
  );
}

export function objects(inner: fc.Arbitrary<Plain>): fc.Arbitrary<Plain> {
  const members = fc.array(fc.tuple(names, inner, fc.boolean()), { minLength: 1, maxLength: 5 }).map((all) => {
    const properties = Object.create(null) as Plain;
    for (const [name, schema] of all) properties[name] = schema;
    const required = [...new Set(all.filter(([, , needed]) => needed).map(([name]) => name))];
    return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  });
  const rest = some({
    maxProperties: more,
    'x-kubernetes-map-type': fc.constant('atomic'),
    'x-kubernetes-preserve-unknown-fields': fc.constant(true),
    oneOf: fc.constant([{ required: ['name'] }, { required: ['size'] }]),
  });
  return merged(members, common, rest);
}

/** A schema of any kind, two levels of objects deep. */
export const anySchema: fc.Arbitrary<Plain> = fc.oneof(
  scalars,
  open,
  lists(scalars),
  lists(lists(scalars)),
  maps(scalars),
  maps(lists(scalars)),
  lists(open),
  objects(scalars),
  lists(objects(scalars)),
  maps(objects(fc.oneof(scalars, objects(scalars)))),
  objects(fc.oneof(lists(scalars), lists(objects(scalars)), maps(scalars), open)),
);

/** A definition whose spec has members of these schemas. */
export function definitionOf(schemas: readonly unknown[], kind = 'Thing'): string {
  const plural = `${kind.toLowerCase()}s`;
  const properties = Object.fromEntries(schemas.map((schema, index) => [`member${index}`, schema]));
  const spec = { type: 'object', properties };
  return stringify(
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec,
                },
              },
            },
          },
        ],
      },
    },
    { version: '1.1', aliasDuplicateObjects: false },
  );
}
