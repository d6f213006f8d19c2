import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CertificateAuthority } from '../access/certificates.ts';

export type Serve = (request: IncomingMessage, response: ServerResponse, stopped: AbortSignal) => Promise<void>;

/** The socket on which a server listens; it can be closed and opened again on the same port. */
export class Listener {
  readonly #server: Server;
  readonly #host: string;
  readonly #running = new Set<Promise<void>>();
  #port: number;
  #stopping = new AbortController();

  private constructor(server: Server, port: number, host: string) {
    this.#server = server;
    this.#port = port;
    this.#host = host;
    // Watches are open for as long as they like; slow clients are the test's own.
    server.requestTimeout = 0;
    server.keepAliveTimeout = 60_000;
  }

  /** Listens at once; `serve` must not reject. */
  static async open(
    authority: CertificateAuthority | undefined,
    port: number,
    host: string,
    serve: Serve,
  ): Promise<Listener> {
    // The requests of the listener that is being made.
    let listener: Listener | undefined = undefined;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      listener?.answer(request, response, serve);
    };
    const server = authority === undefined ? createHttpServer(answer) : await secureServer(authority, host, answer);
    listener = new Listener(server, port, host);
    await listener.listen();
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  answer(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const served = serve(request, response, this.#stopping.signal);
    this.#running.add(served);
    void served.finally(() => this.#running.delete(served));
  }

  async listen(): Promise<void> {
    this.#stopping = new AbortController();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, this.#host, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses connections, cuts those that are open, and resolves when no request is being served any more. */
  async close(): Promise<void> {
    this.#stopping.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await Promise.allSettled(this.#running);
    await closed;
  }
}

async function secureServer(
  authority: CertificateAuthority,
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const { createServer } = await import('node:https');
  const names = ['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', host];
  const pair = authority.issue({ commonName: 'kube-apiserver', hosts: [...new Set(names)], usage: 'server' });
  // An empty list of authorities keeps Node from reading its own, which takes a while; certificates of clients are checked by us.
  return createServer(
    { key: pair.key, cert: pair.certificate, ca: [], requestCert: true, rejectUnauthorized: false },
    answer,
  );
}
