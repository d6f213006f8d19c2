import type { KubernetesObject, ObjectMeta } from '../../src/runtime/apis/meta/v1.ts';
import { freeze } from '../../src/runtime/client/cached.ts';
import type { Cached } from '../../src/runtime/client/cached.ts';
import type { Write } from '../../src/runtime/controller/guard-patterns.ts';
import type { GuardOptions, GuardTrip } from '../../src/runtime/controller/guard-types.ts';
import { Guards } from '../../src/runtime/controller/guards.ts';
import type { GuardedRun } from '../../src/runtime/controller/guards.ts';
import type { Cause, Request } from '../../src/runtime/controller/reconcile.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';

export interface Widget extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export const request: Request = { namespace: 'ns', name: 'w' };
export const object = (version: number, rest: Partial<Widget> = {}, metadata: ObjectMeta = {}): Cached<Widget> =>
  freeze({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'ns', name: 'w', uid: 'u', resourceVersion: String(version), ...metadata },
    ...rest,
  });
export const event = (version: number, kind = 'Widget', name = 'w'): Cause => ({
  kind,
  namespace: 'ns',
  name,
  event: 'update',
  resourceVersion: String(version),
});

export function setUp(options: GuardOptions = {}) {
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
export type Bench = ReturnType<typeof setUp>;

export const patch = (before: Cached<Widget> | undefined, after: Cached<Widget>): Write => ({
  kind: 'Widget',
  how: 'patch',
  before,
  after,
});

/** Runs that each write a new status, each woken by the write of the one before. */
export function loop({ run }: Bench, runs: number, from = 1): void {
  for (let version = from; version < from + runs; version++) {
    run([event(version)], (guarded) => {
      const status = { seen: version };
      guarded.wrote(patch(object(version), object(version + 1, { status })));
    });
  }
}
