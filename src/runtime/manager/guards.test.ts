import { afterEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import {
  Gadget,
  Widget,
  expectNothingLeft,
  path,
  replica,
  server,
  setUp,
  sizeOf,
  widget,
  world,
} from '../../../test/support/manager-bench.ts';
import { isAlreadyExists } from '../client/errors.ts';
import { setCondition } from '../conditions/conditions.ts';
import type { GuardOptions } from '../controller/guard-types.ts';
import type { Cause, Reconcile } from '../controller/reconcile.ts';
import { done, requeueAfter } from '../controller/result.ts';
import { seededRandom } from '../environment/virtual-random.ts';
import { isBeingDeleted } from '../owner/finalizer.ts';
import { Finalizers } from '../owner/finalizers.ts';
import { withControllerReference } from '../owner/owner-reference.ts';

afterEach(expectNothingLeft);

const tripsIn = (lines: readonly Line[]): Line[] => lines.filter(({ message }) => message === 'A guard tripped');

describe('two controllers that write one field of the spec', () => {
  const wants =
    (size: number): Reconcile =>
    async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object !== undefined && !isBeingDeleted(object)) {
        await client.update(Widget, object, (draft) => {
          draft.spec.size = size;
        });
      }
      return done;
    };

  async function fight(guards: GuardOptions): Promise<{ runs: number; lines: Line[] }> {
    setUp();
    const lines: Line[] = [];
    const a = replica(wants(3), { logger: recorder(lines), guards });
    const b = replica(wants(5), { logger: recorder(lines), guards });
    a.start();
    b.start();
    await world.settle();
    server.put('widgets', widget('w', 4));
    await world.advance(600_000);
    const runs = a.reconciled.length + b.reconciled.length;
    // Someone changes something else: nobody waits for a minute.
    server.put('widgets', { ...widget('w', 4), spec: { size: 4, colour: 'red' } });
    const before = server.writes.length;
    await world.advance(10);
    expect(server.writes.length).toBeGreaterThan(before);
    await a.stop();
    await b.stop();
    return { runs, lines };
  }

  it('are told of each other, and both slow down', async () => {
    const { runs, lines } = await fight({});
    expect(runs).toBeLessThan(120);
    const trips = tripsIn(lines).filter(({ fields }) => fields['guard'] === 'fieldConflict');
    // Once each; perhaps once more after the change of the colour.
    expect(trips.length).toBeGreaterThanOrEqual(2);
    expect(trips.length).toBeLessThanOrEqual(4);
    expect(trips[0]?.fields).toMatchObject({ object: 'Widget ns/w', fields: ['/spec/size'] });
    expect([3, 5]).toContain(sizeOf('w'));
  });
});

