import { describe, expect, it } from 'vitest';
import { Float, type Schema, type SchemaOrigin, type Version } from '../../model/index.ts';
import { at, kind, object, version } from '../testing/model.ts';
import { checkKinds } from './index.ts';

const current = { major: 1, minor: 34 };
const origin = (line: number, ...keywords: [string, number][]): SchemaOrigin => ({
  position: at(line),
  keywords: new Map(keywords.map(([keyword, keywordLine]) => [keyword, at(keywordLine)])),
});

function withSpec(spec: Schema, parts: Partial<Version> = {}): Version {
  return version({
    schema: object(
      { spec, status: object({ replicas: { type: 'integer' }, selector: { type: 'string' } }) },
      { required: ['spec'] },
    ),
    ...parts,
  });
}

const check = (...versions: Version[]) => checkKinds([kind({ versions })], current);
const field = (schema: Schema): Version =>
  withSpec(object({ size: { ...schema, origin: origin(7, ['minimum', 8], ['enum', 9]) } }));

describe('checkKinds', () => {
  it('has nothing to say about a sound kind', () => {
    expect(check(version())).toEqual([]);
  });

  it.each<[string, Schema, string, number, string]>([
    [
      'a minimum above the maximum',
      { type: 'integer', minimum: 3, maximum: 2 },
      'CO2001',
      8,
      'minimum 3 is greater than maximum 2',
    ],
    [
      'equal bounds, one excluded',
      { type: 'integer', minimum: 2, maximum: 2, exclusiveMaximum: true },
      'CO2001',
      8,
      'excluded',
    ],
    ['lengths', { type: 'string', minLength: 3, maxLength: 2 }, 'CO2001', 7, 'minLength 3'],
    ['items', { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 2 }, 'CO2001', 7, 'minItems 3'],
    ['properties', { type: 'object', minProperties: 3, maxProperties: 2 }, 'CO2001', 7, 'minProperties 3'],
    ['an empty enum', { type: 'string', enum: [] }, 'CO2002', 9, 'empty'],
    [
      'a number in an enum of texts',
      { type: 'string', enum: ['a', 1] },
      'CO2003',
      9,
      '1 in the enum is not of type string',
    ],
    ['a fraction in an enum of integers', { type: 'integer', enum: [1, 0.5] }, 'CO2003', 9, '0.5 in the enum'],
    [
      'a boolean in int-or-string',
      { 'x-kubernetes-int-or-string': true, enum: [1, 'a', true] },
      'CO2003',
      9,
      'an integer or a string',
    ],
    ['null beside an enum', { type: 'string', enum: ['a'], nullable: true }, 'CO2004', 9, 'null never passes'],
    ['null in an enum', { type: 'string', enum: ['a', null] }, 'CO2004', 9, 'null never passes'],
  ])('refuses %s', (_name, schema, code, line, message) => {
    expect(check(field(schema))).toEqual([
      expect.objectContaining({
        code,
        severity: 'error',
        position: at(line),
        path: 'spec.size',
        message: expect.stringContaining(message),
      }),
    ]);
  });

  it.each<[string, Schema]>([
    ['equal bounds', { type: 'integer', minimum: 2, maximum: 2 }],
    ['an enum of integers', { type: 'integer', enum: [1, new Float(2), 3n] }],
    ['an enum of numbers', { type: 'number', enum: [1, 0.5] }],
    ['an enum of texts', { type: 'string', enum: ['', 'no'] }],
    ['an enum without a type', { 'x-kubernetes-preserve-unknown-fields': true, enum: [1, 'a'] }],
  ])('passes %s', (_name, schema) => {
    expect(check(field(schema))).toEqual([]);
  });

  it('finds schemas at any depth, and names them', () => {
    const bad: Schema = { type: 'string', minLength: 2, maxLength: 1 };
    const spec = object({
      list: { type: 'array', items: object({ 'a.b': bad }) },
      map: { type: 'object', additionalProperties: bad },
      any: { type: 'string', allOf: [{ minLength: 2, maxLength: 1 }] },
    });
    expect(check(withSpec(spec)).map(({ path }) => path)).toEqual(['spec.list[]["a.b"]', 'spec.map{}', 'spec.any']);
  });
});

