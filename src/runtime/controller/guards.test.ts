import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { seededRandom } from '../environment/virtual-random.ts';
import { changedPaths } from './changed-paths.ts';
import { managersOf } from './field-managers.ts';
import { guardNames } from './guard-types.ts';
import type { GuardName, GuardOptions, GuardTrip } from './guard-types.ts';
import { Guards } from './guards.ts';
import type { Write } from './guard-patterns.ts';
import type { GuardedRun } from './guards.ts';
import type { Cause, Request } from './reconcile.ts';

interface Widget extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const request: Request = { namespace: 'ns', name: 'w' };
const object = (version: number, rest: Partial<Widget> = {}, metadata: ObjectMeta = {}): Cached<Widget> =>
  freeze({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'ns', name: 'w', uid: 'u', resourceVersion: String(version), ...metadata },
    ...rest,
  });
const event = (version: number, kind = 'Widget', name = 'w'): Cause => ({
  kind,
  namespace: 'ns',
  name,
  event: 'update',
  resourceVersion: String(version),
});

function setUp(options: GuardOptions = {}) {
  const world = createVirtualEnvironment();
  const trips: GuardTrip[] = [];
  const guards = new Guards(world.clock, 'Widget', options, (_request, trip) => void trips.push(trip));
  const run = (causes: readonly Cause[], work: (run: GuardedRun) => void, seen?: Cached<Widget>): void => {
    const guarded = guards.begin(request, causes, () => seen);
    work(guarded);
    guarded.end();
  };
  return { world, trips, guards, run };
}
type Bench = ReturnType<typeof setUp>;

const patch = (before: Cached<Widget> | undefined, after: Cached<Widget>): Write => ({
  kind: 'Widget',
  how: 'patch',
  before,
  after,
});

/** Runs that each write a new status, each woken by the write of the one before. */
function loop({ run }: Bench, runs: number, from = 1): void {
  for (let version = from; version < from + runs; version++) {
    run([event(version)], (guarded) => {
      const status = { seen: version };
      guarded.wrote(patch(object(version), object(version + 1, { status })));
    });
  }
}

/** Each pattern often enough, its guard's name, and what the trip says. */
const patterns: readonly (readonly [GuardName, (bench: Bench) => void, Partial<GuardTrip>])[] = [
  [
    'selfTriggeredLoop',
    (bench) => {
      loop(bench, 40);
    },
    { object: 'Widget ns/w', fields: ['/status/seen'] },
  ],
  [
    'fieldConflict',
    ({ run }) => {
      for (let version = 1; version < 90; version += 2) {
        // Somebody made it 5 again; we make it 3.
        run([event(version)], (guarded) => {
          const before = object(version, { spec: { replicas: 5, image: 'a' } });
          guarded.wrote(patch(before, object(version + 1, { spec: { replicas: 3, image: 'a' } })));
        });
      }
    },
    { object: 'Widget ns/w', fields: ['/spec/replicas'] },
  ],
  [
    'noOpWrite',
    ({ run }) => {
      for (let count = 0; count < 40; count++) {
        run([event(7)], (guarded) => {
          guarded.wrote({ ...patch(object(7), object(7)), fields: () => ['/status'] });
        });
      }
    },
    { object: 'Widget ns/w', fields: ['/status'] },
  ],
  [
    'generatedName',
    ({ run }) => {
      for (let version = 1; version < 40; version++) {
        run([event(version, 'Job', `job-${version}`)], (guarded) => {
          const after = object(version + 1, {}, { name: `job-${version + 1}` });
          guarded.wrote({ kind: 'Job', how: 'create', generatedName: true, before: undefined, after });
        });
      }
    },
    { fields: ['/metadata/generateName'] },
  ],
  [
    'staleRead',
    ({ run }) => {
      for (let version = 1; version < 40; version++) {
        run([], (guarded) => {
          guarded.wrote(patch(object(10 * version), object(10 * version + 5, { status: { version } })));
          guarded.conflicted('Widget', request, object(10 * version), () => ['/status/version']);
        });
      }
    },
    { object: 'Widget ns/w', fields: ['/status/version'] },
  ],
  [
    'ignoredAbort',
    ({ guards }) => {
      guards.ignoredAbort(request);
    },
    { object: 'Widget ns/w' },
  ],
];

