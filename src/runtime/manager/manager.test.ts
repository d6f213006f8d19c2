import { afterEach, describe, expect, it } from 'vitest';
import { VirtualApiServer } from '../../../test/support/virtual-api-server.ts';
import type { Stored } from '../../../test/support/virtual-api-server.ts';
import { ConnectionError } from '../client/errors.ts';
import type { Logger } from '../environment/logger.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { TerminalError } from '../controller/errors.ts';
import type { Reconcile } from '../controller/reconcile.ts';
import { done, requeueAfter } from '../controller/result.ts';
import { discardLogger } from '../environment/logger.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { VirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import type { Kind } from '../kind/kind.ts';
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../owner/finalizer.ts';
import { createManager } from './manager.ts';
import type { Manager } from './manager.ts';
import type { LeaderElectionOptions, ManagerOptions } from './options.ts';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { ready: number };
}

const Widget: Kind<Widget, 'Namespaced', 'status'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
const Gadget = defineKind<KubernetesObject, 'Namespaced'>({
  ...Widget,
  kind: 'Gadget',
  plural: 'gadgets',
  subresources: [],
});
const leases = 'apis/coordination.k8s.io/v1/namespaces/ns/leases';
const path = (name: string): string => `apis/example.com/v1/namespaces/ns/widgets/${name}`;
const widget = (name: string, size = 1): Stored => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns' },
  spec: { size },
});

/** NaN when there is no such widget. */
function sizeOf(name: string): number {
  const spec = server.get(path(name))?.['spec'];
  return typeof spec === 'object' && spec !== null && 'size' in spec ? Number(spec.size) : Number.NaN;
}

interface Replica {
  readonly manager: Manager;
  readonly reconciled: string[];
  /** What became of `start`: nothing yet, `stopped`, or the error. */
  readonly outcome: () => unknown;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

const leaderElection: LeaderElectionOptions = { id: 'op', namespace: 'ns', identity: 'a' };
let world: VirtualEnvironment;
let server: VirtualApiServer;

function setUp(): void {
  world = createVirtualEnvironment();
  server = new VirtualApiServer({ widgets: 'Widget' });
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void world.clock.setTimer(resolve, milliseconds));

function replica(reconcile: Reconcile, options: ManagerOptions = {}): Replica {
  const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger, ...options });
  const reconciled: string[] = [];
  manager
    .controller('widget')
    .for(Widget)
    .reconcile((request, context) => {
      reconciled.push(request.name);
      return reconcile(request, context);
    });
  const abort = new AbortController();
  let outcome: unknown;
  let running: Promise<void> | undefined;
  return {
    manager,
    reconciled,
    outcome: () => outcome,
    start() {
      running = manager.start({ signal: abort.signal }).then(
        () => void (outcome = 'stopped'),
        (error: unknown) => void (outcome = error),
      );
    },
    async stop() {
      abort.abort();
      await world.runUntil(() => outcome !== undefined);
      await running;
    },
  };
}

const writeStatus: Reconcile = async (request, { client }) => {
  const object = await client.get(Widget, request);
  if (object !== undefined) {
    await client.updateStatus(Widget, object, (draft) => {
      draft.status = { ready: draft.spec.size };
    });
  }
  return done;
};

afterEach(() => {
  // Whatever was started has stopped: no timer and no request is left.
  expect(world.pendingTimers).toBe(0);
  expect(server.transport.open).toEqual([]);
});

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

