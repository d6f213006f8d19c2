import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from './model-server.ts';

class SocketExchange implements Exchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #response: ServerResponse;

  constructor(url: URL, response: ServerResponse) {
    this.path = url.pathname;
    this.query = url.searchParams;
    this.#response = response;
  }

  get isWatch(): boolean {
    return ['true', '1'].includes(this.query.get('watch') ?? '');
  }

  get over(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.head(status, headers);
    this.write(typeof body === 'string' ? body : JSON.stringify(body));
    this.end();
  }

  head(status = 200, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.flushHeaders();
  }

  write(chunk: string | Uint8Array): void {
    if (!this.over) this.#response.write(chunk);
  }

  end(): void {
    this.#response.end();
  }

  fail(): void {
    this.#response.socket?.resetAndDestroy();
  }
}

/** Puts exchanges on real sockets. */
export class SocketServer {
  /** The bearer token that is accepted. */
  token = 'first';
  readonly #server: Server;

  constructor(serve: (exchange: Exchange) => void) {
    this.#server = createServer((request, response) => {
      response.on('error', () => undefined);
      const exchange = new SocketExchange(new URL(request.url ?? '/', 'http://localhost'), response);
      if (request.headers.authorization === `Bearer ${this.token}`) serve(exchange);
      else exchange.answer(401, { kind: 'Status', code: 401, reason: 'Unauthorized' });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
