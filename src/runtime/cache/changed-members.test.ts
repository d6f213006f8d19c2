import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { changedMembers, changedText } from './changed-members.ts';

/** Members in the order of their names, as servers write maps. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, canonical(member)]));
};
const object = (metadata: object, rest: object = {}): KubernetesObject =>
  canonical({ apiVersion: 'v1', kind: 'X', metadata, ...rest }) as KubernetesObject;
const changes = (one: KubernetesObject, other: KubernetesObject): readonly string[] =>
  changedText(JSON.stringify(one), JSON.stringify(other));

describe('what changed', () => {
  it.each<[string, KubernetesObject, KubernetesObject, string[]]>([
    ['nothing but the version', object({ resourceVersion: '1' }), object({ resourceVersion: '2', generation: 4 }), []],
    ['a status that appears', object({}), object({}, { status: { ready: true } }), ['/status']],
    ['a spec that goes', object({}, { spec: { a: 1 } }), object({}), ['/spec']],
    [
      'deep in the spec, with labels',
      object({ labels: { a: 'b' } }, { spec: { a: [{ b: '}' }] }, status: { a: 1 } }),
      object({ labels: { a: 'c' } }, { spec: { a: [{ b: '{' }] }, status: { a: 1 } }),
      ['/spec', '/metadata/labels'],
    ],
    ['managedFields', object({ managedFields: [{ a: 1 }] }), object({ managedFields: [{ a: 2 }] }), []],
    [
      'quotes and brackets in strings',
      object({}, { data: { a: '"],"x":{' } }),
      object({}, { data: { a: '"]' } }),
      ['/data'],
    ],
  ])('%s', (_name, one, other, expected) => {
    expect(changes(one, other)).toEqual(expected);
    expect(changedMembers(one, other)).toEqual(expected);
  });

  it('is the same by text as by value, for any two objects', () => {
    const key = fc.constantFrom('spec', 'status', 'labels', 'metadata', '__proto__', '"', '\\', 'ü:');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>('', '"', '\\"', '}', 1, -1.5, true, null),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    const members = fc.dictionary(
      key.filter((name) => name !== 'metadata'),
      value,
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(members, members, members, fc.boolean(), (metadata, before, after, same) => {
        const one = object(metadata, before);
        const other = object(same ? metadata : after, same ? after : before);
        expect(new Set(changes(one, other))).toEqual(new Set(changedMembers(one, other)));
      }),
    );
  });
});
