import { afterEach, describe, expect, it } from 'vitest';
import {
  Gadget,
  Widget,
  expectNothingLeft,
  leaderElection,
  path,
  pause,
  replica,
  server,
  setUp,
  widget,
  world,
  writeStatus,
} from '../../../test/support/manager-bench.ts';
import { ConnectionError } from '../client/errors.ts';
import { setCondition } from '../conditions/conditions.ts';
import { TerminalError } from '../controller/errors.ts';
import type { RequestChannel } from '../controller/other-sources.ts';
import { done, requeueAfter } from '../controller/result.ts';
import { discardLogger } from '../environment/logger.ts';
import type { Logger } from '../environment/logger.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../owner/finalizer.ts';
import { createManager } from './manager.ts';

afterEach(expectNothingLeft);

describe('a manager', () => {
  it('reconciles what is there and what comes; a status that does not differ is not written again', async () => {
    setUp();
    server.put('widgets', widget('before'));
    const a = replica(writeStatus);
    a.start();
    await world.settle();
    server.put('widgets', widget('after', 3));
    await world.advance(600_000);
    expect(server.get(path('before'))?.['status']).toEqual({ ready: 1 });
    expect(server.get(path('after'))?.['status']).toEqual({ ready: 3 });
    expect(server.writes).toHaveLength(2);
    // Once for the object, once for the own write of its status.
    expect(a.reconciled.toSorted()).toEqual(['after', 'after', 'before', 'before']);
    await a.stop();
    expect(a.outcome()).toBe('stopped');
  });

  it('is not kept busy by a reconciler that says the same condition each time', async () => {
    setUp();
    const a = replica(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object !== undefined) {
        await client.updateStatus(Widget, object, (draft) => {
          const ready = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
          const conditions = setCondition(draft.status?.conditions, ready, world.clock.wall());
          draft.status = { ready: 1, conditions };
        });
      }
      return done;
    });
    a.start();
    server.put('widgets', widget('w'));
    await world.advance(600_000);
    expect(server.writes).toHaveLength(1);
    expect(a.reconciled).toHaveLength(2);
    await a.stop();
  });

  it('takes an object from its finalizer to its end', async () => {
    setUp();
    const cleaned: string[] = [];
    const a = replica(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object === undefined) return done;
      if (isBeingDeleted(object)) {
        cleaned.push(request.name);
        await removeFinalizer(client, Widget, object, 'example.com/cleanup');
        return done;
      }
      await addFinalizer(client, Widget, object, 'example.com/cleanup');
      return done;
    });
    a.start();
    await world.settle();
    server.put('widgets', widget('w'));
    await world.advance(1_000);
    expect(server.get(path('w'))?.metadata.finalizers).toEqual(['example.com/cleanup']);
    server.delete(path('w'));
    await world.advance(1_000);
    expect(server.get(path('w'))).toBeUndefined();
    expect(cleaned).toEqual(['w']);
    await a.stop();
  });

  it('starts nothing, and resolves, when it is asked to stop before it starts', async () => {
    setUp();
    const a = replica(writeStatus);
    await a.manager.start({ signal: AbortSignal.abort() });
    expect(server.transport.exchanges).toEqual([]);
    await expect(a.manager.start()).rejects.toThrow('once only');
  });

  it('starts the controller of a kind that is not installed when that appears; others do not wait', async () => {
    setUp();
    const a = replica(writeStatus);
    const gadgets: string[] = [];
    a.manager
      .controller('gadget')
      .for(Gadget)
      .reconcile((request) => {
        gadgets.push(request.name);
        return Promise.resolve(done);
      });
    a.start();
    await world.settle();
    server.put('widgets', widget('w'));
    await world.advance(3_600_000);
    expect(a.reconciled).toContain('w');
    expect(a.outcome()).toBeUndefined();
    server.kinds.set('gadgets', 'Gadget');
    server.put('gadgets', { ...widget('g'), kind: 'Gadget' });
    await world.advance(120_000);
    expect(gadgets).toEqual(['g']);
    await a.stop();
  });

  it('takes controllers and runnables that come after the start', async () => {
    setUp();
    server.kinds.set('gadgets', 'Gadget');
    server.put('gadgets', { ...widget('g'), kind: 'Gadget' });
    const a = replica(writeStatus);
    a.start();
    await world.settle();
    const gadgets: string[] = [];
    a.manager
      .controller('gadget')
      .for(Gadget)
      .reconcile((request) => {
        gadgets.push(request.name);
        return Promise.resolve(requeueAfter('1h'));
      });
    let ended = false;
    a.manager.add(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended = true;
            resolve();
          });
        }),
      { name: 'late' },
    );
    await world.advance(1_000);
    expect(gadgets).toEqual(['g']);
    await a.stop();
    expect(ended).toBe(true);
  });

  it('refuses two controllers of one name', () => {
    setUp();
    expect(() => replica(writeStatus).manager.controller('widget')).toThrow(
      'there is a controller named "widget" already',
    );
  });

  it('rejects with what a runnable failed with, after an orderly stop', async () => {
    setUp();
    const a = replica(writeStatus);
    const failure = new Error('no more');
    a.manager.add(
      async () => {
        await pause(5_000);
        throw failure;
      },
      { name: 'fragile' },
    );
    a.start();
    await world.runUntil(() => a.outcome() !== undefined);
    expect(a.outcome()).toBe(failure);
  });

  it('leaves nothing running when a source of a controller fails at the start', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(writeStatus, { leaderElection });
    a.manager
      .controller('broken')
      .watchesChannel({
        send: () => undefined,
        listen: () => {
          throw new Error('no channel today');
        },
      } as unknown as RequestChannel)
      .reconcile(() => Promise.resolve(done));
    a.start();
    await world.advance(60_000);
    expect(a.outcome()).toMatchObject({ message: 'no channel today' });
  });

  it('rejects with a CacheSyncError where a controller has a limit for it', async () => {
    setUp();
    const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger });
    manager
      .controller('gadget', { cacheSyncTimeout: '2m' })
      .for(Gadget)
      .reconcile(() => Promise.resolve(done));
    let outcome: unknown;
    void manager.start().catch((error: unknown) => (outcome = error));
    await world.runUntil(() => outcome !== undefined);
    expect(outcome).toMatchObject({ reason: 'CacheSync', kinds: ['Gadget.example.com'] });
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(120_000);
  });

  it('waits for reconciles at its end, and names what does not end in time', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(8_000);
      return done;
    });
    a.start();
    await world.settle();
    await a.stop();
    expect([a.outcome(), world.clock.monotonic()]).toEqual(['stopped', 8_000]);

    const b = replica(
      async () => {
        await pause(60_000);
        return done;
      },
      { gracefulShutdownTimeout: '30s' },
    );
    b.start();
    await world.settle();
    await b.stop();
    expect(b.outcome()).toMatchObject({ reason: 'ShutdownTimeout', running: ['controller widget (ns/w)'] });
    await world.advance(30_000);
  });

  it.each([
    [-1, 'stopped', 600_000],
    [0, { reason: 'ShutdownTimeout' }, 0],
  ])('that may wait for %d ms ends as it says', async (gracefulShutdownTimeout, outcome, at) => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(() => pause(600_000).then(() => done), { gracefulShutdownTimeout });
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toEqual(typeof outcome === 'string' ? outcome : expect.objectContaining(outcome));
    expect(world.clock.monotonic()).toBe(at);
    await world.advance(600_000);
  });

  it.each<[string, (exchange: ScriptedExchange) => void]>([
    [
      'is down',
      (exchange) => {
        exchange.fail(new ConnectionError('connect ECONNREFUSED'));
      },
    ],
    ['never answers', () => undefined],
    [
      'knows nobody',
      (exchange) => {
        exchange.answer(401, { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
      },
    ],
    [
      'forbids all',
      (exchange) => {
        exchange.answer(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'forbidden' });
      },
    ],
    [
      'fails',
      (exchange) => {
        exchange.answer(500, { kind: 'Status', code: 500, reason: 'InternalError', message: 'etcd' });
      },
    ],
    [
      'is something else',
      (exchange) => {
        exchange.answer(200, '<html>Welcome</html>', { 'content-type': 'text/html' });
      },
    ],
  ])('outlasts an API server that %s for ten minutes, and says so', async (_, answer) => {
    setUp();
    server.put('widgets', widget('w'));
    const warnings: string[] = [];
    const note = (message: string): void => void warnings.push(message);
    const logger: Logger = { ...discardLogger, warn: note, error: note, child: () => logger };
    const a = replica(writeStatus, { logger });
    server.intercept = (exchange) => {
      answer(exchange);
      return true;
    };
    a.start();
    await world.advance(600_000);
    expect([a.outcome(), a.reconciled]).toEqual([undefined, []]);
    expect(warnings.length).toBeGreaterThan(3);
    expect(server.transport.exchanges.length).toBeLessThan(100);
    server.intercept = () => false;
    await world.advance(180_000);
    expect(server.get(path('w'))?.['status']).toEqual({ ready: 1 });
    await a.stop();
    expect(a.outcome()).toBe('stopped');
  });

  it('does not stop for a reconcile that fails for ever', async () => {
    setUp();
    server.put('widgets', widget('w'));
    server.put('widgets', widget('x'));
    const a = replica((request) =>
      Promise.reject(request.name === 'w' ? new TerminalError('never') : new Error('not now')),
    );
    a.start();
    await world.advance(5_000_000);
    expect(a.outcome()).toBeUndefined();
    expect(a.reconciled.filter((name) => name === 'w')).toHaveLength(1);
    expect(a.reconciled.filter((name) => name === 'x').length).toBeGreaterThan(15);
    await a.stop();
  });
});
