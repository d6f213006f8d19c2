import { describe, expect, it } from 'vitest';
import { isUnchanged } from './custom/ratchet.ts';
import { compareVersions } from './discovery/discovery.ts';
import { quote, printValue } from './field-error.ts';
import { Float, equal, fromPlain, jsonObject, type JsonObject } from './json.ts';
import { parseDocument, JsonSyntaxError } from './json-text.ts';
import { dns1035Label, dns1123Label, dns1123Subdomain, generateName, pathSegment } from './objects/names.ts';
import { finalizerWarnings, validateMetadata, withoutDuplicateOwners } from './objects/metadata.ts';
import { decodeProtobuf, ProtobufError } from './protobuf/decode.ts';
import { kubeconfigText } from './server/kubeconfig.ts';
import { humanDuration } from './table/age.ts';

describe('documents', () => {
  it.each([
    ['{"a":1,"b":{"c":2,"c":3},"a":4}', ['b.c', 'a']],
    ['{"a":[{"b":1,"b":2},{"b":1}]}', ['a[0].b']],
    [String.raw`{"a\"b":"}{,:","a\u0022b":1}`, ['a"b']],
    ['{"a":"x","b":["a","a"],"c":{"a":1}}', []],
  ])('%s has duplicates %j', (source, expected) => {
    expect(parseDocument(source).duplicates).toEqual(expected);
  });

  it('tell what is wrong as Go does', () => {
    expect(() => parseDocument('xx')).toThrow(
      new JsonSyntaxError("invalid character 'x' looking for beginning of value", 0),
    );
  });
});

describe('values', () => {
  it('are equal whatever the order of members and the form of numbers', () => {
    expect(equal(fromPlain({ a: 1, b: [null] }), fromPlain({ b: [null], a: new Float(1) }))).toBe(true);
    expect(equal(fromPlain({ a: 1 }), fromPlain({ a: 1, b: undefined }))).toBe(true);
    expect(equal(fromPlain({ a: 1 }), fromPlain({ a: '1' }))).toBe(false);
    expect(equal(9007199254740993n, 9007199254740992n)).toBe(false);
    expect(equal(jsonObject([['__proto__', 1]]), jsonObject())).toBe(false);
  });

  it('are printed as Go prints them', () => {
    expect(quote('a"b\\c\n\u0001\u00a0é')).toBe(String.raw`"a\"b\\c\n\x01\u00a0é"`);
    expect(printValue(fromPlain({ b: 1, a: ['x', null, true] }))).toBe('{"a":["x",null,true],"b":1}');
  });
});

describe('names', () => {
  it.each([
    [dns1123Subdomain, 'a.b-c', true],
    [dns1123Subdomain, 'A', false],
    [dns1123Subdomain, 'a..b', false],
    [dns1123Subdomain, 'a'.repeat(254), false],
    [dns1123Label, 'a.b', false],
    [dns1123Label, '1a', true],
    [dns1035Label, '1a', false],
    [pathSegment, 'system:x', true],
    [pathSegment, '..', false],
    [pathSegment, 'a/b', false],
  ])('%# %s', (rule, name, good) => {
    expect(rule(name, false).length === 0).toBe(good);
  });

  it('may end in a dash when more is to come', () => {
    expect(dns1123Subdomain('a-', true)).toEqual([]);
    expect(dns1123Subdomain('a-', false)).not.toEqual([]);
  });

  it('are made of a prefix and five letters', () => {
    expect(generateName('a-', () => 0)).toBe('a-bbbbb');
    expect(generateName('x'.repeat(80), () => 0.999)).toBe(`${'x'.repeat(58)}99999`);
  });
});

