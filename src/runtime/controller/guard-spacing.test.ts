import { describe, expect, it } from 'vitest';
import { event, loop, object, patch, request, setUp } from '../../../test/support/guards-bench.ts';
import type { Widget } from '../../../test/support/guards-bench.ts';
import type { Cached } from '../client/cached.ts';

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

  it('is not reset by a cache that is behind its own change of the spec', () => {
    const { guards, run } = setUp();
    const at = (version: number): Cached<Widget> => object(version, spec(version), { generation: version });
    run([], (guarded) => guarded.wrote(patch(at(1), at(2))), at(1));
    for (let version = 2; version < 13; version++) {
      const child = object(100 + version, { status: { version } }, { name: 'child' });
      // Woken by the child that it wrote; the cache does not have its own object's new spec yet.
      run([event(99 + version, 'Widget', 'child')], (guarded) => guarded.wrote(patch(undefined, child)), at(1));
    }
    expect(guards.spaced).toBe(1);
    expect(guards.holdOff(request, () => at(2))).toBeGreaterThan(0);
  });

  it('is not reset by the scale that the loop writes', () => {
    const { guards, run } = setUp();
    for (let version = 1; version < 12; version++) {
      const scale = object(version + 1, { spec: { replicas: version } });
      run(
        [event(version)],
        (guarded) => guarded.wrote({ ...patch(undefined, scale), subresource: 'scale' }),
        object(version, spec(1)),
      );
    }
    expect(guards.spaced).toBe(1);
    expect(guards.holdOff(request, () => object(12, spec(1)))).toBeGreaterThan(0);
  });

  it('about a field of another object is reset by a change of the same field of its own', () => {
    const { guards, run, trips } = setUp();
    const child = (version: number, replicas: number): Cached<Widget> =>
      object(version, { spec: { replicas } }, { name: 'child', uid: 'child' });
    const own = object(1, { spec: { replicas: 3 } });
    for (let version = 11; version < 34; version += 2) {
      run([event(version)], (guarded) => guarded.wrote(patch(child(version, 5), child(version + 1, 3))), own);
    }
    expect(trips).toMatchObject([{ guard: 'fieldConflict', object: 'Widget ns/child', fields: ['/spec/replicas'] }]);
    expect(guards.holdOff(request, () => own)).toBeGreaterThan(0);
    expect(guards.holdOff(request, () => object(50, { spec: { replicas: 4 } }))).toBe(0);
  });

  it('keeps its pause when a second guard trips for the key', async () => {
    const bench = setUp();
    const { guards, trips, world } = bench;
    loop(bench, 14);
    expect(guards.holdOff(request, () => object(15))).toBe(8_000);
    await world.advance(8_000);
    bench.run(
      [event(15)],
      (guarded) => {
        for (let count = 0; count < 10; count++) {
          guarded.wrote(patch(object(15), object(15)));
        }
      },
      object(15),
    );
    expect(trips.map(({ guard }) => guard)).toEqual(['selfTriggeredLoop', 'noOpWrite']);
    expect(guards.holdOff(request, () => object(15))).toBe(16_000);
  });

  it('about a field of the object itself is not reset by the other writer, but by a change elsewhere', () => {
    const { guards, run, trips } = setUp();
    const at = (version: number, replicas: number, other: Readonly<Record<string, unknown>> = {}): Cached<Widget> =>
      object(version, { spec: { replicas, ...other } }, { generation: version });
    for (let version = 1; version < 24; version += 2) {
      run([event(version)], (guarded) => guarded.wrote(patch(at(version, 5), at(version + 1, 3))), at(version, 5));
    }
    expect(trips).toMatchObject([{ guard: 'fieldConflict', fields: ['/spec/replicas'] }]);
    expect(guards.holdOff(request, () => at(25, 5))).toBeGreaterThan(0);
    // A field whose name begins alike is elsewhere.
    expect(guards.holdOff(request, () => at(26, 5, { replicasMaximum: 9 }))).toBe(0);
  });

  it('is reset by a run without the pattern, and trips again when it comes back', () => {
    const bench = setUp();
    loop(bench, 11);
    const now = object(12, { status: { seen: 11 } });
    expect(bench.guards.holdOff(request, () => now)).toBe(1000);
    bench.run([event(12)], () => undefined, now);
    expect(bench.guards.holdOff(request, () => now)).toBe(0);
    loop(bench, 12, 20);
    expect(bench.trips).toHaveLength(2);
  });
});
