import { describe, expect, it } from 'vitest';
import { fromPlain, type JsonObject } from '../json.ts';
import { nameOf } from './cluster.ts';
import { afterScaling, nextStep, sizeOfCurrent, wasScaled, type Sizes } from './deployment-scaling.ts';
import { annotationsOfCurrent, bounds, forgettable, setsOf } from './deployment-sets.ts';

interface SetState {
  readonly name: string;
  readonly replicas: number;
  readonly available?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

const deployment = (replicas: number, surge: unknown, unavailable: unknown, type = 'RollingUpdate'): JsonObject =>
  fromPlain({
    metadata: { name: 'web' },
    spec: { replicas, strategy: { type, rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } } },
  }) as JsonObject;
const set = ({ name, replicas, available = 0, annotations = {} }: SetState): JsonObject =>
  fromPlain({
    metadata: { name, annotations, creationTimestamp: `2026-01-01T00:00:0${name.at(-1) ?? ''}Z` },
    spec: { replicas },
    status: { availableReplicas: available },
  }) as JsonObject;
const shown = (sizes: Sizes): Readonly<Record<string, number>> =>
  Object.fromEntries([...sizes].map(([found, size]) => [nameOf(found), size]));

describe('a rolling update', () => {
  it.each([
    ['starts with what may run beside the old pods', deployment(10, '25%', '25%'), [10], 3],
    ['starts with nothing when there is no room', deployment(10, 0, 1), [10], 0],
    ['starts with everything when nothing runs', deployment(4, 1, 0), [], 4],
    ['starts with everything where old pods went before', deployment(4, 1, 0, 'Recreate'), [], 4],
  ])('%s', (_name, found, old, size) => {
    const sets = old.map((replicas, index) => set({ name: `old-${index}`, replicas }));
    expect(sizeOfCurrent(found, undefined, sets)).toBe(size);
  });

  it.each([
    ['grows the new set first', { replicas: 2, available: 2 }, [{ replicas: 8, available: 8 }], { new: 5 }],
    [
      'takes old pods away that may be missing',
      { replicas: 5, available: 5 },
      [{ replicas: 8, available: 8 }],
      { 'old-0': 3 },
    ],
    ['waits for new pods', { replicas: 5, available: 0 }, [{ replicas: 8, available: 8 }], {}],
    [
      'takes pods first that are not available',
      { replicas: 5, available: 5 },
      [
        { replicas: 4, available: 4 },
        { replicas: 4, available: 1 },
      ],
      { 'old-0': 2, 'old-1': 1 },
    ],
    ['shrinks a new set that is too large', { replicas: 12, available: 12 }, [], { new: 10 }],
    ['is through', { replicas: 10, available: 10 }, [{ replicas: 0 }], {}],
  ])('%s', (_name, current, old, expected) => {
    const sets = old.map((state, index) => set({ name: `old-${index}`, ...state }));
    expect(shown(nextStep(deployment(10, 3, 2), set({ name: 'new', ...current }), sets))).toEqual(expected);
  });
});

describe('a Deployment that is scaled', () => {
  const before = bounds(deployment(10, 3, 2));
  const state = (name: string, replicas: number, available = 0): JsonObject =>
    set({ name, replicas, available, annotations: before });

  it('is told by what its sets have noted', () => {
    const sets = { current: state('new-1', 10), old: [] };
    expect(wasScaled(deployment(10, 3, 2), sets)).toBe(false);
    expect(wasScaled(deployment(11, 3, 2), sets)).toBe(true);
  });

  it.each([
    ['gives the only set all', 20, [state('new-1', 10)], { 'new-1': 20 }],
    ['shares what is added', 20, [state('new-1', 5), state('old-0', 8)], { 'new-1': 9, 'old-0': 14 }],
    ['shares what is taken', 5, [state('new-1', 5), state('old-0', 8)], { 'new-1': 3, 'old-0': 5 }],
    ['takes everything', 0, [state('new-1', 5), state('old-0', 8)], { 'new-1': 0, 'old-0': 0 }],
  ])('%s', (_name, replicas, [current, ...old], expected) => {
    expect(shown(afterScaling(deployment(replicas, 3, 2), { current, old }))).toEqual(expected);
  });

  it('keeps no old pods beside a new set that is whole', () => {
    const current = set({ name: 'new-1', replicas: 10, available: 10, annotations: before });
    expect(shown(afterScaling(deployment(10, 3, 2), { current, old: [state('old-0', 3)] }))).toEqual({ 'old-0': 0 });
  });
});

describe('the sets of a Deployment', () => {
  const template = (image: string, hash?: string) => ({
    metadata: { labels: { app: 'a', ...(hash !== undefined && { 'pod-template-hash': hash }) } },
    spec: { containers: [{ name: 'a', image }] },
  });
  const withTemplate = (name: string, image: string): JsonObject =>
    fromPlain({ metadata: { name }, spec: { template: template(image, name) } }) as JsonObject;

  it('are told apart by their templates', () => {
    const found = fromPlain({ metadata: { name: 'web' }, spec: { template: template('two') } }) as JsonObject;
    const [one, two] = [withTemplate('one', 'one'), withTemplate('two', 'two')];
    expect(setsOf(found, [one, two])).toEqual({ current: two, old: [one] });
    expect(setsOf(found, [one])).toEqual({ current: undefined, old: [one] });
  });

  it('take over annotations, and remember the revisions that they have had', () => {
    const revision = 'deployment.kubernetes.io/revision';
    const found = fromPlain({
      metadata: {
        name: 'web',
        annotations: { cause: 'two', [revision]: '3', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
    }) as JsonObject;
    const old = [set({ name: 'old-1', replicas: 0, annotations: { [revision]: '3' } })];
    expect(annotationsOfCurrent(found, undefined, old)).toEqual({ cause: 'two', [revision]: '4' });
    const back = set({
      name: 'old-0',
      replicas: 0,
      annotations: { cause: 'one', [revision]: '2', [`${revision}-history`]: '1' },
    });
    expect(annotationsOfCurrent(found, back, old)).toEqual({
      cause: 'two',
      [revision]: '4',
      [`${revision}-history`]: '1,2',
    });
    const latest = set({ name: 'old-2', replicas: 0, annotations: { [revision]: '5' } });
    expect(annotationsOfCurrent(found, latest, old)).toEqual({ cause: 'two', [revision]: '5' });
  });

  it('are forgotten beyond the history, the oldest first', () => {
    const found = fromPlain({ metadata: { name: 'web' }, spec: { revisionHistoryLimit: 1 } }) as JsonObject;
    const sets = ['3', '1', '2'].map((revision) =>
      set({
        name: `old-${revision}`,
        replicas: revision === '2' ? 1 : 0,
        annotations: { 'deployment.kubernetes.io/revision': revision },
      }),
    );
    expect(forgettable(found, sets).map(nameOf)).toEqual(['old-1']);
  });
});