describe('paths', () => {
  const column = (jsonPath: string): Version =>
    withSpec(
      object({
        size: { type: 'integer' },
        ports: { type: 'array', items: object({ port: { type: 'integer' }, name: { type: 'string' } }) },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        'a-b': { type: 'string' },
      }),
      { printerColumns: [{ name: 'C', type: 'string', jsonPath, position: at(5) }] },
    );

  it.each([
    '.spec.size',
    '.spec.a-b',
    ".spec['a-b']",
    '.spec.ports[0].port',
    '.spec.ports[*].name',
    '.spec.ports[?(@.name=="http")].port',
    '.spec.tags.any-key',
    '.spec.raw.what.ever',
    '.spec.template.metadata.name',
    '.spec.template.kind',
    '.metadata.creationTimestamp',
    '.metadata.labels.x',
    '.metadata.ownerReferences[0].name',
    '.kind',
    '.apiVersion',
    '..name',
  ])('lets %s pass', (jsonPath) => {
    expect(check(column(jsonPath))).toEqual([]);
  });

  it.each([
    ['.spec.sise', 'there is no "sise" in spec', 'did you mean size?'],
    ['.spce.size', 'there is no "spce" in the object', 'did you mean spec?'],
    ['.spec.size.deep', 'there is no "deep" in size', 'declare the member, or name one that is declared'],
    ['.spec.ports[0].prt', 'there is no "prt" in the items of ports', 'did you mean port?'],
    ['.spec.ports[?(@.nam=="http")].port', 'there is no "nam"', 'did you mean name?'],
    ['.metadata.creationTimeStamps', 'in metadata', 'did you mean creationTimestamp?'],
  ])('refuses %s', (jsonPath, message, remedy) => {
    const [diagnostic, ...others] = check(column(jsonPath));
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({
      code: 'CO2011',
      severity: 'error',
      position: at(5),
      message: expect.stringContaining(message),
    });
    expect(diagnostic?.remedy).toBe(remedy);
  });

  it('refuses what is no path', () => {
    expect(check(column('.spec.ports['))).toMatchObject([{ code: 'CO2010', position: at(5) }]);
    expect(check(column('{.spec.size}'))[0]?.remedy).toBe('write a path without braces around it, such as .spec.name');
  });

  it.each([
    ['.spec.replicas', '.status.replicas', undefined, ['CO2011']],
    ['.spec.name', '.status.replicas', undefined, ['CO2012']],
    ['.spec.count', '.status.replicas', '.status.replicas', ['CO2012']],
    ['.spec.count', '.status.replicas', '.status.selector', []],
  ])('checks the scale paths %s %s %s', (specReplicasPath, statusReplicasPath, labelSelectorPath, codes) => {
    const scaleSubresource = {
      specReplicasPath,
      statusReplicasPath,
      position: at(6),
      ...(labelSelectorPath === undefined ? {} : { labelSelectorPath }),
    };
    const spec = object({ name: { type: 'string' }, count: { type: 'integer' } });
    expect(check(withSpec(spec, { scaleSubresource })).map(({ code }) => code)).toEqual(codes);
  });
});

describe('defaults', () => {
  const defaulted = (value: string | boolean): Schema => ({
    type: typeof value === 'string' ? 'string' : 'boolean',
    default: value,
    origin: origin(12, ['default', 12]),
  });
  const retry = (parts: Schema = {}): Schema =>
    object({ enabled: defaulted(true), mode: defaulted('x') }, { origin: origin(11), ...parts });

  it('warns of defaults that have no effect while the object around them is left out', () => {
    expect(check(withSpec(object({ retry: retry() })))).toEqual([
      {
        code: 'CO2020',
        severity: 'warning',
        message: 'the defaults of spec.retry.enabled, spec.retry.mode have no effect while spec.retry is left out',
        path: 'spec.retry',
        position: at(11),
        remedy: 'give spec.retry the default {}',
      },
    ]);
  });

  it.each<[string, Schema]>([
    ['the object has a default', object({ retry: retry({ default: {} }) })],
    ['the object is required', object({ retry: retry() }, { required: ['retry'] })],
    [
      'a member must be given',
      object({ retry: object({ a: defaulted(true), b: { type: 'string' } }, { required: ['b'] }) }),
    ],
    ['the default is no marker of the user', object({ ref: object({ name: { type: 'string', default: '' } }) })],
    ['it stands in a list', object({ list: { type: 'array', items: retry() } })],
  ])('says nothing when %s', (_name, spec) => {
    expect(check(withSpec(spec))).toEqual([]);
  });
});