describe('a guard', () => {
  it.each(patterns)('trips once for the pattern of %s, and says what and why', (guard, make, expected) => {
    const bench = setUp();
    make(bench);
    expect(bench.trips).toHaveLength(1);
    expect(bench.trips[0]).toMatchObject({ guard, ...expected });
    expect(bench.trips[0]?.remedy).not.toBe('');
  });

  it.each(patterns)('of the name %s can be switched off', (guard, make) => {
    const bench = setUp({ [guard]: false });
    make(bench);
    expect(bench.trips).toEqual([]);
    expect(bench.guards.holdOff(request, () => object(99))).toBe(0);
  });

  it('is there for each name', () => {
    expect(patterns.map(([name]) => name)).toEqual([...guardNames]);
  });

  it('does not trip when the same is spread over more than a minute', async () => {
    const bench = setUp();
    for (let version = 1; version < 100; version++) {
      loop(bench, 1, version);
      await bench.world.advance(6_700);
    }
    expect(bench.trips).toEqual([]);
  });

  it('lets server-side apply be repeated', () => {
    const { run, trips } = setUp();
    for (let count = 0; count < 50; count++) {
      run([event(7)], (guarded) => {
        guarded.wrote({ ...patch(object(7), object(7)), how: 'apply' });
      });
    }
    expect(trips).toEqual([]);
  });

  it('lets one run create many objects with generated names, also one that its own write caused', () => {
    const { run, trips } = setUp();
    run([event(1)], (guarded) => guarded.wrote(patch(object(1), object(2, {}, { finalizers: ['a/b'] }))));
    run([event(2)], (guarded) => {
      for (let count = 0; count < 20; count++) {
        const after = object(3 + count, {}, { name: `pod-${count}` });
        guarded.wrote({ kind: 'Pod', how: 'create', generatedName: true, before: undefined, after });
      }
    });
    expect(trips).toEqual([]);
  });

  it('sees writes of all subresources of an object together', () => {
    const { run, trips } = setUp();
    for (let version = 1; version < 12; version++) {
      run([event(version)], (guarded) => {
        const subresource = version % 2 === 0 ? 'scale' : 'resize';
        guarded.wrote({
          ...patch(undefined, object(version + 1, { spec: { replicas: version } })),
          subresource,
          fields: () => ['/spec/replicas'],
        });
      });
    }
    expect(trips).toMatchObject([{ guard: 'selfTriggeredLoop', object: 'Widget ns/w', fields: ['/spec/replicas'] }]);
  });

  it('sees two writers of a scale', () => {
    const { run, trips } = setUp();
    const scale = (version: number, replicas: number): Cached<Widget> => object(version, { spec: { replicas } });
    for (let version = 1; version < 24; version += 2) {
      run([event(version)], (guarded) =>
        guarded.wrote({ ...patch(scale(version, 5), scale(version + 1, 3)), subresource: 'scale' }),
      );
    }
    expect(trips).toMatchObject([{ guard: 'fieldConflict', fields: ['/spec/replicas'] }]);
  });

  it('sees a loop that a timed run is part of as well', () => {
    const { run, trips } = setUp();
    const requeue: Cause = { kind: 'Widget', namespace: 'ns', name: 'w', event: 'requeue' };
    for (let version = 1; version < 12; version++) {
      run([requeue, event(version)], (guarded) => {
        guarded.wrote(patch(object(version), object(version + 1, { status: { seen: version } })));
      });
    }
    expect(trips).toHaveLength(1);
  });

  it('does not take timed runs alone, nor a change by others beside its own, for a loop', () => {
    for (const beside of [[], [event(1_000)]]) {
      const { run, trips } = setUp();
      const requeue: Cause = { kind: 'Widget', namespace: 'ns', name: 'w', event: 'requeue' };
      for (let version = 1; version < 50; version++) {
        run(beside.length === 0 ? [requeue] : [event(version), ...beside], (guarded) => {
          guarded.wrote(patch(object(version), object(version + 1, { status: { seen: version } })));
        });
      }
      expect(trips).toEqual([]);
    }
  });

  it('knows the events of up to 64 writes of a run again', () => {
    const { run, trips } = setUp();
    let version = 1;
    for (let count = 0; count < 11; count++) {
      const causes = Array.from({ length: 60 }, (_, index) => event(version - index, 'Widget', `child-${index}`));
      run(count === 0 ? [] : causes, (guarded) => {
        version += 60;
        for (let index = 0; index < 60; index++) {
          const after = object(version - index, { status: { count } }, { name: `child-${index}` });
          guarded.wrote(patch(undefined, after));
        }
      });
    }
    expect(new Set(trips.map(({ guard }) => guard))).toEqual(new Set(['selfTriggeredLoop']));
  });

  it('forgets what it knows of a key two minutes after its last run', async () => {
    const bench = setUp();
    loop(bench, 10);
    await bench.world.advance(120_000);
    // Another key's run clears away.
    bench.guards.begin({ namespace: 'ns', name: 'other' }, [], () => undefined).wrote(patch(undefined, object(500)));
    expect(bench.guards.known).toBe(1);
  });

  it('takes an object that was made anew for no other writer of its fields', () => {
    const { run, trips } = setUp();
    for (let version = 1; version < 40; version += 2) {
      run([event(version)], (guarded) => {
        const metadata = { uid: `u-${version}` };
        const before = object(version, { spec: { replicas: 5 } }, metadata);
        guarded.wrote(patch(before, object(version + 1, { spec: { replicas: 3 } }, metadata)));
      });
    }
    expect(trips).toEqual([]);
  });

  it('does not count a conflict with somebody else', () => {
    const { run, trips } = setUp();
    for (let count = 0; count < 50; count++) {
      run([event(count)], (guarded) => {
        guarded.conflicted('Widget', request, object(count), () => []);
      });
    }
    expect(trips).toEqual([]);
  });
});

