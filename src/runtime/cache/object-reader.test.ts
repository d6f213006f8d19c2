import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { Bodies, type BodyOptions } from './bodies.ts';
import { StoredObject } from './lazy-object.ts';
import { ObjectReader } from './object-reader.ts';
import { parseWatchEvent } from './watch-event.ts';

const expected = { apiVersion: 'example.com/v1', kind: 'Widget' };
const request = { verb: 'watch', path: '/apis/example.com/v1/widgets' } as const;
const reader = (withoutManagedFields = false, bodies: BodyOptions = {}, metadataOnly = false): ObjectReader =>
  new ObjectReader({ expected, withoutManagedFields, metadataOnly, bodies: new Bodies(bodies) });
const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7', generation: 3 };
const managedFields = [{ manager: 'm"]}', fieldsV1: { 'f:spec': {} } }];

describe('items', () => {
  it.each<[string, object]>([
    ['a custom resource', { ...expected, metadata, spec: { size: 1 } }],
    ['nothing but metadata', { ...expected, metadata }],
    ['metadata last', { ...expected, spec: { metadata: { name: 'other' } }, metadata }],
    ['text that is no ASCII', { ...expected, metadata: { ...metadata, annotations: { a: 'ä€😀' } }, spec: 'ü' }],
    ['an own `__proto__`', JSON.parse(JSON.stringify({ ...expected, metadata })) as object],
  ])('%s: parsed when they are read', (_name, object) => {
    const item = reader().item(bytes(object));
    expect(item).toMatchObject({ name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7', generation: 3 });
    expect(item?.isParsed).toBe(false);
    expect(item?.metadata).toEqual((object as KubernetesObject).metadata);
    expect(item?.isParsed).toBe(false);
    expect(item?.object).toEqual(object);
    expect(item?.isParsed).toBe(true);
    expect(item?.object).toBe(item?.object);
    expect(Object.isFrozen(item?.object.metadata)).toBe(true);
  });

  it('of a built-in kind get the type that they come without', () => {
    const item = reader().item(bytes({ metadata, data: { a: 'b' } }));
    expect(item?.isParsed).toBe(false);
    expect(item?.metadata).toEqual(metadata);
    expect(item?.object).toEqual({ ...expected, metadata, data: { a: 'b' } });
  });

  it('written with spaces are parsed at once', () => {
    const object = { ...expected, metadata, spec: {} };
    const item = reader().item(bytes(JSON.stringify(object, undefined, 1)));
    expect(item?.isParsed).toBe(true);
    expect(item?.object).toEqual(object);
  });

  it('without a name are none; what is no JSON throws', () => {
    expect(reader().item(bytes({ ...expected, metadata: { uid: 'u' } }))).toBeUndefined();
    expect(reader().item(bytes({ ...expected }))).toBeUndefined();
    expect(() => reader().item(bytes('{"metadata":{"name":"a"'))).toThrow(SyntaxError);
    expect(() => reader().item(bytes('{"metadata":{"name":"a"}},'))).toThrow(SyntaxError);
  });

  it('metadata that are no JSON are an error of whoever reads them, of which the cache learns once', () => {
    const unreadable: string[] = [];
    const bodies = new Bodies({}, ({ name }) => unreadable.push(name));
    const item = new ObjectReader({ expected, withoutManagedFields: false, metadataOnly: false, bodies }).item(
      bytes('{"metadata":{"name":"a","labels":{,}}}'),
    );
    expect(item?.name).toBe('a');
    expect(() => item?.metadata).toThrow('what the server sent as /a is no JSON');
    expect(() => item?.object).toThrow('what the server sent as /a is no JSON');
    expect(unreadable).toEqual(['a']);
  });

  it.each<[string, object]>([
    ['an escape in the name', { ...expected, metadata: { ...metadata, name: 'a"b' } }],
    ['null in place of a string', { ...expected, metadata: { ...metadata, uid: null } }],
    ['a generation that is no whole number', { ...expected, metadata: { ...metadata, generation: 1.5 } }],
    ['a generation of many digits', { ...expected, metadata: { ...metadata, generation: 1e20 } }],
    ['half a type', { kind: 'Widget', metadata }],
  ])('%s: parsed at once', (_name, object) => {
    const item = reader().item(bytes(object));
    expect(item?.isParsed).toBe(true);
    expect(item?.object).toEqual({ ...expected, ...object });
    expect(item?.name).toBe((object as KubernetesObject).metadata.name);
  });

  it('a body that is no JSON is an error of whoever reads it, without its text', () => {
    const item = reader().item(bytes('{"metadata":{"name":"a"},"spec":{secret}}'));
    expect(() => item?.object).toThrow('what the server sent as /a is no JSON');
    expect(() => item?.object).not.toThrow('secret');
    expect(item?.metadata).toEqual({ name: 'a' });
  });
});

describe('events', () => {
  it.each(['ADDED', 'MODIFIED', 'DELETED'])('%s: only the head is parsed', (type) => {
    const object = { ...expected, metadata, spec: { deep: [{ a: 1 }] } };
    const event = reader().event(bytes({ type, object }), request);
    expect(event).toMatchObject({ type, resourceVersion: '7', object: { name: 'a', isParsed: false } });
    expect('object' in event && event.object.object).toEqual(object);
  });

  it.each<[string, unknown]>([
    ['of another kind', { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata } }],
    ['without a version', { type: 'ADDED', object: { ...expected, metadata: { name: 'a' } } }],
    ['a bookmark', { type: 'BOOKMARK', object: { ...expected, metadata: { resourceVersion: '9' } } }],
    ['an error', { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'old' } }],
    ['of an unknown type', { type: 'MOVED', object: { ...expected, metadata } }],
  ])('%s: the same as when all is parsed', (_name, value) => {
    const event = reader().event(bytes(value), request);
    expect(event).toEqual(parseWatchEvent(JSON.stringify(value), expected, request));
  });
});

