// Faults that users of other frameworks reported (parts F and H of the collection), played through a whole manager.
import { afterEach, describe, expect, it } from 'vitest';
import type { Condition } from '../../src/runtime/apis/meta/v1.ts';
import { setCondition } from '../../src/runtime/conditions/conditions.ts';
import { RequestChannel } from '../../src/runtime/controller/other-sources.ts';
import { moreThanStatusChanged } from '../../src/runtime/controller/predicates.ts';
import type { UpdatePredicate } from '../../src/runtime/controller/predicates.ts';
import type { Reconcile } from '../../src/runtime/controller/reconcile.ts';
import { done, requeueAfter } from '../../src/runtime/controller/result.ts';
import { patchStatus } from '../../src/runtime/ensure/patch-status.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import { createManager } from '../../src/runtime/manager/manager.ts';
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from '../../src/runtime/owner/finalizer.ts';
import { recorder } from '../support/controller-bench.ts';
import type { Line } from '../support/controller-bench.ts';
import {
  Gadget,
  Widget,
  expectNothingLeft,
  path,
  pause,
  server,
  setUp,
  sizeOf,
  widget,
  world,
} from '../support/manager-bench.ts';

afterEach(expectNothingLeft);

const channel = new RequestChannel();

interface Running {
  /** When each run began, with what it saw. */
  readonly runs: { readonly at: number; readonly name: string; readonly size: number }[];
  readonly lines: Line[];
  readonly stop: () => Promise<void>;
}

/** A manager with one controller for widgets, that has seen its first list. */
async function start(
  reconcile: Reconcile,
  options: { predicates?: readonly UpdatePredicate[]; workers?: number; name?: string } = {},
): Promise<Running> {
  const { predicates = [], workers = 1, name = 'widget' } = options;
  const lines: Line[] = [];
  const runs: Running['runs'] = [];
  const logger = recorder(lines);
  const manager = createManager({ environment: world, transport: server.transport, logger });
  manager
    .controller(name, { maxConcurrentReconciles: workers })
    .for(Widget, { predicates })
    .reconcile((request, context) => {
      runs.push({ at: Math.round(world.clock.monotonic()), name: request.name, size: sizeOf(request.name) });
      return reconcile(request, context);
    });
  const abort = new AbortController();
  const ended = manager.start({ signal: abort.signal });
  await world.settle();
  return {
    runs,
    lines,
    stop: async () => {
      abort.abort();
      await world.advance(60_000);
      await ended;
    },
  };
}

/** What a controller said that somebody would be woken for. */
const loud = (lines: readonly Line[]): string[] =>
  lines
    .filter(({ level, fields }) => (level === 'error' || level === 'warn') && fields['controller'] !== undefined)
    .map(({ message }) => message);

describe('B52: a status write of its own and a timed run', () => {
  /** Writes the status once for each size, and comes back after a minute. */
  const periodic: Reconcile = async (request, { client }) => {
    await patchStatus(client, Widget, request, (draft) => {
      draft.status = { ready: draft.spec.size };
    });
    return requeueAfter(60_000);
  };

  it.each<[string, number]>([
    ['before the result', 0],
    ['5 ms after the result', 5],
    ['59 s after the result', 59_000],
  ])('the event comes %s: the run after a minute comes, and no other', async (_, delay) => {
    setUp();
    const held: (() => void)[] = [];
    const a = await start(periodic, { predicates: [moreThanStatusChanged] });
    server.put('widgets', widget('w'));
    if (delay > 0) {
      // The watch is silent for as long as the event takes.
      server.intercept = (exchange) => {
        if (!exchange.isWatch) return false;
        held.push(() => void (server.intercept = () => false));
        exchange.head();
        return true;
      };
      await world.settle();
      server.cutWatches();
      await world.advance(delay);
      server.intercept = () => false;
      server.transport.open.filter(({ isWatch }) => isWatch).forEach((exchange) => exchange.end());
    }
    await world.advance(61_000 - delay);
    expect(a.runs.map(({ at }) => at)).toEqual([0, 60_000]);
    await a.stop();
  });

  it('a change of the spec at 10 s runs at 10 s, and does not use up the run after a minute', async () => {
    setUp();
    const a = await start(
      async (request, context) => (
        await periodic(request, context),
        sizeOf(request.name) === 1 ? requeueAfter(60_000) : done
      ),
      { predicates: [moreThanStatusChanged] },
    );
    server.put('widgets', widget('w'));
    await world.advance(10_000);
    server.put('widgets', widget('w', 2));
    await world.advance(100_000);
    expect(a.runs.map(({ at, size }) => [at, size])).toEqual([
      [0, 1],
      [10_000, 2],
      [60_000, 2],
    ]);
    await a.stop();
  });
});

