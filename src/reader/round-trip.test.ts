import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, Schema, ValidationRule } from '../model/index.ts';
import { readFull, readLean } from './read.ts';
import { lines, optionsFor, plain, specSource, theKind } from './testing/read-sources.ts';
import { immutable, sourceOfSchema } from './testing/source-of-schema.ts';

const text = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .,:;#'"\\/*{}()[\]<>!?%&=+~^|-]{0,30}[A-Za-z0-9.]$/);
const line = text.filter((each) => !each.includes('*/') && !/^(TODO|---)/.test(each) && !each.includes('{@'));
const description = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'));
const count = fc.nat(1000);
const odd = ['__proto__', 'constructor', 'a.b', 'x-y', '0', 'description', 'type', 'toString', 'default', 'ä', ' '];
const name = fc.oneof(fc.constantFrom(...odd), fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/));

/** Keywords, each of which may be there. */
function some(model: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Schema> {
  return fc.record(model, { requiredKeys: [] });
}

const rule: fc.Arbitrary<ValidationRule> = fc.record(
  {
    rule: text,
    message: text,
    messageExpression: text,
    reason: fc.constantFrom('FieldValueInvalid' as const, 'FieldValueDuplicate' as const),
    fieldPath: fc.constant('.a'),
    optionalOldSelf: fc.boolean(),
  },
  { requiredKeys: ['rule'] },
);
const rules = fc.array(rule, { minLength: 1, maxLength: 3 });

/** What a member may say of itself, beside its type. */
const documented = some({
  title: text,
  externalDocs: fc.record({ url: fc.webUrl(), description: text }, { requiredKeys: ['url'] }),
});

function ordered(low: keyof Schema, high: keyof Schema): fc.Arbitrary<Schema> {
  return fc.tuple(count, count, fc.integer({ min: 0, max: 3 })).map(([a, b, which]) => ({
    ...(which & 1 ? { [low]: Math.min(a, b) } : {}),
    ...(which & 2 ? { [high]: Math.max(a, b) } : {}),
  }));
}

function both(...parts: readonly fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> {
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Schema);
}

function values(of: fc.Arbitrary<Json>): fc.Arbitrary<Schema> {
  return some({ default: of, example: of });
}

const is = (schema: Schema): fc.Arbitrary<Schema> => fc.constant(schema);

const strings = both(
  is({ type: 'string' }),
  ordered('minLength', 'maxLength'),
  some({
    pattern: fc.constantFrom('^a*/b$', String.raw`^\d+(\.\d+)?$`, '["\'`]'),
    format: fc.constantFrom('date-time', 'uuid'),
  }),
  values(text),
);
const enums = both(
  is({ type: 'string' }),
  fc.uniqueArray(text, { minLength: 1, maxLength: 4 }).map((all) => ({ enum: all })),
);
const bounds = fc
  .tuple(fc.integer({ min: -1000, max: 0 }), fc.integer({ min: 1, max: 1000 }), fc.boolean(), fc.boolean())
  .map(([minimum, maximum, low, high]): Schema => ({
    minimum,
    maximum,
    ...(low ? { exclusiveMinimum: true } : {}),
    ...(high ? { exclusiveMaximum: true } : {}),
  }));
const integers = both(
  fc.constantFrom<Schema>(
    { type: 'integer' },
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int64' },
  ),
  fc.oneof(
    is({}),
    bounds,
    fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ multipleOf })),
  ),
  fc.oneof(
    is({}),
    fc.uniqueArray(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 3 }).map((all) => ({ enum: all })),
  ),
  values(fc.integer({ min: -5, max: 5 })),
);
const numbers = both(
  fc.constantFrom<Schema>(
    { type: 'number' },
    { type: 'number', format: 'float' },
    { type: 'number', format: 'double' },
  ),
  fc.oneof(is({}), bounds),
  values(fc.constantFrom(0.5, -1.25, 3)),
);
const booleans = fc.oneof(
  both(is({ type: 'boolean' }), values(fc.boolean())),
  fc.boolean().map((only): Schema => ({ type: 'boolean', enum: [only] })),
);
const twoPatterns = fc.constant<Schema>({ type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] });
const intOrString = both(
  is({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }),
  some({ pattern: fc.constant('^[0-9]+%?$'), maxLength: count, enum: fc.constant([1, 'auto']) }),
  values(fc.oneof(fc.integer(), text)),
);
const open = fc.constantFrom<Schema>(
  { 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
  {},
  { type: 'integer', not: { enum: [3] } },
);

/** A schema that may be null, and may carry rules: an enum is never null. */
function decorated(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc.tuple(schema, fc.boolean(), fc.option(rules, { nil: undefined })).map(([base, nullable, validations]) => ({
    ...base,
    ...(nullable && base.enum === undefined && base.type !== undefined ? { nullable } : {}),
    ...(validations === undefined || base.type === undefined ? {} : { 'x-kubernetes-validations': validations }),
  }));
}

/** Items and values have no default and no example of their own. */
function inside({ default: _default, example: _example, ...schema }: Schema): Schema {
  return schema;
}

const scalars = decorated(fc.oneof(strings, enums, integers, numbers, booleans, intOrString, twoPatterns));

const simpleName = fc.stringMatching(/^[a-z]{2,6}Name$/);

/** Objects of which each is one of several: told apart by `kind`, with members of their own. */
const unions = fc
  .uniqueArray(fc.tuple(simpleName, scalars, fc.boolean()), { selector: ([each]) => each, minLength: 2, maxLength: 4 })
  .map((members): Schema => {
    const tags = members.map(([, ,], index) => `t${index}`);
    const names = members.map(([each]) => each);
    return {
      type: 'object',
      properties: new Map<string, Schema>([
        ['kind', { type: 'string', enum: tags }],
        // The server would fill in a default for all of them.
        ...members.map(([each, schema]): [string, Schema] => [each, inside(schema)]),
      ]),
      required: ['kind'],
      oneOf: members.map(([each, , isRequired], index): Schema => {
        const foreign = names
          .filter((other) => other !== each)
          .sort()
          .map((other): Schema => ({ required: [other] }));
        const [first] = foreign;
        return {
          properties: new Map([['kind', { enum: [`t${index}`] }]]),
          required: isRequired ? ['kind', each].sort() : ['kind'],
          not: foreign.length === 1 && first !== undefined ? first : { anyOf: foreign },
        };
      }),
    };
  });

/** Objects with a rule about which of their members are there. */
const grouped = fc
  .tuple(
    fc.uniqueArray(fc.tuple(simpleName, scalars), { selector: ([each]) => each, minLength: 2, maxLength: 3 }),
    fc.constantFrom(
      ['exactly one', (all: string[]) => `${all.join('+')} == 1`] as const,
      ['at most one', (all: string[]) => `${all.join('+')} <= 1`] as const,
      ['at least one', undefined] as const,
    ),
  )
  .map(([members, [which, sum]]): Schema => {
    const names = members.map(([each]) => each);
    const rule =
      sum?.(names.map((each) => `(has(self.${each})?1:0)`)) ?? names.map((each) => `has(self.${each})`).join('||');
    const verb = which === 'at most one' ? 'may' : 'must';
    return {
      type: 'object',
      properties: new Map(members),
      'x-kubernetes-validations': [{ rule, message: `${which} of the fields in [${names.join(' ')}] ${verb} be set` }],
    };
  });

/** A list whose items are told apart by a member. */
const keyed = fc.tuple(simpleName, scalars).map(([each, schema]): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['key'],
  items: {
    type: 'object',
    properties: new Map<string, Schema>([
      ['key', { type: 'string', minLength: 1 }],
      [each, schema],
    ]),
    required: ['key'],
  },
}));