describe('a controller that writes another status in each run', () => {
  it('goes on in spaced runs, of which none is lost, and is told of by one event', async () => {
    setUp();
    server.kinds.set('gadgets', 'Gadget').set('events', 'Event');
    const lines: Line[] = [];
    const runs: { at: number; causes: readonly Cause[] }[] = [];
    const a = replica(() => Promise.resolve(done), { logger: recorder(lines) });
    a.manager
      .controller('restless')
      .for(Widget)
      .watches(Gadget, () => [{ namespace: 'ns', name: 'w' }])
      .reconcile(async (request, { client, causes }) => {
        runs.push({ at: Math.round(world.clock.monotonic() / 1000), causes });
        const object = await client.get(Widget, request);
        if (object !== undefined) {
          await client.updateStatus(Widget, object, (draft) => {
            draft.status = { ready: runs.length };
          });
        }
        return done;
      });
    a.start();
    server.put('widgets', widget('w'));
    await world.advance(100_000);
    expect(runs.map(({ at }) => at).slice(10)).toEqual([0, 1, 3, 7, 15, 31, 63]);
    expect(tripsIn(lines)).toMatchObject([{ fields: { guard: 'selfTriggeredLoop', object: 'Widget ns/w' } }]);
    // What happens while the object is held off is dealt with at the end of its pause.
    server.put('gadgets', { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g', namespace: 'ns' } });
    await world.advance(23_000);
    expect(runs).toHaveLength(18);
    expect(runs.at(-1)).toMatchObject({ at: 123, causes: [{ kind: 'Widget' }, { kind: 'Gadget', name: 'g' }] });
    expect(server.writes.filter(({ path: url }) => url.endsWith('/events'))).toHaveLength(1);
    await a.stop();
  });
});

describe('a correct reconciler', () => {
  const seeds = 10;
  const runsOfSeed = 1_000;

  it(`trips no guard in ${seeds * runsOfSeed} seeded runs through the manager`, async () => {
    let runs = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      runs += await oneWorld(seed, runsOfSeed);
    }
    expect(runs).toBeGreaterThanOrEqual(seeds * runsOfSeed);
  }, 120_000);
});

/** A finalizer, a child, a status with a condition; among users, other writers, conflicts and broken watches. Gives the runs. */
async function oneWorld(seed: number, atLeast: number): Promise<number> {
  setUp();
  server.kinds.set('gadgets', 'Gadget');
  const random = seededRandom(seed);
  const lines: Line[] = [];
  const finalizers = new Finalizers<Widget>().register('example.com/cleanup', () => Promise.resolve());
  const a = replica(() => Promise.resolve(done), { logger: recorder(lines) });
  const ran: string[] = [];
  a.manager
    .controller('correct')
    .for(Widget)
    .owns(Gadget)
    .reconcile(async (request, { client, log }) => {
      ran.push(request.name);
      const read = await client.get(Widget, request);
      if (read === undefined) return done;
      const object = await finalizers.reconcile(client, Widget, read, undefined);
      if (object === undefined) return done;
      const child = {
        apiVersion: 'example.com/v1',
        kind: 'Gadget',
        metadata: { ...request, name: `${request.name}-child` },
      };
      if ((await client.get(Gadget, child.metadata)) === undefined) {
        try {
          await client.create(withControllerReference(Widget, object, child));
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
          log.debug('created meanwhile');
        }
      }
      await client.updateStatus(Widget, object, (draft) => {
        const ready = {
          type: 'Ready',
          status: 'True',
          reason: 'Up',
          message: '',
          observedGeneration: draft.metadata.generation ?? 0,
        } as const;
        draft.status = {
          ready: draft.spec.size,
          conditions: setCondition(draft.status?.conditions, ready, world.clock.wall()),
        };
      });
      return random.next() < 0.2 ? requeueAfter(30_000 * random.next()) : done;
    });
  a.start();
  await world.settle();
  while (ran.length < atLeast) {
    const name = `w-${Math.floor(random.next() * 10)}`;
    const chance = random.next();
    const current = server.get(path(name));
    if (current === undefined) server.put('widgets', widget(name, Math.floor(random.next() * 9)));
    else if (chance < 0.5) server.put('widgets', { ...current, spec: { size: Math.floor(random.next() * 9) } });
    else if (chance < 0.7) {
      const labels = { touched: String(Math.floor(random.next() * 99)) };
      server.put('widgets', { ...current, metadata: { ...current.metadata, labels } });
    } else if (chance < 0.75) server.delete(path(name));
    else if (chance < 0.8) server.delete(`apis/example.com/v1/namespaces/ns/gadgets/${name}-child`);
    else if (chance < 0.82) server.cutWatches();
    else if (chance < 0.9) {
      let refused = false;
      server.intercept = (exchange) => {
        if (refused || exchange.request.method !== 'PATCH') return false;
        refused = true;
        exchange.answer(409, { kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' });
        return true;
      };
    }
    await world.advance(Math.floor(random.next() * 400));
  }
  expect(tripsIn(lines).map(({ fields }) => [seed, fields['guard'], fields['object']])).toEqual([]);
  const counted = a.manager.metrics
    .expose()
    .match(/^operator_runtime_guard_trips_total\{controller="correct".*\} [1-9]/gm);
  expect(counted).toBeNull();
  await a.stop();
  expectNothingLeft();
  return ran.length;
}
