import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discardLogger } from '../environment/logger.ts';
import { createVirtualEnvironment, type VirtualEnvironment } from '../environment/virtual.ts';
import { HealthServer } from './health-server.ts';
import { parseAddress } from './http-listener.ts';

describe('the health server', () => {
  let world: VirtualEnvironment;
  let server: HealthServer;
  let port: number;

  beforeEach(async () => {
    world = createVirtualEnvironment();
    server = new HealthServer(discardLogger, world.clock);
    port = await server.listen('127.0.0.1:0');
  });
  afterEach(() => server.close());

  function ask(path: string): Promise<[status: number | undefined, body: string]> {
    return new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => {
          resolve([response.statusCode, body]);
        });
      }).on('error', reject);
    });
  }

  it('says ok while nothing is wrong', async () => {
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/healthz/')).toEqual([200, 'ok']);
    expect(await ask('/readyz')).toEqual([200, 'ok']);
    expect(await ask('/healthz/ping')).toEqual([200, 'ok']);
    expect(await ask('/healthz?verbose')).toEqual([200, '[+]ping ok\nhealthz check passed\n']);
  });

  it('names the checks that fail, and keeps why to itself', async () => {
    server.add('readyz', 'good', () => undefined);
    server.add('readyz', 'bad', () => Promise.reject(new Error('a secret')));
    server.add('readyz', 'worse', () => {
      throw new Error('another secret');
    });
    const failed =
      '[+]good ok\n[-]bad failed: reason withheld\n[-]worse failed: reason withheld\nreadyz check failed\n';
    expect(await ask('/readyz')).toEqual([500, failed]);
    expect(await ask('/readyz/good')).toEqual([200, 'ok']);
    expect(await ask('/readyz/bad')).toEqual([500, '[-]bad failed: reason withheld\nreadyz check failed\n']);
    expect(await ask('/readyz?exclude=bad&exclude=worse')).toEqual([200, 'ok']);
    expect(await ask('/healthz')).toEqual([200, 'ok']);
  });

  it('takes a check for failed that does not answer', async () => {
    const asked = Promise.withResolvers<void>();
    server.add('readyz', 'lost', () => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    const answer = ask('/readyz');
    await asked.promise;
    await world.advance(10_000);
    expect(await answer).toEqual([500, '[-]lost failed: reason withheld\nreadyz check failed\n']);
    expect(world.pendingTimers).toBe(0);
  });

  it.each(['/', '/metrics', '/healthz/unknown', '/healthzz'])('does not know %s', async (path) => {
    expect((await ask(path))[0]).toBe(404);
  });

  it('refuses a name that is taken, and an address that is', async () => {
    expect(() => {
      server.add('healthz', 'ping', () => undefined);
    }).toThrow('ping');
    await expect(new HealthServer(discardLogger, world.clock).listen(`127.0.0.1:${port}`)).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});

describe('an address', () => {
  it.each([
    [':8081', undefined, 8081],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['localhost:80', 'localhost', 80],
    ['[::1]:9443', '::1', 9443],
  ])('%s is understood', (address, host, expected) => {
    expect(parseAddress(address)).toEqual({ host, port: expected });
  });

  it.each(['8081', '', ':', ':x', ':70000', '::1:80', 'host'])('%j is refused', (address) => {
    expect(() => parseAddress(address)).toThrow(RangeError);
  });
});