const { object } = fc.letrec<{ schema: Schema; list: Schema; map: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    open,
    unions,
    grouped,
    keyed,
    decorated(tie('list')),
    decorated(tie('map')),
    tie('object'),
  ),
  list: both(
    tie('schema').map((items): Schema => ({ type: 'array', items: inside(items) })),
    ordered('minItems', 'maxItems'),
    some({ 'x-kubernetes-list-type': fc.constantFrom('atomic' as const, 'set' as const) }),
  ),
  map: both(
    tie('schema').map((values): Schema => ({ type: 'object', additionalProperties: inside(values) })),
    ordered('minProperties', 'maxProperties'),
    some({ 'x-kubernetes-map-type': fc.constantFrom('atomic' as const, 'granular' as const) }),
  ),
  object: fc
    .uniqueArray(
      fc.tuple(
        name,
        both(
          tie('schema'),
          documented,
          fc.oneof(
            is({}),
            description.map((each) => ({ description: each })),
          ),
        ),
        fc.boolean(),
        fc.boolean(),
      ),
      { selector: ([each]) => each, minLength: 1, maxLength: 5 },
    )
    .chain((members) => fc.tuple(fc.constant(members), fc.integer({ min: 0, max: 3 })))
    .map(([members, more]): Schema => {
      const required = members.flatMap(([each, , isRequired]) => (isRequired ? [each] : [])).sort();
      const fixed = (each: string, schema: Schema): boolean => /^[a-z]{2,}\d*$/.test(each) && isPlain(schema);
      const isFixed = ([each, schema, , isImmutable]: (typeof members)[number]): boolean =>
        isImmutable && fixed(each, schema);
      // That an optional member stays is up to the object around it.
      const rules = members
        .filter((member) => isFixed(member) && !member[2])
        .map(([each]) => ({
          rule: `!has(oldSelf.${each}) || has(self.${each})`,
          message: `field ${each} is immutable once set`,
        }));
      return {
        type: 'object',
        properties: new Map(
          members.map((member) => {
            const [each, schema] = member;
            const own = schema['x-kubernetes-validations'] ?? [];
            return [each, isFixed(member) ? { ...schema, 'x-kubernetes-validations': [...own, immutable] } : schema];
          }),
        ),
        ...(required.length === 0 ? {} : { required }),
        ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
        ...(more === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      };
    }),
}));

/** A member on which a rule can stand beside those that it has. */
function isPlain({ type, properties }: Schema): boolean {
  return type !== undefined && properties === undefined;
}

describe('random schemas', () => {
  it('are read from their TypeScript as they were, in both notations, with and without the whole library', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('decorators' as const, 'tags' as const), (schema, wanted) => {
        // A class cannot have a field of this name.
        const notation = schema.properties?.has('constructor') === true ? 'tags' : wanted;
        const container = notation === 'decorators' ? 'class' : 'interface';
        const { members, declarations } = sourceOfSchema(schema, notation);
        const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
        const source = specSource(members, declarations, container).replace(
          `export ${container} Spec`,
          `${open ? '/** @preserveUnknownFields */ ' : ''}export ${container} Spec`,
        );
        const options = optionsFor({ 'thing.ts': source });
        const result = readFull(options);
        expect(readLean(options)).toMatchObject({ model: result.model, diagnostics: [] });
        expect(lines(result.diagnostics)).toEqual([]);
        const spec = theKind(result).versions[0]?.schema.properties?.get('spec');
        expect(spec && plain(spec)).toEqual(plain(schema));
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
