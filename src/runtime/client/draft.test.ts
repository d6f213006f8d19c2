import * as fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { freeze } from './cached.ts';
import { checkIdentity, difference, draftPatch, equal, guardedPatch } from './draft.ts';
import { InvalidCallError } from './errors.ts';

interface Widget {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; resourceVersion?: string; annotations: Record<string, string> };
  spec: { size: number; ports?: { name: string; port: number }[]; big?: number; copy?: number };
}
// As JSON.parse gives it, which rounds the integer.
const object = freeze<Widget>({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'n', resourceVersion: '7', annotations: { 'example.com/~key': 'x' } },
  spec: {
    size: 1,
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
    big: JSON.parse('9007199254740993') as number,
  },
});
const patch = (change: (draft: Widget) => void) => draftPatch<Widget>(object, change);

describe('draftPatch', () => {
  it.each<[string, (draft: Widget) => void, unknown[]]>([
    ['nothing', () => undefined, []],
    ['the same value', (draft) => void (draft.spec = { ...draft.spec }), []],
    ['a member', (draft) => void (draft.spec.size = 4), [{ op: 'replace', path: '/spec/size', value: 4 }]],
    ['a member less', (draft) => void delete draft.spec.ports, [{ op: 'remove', path: '/spec/ports' }]],
    [
      'an undefined member, which JSON does not have',
      (draft) => void ((draft.spec as { ports: unknown }).ports = undefined),
      [{ op: 'remove', path: '/spec/ports' }],
    ],
    [
      'keys that must be escaped',
      (draft) =>
        void ((draft.metadata.annotations['example.com/~key'] = 'y'), (draft.metadata.annotations['a/b'] = 'z')),
      [
        { op: 'replace', path: '/metadata/annotations/example.com~1~0key', value: 'y' },
        { op: 'add', path: '/metadata/annotations/a~1b', value: 'z' },
      ],
    ],
    ['the first element less', (draft) => void draft.spec.ports?.shift(), [{ op: 'remove', path: '/spec/ports/0' }]],
    [
      'an element more at the front',
      (draft) => void draft.spec.ports?.unshift({ name: 'c', port: 3 }),
      [{ op: 'add', path: '/spec/ports/0', value: { name: 'c', port: 3 } }],
    ],
    [
      'a member of an element',
      (draft) => void (draft.spec.ports?.[1] && (draft.spec.ports[1].port = 9)),
      [{ op: 'replace', path: '/spec/ports/1/port', value: 9 }],
    ],
  ])('%s', (_name, change, expected) => {
    expect(patch(change)).toEqual(expected);
  });

  it('never names an integer that was read inexactly, and refuses to write it elsewhere', () => {
    expect(JSON.stringify(patch((draft) => void (draft.spec.size = 2)))).not.toContain('9007');
    expect(() => patch((draft) => void (draft.spec.copy = draft.spec.big ?? 0))).toThrow(
      /\/spec\/copy: the integer .* inexactly/,
    );
    expect(patch((draft) => void (draft.spec.big = 2 ** 60))).toEqual([
      { op: 'replace', path: '/spec/big', value: 2 ** 60 },
    ]);
  });

  it('refuses a function that returns a promise', () => {
    const later = (() => Promise.resolve()) as unknown as (draft: Widget) => void;
    expect(() => patch(later)).toThrow(InvalidCallError);
  });

  it('guards with the version that was read, by replace and not by test', () => {
    expect(guardedPatch(object, [{ op: 'remove', path: '/spec' }])).toEqual([
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
      { op: 'remove', path: '/spec' },
    ]);
    expect(() => guardedPatch({ ...object, metadata: { name: 'a' } }, [])).toThrow('no resourceVersion');
  });

  it.each(['/metadata/name', '/metadata/uid', '/metadata/resourceVersion', '/kind', '/metadata'] as const)(
    'refuses changes of %s',
    (path) => {
      expect(() => checkIdentity([{ op: 'replace', path, value: 'x' }])).toThrow(`${path} cannot be changed`);
    },
  );
});

describe('difference', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  // Of members called __proto__ rfc6902, which stands for the server here, makes prototypes: they have a test of their own below.
  const safe = json.filter((value) => !/e\+|"__proto__"/.test(JSON.stringify(value)));

  it('makes the one of the other, for any two values', () => {
    fc.assert(
      fc.property(safe, safe, (from, to) => {
        const target = { root: structuredClone(from) };
        const failures = applyPatch(target, difference({ root: from }, { root: to }) as Operation[]);
        expect(failures.filter((failure) => failure !== null)).toEqual([]);
        expect(target.root).toEqual(to);
      }),
      { numRuns: 500 },
    );
  });

  it('names members called __proto__ like any other', () => {
    const to = JSON.parse('{"a":{"__proto__":{"b":1}}}') as unknown;
    expect(difference({ a: {} }, to)).toEqual([{ op: 'add', path: '/a/__proto__', value: { b: 1 } }]);
    expect(difference(to, { a: {} })).toEqual([{ op: 'remove', path: '/a/__proto__' }]);
  });

  it('is empty exactly for equal values', () => {
    fc.assert(
      fc.property(safe, safe, (one, other) => {
        expect(difference(one, structuredClone(one))).toEqual([]);
        expect(difference(one, other).length === 0).toBe(equal(one, other));
      }),
    );
  });

  it('touches what changed in an array and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer()),
        fc.array(fc.integer()),
        fc.array(fc.integer()),
        fc.array(fc.integer()),
        (head, from, to, tail) => {
          const operations = difference([...head, ...from, ...tail], [...head, ...to, ...tail]);
          expect(operations.length).toBeLessThanOrEqual(Math.max(from.length, to.length));
        },
      ),
    );
  });
});
