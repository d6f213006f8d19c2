import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createTransport } from '../client/transport.ts';
import { fixedCredentials } from '../config/types.ts';
import { defaultEnvironment } from '../environment/default.ts';
import { defineKind } from '../kind/kind.ts';
import { createCache } from './cache.ts';

const ConfigMap = defineKind<KubernetesObject, 'Namespaced'>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});

const configMap = (name: string, resourceVersion: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a', uid: name, resourceVersion: String(resourceVersion) },
});

/** One list, and watches whose answers the test writes to. */
class SmallServer {
  items: object[] = [];
  version = 1;
  readonly requests: string[] = [];
  readonly watches: ServerResponse[] = [];
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const watch = url.searchParams.has('watch');
      if (url.searchParams.has('sendInitialEvents')) {
        response.writeHead(422, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid' }));
        return;
      }
      this.requests.push(`${watch ? 'watch' : 'list'} ${url.searchParams.get('resourceVersion') ?? 'latest'}`);
      response.setHeader('content-type', 'application/json');
      if (watch) {
        response.flushHeaders();
        this.watches.push(response);
      } else {
        response.end(
          JSON.stringify({
            kind: 'ConfigMapList',
            metadata: { resourceVersion: String(this.version) },
            items: this.items,
          }),
        );
      }
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As a crash: every connection is reset. */
  async kill(): Promise<void> {
    for (const response of this.watches.splice(0)) response.socket?.resetAndDestroy();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }
}

it('an informer on real sockets survives cuts within characters and a server that is killed, and leaves nothing', async () => {
  const server = new SmallServer();
  server.items = [configMap('one', 1)];
  await server.start();
  const transport = createTransport({ server: server.address, credentials: fixedCredentials({}) });
  const cache = createCache({ transport, environment: defaultEnvironment() });
  const informer = cache.informerFor(ConfigMap);
  const names = (): string[] =>
    informer.indexer
      .list()
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  const stop = new AbortController();
  const running = cache.start(stop.signal);
  await informer.waitForSync();
  expect(names()).toEqual(['one']);

  const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: configMap('zwölf🦀', 2) })}\n`);
  await expect.poll(() => server.watches.length).toBe(1);
  for (const byte of line) {
    await new Promise<void>((resolve) => server.watches[0]?.write(Uint8Array.of(byte), () => resolve()));
  }
  await informer.waitUntil(() => informer.indexer.size === 2);
  expect(names()).toEqual(['one', 'zwölf🦀']);

  await server.kill();
  await server.start();
  await expect.poll(() => server.watches.length, { timeout: 20_000 }).toBe(1);
  expect(server.requests.at(-1)).toBe('watch 2');
  server.watches[0]?.write(`${JSON.stringify({ type: 'DELETED', object: configMap('one', 3) })}\n`);
  await informer.waitUntil(() => informer.indexer.size === 1);
  expect(names()).toEqual(['zwölf🦀']);

  stop.abort();
  await running;
  await transport.close();
  await server.kill();
  await expect.poll(() => process.getActiveResourcesInfo()).not.toContain('TCPSocketWrap');
}, 60_000);