describe('a default that is not whole', () => {
  it('is an error: {} lacks a member that is required and has no default', () => {
    const retry = object(
      { limit: { type: 'integer' } },
      { required: ['limit'], default: {}, origin: origin(11, ['default', 12]) },
    );
    expect(check(withSpec(object({ retry })))).toMatchObject([
      { code: 'CO2052', position: at(12), path: 'spec.retry', message: expect.stringContaining('limit') },
    ]);
  });

  it.each<[Schema]>([
    [{ type: 'boolean', default: false }],
    [{ type: 'integer', default: 0 }],
    [{ type: 'string', default: '' }],
  ])('is none of %j', (schema) => {
    expect(check(withSpec(object({ a: schema })))).toEqual([]);
  });
});

describe('size', () => {
  it('warns of a definition that is too large for an annotation, and names what makes it so', () => {
    const description = 'x'.repeat(300_000);
    const spec = object({
      small: { type: 'string' },
      pod: object({ deep: { type: 'string', description, origin: origin(20) } }),
    });
    expect(check(withSpec(spec))).toEqual([
      expect.objectContaining({ code: 'CO2030', severity: 'warning', path: 'spec.pod.deep', position: at(20) }),
    ]);
  });

  it('refuses a text that YAML cannot hold', () => {
    expect(check(withSpec(object({ a: { type: 'string', description: 'x\ud800' } })))).toMatchObject([
      { code: 'CO2031' },
    ]);
  });
});