describe('any object', () => {
  const key = fc.constantFrom('metadata', 'managedFields', 'name', 'spec', 'x', '"}', '__proto__', 'ü');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const anyObject = fc.record({
    before: fc.dictionary(key, value, { maxKeys: 2 }),
    annotations: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
    members: fc.record(
      {
        labels: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
        ownerReferences: fc.array(fc.record({ uid: fc.string(), name: fc.string() }), { maxLength: 2 }),
        deletionTimestamp: fc.constant('2026-01-01T00:00:00Z'),
        name: fc.oneof(fc.constant('b'), fc.string({ unit: 'binary', minLength: 1 })),
        generation: fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      },
      { requiredKeys: [] },
    ),
    managed: fc.constantFrom('first', 'last', 'none'),
    after: fc.dictionary(key, value, { maxKeys: 3 }),
  });

  it.each<[string, BodyOptions]>([
    ['text', {}],
    ['compressed', { compressed: true }],
    ['with interned strings', { internStrings: true }],
    ['both', { compressed: true, internStrings: true }],
  ])('is the same, whether its body is parsed at once or when it is read: %s', (_name, options) => {
    fc.assert(
      fc.property(anyObject, fc.boolean(), ({ before, annotations, members, managed, after }, strip) => {
        const own = { ...metadata, annotations, ...members };
        const withFields =
          managed === 'none' ? own : managed === 'first' ? { managedFields, ...own } : { ...own, managedFields };
        const others = (from: Record<string, unknown>): Record<string, unknown> =>
          Object.fromEntries(Object.entries(from).filter(([name]) => name !== 'metadata'));
        const object = { ...expected, ...others(before), metadata: withFields, ...others(after) };
        const text = JSON.stringify(object);
        const whole = JSON.parse(text) as KubernetesObject;
        if (strip) delete whole.metadata.managedFields;
        const read = reader(strip, options);
        const item = read.item(bytes(text));
        expect(item?.metadata).toEqual(whole.metadata);
        expect(item?.object).toEqual(whole);
        const event = read.event(bytes({ type: 'MODIFIED', object }), request);
        if (!('object' in event)) throw new Error('no object');
        for (const one of [item, event.object]) {
          const { name, namespace, uid, resourceVersion, generation, deletionTimestamp } = whole.metadata;
          expect(one).toMatchObject({ name, namespace, uid, resourceVersion });
          expect([one?.generation, one?.deletionTimestamp]).toEqual([generation, deletionTimestamp]);
        }
        expect(event.object.metadataMember('labels')).toEqual(whole.metadata.labels);
        expect(event.object.metadataMember('ownerReferences')).toEqual(whole.metadata.ownerReferences);
        expect(event.object.metadata).toEqual(whole.metadata);
        expect(event.object.object).toEqual(whole);
      }),
    );
  });
});

