import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import {
  expectNothingLeft,
  leaderElection,
  replica,
  server,
  setUp,
  world,
} from '../../../test/support/manager-bench.ts';
import { done } from '../controller/result.ts';
import type { ManagerOptions } from './options.ts';

afterEach(expectNothingLeft);

/** Starts a manager while the kind that it watches is not served; gives what asks one of its probes, and what ends it. */
async function started(options: ManagerOptions, prepare: () => void = () => undefined) {
  setUp();
  prepare();
  const lines: Line[] = [];
  server.kinds.delete('widgets');
  const a = replica(() => Promise.resolve(done), {
    ...options,
    logger: recorder(lines),
    healthProbeBindAddress: '127.0.0.1:0',
  });
  a.start();
  let port: unknown;
  while (port === undefined) {
    // The listener is real, all else is virtual.
    await new Promise((resolve) => setImmediate(resolve));
    port = lines.find(({ message }) => message === 'Serving health probes')?.fields['port'];
  }
  await world.settle();
  const ask = (path: string): Promise<readonly [number | undefined, string]> =>
    new Promise((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port: Number(port), path, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve([response.statusCode, body]));
      })
        .on('error', reject)
        .end();
    });
  return { ask, stop: a.stop, manager: a.manager };
}

describe('readyz', () => {
  it('waits for the caches, and says so; healthz does not', async () => {
    const { ask, stop } = await started({});
    expect(await ask('/readyz')).toEqual([
      500,
      '[+]running ok\n[-]caches failed: reason withheld\nreadyz check failed\n',
    ]);
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    const [, refused] = await ask('/readyz?verbose');
    expect(refused).toContain(
      '[-]caches failed: reason withheld\n    Widget.example.com: backoff, not synced, no progress yet, failing (NotFound)\n',
    );
    server.kinds.set('widgets', 'Widget');
    await world.advance(120_000);
    expect(await ask('/readyz')).toEqual([200, 'ok']);
    const [, ready] = await ask('/readyz/caches?verbose');
    expect(ready).toMatch(
      /^\[\+\]caches ok\n {4}Widget\.example\.com: watching, synced, last progress 1\d\d s ago\nreadyz check passed\n$/,
    );
    await stop();
  });

  it('leaves the caches out where the process serves conversion', async () => {
    const { ask, stop } = await started({ servesConversion: true });
    expect(await ask('/readyz?verbose')).toEqual([200, '[+]running ok\nreadyz check passed\n']);
    await stop();
  });

  it('does not ask who leads', async () => {
    const { ask, stop, manager } = await started({ leaderElection }, () => {
      // Nobody gets the lease here.
      server.intercept = (exchange) => {
        if (!exchange.path.includes('/leases')) return false;
        exchange.answer(409, { kind: 'Status', code: 409, reason: 'Conflict', message: 'no' });
        return true;
      };
    });
    server.kinds.set('widgets', 'Widget');
    await world.advance(120_000);
    expect([manager.isLeader(), await ask('/readyz')]).toEqual([false, [200, 'ok']]);
    await stop();
  });
});