describe('metadata', () => {
  const errors = (metadata: unknown): readonly string[] =>
    validateMetadata(fromPlain({ metadata }) as JsonObject, { namespaced: true, validateName: dns1123Subdomain }).map(
      ({ field, type }) => `${field} ${type}`,
    );
  it.each([
    [{ name: 'a', namespace: 'b' }, []],
    [{ namespace: 'b' }, ['metadata.name FieldValueRequired']],
    [{ name: 'a' }, ['metadata.namespace FieldValueRequired']],
    [{ name: 'a', namespace: 'b', labels: { 'a/b/c': 'd' } }, ['metadata.labels FieldValueInvalid']],
    [
      { name: 'a', namespace: 'b', annotations: { a: 'x'.repeat(300_000) } },
      ['metadata.annotations FieldValueTooLong'],
    ],
    [
      { name: 'a', namespace: 'b', finalizers: ['orphan', 'foregroundDeletion'] },
      ['metadata.finalizers FieldValueInvalid'],
    ],
  ])('%#', (metadata, expected) => {
    expect(errors(metadata)).toEqual(expected);
  });

  it('warns of finalizers that could be anybody’s', () => {
    const value = fromPlain({
      metadata: { finalizers: ['plain', 'with.dot', 'example.com/good', 'orphan'] },
    }) as JsonObject;
    expect(finalizerWarnings(value)).toEqual([
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "with.dot": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
    expect(finalizerWarnings(value, value)).toEqual([]);
  });

  it('keeps each owner once', () => {
    const owner = fromPlain({ uid: 'a' });
    expect(withoutDuplicateOwners([owner, fromPlain({ uid: 'b' }), fromPlain({ uid: 'a' })])).toEqual({
      references: [owner, { uid: 'b' }],
      duplicates: true,
    });
  });
});

describe('ages', () => {
  it.each([
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [200_000, '3m20s'],
    [11 * 60_000, '11m'],
    [3 * 3_600_000, '3h'],
    [3 * 3_600_000 + 120_000, '3h2m'],
    [30 * 3_600_000, '30h'],
    [50 * 3_600_000, '2d2h'],
    [9 * 86_400_000, '9d'],
    [800 * 86_400_000, '2y70d'],
    [3000 * 86_400_000, '8y'],
    [-5000, '<invalid>'],
  ])('%d is %s', (milliseconds, expected) => {
    expect(humanDuration(milliseconds)).toBe(expected);
  });
});

describe('versions', () => {
  it('are sorted as Kubernetes prefers them', () => {
    const sorted = [
      'foo1',
      'v1',
      'v10',
      'v2beta1',
      'v11alpha2',
      'v2',
      'foo10',
      'v12alpha1',
      'v3beta1',
      'v11beta2',
      'v10beta3',
    ].sort(compareVersions);
    expect(sorted).toEqual([
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v10beta3',
      'v3beta1',
      'v2beta1',
      'v12alpha1',
      'v11alpha2',
      'foo1',
      'foo10',
    ]);
  });
});

describe('protobuf', () => {
  const field = (number: number, body: Buffer | string): Buffer => {
    const bytes = Buffer.from(body);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const wrap = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
      field(2, raw),
    ]);

  it('is read as the document that it stands for', async () => {
    const metadata = Buffer.concat([
      field(1, 'a'),
      field(2, ''),
      field(11, Buffer.concat([field(1, 'k'), field(2, 'v')])),
    ]);
    const raw = Buffer.concat([
      field(1, metadata),
      field(2, Buffer.concat([field(1, 'x'), field(2, '1')])),
      field(3, Buffer.concat([field(1, 'y'), field(2, Buffer.from([255]))])),
    ]);
    expect(JSON.parse(JSON.stringify(await decodeProtobuf(wrap('v1', 'ConfigMap', raw))))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { k: 'v' } },
      data: { x: '1' },
      binaryData: { y: '/w==' },
    });
  });

  it.each([
    ['what is none', Buffer.from('{}')],
    ['an unknown kind', wrap('v1', 'Nothing', Buffer.alloc(0))],
    ['a body that ends early', wrap('v1', 'ConfigMap', Buffer.from([0x0a, 0x05, 0x01]))],
  ])('refuses %s', async (_name, body) => {
    await expect(decodeProtobuf(body)).rejects.toThrow(ProtobufError);
  });
});

describe('ratcheting', () => {
  const schema = fromPlain({
    type: 'object',
    properties: {
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object' },
      },
      list: { type: 'array', items: { type: 'object' } },
    },
  }) as JsonObject;
  const old = fromPlain({
    a: 1,
    map: [
      { name: 'x', v: 1 },
      { name: 'y', v: 1 },
    ],
    list: [{ v: 1 }, { v: 2 }],
  });
  const next = fromPlain({
    a: 1,
    map: [
      { name: 'y', v: 1 },
      { name: 'x', v: 2 },
    ],
    list: [{ v: 1 }, { v: 3 }],
  });
  it.each([
    ['a', true],
    ['map[0]', true],
    ['map[1]', false],
    ['list[0]', false],
    ['', false],
    ['none', false],
  ])('%s', (path, expected) => {
    expect(isUnchanged(next, old, schema, path)).toBe(expected);
  });
});

describe('kubeconfig', () => {
  it('is what every client reads', () => {
    const text = kubeconfigText({ server: 'https://127.0.0.1:1', caCertificate: 'ca', user: 'a:b', token: 't' });
    expect(text).toBe(
      [
        'apiVersion: v1',
        'kind: Config',
        'clusters:',
        '- name: create-operator',
        '  cluster:',
        '    server: https://127.0.0.1:1',
        '    certificate-authority-data: Y2E=',
        'users:',
        '- name: "a:b"',
        '  user:',
        '    token: t',
        'contexts:',
        '- name: create-operator',
        '  context:',
        '    cluster: create-operator',
        '    user: "a:b"',
        '    namespace: default',
        'current-context: create-operator',
        '',
      ].join('\n'),
    );
  });
});
