import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { fixedCredentials } from '../config/types.ts';
import { defaultEnvironment } from '../environment/default.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { discardLogger } from '../environment/logger.ts';
import { defineKind } from '../kind/kind.ts';
import type { Kind } from '../kind/kind.ts';
import { createClient } from './client.ts';
import { Rest } from './rest.ts';
import { createTransport } from './transport.ts';
import type { Client } from './types.ts';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { ready: number };
}

const Widget: Kind<Widget, 'Namespaced', 'status' | 'scale'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status', 'scale'],
});

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

  describe('asks for each try of each write', () => {
    const refused = new Error('not the leader any more');
    const key = { namespace: 'ns', name: 'w' };
    const meta = { ...key, resourceVersion: '1' };
    const object: Widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: meta, spec: { size: 1 } };
    const patch = [{ op: 'replace', path: '/spec/size', value: 2 }] as const;
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: meta, spec: { replicas: 2 } };
    const grow = (draft: { spec?: { size?: number } }): void => void (draft.spec = { size: 2 });
    const writes: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
      create: (client) => client.create({ ...object, metadata: key }),
      delete: (client) => client.delete(Widget, key),
      deleteCollection: (client) => client.deleteCollection(Widget, { namespace: 'ns' }),
      update: (client) => client.update(Widget, object, grow),
      updateStatus: (client) =>
        client.updateStatus(Widget, object, (draft) => {
          draft.status = { ready: 1 };
        }),
      mergePatch: (client) => client.mergePatch(Widget, key, { spec: { size: 2 } }),
      jsonPatch: (client) => client.jsonPatch(Widget, key, patch),
      apply: (client) => client.apply(Widget, { metadata: key, spec: { size: 2 } }),
      'status.mergePatch': (client) => client.status.mergePatch(Widget, key, { status: { ready: 1 } }),
      'status.jsonPatch': (client) => client.status.jsonPatch(Widget, key, patch),
      'status.apply': (client) => client.status.apply(Widget, { metadata: key, status: { ready: 1 } }),
      'scale.mergePatch': (client) => client.scale.mergePatch(Widget, key, { spec: { replicas: 2 } }),
      'scale.jsonPatch': (client) => client.scale.jsonPatch(Widget, key, patch),
      'subresource create': (client) => client.subresource('eviction').create(Widget, key, scale),
      'subresource update': (client) => client.subresource('scale').update(Widget, key, scale),
      'subresource mergePatch': (client) => client.subresource('scale').mergePatch(Widget, key, {}),
      'subresource jsonPatch': (client) => client.subresource('scale').jsonPatch(Widget, key, patch),
    };

    const clientWith = (beforeWrite: () => void): Client =>
      createClient({ transport, environment: defaultEnvironment(), kinds: [Widget], fieldManager: 'me', beforeWrite });

    it.each(Object.entries(writes))('%s', async (_name, write) => {
      let asked = 0;
      const open = clientWith(() => void asked++);
      await write(open).catch(() => undefined); // What the server makes of it does not matter here.
      expect([asked, received.length]).toEqual([1, 1]);
      expect(received[0]).not.toMatch(/^GET/);
      const closed = clientWith(() => {
        throw refused;
      });
      await expect(write(closed)).rejects.toBe(refused);
      expect(received).toHaveLength(1);
    });

    it.each([
      ['after a server that was too busy', 429],
      ['after a refusal of its credentials', 401],
    ])('again %s', async (_name, status) => {
      let token = 'old';
      server.removeAllListeners('request');
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        received.push(`${request.method} ${request.url}`);
        response.writeHead(status, { 'retry-after': '1' }).end('{}');
      });
      const { port } = server.address() as AddressInfo;
      const rotating = createTransport({
        server: `http://127.0.0.1:${port}`,
        credentials: { current: () => Promise.resolve({ token }), invalidate: () => void (token = 'new') },
      });
      let asked = 0;
      const rest = new Rest({
        transport: rotating,
        environment: withoutWaiting(),
        logger: discardLogger,
        beforeWrite: () => {
          if (++asked > 1) throw refused;
        },
      });
      await expect(rest.json({ verb: 'update', method: 'PUT', path: '/write', body: {} })).rejects.toBe(refused);
      expect([asked, received]).toEqual([2, ['PUT /write']]);
      await rotating.close();
    });
  });
});

/** The real one, but that pauses between tries are not waited for; deadlines are longer. */
function withoutWaiting(): Environment {
  const environment = defaultEnvironment();
  const { clock } = environment;
  return {
    ...environment,
    clock: { ...clock, setTimer: (callback, delay) => clock.setTimer(callback, delay < 10_000 ? 0 : delay) },
  };
}
