import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedCredentials } from '../config/types.ts';
import { defaultEnvironment } from '../environment/default.ts';
import type { Transport } from '../environment/environment.ts';
import { discardLogger } from '../environment/logger.ts';
import { Rest } from './rest.ts';
import { createTransport } from './transport.ts';

/** The connections that the transport keeps for requests. */
const connections = 64;

describe('the fence of a client', () => {
  let server: Server;
  let transport: Transport;
  let received: string[];
  let held: ServerResponse[];
  let arrived: () => void;

  beforeEach(async () => {
    received = [];
    held = [];
    arrived = () => undefined;
    server = createServer((request: IncomingMessage, response) => {
      received.push(`${request.method} ${request.url}`);
      if (request.url === '/slow') held.push(response);
      else response.end('{}');
      arrived();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    transport = createTransport({ server: `http://127.0.0.1:${port}`, credentials: fixedCredentials({}) });
  });
  afterEach(async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('lets a write pass while it is open', async () => {
    const rest = new Rest({
      transport,
      environment: defaultEnvironment(),
      logger: discardLogger,
      beforeWrite: () => {},
    });
    await rest.json({ verb: 'update', method: 'PUT', path: '/write', body: {} });
    expect(received).toEqual(['PUT /write']);
  });

  it('stops a write that had to wait for a connection, when it closed meanwhile', async () => {
    let open = true;
    const closed = new Error('not the leader any more');
    const rest = new Rest({
      transport,
      environment: defaultEnvironment(),
      logger: discardLogger,
      beforeWrite: () => {
        if (!open) throw closed;
      },
    });
    const allHeld = new Promise<void>((resolve) => {
      arrived = () => {
        if (held.length === connections) resolve();
      };
    });
    const slow = Array.from({ length: connections }, () => rest.json({ verb: 'get', method: 'GET', path: '/slow' }));
    await allHeld;
    // Open when the call is made, closed when its turn comes.
    const write = rest.json({ verb: 'update', method: 'PUT', path: '/write', body: {} });
    const read = rest.json({ verb: 'get', method: 'GET', path: '/read' });
    open = false;
    for (const response of held) response.end('{}');
    await expect(write).rejects.toBe(closed);
    await Promise.all([read, ...slow]);
    expect(received.filter((line) => line !== 'GET /slow')).toEqual(['GET /read']);
    // The connections are still of use.
    open = true;
    await rest.json({ verb: 'update', method: 'PUT', path: '/write', body: {} });
    expect(received.at(-1)).toBe('PUT /write');
  });
});
