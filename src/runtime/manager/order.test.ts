import { afterEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import {
  Widget,
  expectNothingLeft,
  leaderElection,
  pause,
  replica,
  server,
  setUp,
  widget,
  world,
} from '../../../test/support/manager-bench.ts';
import { done } from '../controller/result.ts';
import type { Runnable } from './types.ts';

afterEach(expectNothingLeft);

describe('a manager', () => {
  it('starts its servers first, then caches and what runs everywhere, then what runs on the leader; and stops the other way round', async () => {
    setUp();
    const lines: Line[] = [];
    const happened: string[] = [];
    const add = (what: string): void => {
      if (!happened.includes(what)) happened.push(what);
    };
    const note = (what: string): void => {
      if (lines.some(({ message }) => message === 'Serving health probes')) add('serving');
      add(what);
    };
    server.put('widgets', widget('w'));
    server.intercept = (exchange) => {
      const { method } = exchange.request;
      if (exchange.isWatch) note('caches');
      if (exchange.path.includes('/leases') && method === 'POST') note('lease taken');
      const { spec } = (method === 'PUT' ? exchange.body : {}) as { spec?: { holderIdentity?: string } };
      if (exchange.path.includes('/leases') && spec?.holderIdentity === '') {
        note(
          `lease given back, ${server.transport.open.some(({ isWatch }) => isWatch) ? 'caches open' : 'caches closed'}`,
        );
      }
      return false;
    };
    const runnable =
      (name: string): Runnable =>
      async ({ signal }) => {
        note(`${name} begins`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await pause(3_000);
        note(`${name} ends`);
      };
    const a = replica(
      async (_request, { signal }) => {
        note('reconcile begins');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await pause(5_000);
        note('reconcile ends');
        return done;
      },
      { leaderElection, logger: recorder(lines), healthProbeBindAddress: '127.0.0.1:0' },
    );
    a.manager.add(runnable('everywhere'), { name: 'everywhere', needLeaderElection: false });
    a.manager.add(runnable('on the leader'), { name: 'leader' });
    a.start();
    // The listener is real, all else is virtual.
    while (!happened.includes('reconcile begins')) {
      await new Promise((resolve) => setImmediate(resolve));
      await world.settle();
    }
    const order = (...names: string[]): void => {
      expect(happened.filter((what) => names.includes(what))).toEqual(names);
    };
    expect(happened[0]).toBe('serving');
    order('everywhere begins', 'lease taken', 'on the leader begins', 'reconcile begins');
    order('caches', 'reconcile begins');
    await a.stop();
    expect(a.outcome()).toBe('stopped');
    order('everywhere ends', 'reconcile ends', 'lease given back, caches closed');
    order('on the leader ends', 'reconcile ends', 'lease given back, caches closed');
  });

  it('lists and watches a kind once, for however many controllers', async () => {
    setUp();
    server.put('widgets', widget('w'));
    const a = replica(() => Promise.resolve(done));
    const seen: string[] = [];
    for (const name of ['second', 'third']) {
      a.manager
        .controller(name)
        .for(Widget)
        .reconcile((request) => {
          seen.push(`${name} ${request.name}`);
          return Promise.resolve(done);
        });
    }
    a.start();
    await world.settle();
    expect([...a.reconciled, ...seen]).toEqual(['w', 'second w', 'third w']);
    const asked = server.transport.exchanges.filter(({ query }) => !query.has('sendInitialEvents'));
    expect(asked.map(({ isWatch }) => isWatch)).toEqual([false, true]);
    await a.stop();
  });
});