describe('a tripped guard', () => {
  it('spaces the runs of its key 1, 2, 4 ... 60 seconds, and no other key', async () => {
    const bench = setUp();
    const { guards, world } = bench;
    loop(bench, 11);
    const pauses: number[] = [];
    for (let version = 12; version < 20; version++) {
      const pause = guards.holdOff(request, () => object(version));
      pauses.push(pause);
      expect(guards.holdOff({ namespace: 'ns', name: 'other' }, () => object(version, {}, { name: 'other' }))).toBe(0);
      await world.advance(pause);
      expect(guards.holdOff(request, () => object(version))).toBe(0);
      loop(bench, 1, version);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(bench.trips).toHaveLength(1);
    expect(guards.spaced).toBe(1);
  });

  it('goes on when another event comes together with that of its own write, not when its own is not among them', () => {
    const bench = setUp();
    loop(bench, 11);
    const status = (seen: number): Partial<Widget> => ({ status: { seen } });
    bench.run([event(12), event(900, 'Gadget', 'g')], (guarded) =>
      guarded.wrote(patch(object(12), object(13, status(13)))),
    );
    expect([bench.guards.spaced, bench.trips.length]).toEqual([1, 1]);
    bench.run([event(901, 'Gadget', 'g')], (guarded) => guarded.wrote(patch(object(13), object(14, status(14)))));
    expect(bench.guards.spaced).toBe(0);
  });

  const spec = (size: number): Partial<Widget> => ({ spec: { size } });

  it.each<[string, Cached<Widget> | undefined, boolean]>([
    ['a change of the spec', object(13, spec(2), { generation: 2 }), true],
    [
      'a change of what stands in place of a spec',
      object(13, { ...spec(1), data: { a: 'b' } } as Partial<Widget>),
      true,
    ],
    ['the beginning of its deletion', object(13, spec(1), { deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
    ['another object of the same name', object(13, spec(1), { uid: 'v' }), true],
    ['its end', undefined, true],
    ['a change of the status', object(13, { ...spec(1), status: { seen: 99 } }), false],
    ['a change of labels', object(13, spec(1), { labels: { a: 'b' } }), false],
    ['a cache that is behind', object(3, spec(7), { generation: 0 }), false],
  ])('after %s is as it should be', (_, now, reset) => {
    const { guards, run } = setUp();
    for (let version = 1; version < 12; version++) {
      const status = { seen: version };
      run(
        [event(version)],
        (guarded) => guarded.wrote(patch(object(version), object(version + 1, { ...spec(1), status }))),
        object(version, { ...spec(1), status: { seen: version - 1 } }),
      );
    }
    expect(guards.spaced).toBe(1);
    expect(guards.holdOff(request, () => now) === 0).toBe(reset);
    expect(guards.spaced).toBe(reset ? 0 : 1);
  });

  it('is not reset by the spec that the loop itself writes', () => {
    const { guards, run } = setUp();
    const at = (version: number): Cached<Widget> => object(version, spec(version), { generation: version });
    for (let version = 1; version < 12; version++) {
      run([event(version)], (guarded) => guarded.wrote(patch(at(version), at(version + 1))), at(version));
    }
    expect(guards.holdOff(request, () => at(12))).toBeGreaterThan(0);
    // Somebody else's change on top of it is one.
    expect(guards.holdOff(request, () => object(13, spec(99), { generation: 13 }))).toBe(0);
  });

  it('is reset by a change of the spec that an own write had below it', () => {
    const { guards, run } = setUp();
    const at = (version: number, generation: number, size: number): Cached<Widget> =>
      object(version, { ...spec(size), status: { seen: version } }, { generation });
    for (let version = 1; version < 12; version++) {
      const after = version < 11 ? at(version + 1, 1, 1) : at(version + 1, 3, 2);
      run([event(version)], (guarded) => guarded.wrote(patch(undefined, after)), at(version, 1, 1));
    }
    expect(guards.spaced).toBe(1);
    expect(guards.holdOff(request, () => at(12, 3, 2))).toBe(0);
  });

  it('about a field of the object itself is not reset by the other writer, but by a change elsewhere', () => {
    const { guards, run, trips } = setUp();
    const at = (version: number, replicas: number, image = 'a'): Cached<Widget> =>
      object(version, { spec: { replicas, image } }, { generation: version });
    for (let version = 1; version < 24; version += 2) {
      run([event(version)], (guarded) => guarded.wrote(patch(at(version, 5), at(version + 1, 3))), at(version, 5));
    }
    expect(trips).toMatchObject([{ guard: 'fieldConflict', fields: ['/spec/replicas'] }]);
    expect(guards.holdOff(request, () => at(25, 5))).toBeGreaterThan(0);
    expect(guards.holdOff(request, () => at(26, 5, 'b'))).toBe(0);
  });

  it('is reset by a run without the pattern, and trips again when it comes back', () => {
    const bench = setUp();
    loop(bench, 11);
    bench.run([event(12)], () => undefined);
    expect(bench.guards.holdOff(request, () => object(12))).toBe(0);
    loop(bench, 12, 20);
    expect(bench.trips).toHaveLength(2);
  });
});

describe('a correct reconciler', () => {
  it('trips no guard in 10,000 seeded runs', async () => {
    const random = seededRandom(11);
    const { world, guards, trips } = setUp();
    let version = 1;
    const keys = Array.from({ length: 20 }, (_, index) => ({
      request: { namespace: 'ns', name: `w-${index}` },
      generation: 1,
      spec: 0,
      status: -1,
      version: 0,
      causes: [] as Cause[],
    }));
    for (let count = 0; count < 10_000; count++) {
      const key = keys[Math.floor(random.next() * keys.length)] ?? keys[0];
      if (key === undefined) continue;
      const { name } = key.request;
      const now = (spec: number, status: number): Cached<Widget> =>
        object(key.version, { spec: { size: spec }, status: { size: status } }, { name });
      // A user changes the spec at times; another writer touches the object; nothing happens at all.
      const chance = random.next();
      if (chance < 0.3) {
        key.spec = Math.floor(random.next() * 5);
        key.generation++;
        key.version = ++version;
        key.causes.push(event(version, 'Widget', name));
      } else if (chance < 0.5) {
        key.version = ++version;
        key.causes.push(event(version, 'Widget', name));
      }
      const run = guards.begin(key.request, key.causes.splice(0), () => now(key.spec, key.status));
      if (key.status !== key.spec && random.next() < 0.1) {
        run.conflicted('Widget', key.request, now(key.spec, key.status), () => []);
      } else if (key.status !== key.spec) {
        const before = now(key.spec, key.status);
        key.version = ++version;
        key.status = key.spec;
        run.wrote({ ...patch(before, now(key.spec, key.status)) });
        key.causes.push(event(version, 'Widget', name));
      } else if (random.next() < 0.2) {
        run.wrote({ ...patch(now(key.spec, key.status), now(key.spec, key.status)), how: 'apply' });
      }
      run.end();
      await world.advance(random.next() * 50);
    }
    expect(trips).toEqual([]);
  });
});

describe('the paths at which objects differ', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: { b: 1, c: [1] } }, { a: { b: 2, c: [1, 2] } }, ['/a/b', '/a/c']],
    [{ 'x/y~z': 1 }, {}, ['/x~1y~0z']],
    [{ a: undefined }, {}, []],
    [{ a: { b: 1 } }, { a: null }, ['/a']],
    // Beyond what a number holds exactly: a patch could not be made of it, a comparison can.
    [{ a: 2 ** 60, b: 1 }, { a: 2 ** 60, b: 2 ** 60 }, ['/b']],
  ])('of %j and %j are %j', (from, to, paths) => {
    expect(changedPaths(from, to)).toEqual(paths);
  });
});

describe('the owners of fields', () => {
  const managed = object(1, {}, {
    managedFields: [
      { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      {
        manager: 'ours',
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:list': { 'k:{"name":"a"}': { 'f:x': {} } } } },
      },
      { manager: 'whole', operation: 'Update', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a/b': {} } } } },
    ],
  } as unknown as ObjectMeta);

  it.each([
    ['/spec/replicas', ['kubectl']],
    ['/spec/list/0/x', ['ours']],
    ['/spec', ['kubectl', 'ours']],
    ['/metadata/labels/a~1b', ['whole']],
    ['/status/x', []],
  ])('of %s are %j', (field, managers) => {
    expect(managersOf(managed, [field])).toEqual(managers);
  });

  it('are nobody without managedFields', () => {
    expect(managersOf(object(1), ['/spec'])).toEqual([]);
  });
});