describe('with leader election', () => {
  const elect = (identity: string): ManagerOptions => ({
    leaderElection: { ...leaderElection, identity },
    userAgent: identity,
  });

  it('only the leader works, and the other takes over at once after an orderly stop, with a full queue', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const [a, b] = [replica(writeStatus, elect('a')), replica(writeStatus, elect('b'))];
    a.start();
    await world.settle();
    b.start();
    await world.advance(60_000);
    expect([a.manager.isLeader(), b.manager.isLeader()]).toEqual([true, false]);
    expect([a.reconciled.length > 0, b.reconciled]).toEqual([true, []]);
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    const stopped = world.clock.monotonic();
    await world.runUntil(() => b.reconciled.length > 0);
    expect(world.clock.monotonic() - stopped).toBeLessThanOrEqual(4_400);
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await b.stop();
  });

  it('the lease is renewed while a reconcile delays the stop, and given back after it', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(async () => {
      await pause(25_000);
      return done;
    }, elect('a'));
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    expect(world.clock.monotonic()).toBe(25_000);
    const renewals = server.writes.filter(({ method }) => method === 'PUT');
    expect(renewals.length).toBeGreaterThanOrEqual(12);
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: '' });
  });

  it('the lease is not given back when a reconcile does not end in time', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(
      async () => {
        await pause(20_000);
        return done;
      },
      { ...elect('a'), gracefulShutdownTimeout: 5_000 },
    );
    a.start();
    await world.settle();
    await a.stop();
    expect(a.outcome()).toMatchObject({ reason: 'ShutdownTimeout' });
    expect(server.get(`${leases}/op`)?.['spec']).toMatchObject({ holderIdentity: 'a' });
    await world.advance(20_000);
  });

  it('a leader that is cut off stops writing by its deadline and rejects, soon enough for the next one', async () => {
    setUp();
    server.put('widgets', widget('w'));
    let ended = 0;
    const a = replica(async (request, { client, signal }) => {
      // Writes on and on; ends late when told to.
      for (;;) {
        await pause(500);
        if (signal.aborted) {
          await pause(3_000);
          ended = world.clock.monotonic();
          return done;
        }
        const object = await client.get(Widget, request);
        if (object !== undefined) {
          await client.update(Widget, object, (draft) => {
            draft.spec.size++;
          });
        }
      }
    }, elect('a'));
    a.start();
    await world.advance(10_000);
    const cutOff = world.clock.monotonic();
    server.intercept = (exchange) => exchange.path.includes('/leases');
    const b = replica(writeStatus, elect('b'));
    await world.runUntil(() => a.outcome() !== undefined);
    expect(a.outcome()).toMatchObject({ reason: 'LeadershipLost' });
    const lastRenewal = cutOff;
    expect(world.clock.monotonic() - lastRenewal).toBeLessThanOrEqual(15_000);
    expect(ended).toBeGreaterThan(0);
    const size = sizeOf('w');
    // A write each half second, for 10 s before and no more than 10 s after.
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThanOrEqual(41);
    server.intercept = () => false;
    b.start();
    await world.advance(20_000);
    expect(b.manager.isLeader()).toBe(true);
    expect(sizeOf('w')).toBe(size);
    await b.stop();
  });

  it('no write passes before leadership', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(writeStatus, elect('a'));
    const create = (): Promise<unknown> =>
      a.manager.client.mergePatch(Widget, { namespace: 'ns', name: 'w' }, { spec: { size: 2 } });
    await expect(create()).rejects.toMatchObject({ reason: 'NotLeader' });
    expect(server.writes).toEqual([]);
  });

  it('what does not need leadership runs on every replica, and may write', async () => {
    setUp();
    server.put('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'op', namespace: 'ns' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
    });
    server.put('widgets', widget('w'));
    const manager = createManager({
      environment: world,
      transport: server.transport,
      logger: discardLogger,
      leaderElection,
    });
    manager.controller('widget', { needLeaderElection: false }).for(Widget).reconcile(writeStatus);
    const abort = new AbortController();
    const ended = manager.start({ signal: abort.signal });
    await world.advance(10_000);
    expect(manager.isLeader()).toBe(false);
    expect(server.get(path('w'))?.['status']).toEqual({ ready: 1 });
    abort.abort();
    await ended;
  });

  it('needs a namespace, and says so', async () => {
    setUp();
    const a = replica(writeStatus, { leaderElection: { id: 'op' } });
    a.start();
    await world.settle();
    expect(a.outcome()).toMatchObject({
      reason: 'Configuration',
      message: expect.stringContaining('leaderElection.namespace') as string,
    });
  });
});
