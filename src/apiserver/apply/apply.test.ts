import { describe, expect, it } from 'vitest';
import { fromPlain, object, type Json, type JsonObject, type MutableObject } from '../json.ts';
import { loadTypes } from '../typed/types.ts';
import { FieldSet, printPath } from './field-set.ts';
import { applyConfiguration, recordUpdate, type Writer } from './field-manager.ts';
import { typeOfSchema, type ApplyType } from './types.ts';
import { checkTyped, compare, fieldSetOf, merge, removeItems, TypedError } from './walk.ts';

const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value));
const types = await loadTypes();
const type: ApplyType = typeOfSchema(
  fromPlain({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          atomicList: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          items: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
          },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          atomicMap: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  }),
  types,
);
const of = (spec: unknown): JsonObject =>
  fromPlain({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x' }, spec }) as JsonObject;
const paths = (set: FieldSet): readonly string[] => [...set.paths()].map(printPath);

describe('fields of a document', () => {
  it.each([
    [{ size: 1 }, ['.spec.size']],
    [{ atomicList: ['a'] }, ['.spec.atomicList']],
    [{ set: ['a'] }, ['.spec.set[="a"]']],
    [
      { items: [{ name: 'a', value: 'b' }] },
      ['.spec.items[name="a"]', '.spec.items[name="a"].name', '.spec.items[name="a"].value'],
    ],
    [{ labels: { a: 'b' } }, ['.spec.labels.a']],
    [{ labels: {} }, ['.spec.labels']],
    [{ atomicMap: { a: 'b' } }, ['.spec.atomicMap']],
    [{ free: { a: { b: [1] } } }, ['.spec.free.a', '.spec.free.a.b']],
  ])('%j', (spec, expected) => {
    const set = fieldSetOf(of(spec), type);
    expect(paths(set).filter((path) => path.startsWith('.spec'))).toEqual(expected);
    expect(FieldSet.fromJson(set.toJson()).equals(set)).toBe(true);
  });

  it.each([
    [{ nope: 1 }, '.spec.nope: field not declared in schema'],
    [{ size: {} }, '.spec.size: expected scalar (got map)'],
    [{ items: [{ name: 'a' }, { name: 'a' }] }, '.spec.items: duplicate entries for key [name="a"]'],
    [{ set: ['a', 'a'] }, '.spec.set: duplicate entries for key [="a"]'],
  ])('refuses %j', (spec, message) => {
    expect(() => checkTyped(of(spec), type)).toThrow(new TypedError(message));
  });
});

describe('compare', () => {
  it.each([
    [{ size: 1 }, { size: 2 }, [], ['.spec.size'], []],
    [{}, { size: 2 }, ['.spec.size'], [], []],
    [{ size: 1 }, {}, [], [], ['.spec.size']],
    [{ labels: { a: '1' } }, { labels: { a: '2', b: '1' } }, ['.spec.labels.b'], ['.spec.labels.a'], []],
    [{}, { labels: { a: '1' } }, ['.spec.labels', '.spec.labels.a'], [], []],
    [
      { items: [{ name: 'a' }] },
      { items: [{ name: 'b' }] },
      ['.spec.items[name="b"]', '.spec.items[name="b"].name'],
      [],
      ['.spec.items[name="a"]', '.spec.items[name="a"].name'],
    ],
    [{ atomicList: ['a'] }, { atomicList: ['b'] }, [], ['.spec.atomicList'], []],
    [{ size: 1 }, { size: 1 }, [], [], []],
  ])('%j with %j', (left, right, added, modified, removed) => {
    const result = compare(of(left), of(right), type);
    expect([paths(result.added), paths(result.modified), paths(result.removed)]).toEqual([added, modified, removed]);
  });
});

describe('merge', () => {
  it.each([
    [{ size: 1, labels: { a: '1' } }, { labels: { b: '2' } }, { size: 1, labels: { a: '1', b: '2' } }],
    [
      { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
      { items: [{ name: 'c' }, { name: 'a', value: '2' }] },
      { items: [{ name: 'c' }, { name: 'a', value: '2' }, { name: 'b' }] },
    ],
    [{ set: ['a', 'b'] }, { set: ['b', 'c'] }, { set: ['a', 'b', 'c'] }],
    [{ atomicMap: { a: '1' } }, { atomicMap: { b: '2' } }, { atomicMap: { b: '2' } }],
    [{ atomicList: ['a'] }, { atomicList: ['b'] }, { atomicList: ['b'] }],
  ])('%j with %j', (live, configuration, expected) => {
    const result = plain(merge(of(live), of(configuration), type)) as { spec: Record<string, unknown> };
    expect(result.spec).toEqual(expected);
  });

  it('takes fields away, and leaves null for containers that lose all of theirs', () => {
    const set = new FieldSet();
    set.insert(['f:spec', 'f:labels', 'f:a']);
    set.insert(['f:spec', 'f:items', 'k:{"name":"a"}']);
    const result = removeItems(of({ size: 1, labels: { a: '1' }, items: [{ name: 'a' }, { name: 'b' }] }), set, type);
    expect((plain(result) as { spec: unknown }).spec).toEqual({ size: 1, labels: null, items: [{ name: 'b' }] });
  });
});

describe('field managers', () => {
  const empty = fromPlain({ apiVersion: 'a/v1', kind: 'A', metadata: {} }) as JsonObject;
  const writer = (manager: string, subresource = ''): Writer => ({
    manager,
    apiVersion: 'a/v1',
    subresource,
    time: '2026-01-01T00:00:00Z',
    resetFields: subresource === 'status' ? [['spec'], ['metadata']] : [['status']],
  });
  const apply = (live: JsonObject | undefined, spec: unknown, manager: string, force = false): JsonObject =>
    applyConfiguration(live, of(spec), empty, type, writer(manager), force);
  const owners = (value: JsonObject): Record<string, readonly string[]> =>
    Object.fromEntries(
      (object(value, 'metadata')['managedFields'] as readonly Json[]).map((entry) => [
        `${(entry as { manager: string }).manager} ${(entry as { operation: string }).operation}`,
        paths(FieldSet.fromJson((entry as { fieldsV1: Json }).fieldsV1)),
      ]),
    );

  it('share what they agree on, and give up what they no longer set', () => {
    const first = apply(undefined, { size: 1, labels: { a: '1' } }, 'one');
    const second = apply(first, { labels: { a: '1', b: '2' } }, 'two');
    expect(owners(second)).toEqual({
      'one Apply': ['.spec.size', '.spec.labels.a'],
      'two Apply': ['.spec.labels.a', '.spec.labels.b'],
    });
    const third = apply(second, {}, 'one');
    expect((plain(third) as { spec: unknown }).spec).toEqual({ labels: { a: '1', b: '2' } });
  });

  it('conflict unless they are forced', () => {
    const first = apply(undefined, { size: 1, labels: { a: '1' } }, 'one');
    expect(() => apply(first, { size: 2 }, 'two')).toThrow(
      'Apply failed with 1 conflict: conflict with "one": .spec.size',
    );
    expect(() => apply(first, { size: 2, labels: { a: '2' } }, 'two')).toThrow(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.size\n- .spec.labels.a',
    );
    expect(owners(apply(first, { size: 2 }, 'two', true))).toEqual({
      'one Apply': ['.spec.labels.a'],
      'two Apply': ['.spec.size'],
    });
  });

  it('record updates, and take over from those who applied', () => {
    const first = apply(undefined, { size: 1 }, 'one');
    const next = fromPlain({ ...(plain(first) as object), spec: { size: 2, labels: { a: '1' } } }) as MutableObject;
    recordUpdate(next, first, empty, type, writer('editor'));
    expect(owners(next)).toEqual({ 'editor Update': ['.spec.labels', '.spec.size', '.spec.labels.a'] });
    expect(() => apply(next, { size: 3 }, 'one')).toThrow('conflict with "editor" using a/v1: .spec.size');
  });

  it('forget all when a client sends an empty list', () => {
    const first = apply(undefined, { size: 1 }, 'one');
    const next = fromPlain({
      ...(plain(first) as object),
      metadata: { name: 'x', managedFields: [] },
    }) as MutableObject;
    recordUpdate(next, first, empty, type, writer('editor'));
    expect(object(next, 'metadata')['managedFields']).toBeUndefined();
  });

  it('own nothing that their endpoint does not write', () => {
    const first = apply(undefined, { size: 1 }, 'one');
    const next = fromPlain({ ...(plain(first) as object), spec: { size: 9 }, status: { phase: 'x' } }) as MutableObject;
    recordUpdate(next, first, empty, type, writer('controller', 'status'));
    expect(owners(next)['controller Update']).toEqual(['.status', '.status.phase']);
    expect(owners(next)['one Apply']).toEqual(['.spec.size']);
  });
});
