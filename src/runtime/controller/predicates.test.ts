import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  generationChanged,
  labelsChanged,
  looksAtGeneration,
  moreThanStatusChanged,
  not,
  resourceVersionChanged,
} from './predicates.ts';
import type { UpdatePredicate } from './predicates.ts';

const base: ObjectMeta = { name: 'a', resourceVersion: '1', generation: 1 };

/** Which predicates let a change of metadata pass. */
function passing(before: ObjectMeta, after: ObjectMeta): string[] {
  const object = (metadata: ObjectMeta): Cached<KubernetesObject> => ({ apiVersion: 'v1', kind: 'X', metadata });
  const predicates = { annotationsChanged, deletionStarted, generationChanged, labelsChanged, moreThanStatusChanged };
  return Object.entries(predicates)
    .filter(([, predicate]) => predicate(object(before), object({ ...after, resourceVersion: '2' })))
    .map(([name]) => name);
}

describe('predicates of updates', () => {
  const owner = { apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u' };

  it.each<[string, ObjectMeta, ObjectMeta, string[]]>([
    ['the status', base, base, []],
    ['the spec', base, { ...base, generation: 2 }, ['generationChanged', 'moreThanStatusChanged']],
    [
      'the start of deletion',
      base,
      { ...base, generation: 2, deletionTimestamp: 't' },
      ['deletionStarted', 'generationChanged', 'moreThanStatusChanged'],
    ],
    [
      'the start of deletion that the generation does not tell of',
      base,
      { ...base, deletionTimestamp: 't' },
      ['deletionStarted', 'generationChanged', 'moreThanStatusChanged'],
    ],
    [
      'the status of what is being deleted',
      { ...base, deletionTimestamp: 't' },
      { ...base, deletionTimestamp: 't' },
      [],
    ],
    ['a new label', base, { ...base, labels: { a: '1' } }, ['labelsChanged', 'moreThanStatusChanged']],
    [
      'another value of a label',
      { ...base, labels: { a: '1' } },
      { ...base, labels: { a: '2' } },
      ['labelsChanged', 'moreThanStatusChanged'],
    ],
    ['no label in place of none', base, { ...base, labels: {} }, []],
    [
      'a label less',
      { ...base, labels: { a: '1', b: '2' } },
      { ...base, labels: { a: '1' } },
      ['labelsChanged', 'moreThanStatusChanged'],
    ],
    ['an annotation', base, { ...base, annotations: { a: '1' } }, ['annotationsChanged', 'moreThanStatusChanged']],
    [
      'a label for another',
      { ...base, labels: { toString: 'x' } },
      { ...base, labels: { valueOf: 'x' } },
      ['labelsChanged', 'moreThanStatusChanged'],
    ],
    ['a finalizer', base, { ...base, finalizers: ['f'] }, ['moreThanStatusChanged']],
    ['an owner', base, { ...base, ownerReferences: [owner] }, ['moreThanStatusChanged']],
    [
      'anything of a kind without generation',
      { name: 'a' },
      { name: 'a' },
      ['generationChanged', 'moreThanStatusChanged'],
    ],
  ])('see %s', (_, before, after, expected) => {
    expect(passing(before, after)).toEqual(expected);
  });

  it('see another version, whatever is in it', () => {
    const object = (resourceVersion: string): Cached<KubernetesObject> => ({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { ...base, resourceVersion },
    });
    expect([
      resourceVersionChanged(object('1'), object('2')),
      resourceVersionChanged(object('1'), object('1')),
    ]).toEqual([true, false]);
  });

  it('know whether they look at the generation, however they are combined', () => {
    const looking = [
      generationChanged,
      moreThanStatusChanged,
      anyOf(labelsChanged, generationChanged),
      allOf(annotationsChanged, anyOf(moreThanStatusChanged)),
      not(generationChanged),
    ];
    expect(looking.map(looksAtGeneration)).toEqual(looking.map(() => true));
    const others = [labelsChanged, anyOf(labelsChanged, annotationsChanged), not(deletionStarted), anyOf()];
    expect(others.map(looksAtGeneration)).toEqual(others.map(() => false));
  });

  it('combine', () => {
    const yes: UpdatePredicate = () => true;
    const no: UpdatePredicate = () => false;
    const object: Cached<KubernetesObject> = { apiVersion: 'v1', kind: 'X', metadata: {} };
    const results = [
      anyOf(no, yes),
      anyOf(no, no),
      anyOf(),
      allOf(yes, yes),
      allOf(yes, no),
      allOf(),
      not(no),
      not(yes),
    ];
    expect(results.map((predicate) => predicate(object, object))).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
      true,
      false,
    ]);
  });
});
