import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A certificate chain and its key, both in PEM. */
export interface ServingCertificate {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** One HTTP or HTTPS server with the limits that Kubernetes components use. */
export class HttpListener {
  readonly #handler: RequestHandler;
  readonly #onError: (error: unknown) => void;
  #server: Server | SecureServer | undefined;

  /** `onError` is told what a handler rejects with; the request is then answered with 500. */
  constructor(handler: RequestHandler, onError: (error: unknown) => void) {
    this.#handler = handler;
    this.#onError = onError;
  }

  /**
   * Listens at an address: `:8081` (all interfaces, or those of `defaultHost`), `127.0.0.1:8081`, `[::1]:0`. With a certificate it speaks
   * TLS 1.2 and newer only. Resolves with the port; rejects when it cannot listen there.
   */
  async listen(address: string, certificate?: ServingCertificate, defaultHost?: string): Promise<number> {
    const { host = defaultHost, port } = parseAddress(address);
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handler(request, response).catch((error: unknown) => {
        this.#onError(error);
        if (response.headersSent) response.destroy();
        else sendText(response, 500, 'internal error\n');
      });
    };
    const server =
      certificate === undefined
        ? createServer(handle)
        : createSecureServer({ ...pem(certificate), minVersion: 'TLSv1.2' }, handle);
    server.headersTimeout = 32_000;
    server.keepAliveTimeout = 90_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** New connections get this certificate from now on. Throws when it is none. */
  use(certificate: ServingCertificate): void {
    if (this.#server !== undefined && 'setSecureContext' in this.#server) {
      this.#server.setSecureContext(pem(certificate));
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) {
      return;
    }
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  }
}

/** The path and query of a request. */
export function urlOf(request: IncomingMessage): URL {
  return new URL(`http://localhost${request.url?.startsWith('/') === true ? request.url : '/'}`);
}

export function sendText(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' }).end(body);
}

function pem({ cert, key }: ServingCertificate): { readonly cert: string | Buffer; readonly key: string | Buffer } {
  return {
    cert: typeof cert === 'string' ? cert : Buffer.from(cert),
    key: typeof key === 'string' ? key : Buffer.from(key),
  };
}

/** Host (undefined: all interfaces) and port of a bind address in Go's notation. Throws a RangeError for anything else. */
export function parseAddress(address: string): { readonly host: string | undefined; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new RangeError(`not an address to listen at: ${JSON.stringify(address)}; write ":8081" or "127.0.0.1:8081"`);
  }
  const host = match[1] ?? match[2] ?? '';
  return { host: host === '' ? undefined : host, port };
}
