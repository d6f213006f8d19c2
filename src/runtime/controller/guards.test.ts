import { describe, expect, it } from 'vitest';
import { event, loop, object, patch, request, setUp } from '../../../test/support/guards-bench.ts';
import type { Bench, Widget } from '../../../test/support/guards-bench.ts';
import type { ObjectMeta } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { seededRandom } from '../environment/virtual-random.ts';
import { changedPaths } from './changed-paths.ts';
import { managersOf } from './field-managers.ts';
import { guardNames } from './guard-types.ts';
import type { GuardName, GuardTrip } from './guard-types.ts';
import type { Cause } from './reconcile.ts';

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

  it('sees a write that changes nothing though the cache is behind', () => {
    const { run, trips } = setUp();
    for (let count = 0; count < 12; count++) {
      run([event(7)], (guarded) => guarded.wrote(patch(object(6), object(7))));
    }
    expect(trips).toMatchObject([{ guard: 'noOpWrite', object: 'Widget ns/w' }]);
  });

  it('forgets a key whose runs are spaced, too, when none came for four minutes: its object is gone', async () => {
    const bench = setUp();
    loop(bench, 11);
    const other = (): void =>
      bench.guards.begin({ namespace: 'ns', name: 'other' }, [], () => undefined).wrote(patch(undefined, object(500)));
    await bench.world.advance(239_000);
    other();
    expect(bench.guards.known).toBe(2);
    await bench.world.advance(1_000);
    other();
    expect(bench.guards.known).toBe(1);
  });

  it('remembers a key that goes on running, and not those that have ended since', async () => {
    const { guards, world } = setUp();
    const write = (name: string): void => {
      guards.begin({ namespace: 'ns', name }, [], () => undefined).wrote(patch(undefined, object(1, {}, { name })));
    };
    write('a');
    write('b');
    await world.advance(100_000);
    write('a');
    await world.advance(30_000);
    write('c');
    expect(guards.known).toBe(2);
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