describe('what the API server would say', () => {
  const spot = (schema: Schema, ...keywords: string[]): Version =>
    withSpec(
      object({ it: { ...schema, origin: origin(7, ...keywords.map((keyword): [string, number] => [keyword, 8])) } }),
    );

  it.each<[string, Version, string, number, string, string]>([
    [
      'a pattern',
      spot({ type: 'string', pattern: 'a(?=b)' }, 'pattern'),
      'CO2050',
      8,
      'spec.it',
      'refuses pattern: Invalid value',
    ],
    [
      'a default',
      spot({ type: 'integer', minimum: 5, default: 3 }, 'default'),
      'CO2052',
      8,
      'spec.it',
      'refuses default: Invalid value: 3',
    ],
    [
      'a key',
      spot(
        {
          type: 'array',
          items: object({ a: { type: 'string' } }),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['b'],
        },
        'x-kubernetes-list-map-keys',
      ),
      'CO2050',
      8,
      'spec.it',
      'refuses x-kubernetes-list-map-keys',
    ],
    [
      'a schema without a type',
      spot({ properties: new Map([['a', { type: 'string' }]]) }),
      'CO2050',
      7,
      'spec.it',
      'refuses type: Required value',
    ],
    [
      'a field path',
      spot(
        { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.x' }] },
        'x-kubernetes-validations',
      ),
      'CO2053',
      8,
      'spec.it',
      'must be a valid path',
    ],
  ])('is an error at the place of %s', (_name, faulty, code, line, path, message) => {
    expect(check(faulty)).toEqual([
      expect.objectContaining({
        code,
        severity: 'error',
        position: at(line),
        path,
        message: expect.stringContaining(message),
      }),
    ]);
  });

  const ruled = (...rules: string[]): Version =>
    spot(
      object(
        { a: { type: 'string', maxLength: 9 }, n: { type: 'integer' } },
        {
          'x-kubernetes-validations': rules.map((rule) => ({ rule })),
        },
      ),
      'x-kubernetes-validations',
    );

  it.each([
    ['that does not parse', 'self.a ==', 'Syntax error'],
    ['that names what is not there', "self.b == ''", "undefined field 'b'"],
    ['that is no condition', 'self.a', 'must evaluate to a bool'],
  ])('is an error for a rule of CEL %s', (_name, rule, message) => {
    const found = check(ruled('self.n > 1', rule));
    expect(found).toMatchObject([{ code: 'CO2053', severity: 'error', position: at(8), path: 'spec.it' }]);
    expect(found[0]?.message).toContain('x-kubernetes-validations[1].rule');
    expect(found[0]?.message).toContain(message);
  });

  it('is an error for a rule that costs too much', () => {
    const names: Schema = { type: 'array', items: { type: 'string' } };
    const spec = object({
      it: {
        ...object({ names }),
        'x-kubernetes-validations': [{ rule: 'self.names.all(x, self.names.all(y, x.contains(y)))' }],
        origin: origin(7, ['x-kubernetes-validations', 8]),
      },
    });
    expect(check(withSpec(spec))).toMatchObject([
      { code: 'CO2053', position: at(8), message: expect.stringContaining('exceeds budget') },
      { code: 'CO2053' },
      { code: 'CO2050' },
    ]);
  });

  it('is an error for a rule beside other errors, unless they are wrong in what it sees', () => {
    const ruleOn = (properties: Readonly<Record<string, Schema>>): Schema =>
      object(properties, { 'x-kubernetes-validations': [{ rule: 'self.b' }] });
    const faulty = (other: Schema): Version => withSpec(object({ other, it: ruleOn({ a: { type: 'string' } }) }));
    const codes = (version: Version): string[] =>
      check(version)
        .map(({ code }) => code)
        .sort();
    expect(codes(faulty({ type: 'string', pattern: '(' }))).toEqual(['CO2050', 'CO2053']);
    expect(codes(faulty({ description: 'no type' }))).toEqual(['CO2050', 'CO2053']);
    expect(codes(withSpec(ruleOn({ a: { description: 'no type' } })))).toEqual(['CO2050']);
    expect(codes(withSpec(object({ a: { description: 'no type' } })))).toEqual(['CO2050']);
  });

  it('is an error for a default that breaks a rule, said once when the rule does not compile', () => {
    const defaulted = (rule: string): Version =>
      spot(
        { type: 'string', default: 'x', 'x-kubernetes-validations': [{ rule, message: 'must not be x' }] },
        'default',
      );
    expect(check(defaulted("self != 'y'"))).toEqual([]);
    expect(check(defaulted("self != 'x'"))).toMatchObject([
      { code: 'CO2052', position: at(8), path: 'spec.it', message: expect.stringContaining('must not be x') },
    ]);
    expect(check(defaulted('self.none'))).toMatchObject([{ code: 'CO2053' }]);
  });

  it('is nothing for a sound rule', () => {
    expect(check(ruled('self.n > 1', "self.a.startsWith('x')"))).toEqual([]);
  });

  it('is an error at the kind for its names, said once', () => {
    const faulty = kind({ plural: 'Widgets', position: at(42), versions: [version({ name: 'V1' })] });
    const found = checkKinds([faulty], current);
    expect(found.map(({ position }) => position)).toEqual([at(42), at(3), at(42)]);
    expect(found.map(({ message }) => message).join('\n')).toContain('names.plural: Invalid value: "Widgets"');
  });

  it('is an error at a selectable field that leads nowhere', () => {
    const faulty = withSpec(object({ a: { type: 'string' } }), {
      selectableFields: [{ jsonPath: '.spec.b', position: at(9) }],
    });
    expect(check(faulty)).toMatchObject([{ code: 'CO2050', severity: 'error', position: at(9) }]);
  });

  it('is a warning for what the server does not check', () => {
    expect(check(spot({ type: 'string', format: 'colour' }, 'format'))).toMatchObject([
      { code: 'CO2051', severity: 'warning', position: at(8), path: 'spec.it' },
    ]);
    const set = spot({ type: 'array', items: object({}), 'x-kubernetes-list-type': 'set' }, 'x-kubernetes-list-type');
    expect(check(set).map(({ code, position }) => [code, position?.line])).toContainEqual(['CO2051', 8]);
  });

  it.each<[string, Schema]>([
    ['CO2001', { type: 'integer', minimum: 3, maximum: 2 }],
    ['CO2020', object({ b: { type: 'string', default: 'x', origin: origin(9, ['default', 9]) } })],
    ['CO2031', { type: 'string', title: '\ud800' }],
    ['CO2050', { type: 'string', pattern: '(' }],
    ['CO2050', { type: 'array', items: object({}), 'x-kubernetes-list-type': 'map' }],
    ['CO2051', { type: 'string', format: 'colour' }],
    ['CO2052', { type: 'string', default: 1 }],
    ['CO2053', { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > self' }] }],
  ])('is said (%s) of each kind that shares a schema, however often it is asked', (code, faulty) => {
    const shared = object({ sound: object({ a: { type: 'string', default: 'x' } }), it: faulty });
    const kinds = ['A', 'B', 'A'].map((name) =>
      kind({ kind: name, versions: [withSpec(object({ inner: shared }), { position: at(7) })] }),
    );
    const [first, ...others] = kinds.map((each) => checkKinds([each], current));
    expect(first).toMatchObject([{ code }]);
    expect(others).toEqual([first, first]);
  });
});
