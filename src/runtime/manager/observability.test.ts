import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import {
  expectNothingLeft,
  leaderElection,
  path,
  pause,
  Widget,
  replica,
  server,
  setUp,
  widget,
  world,
  writeStatus,
} from '../../../test/support/manager-bench.ts';
import { done } from '../controller/result.ts';

afterEach(expectNothingLeft);

describe('/debug/controllers', () => {
  it('shows the queue with causes and due times, what runs, last results, informers and leadership', async () => {
    setUp();
    const lines: Line[] = [];
    for (const name of ['fails', 'runs', 'waits']) {
      server.put('widgets', widget(name));
    }
    const a = replica(
      async (request) => {
        if (request.name === 'fails') {
          throw new Error('no cloud');
        }
        await pause(5_000);
        return done;
      },
      { leaderElection, logger: recorder(lines), debugBindAddress: '127.0.0.1:0' },
    );
    a.start();
    // The listener is real, all else is virtual.
    while (!lines.some(({ message }) => message.startsWith('Reconciler error'))) {
      await new Promise((resolve) => setImmediate(resolve));
      await world.settle();
    }
    await world.advance(1);
    const port = Number(lines.find(({ message }) => message.startsWith('Serving /debug'))?.fields['port']);
    const body = await new Promise<string>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path: '/debug/controllers', agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    expect(JSON.parse(body)).toMatchObject({
      leadership: { leading: true, lease: 'op', identity: 'a' },
      controllers: [
        {
          name: 'widget',
          kind: { group: 'example.com', kind: 'Widget' },
          workers: 1,
          synced: true,
          heldOff: 0,
          queue: {
            ready: 1,
            delayed: 1,
            processing: 1,
            items: [
              { key: { namespace: 'ns', name: 'fails' }, priority: -100, failures: 1, causes: [{ event: 'retry' }] },
              { key: { name: 'runs' }, processing: true, causes: [{ event: 'create', resourceVersion: '102' }] },
              { key: { name: 'waits' }, ready: true },
            ],
          },
          running: [{ request: { name: 'runs' }, milliseconds: 1 }],
          lastResults: [{ request: { name: 'fails' }, outcome: 'error', error: 'no cloud' }],
        },
      ],
      informers: [{ kind: 'Widget', synced: true, objects: 3, state: 'watching' }],
    });
    const controllers = (JSON.parse(body) as { controllers: { queue: { items: { dueIn: number }[] } }[] }).controllers;
    expect(controllers[0]?.queue.items[0]?.dueIn).toBeGreaterThan(3);
    await a.stop();
  });
});

describe('a guard in a manager', () => {
  it('spaces a loop, loses no change, and ends when the loop does', async () => {
    setUp();
    let restless = true;
    const a = replica(async (request, { client }) => {
      const object = await client.get(Widget, request);
      if (object !== undefined) {
        await client.updateStatus(Widget, object, (draft) => {
          draft.status = { ready: restless ? (draft.status?.ready ?? 0) + 1 : draft.spec.size };
        });
      }
      return done;
    });
    a.start();
    server.put('widgets', widget('w', 5));
    await world.advance(1_000);
    const before = a.reconciled.length;
    // Ten self-caused writes after the first, then 1 + 2 + 4 + 8 + 16 + 32 + 60 + ... seconds.
    await world.advance(600_000);
    expect(a.reconciled.length - before).toBeLessThan(20);
    // Spaced, never dropped: each run comes, though nothing else happens.
    expect(a.reconciled.length - before).toBeGreaterThan(8);
    expect(a.manager.metrics.expose()).toContain(
      'guard_trips_total{controller="widget",guard="selfTriggeredLoop"} 1\n',
    );
    restless = false;
    server.put('widgets', widget('w', 7));
    await world.advance(100);
    expect(server.get(path('w'))?.['status']).toEqual({ ready: 7 });
    await a.stop();
  });
});

describe('starting and stopping', () => {
  it('leaves no timer and no request behind, a thousand times', async () => {
    for (let cycle = 0; cycle < 1000; cycle++) {
      setUp();
      server.put('widgets', widget('w'));
      const a = replica(writeStatus, cycle % 2 === 0 ? {} : { leaderElection });
      a.start();
      await world.advance(cycle % 7);
      await a.stop();
      expectNothingLeft();
    }
  }, 120_000);
});