describe('B53: a cache that is behind', () => {
  it('makes no second child, and shows the status just written', async () => {
    setUp();
    server.kinds.set('gadgets', 'Gadget');
    let silent = true;
    server.intercept = (exchange) => {
      if (!silent || !exchange.isWatch) return false;
      exchange.head();
      return true;
    };
    const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger });
    const seen: (number | undefined)[] = [];
    let names = 0;
    let runs = 0;
    manager
      .controller('widget')
      .for(Widget)
      .owns(Gadget)
      .watchesChannel(channel)
      .reconcile(async (request, { client }) => {
        runs++;
        const children = await client.list(Gadget, { namespace: 'ns' });
        if (children.length === 0) {
          // As the server would make up a name: another one each time.
          const metadata = { namespace: 'ns', name: `w-${names++}` };
          await client.create({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata });
        }
        await patchStatus(client, Widget, request, (draft) => void (draft.status = { ready: runs }));
        seen.push((await client.get(Widget, request))?.status?.ready);
        return done;
      });
    server.put('widgets', widget('w'));
    const abort = new AbortController();
    const ended = manager.start({ signal: abort.signal });
    await world.advance(10);
    channel.send({ namespace: 'ns', name: 'w' });
    await world.advance(490);
    // Half a second later the watches tell of it all.
    silent = false;
    for (const exchange of server.transport.open) exchange.end();
    await world.advance(30_000);
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(names).toBe(1);
    expect(seen.slice(0, 2)).toEqual([1, 2]);
    abort.abort();
    await world.advance(1_000);
    await ended;
  });
});

describe('B60: status writes', () => {
  it('of two controllers with conditions of their own keep both, and end', async () => {
    setUp();
    const says =
      (type: string): Reconcile =>
      async (request, { client }) => {
        await patchStatus(client, Widget, request, (draft) => {
          const condition = { type, status: 'True', reason: 'Up', message: '' } as const;
          draft.status = {
            ready: 1,
            conditions: setCondition(draft.status?.conditions, condition, world.clock.wall()),
          };
        });
        return done;
      };
    const a = await start(says('Ready'), { name: 'a' });
    const b = await start(says('Healthy'), { name: 'b' });
    server.put('widgets', widget('w'));
    await world.advance(600_000);
    const status = server.get(path('w'))?.['status'] as { conditions: Condition[] } | undefined;
    expect(status?.conditions.map(({ type }) => type).toSorted()).toEqual(['Healthy', 'Ready']);
    expect(a.runs.length + b.runs.length).toBeLessThanOrEqual(8);
    expect(server.writes.length).toBeLessThanOrEqual(4);
    // A conflict is part of normal work.
    expect([...loud(a.lines), ...loud(b.lines)]).toEqual([]);
    await a.stop();
    await b.stop();
  });

  it('of a kind without the status subresource send nothing when nothing differs', async () => {
    setUp();
    server.kinds.set('gadgets', 'Gadget');
    const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger });
    let runs = 0;
    manager
      .controller('gadget')
      .for(Gadget)
      .reconcile(async (request, { client }) => {
        runs++;
        const object = await client.get(Gadget, request);
        if (object === undefined) return done;
        await client.update(Gadget, object, (draft) => {
          const status = draft as { status?: { conditions?: Condition[] } };
          const ready = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
          status.status = { conditions: setCondition(status.status?.conditions, ready, world.clock.wall()) };
        });
        return done;
      });
    const abort = new AbortController();
    const ended = manager.start({ signal: abort.signal });
    await world.settle();
    server.put('gadgets', { ...widget('g'), kind: 'Gadget' });
    await world.advance(600_000);
    expect([runs, server.writes.length]).toEqual([2, 1]);
    abort.abort();
    await world.advance(1_000);
    await ended;
  });
});

describe('B61: the event of an own write', () => {
  it.each(['a user changes the spec first', 'a user changes the spec after'])('hides no change: %s', async (order) => {
    setUp();
    const a = await start(async (request, { client }) => {
      const size = sizeOf(request.name);
      if (order.endsWith('first') && size === 1) server.put('widgets', { ...server.get(path('w')), ...widget('w', 2) });
      await client.status.jsonPatch(Widget, request, [{ op: 'add', path: '/status', value: { ready: 1 } }]);
      if (order.endsWith('after') && size === 1) server.put('widgets', { ...server.get(path('w')), ...widget('w', 2) });
      // Both events come with one relist: only the latest version is seen.
      if (size === 1) server.cutWatches();
      return size === 1 ? done : requeueAfter('1h');
    });
    server.put('widgets', widget('w'));
    await world.advance(120_000);
    expect(a.runs.at(0)?.size).toBe(1);
    expect(a.runs.some(({ size }) => size === 2)).toBe(true);
    await a.stop();
  });
});

