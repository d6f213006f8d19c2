import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import type { ClusterConfiguration, Credentials } from '../config/types.ts';
import { raceSignal } from '../environment/child-signal.ts';
import type { Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';
import { ConnectionError } from './errors.ts';
import { authorization, impersonation, sameCredentials, systemCode } from './transport-parts.ts';

/**
 * A transport that needs nothing but Node: for threads whose program is one small script. It reaches what `createTransport` reaches
 * (proxies, client certificates, credentials that change), is slower, and has no fence: requests with a `beforeSend` are refused.
 */
export function createNodeTransport(configuration: Omit<ClusterConfiguration, 'namespace'>): Transport {
  return new NodeTransport(configuration);
}

interface Connections {
  readonly certificates: string;
  readonly agent: http.Agent;
  running: number;
  retired: boolean;
}

/** Connections at a time. */
const maxSockets = 16;
/** Below the idle limits of API servers and load balancers. */
const idleTimeout = 30_000;

class NodeTransport implements Transport {
  readonly #configuration: Omit<ClusterConfiguration, 'namespace'>;
  readonly #url: URL;
  readonly #prefix: string;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #all = new Set<Connections>();
  #connections: Connections | undefined;
  #closed = false;

  constructor(configuration: Omit<ClusterConfiguration, 'namespace'>) {
    this.#configuration = configuration;
    this.#url = new URL(configuration.server);
    this.#prefix = this.#url.pathname.replace(/\/+$/, '');
    this.#impersonation = impersonation(configuration.impersonate);
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    if (request.beforeSend !== undefined) throw new Error('this transport has no fence');
    const source = this.#configuration.credentials;
    const credentials = await raceSignal(source.current(), signal);
    const response = await this.#exchange(request, credentials, signal);
    if (response.status !== 401) return response;
    source.invalidate(credentials);
    const fresh = await raceSignal(source.current(), signal);
    if (sameCredentials(fresh, credentials)) return response;
    for await (const _chunk of response.body);
    return this.#exchange(request, fresh, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { agent } of this.#all) agent.destroy();
    this.#all.clear();
    await Promise.resolve();
  }

  async #exchange(
    request: TransportRequest,
    credentials: Credentials,
    signal: AbortSignal,
  ): Promise<TransportResponse> {
    if (this.#closed) throw new ConnectionError('the transport is closed');
    signal.throwIfAborted();
    const connections = this.#connectionsFor(credentials);
    connections.running++;
    const release = (): void => {
      connections.running--;
      this.#destroyIfDone(connections);
    };
    try {
      const message = await this.#begin(request, credentials, connections.agent, signal);
      message.once('close', release);
      return this.#answer(message, signal);
    } catch (error) {
      release();
      throw this.#failure(error, signal);
    }
  }

  #begin(
    request: TransportRequest,
    credentials: Credentials,
    agent: http.Agent,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname, protocol, port } = this.#url;
      const send = protocol === 'https:' ? https.request : http.request;
      const outgoing = send({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        protocol,
        method: request.method,
        path: this.#prefix + request.path,
        headers: {
          ...request.headers,
          ...authorization(credentials),
          ...this.#impersonation,
          ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        },
        agent,
        signal,
      });
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(request.body);
    });
  }

  #answer(message: IncomingMessage, signal: AbortSignal): TransportResponse {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(message.headers)) {
      if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return { status: message.statusCode ?? 0, headers, body: this.#chunks(message, signal) };
  }

  async *#chunks(message: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* message as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#failure(error, signal);
    }
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof ConnectionError) return error;
    const code = systemCode(error);
    const text = error instanceof Error && error.message !== '' ? error.message : (code ?? 'unknown error');
    return new ConnectionError(`${this.#url.origin}: ${text}`, undefined, { systemCode: code, cause: error });
  }

  /** New certificates need new connections; what runs on the old ones is left to end. */
  #connectionsFor(credentials: Credentials): Connections {
    const certificates = JSON.stringify([
      credentials.certificateAuthority,
      credentials.clientCertificate,
      credentials.clientKey,
    ]);
    const current = this.#connections;
    if (current?.certificates === certificates) return current;
    this.#connections = { certificates, agent: this.#newAgent(credentials), running: 0, retired: false };
    this.#all.add(this.#connections);
    if (current !== undefined) {
      current.retired = true;
      this.#destroyIfDone(current);
    }
    return this.#connections;
  }

  #destroyIfDone(connections: Connections): void {
    if (connections.retired && connections.running === 0) {
      connections.agent.destroy();
      this.#all.delete(connections);
    }
  }

  #newAgent(credentials: Credentials): http.Agent {
    const { proxyUrl } = this.#configuration;
    const tls = this.#tlsOptions(credentials);
    const options = { keepAlive: true, maxSockets, timeout: idleTimeout, ...tls };
    const secure = this.#url.protocol === 'https:';
    if (proxyUrl === undefined) return secure ? new https.Agent(options) : new http.Agent(options);
    // An agent that gets its connections from the proxy. A tunnel for both schemes, as the other transport has it.
    const agent = new http.Agent(options);
    const tunnelled = Object.assign(agent, {
      protocol: this.#url.protocol,
      createConnection: (_: unknown, callback: (error: Error | null, socket?: Duplex) => void) => {
        openTunnel(new URL(proxyUrl), this.#url, secure ? tls : undefined, callback);
      },
    });
    return tunnelled;
  }

  #tlsOptions(credentials: Credentials): ConnectionOptions {
    const { tlsServerName, insecureSkipTlsVerify } = this.#configuration;
    return {
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      ALPNProtocols: ['http/1.1'],
      ...(credentials.certificateAuthority === undefined ? {} : { ca: credentials.certificateAuthority }),
      ...(credentials.clientCertificate === undefined ? {} : { cert: credentials.clientCertificate }),
      ...(credentials.clientKey === undefined ? {} : { key: credentials.clientKey }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    };
  }
}

/** Opens a connection through an HTTP proxy; with TLS to the target where options for it are given. */
function openTunnel(
  proxy: URL,
  target: URL,
  tls: ConnectionOptions | undefined,
  callback: (error: Error | null, socket?: Duplex) => void,
): void {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const authority = `${target.hostname}:${target.port || (target.protocol === 'https:' ? '443' : '80')}`;
  const { username, password } = proxy;
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const request = (proxy.protocol === 'https:' ? https.request : http.request)({
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` }),
    },
    agent: false,
  });
  request.once('error', (error) => callback(error));
  request.once('connect', (response, socket) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      callback(new Error(`the proxy ${proxy.host} answered ${response.statusCode} when asked for ${authority}`));
    } else if (tls === undefined) {
      callback(null, socket);
    } else {
      const servername = tls.servername ?? (isIP(host) === 0 ? host : '');
      const secured = connectTls({ ...tls, socket, host, servername });
      const failed = (error: Error): void => callback(error);
      secured.once('error', failed);
      secured.once('secureConnect', () => {
        secured.off('error', failed);
        callback(null, secured);
      });
    }
  });
  request.end();
}
