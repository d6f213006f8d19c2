import type { Socket } from 'node:net';
import { buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { ClusterConfiguration, Credentials } from '../config/types.ts';
import { raceSignal } from '../environment/child-signal.ts';
import type { Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';
import { ConnectionError } from './errors.ts';
import { isWatchPath } from './paths.ts';
import { authorization, impersonation, sameCredentials, systemCode } from './transport-parts.ts';

/**
 * The real transport: HTTP/1.1 with keep-alive on pooled connections. Watches have a pool of their own, so that they never keep a
 * request waiting. It knows no time limits except for connecting: deadlines are the caller's, by the signal.
 *
 * HTTP/2 is never offered: one connection for everything would make all watches wait for one slow reader, and was measured slower.
 */
export function createTransport(configuration: ClusterConfiguration): Transport {
  return new HttpTransport(configuration);
}

interface Pools {
  readonly certificates: string;
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
}

/** Connections for requests that are no watches. */
const requestConnections = 64;
const connectTimeout = 10_000;
/** Below the idle limits of API servers and load balancers, so that a request does not meet a connection that is being closed. */
const keepAliveTimeout = 30_000;

class HttpTransport implements Transport {
  readonly #configuration: ClusterConfiguration;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #sockets = new Set<Socket>();
  readonly #retired = new Set<Dispatcher>();
  #pools: Pools | undefined;
  #closed = false;

  constructor(configuration: ClusterConfiguration) {
    const url = new URL(configuration.server);
    this.#configuration = configuration;
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#impersonation = impersonation(configuration.impersonate);
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const source = this.#configuration.credentials;
    const credentials = await raceSignal(source.current(), signal);
    const response = await this.#exchange(request, credentials, signal);
    if (response.statusCode !== 401) return this.#answer(response, signal);
    source.invalidate(credentials);
    const fresh = await raceSignal(source.current(), signal);
    if (sameCredentials(fresh, credentials)) return this.#answer(response, signal);
    await response.body.dump();
    return this.#answer(await this.#exchange(request, fresh, signal), signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#retired, ...(this.#pools ? [this.#pools.requests, this.#pools.watches] : [])];
    this.#pools = undefined;
    this.#retired.clear();
    const gone = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    await Promise.all(pools.map((pool) => pool.destroy(new ConnectionError('the transport is closed'))));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(gone);
  }

  async #exchange(
    request: TransportRequest,
    credentials: Credentials,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    if (this.#closed) throw new ConnectionError('the transport is closed');
    const pools = this.#poolsFor(credentials);
    const pool = isWatchPath(request.path) ? pools.watches : pools.requests;
    let refusal: { readonly error: unknown } | undefined;
    const checked = checkedDispatcher(pool, request.beforeSend, (error) => {
      refusal = { error };
    });
    try {
      return await checked.request({
        origin: this.#origin,
        method: request.method,
        path: this.#prefix + request.path,
        headers: { ...request.headers, ...authorization(credentials), ...this.#impersonation },
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
    } catch (error) {
      throw refusal === undefined ? this.#failure(error, signal) : refusal.error;
    }
  }

  #answer(response: Dispatcher.ResponseData, signal: AbortSignal): TransportResponse {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return { status: response.statusCode, headers, body: this.#chunks(response.body, signal) };
  }

  async *#chunks(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* body;
    } catch (error) {
      throw this.#failure(error, signal);
    }
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof ConnectionError) return error;
    const code = systemCode(error);
    const text = error instanceof Error && error.message !== '' ? error.message : (code ?? 'unknown error');
    return new ConnectionError(`${this.#origin}: ${text}`, undefined, { systemCode: code, cause: error });
  }

  /** New certificates need new connections; what runs on the old ones is left to end. */
  #poolsFor(credentials: Credentials): Pools {
    const certificates = JSON.stringify([
      credentials.certificateAuthority,
      credentials.clientCertificate,
      credentials.clientKey,
    ]);
    if (this.#pools?.certificates === certificates) return this.#pools;
    if (this.#pools !== undefined) {
      this.#retire(this.#pools.requests);
      this.#retire(this.#pools.watches);
    }
    this.#pools = {
      certificates,
      requests: this.#newPool(credentials, requestConnections),
      watches: this.#newPool(credentials, null),
    };
    return this.#pools;
  }

  #newPool(credentials: Credentials, connections: number | null): Dispatcher {
    const { proxyUrl } = this.#configuration;
    const options = {
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout,
      connections,
    };
    if (proxyUrl === undefined) return new Pool(this.#origin, { ...options, connect: this.#connector(credentials) });
    return new ProxyAgent({
      ...options,
      uri: proxyUrl,
      // One way for both schemes.
      proxyTunnel: true,
      requestTls: this.#connectOptions(credentials),
      proxyTls: { timeout: connectTimeout },
    });
  }

  #retire(pool: Dispatcher): void {
    this.#retired.add(pool);
    const forget = (): void => {
      this.#retired.delete(pool);
    };
    pool.close().then(forget, forget);
  }

  #connectOptions(credentials: Credentials): buildConnector.BuildOptions {
    const { tlsServerName, insecureSkipTlsVerify } = this.#configuration;
    return {
      allowH2: false,
      timeout: connectTimeout,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      ...(credentials.certificateAuthority === undefined ? {} : { ca: credentials.certificateAuthority }),
      ...(credentials.clientCertificate === undefined ? {} : { cert: credentials.clientCertificate }),
      ...(credentials.clientKey === undefined ? {} : { key: credentials.clientKey }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    };
  }

  #connector(credentials: Credentials): buildConnector.connector {
    const connect = buildConnector(this.#connectOptions(credentials));
    return (options, callback) => {
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) {
          callback(error, null);
          return;
        }
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        callback(null, socket);
      });
    };
  }
}

/** A dispatcher that asks `check` when a request's turn on a connection has come, right before it is written. */
function checkedDispatcher(
  pool: Dispatcher,
  check: (() => void) | undefined,
  refused: (error: unknown) => void,
): Pick<Dispatcher, 'request'> {
  if (check === undefined) return pool;
  return pool.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      try {
        check();
      } catch (error) {
        refused(error);
        throw error;
      }
      start?.(controller, context);
    };
    return dispatch(options, handler);
  });
}
