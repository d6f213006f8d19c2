import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** How to reach an API server as one user. */
export interface Connection {
  readonly url: string;
  /** PEM; `''` for plain HTTP. */
  readonly caCertificate: string;
  readonly token: string;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  json(): unknown;
}

export interface RestRequest {
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the request is given up (default 30,000). */
  readonly timeout?: number;
}

/** A plain client of the API's HTTP: no types, no retries. */
export class RestClient {
  readonly #connection: Connection;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#agent = connection.url.startsWith('https:')
      ? new HttpsAgent({ keepAlive: true, ca: connection.caCertificate })
      : new HttpAgent({ keepAlive: true });
  }

  send({ method = 'GET', path, body, headers = {}, timeout = 30_000 }: RestRequest): Promise<RestResponse> {
    const send = this.#connection.url.startsWith('https:') ? httpsRequest : httpRequest;
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = send(
        new URL(path, this.#connection.url),
        {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(timeout),
          headers: {
            Authorization: `Bearer ${this.#connection.token}`,
            Accept: 'application/json',
            ...(text !== undefined && {
              'Content-Type': 'application/json',
              'Content-Length': String(Buffer.byteLength(text)),
            }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const received = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: received,
              json: () => JSON.parse(received) as unknown,
            });
          });
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