describe('B62: an object that goes while it is worked on', () => {
  it('ends the work without noise when its status cannot be written any more', async () => {
    setUp();
    const a = await start(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object === undefined) return done;
      server.delete(path(request.name));
      await client.updateStatus(Widget, object, (draft) => void (draft.status = { ready: 1 }));
      return done;
    });
    server.put('widgets', widget('w'));
    await world.advance(600_000);
    // Its creation, and its deletion.
    expect(a.runs.length).toBeLessThanOrEqual(2);
    expect(loud(a.lines)).toEqual([]);
    await a.stop();
  });

  it('gives its status to no other object of the name, which is reconciled on its own', async () => {
    setUp();
    let replaced = false;
    const a = await start(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object === undefined) return done;
      if (!replaced) {
        replaced = true;
        server.delete(path('w'));
        server.put('widgets', widget('w', 7));
      }
      await client.updateStatus(Widget, object, (draft) => void (draft.status = { ready: draft.spec.size }));
      return done;
    });
    server.put('widgets', widget('w', 1));
    await world.advance(60_000);
    expect(server.get(path('w'))?.['status']).toEqual({ ready: 7 });
    expect(loud(a.lines)).toEqual([]);
    await a.stop();
  });

  it('is cleaned up with backoff until that succeeds, and only then loses its finalizer; nothing else is done to it', async () => {
    setUp();
    const finalizer = 'example.com/cleanup';
    const cleaned: number[] = [];
    const provided: string[] = [];
    const a = await start(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object === undefined) return done;
      if (isBeingDeleted(object)) {
        if (!hasFinalizer(object, finalizer)) return done;
        cleaned.push(world.clock.monotonic());
        if (cleaned.length <= 5) throw new Error('the cloud is down');
        await removeFinalizer(client, Widget, object, finalizer);
        return done;
      }
      provided.push(request.name);
      await addFinalizer(client, Widget, object, finalizer);
      return done;
    });
    server.put('widgets', widget('w'));
    await world.advance(1_000);
    const before = provided.length;
    server.delete(path('w'));
    await world.advance(100);
    expect(server.get(path('w'))?.metadata.finalizers).toEqual([finalizer]);
    await world.advance(60_000);
    expect(server.get(path('w'))).toBeUndefined();
    expect([cleaned.length, provided.length]).toEqual([6, before]);
    const waits = cleaned.slice(1).map((at, index) => at - (cleaned[index] ?? 0));
    expect(waits.every((wait, index) => wait >= 5 * 2 ** index)).toBe(true);
    await a.stop();
  });

  it('that never got the finalizer is not cleaned up, and keeps that of others', async () => {
    setUp();
    const cleaned: string[] = [];
    const a = await start(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object !== undefined && isBeingDeleted(object) && hasFinalizer(object, 'example.com/cleanup')) {
        cleaned.push(request.name);
        await removeFinalizer(client, Widget, object, 'example.com/cleanup');
      }
      return done;
    });
    const other = widget('w');
    server.put('widgets', { ...other, metadata: { ...other.metadata, finalizers: ['other.com/x'] } });
    await world.settle();
    server.delete(path('w'));
    await world.advance(60_000);
    expect(cleaned).toEqual([]);
    expect(server.get(path('w'))?.metadata.finalizers).toEqual(['other.com/x']);
    await a.stop();
  });
});

describe('B66: reconciles of one object', () => {
  it('do not overlap, see the newest state, and do not follow a replay of what has not changed', async () => {
    setUp();
    let running = 0;
    const a = await start(
      async () => {
        running++;
        expect(running).toBe(1);
        await pause(100);
        running--;
        return done;
      },
      { workers: 5 },
    );
    for (const size of [1, 2, 3]) {
      server.put('widgets', widget('w', size));
      await world.advance(1);
    }
    // The connection breaks in the middle; everything is told again.
    server.cutWatches();
    await world.advance(120_000);
    expect(a.runs.map(({ size }) => size)).toEqual([1, 3]);
    await a.stop();
  });
});
