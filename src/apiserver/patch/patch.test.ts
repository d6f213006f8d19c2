import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPlain, type Json, type JsonObject } from '../json.ts';
import type { TypedNode, TypedProperty } from '../typed/types.ts';
import { applyJsonPatch, parseJsonPatch, PatchError, PatchSyntaxError } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value));
const patchOf = (operations: unknown): readonly JsonObject[] => parseJsonPatch(fromPlain(operations));

describe('JSON patch', () => {
  it.each([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['adds at the end of a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: null }], { a: { b: null } }],
    ['sets what it should replace', {}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['removes', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['tests', { a: 1 }, [{ op: 'test', path: '/a', value: 1 }], { a: 1 }],
    ['takes a missing member for null in a test', {}, [{ op: 'test', path: '/a', value: null }], {}],
    ['reads escapes', { 'a/b': { 'c~d': 1 } }, [{ op: 'remove', path: '/a~1b/c~0d' }], { 'a/b': {} }],
    ['takes negative indexes from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
  ])('%s', (_name, document, operations, expected) => {
    const before = fromPlain(document);
    expect(plain(applyJsonPatch(before, patchOf(operations)))).toEqual(expected);
    expect(plain(before)).toEqual(document);
  });

  it.each([
    [{}, [{ op: 'add', path: '/a/b', value: 1 }]],
    [{}, [{ op: 'remove', path: '/a' }]],
    [{ a: [] }, [{ op: 'replace', path: '/a/0', value: 1 }]],
    [{}, [{ op: 'replace', path: '/a/b', value: 1 }]],
    [{ a: [] }, [{ op: 'add', path: '/a/1', value: 1 }]],
    [{ a: [1] }, [{ op: 'add', path: '/a/01', value: 1 }]],
    [{ a: 1 }, [{ op: 'test', path: '/a', value: 2 }]],
    [{}, [{ op: 'jump', path: '/a' }]],
    [{}, [{ op: 'add', value: 1 }]],
    [{}, [{ op: 'add', path: '/a' }]],
  ])('refuses %j %j', (document, operations) => {
    expect(() => applyJsonPatch(fromPlain(document), patchOf(operations))).toThrow(PatchError);
  });

  it('is a list of objects', () => {
    expect(() => patchOf({})).toThrow(PatchSyntaxError);
    expect(() => patchOf([1])).toThrow(PatchSyntaxError);
  });
});

describe('merge patch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j', (document, patch, expected) => {
    expect(plain(applyMergePatch(fromPlain(document), fromPlain(patch)))).toEqual(expected);
  });

  it('leaves nothing to do when it is applied again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (document, patch) => {
        const once = applyMergePatch(fromPlain(document), fromPlain(patch));
        expect(plain(applyMergePatch(once, fromPlain(patch)))).toEqual(plain(once));
      }),
    );
  });
});

const scalar: TypedNode = { kind: 'string', bytes: false, values: undefined };
const property = (node: TypedNode, patchMergeKey?: string, ...patchStrategies: string[]): TypedProperty => ({
  node,
  absent: undefined,
  patchMergeKey,
  patchStrategies,
});
const item: TypedNode = {
  kind: 'object',
  name: 'Item',
  atomic: false,
  properties: new Map([
    ['name', property(scalar)],
    ['value', property(scalar)],
  ]),
};
const type: TypedNode = {
  kind: 'object',
  name: 'Root',
  atomic: false,
  properties: new Map([
    ['items', property({ kind: 'list', items: item, listType: 'map', keys: ['name'] }, 'name', 'merge')],
    ['set', property({ kind: 'list', items: scalar, listType: 'set', keys: [] }, undefined, 'merge')],
    ['atomic', property({ kind: 'list', items: scalar, listType: 'atomic', keys: [] })],
    ['labels', property({ kind: 'map', atomic: false, values: scalar })],
  ]),
};

describe('strategic merge patch', () => {
  const a = { name: 'a', value: '1' };
  const b = { name: 'b', value: '2' };
  it.each([
    [
      'merges lists by their key',
      { items: [a, b] },
      { items: [{ name: 'b', value: '3' }] },
      { items: [a, { name: 'b', value: '3' }] },
    ],
    ['puts new items before those it does not name', { items: [a] }, { items: [b] }, { items: [b, a] }],
    [
      'keeps the order that the patch sets',
      { items: [a] },
      { items: [b], '$setElementOrder/items': [{ name: 'a' }, { name: 'b' }] },
      { items: [a, b] },
    ],
    [
      'reorders without other changes',
      { items: [a, b] },
      { '$setElementOrder/items': [{ name: 'b' }, { name: 'a' }] },
      { items: [b, a] },
    ],
    ['deletes items', { items: [a, b] }, { items: [{ name: 'a', $patch: 'delete' }] }, { items: [b] }],
    ['replaces lists', { items: [a] }, { items: [{ $patch: 'replace' }, b] }, { items: [b] }],
    ['unites sets', { set: ['x'] }, { set: ['y', 'x'] }, { set: ['y', 'x'] }],
    ['deletes from sets', { set: ['x', 'y'] }, { '$deleteFromPrimitiveList/set': ['x'] }, { set: ['y'] }],
    ['replaces other lists', { atomic: ['x'] }, { atomic: ['y'] }, { atomic: ['y'] }],
    [
      'merges maps and deletes by null',
      { labels: { x: '1', y: '2' } },
      { labels: { x: null, z: '3' } },
      { labels: { y: '2', z: '3' } },
    ],
    ['replaces maps', { labels: { x: '1' } }, { labels: { $patch: 'replace', z: '3' } }, { labels: { z: '3' } }],
    [
      'retains keys',
      { labels: { x: '1', y: '2' } },
      { labels: { $retainKeys: ['y', 'z'], z: '3' } },
      { labels: { y: '2', z: '3' } },
    ],
    ['drops nulls of what is new', {}, { labels: { x: null, y: '1' } }, { labels: { y: '1' } }],
  ])('%s', (_name, document, patch, expected) => {
    const before = fromPlain(document) as JsonObject;
    expect(plain(applyStrategicMergePatch(before, fromPlain(patch) as JsonObject, type))).toEqual(expected);
    expect(plain(before)).toEqual(document);
  });

  it.each([
    ['no key', { items: [{ value: '1' }] }, 'map: map[value:1] does not contain declared merge key: name'],
    ['an unknown directive', { labels: { $patch: 'turn' } }, 'unknown patch type: turn in map: map[$patch:turn]'],
    [
      'an unknown directive in a list',
      { items: [{ name: 'a', $patch: 'turn' }] },
      'unknown patch type: turn in map: map[$patch:turn name:a]',
    ],
    [
      'a directive to merge',
      { items: [{ name: 'a', $patch: 'merge' }] },
      'merging lists cannot yet be specified in the patch',
    ],
    ['names to retain that are no list', { labels: { $retainKeys: 1 } }, 'invalid patch format of retainKeys'],
    ['members that are not retained', { labels: { $retainKeys: ['y'], z: '1' } }, 'invalid patch format of retainKeys'],
    ['an order that is no list', { '$setElementOrder/items': 5 }, 'expected a []interface {}, but received a int64'],
    ['items of another type', { items: [1] }, 'list element types are not identical: [[map[name:a value:1]] [1]]'],
  ])('refuses %s', (_name, patch, message) => {
    const document = fromPlain({ items: [a], labels: { x: '1' } }) as JsonObject;
    const apply = () => applyStrategicMergePatch(document, fromPlain(patch) as JsonObject, type);
    expect(apply).toThrow(PatchError);
    expect(apply).toThrow(message);
  });
});