describe('labels and owners of events', () => {
  const labels = { app: 'a' };
  const arrive = (text: string): StoredObject<KubernetesObject> => {
    const event = shared.event(Buffer.from(text), request);
    if (!('object' in event)) throw new Error('no object');
    return event.object;
  };
  const shared = reader();

  it('that are equal are one frozen value, for which nothing else is parsed', () => {
    const [one, other] = ['1', '2'].map((resourceVersion) =>
      arrive(
        JSON.stringify({
          type: 'MODIFIED',
          object: { ...expected, metadata: { ...metadata, resourceVersion, labels }, spec: {} },
        }),
      ),
    );
    expect(one?.metadataMember('labels')).toEqual(labels);
    expect(one?.labels).toBe(other?.labels);
    expect(Object.isFrozen(one?.labels)).toBe(true);
    expect(one?.metadataMember('ownerReferences')).toBeUndefined();
    expect(one?.isParsed).toBe(false);
  });

  it('that are no JSON are an error, without their text', () => {
    const object = arrive(
      '{"type":"MODIFIED","object":{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"1","labels":{secret}}}}',
    );
    expect(() => object.metadataMember('labels')).toThrow('what the server sent as /a is no JSON');
    expect(() => object.metadataMember('labels')).not.toThrow('secret');
  });
});

describe('bodies', () => {
  const object = (name: string, spec: unknown): Buffer =>
    bytes({
      ...expected,
      metadata: { ...metadata, name },
      spec: { text: 'the same in all of them '.repeat(40), spec },
    });

  it('that are compressed take a tenth of their text; while a reader has an object, all get the same', () => {
    const read = reader(false, { compressed: true });
    const [, second] = [read.item(object('a', 1)), read.item(object('b', 2))];
    expect(second?.size()).toBeLessThan(object('b', 2).length / 10);
    const whole = second?.object;
    expect(second?.isParsed).toBe(false);
    expect(second?.object).toBe(whole);
    expect(whole?.metadata.name).toBe('b');
    expect(second?.metadata).toEqual(whole?.metadata);
  });

  it('that a transform has made are compressed, too', () => {
    const stored = StoredObject.of({ ...expected, metadata }, new Bodies({ compressed: true }));
    expect(stored.isParsed).toBe(false);
    expect(stored.metadata).toEqual(metadata);
    expect(stored.object).toEqual({ ...expected, metadata });
  });

  it('tell what changed, however they are kept', () => {
    for (const options of [{}, { compressed: true }]) {
      const read = reader(false, options);
      const [one, other] = [read.item(object('a', 1)), read.item(object('a', 2))];
      if (one === undefined || other === undefined) throw new Error('no items');
      expect(other.changedSince(one)).toEqual(['/spec']);
      expect(one.object).toBeDefined();
      expect(other.changedSince(one)).toEqual(['/spec']);
      expect(other.object).toBeDefined();
      expect(other.changedSince(one)).toEqual(['/spec']);
    }
  });
});
