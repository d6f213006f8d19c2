import { Agent, request as httpsRequest } from 'node:https';
import type { Access } from './kubeconfig.ts';

/** An answer of the API server. `body` is the parsed JSON, or the text when it is no JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** One of the causes of a `Status` with reason `Invalid`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface Status {
  readonly kind: 'Status';
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: { readonly causes?: readonly StatusCause[] };
}

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Milliseconds until the request fails. Default 30,000. */
  readonly timeout?: number;
}

/** A plain client for tests: no types, no cache, the server's certificate verified against its own authority. */
export interface ApiClient {
  /** Sends a request; any status is an answer. */
  readonly request: (method: string, path: string, options?: ApiRequest) => Promise<ApiResponse>;
  /** Like `request`, but an answer that is no success is an {@link ApiError}. */
  readonly expect: (method: string, path: string, options?: ApiRequest) => Promise<unknown>;
  readonly close: () => void;
}

/** An answer that should have been a success. */
export class ApiError extends Error {
  readonly response: ApiResponse;
  constructor(method: string, path: string, response: ApiResponse) {
    const { body, status } = response;
    super(`${method} ${path}: ${status} ${isStatus(body) ? body.message : JSON.stringify(body)}`);
    this.name = 'ApiError';
    this.response = response;
  }
}

export function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status';
}

export function createClient(access: Access): ApiClient {
  const agent = new Agent({ keepAlive: true, ca: access.certificateAuthority });

  const request = async (method: string, path: string, options: ApiRequest = {}): Promise<ApiResponse> => {
    const url = new URL(path, access.server);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
    const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
    const content = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const headers = {
      authorization: `Bearer ${access.token}`,
      accept: options.accept ?? 'application/json',
      ...(content === undefined
        ? {}
        : { 'content-type': options.contentType ?? 'application/json', 'content-length': content.length }),
    };
    const outgoing = httpsRequest(url, { method, agent, headers, timeout: options.timeout ?? 30_000 }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (part: string) => (text += part)).on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parse(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer in time`)));
    outgoing.end(content);
    return await promise;
  };

  return {
    request,
    expect: async (method, path, options) => {
      const response = await request(method, path, options);
      if (response.status < 200 || response.status > 299) throw new ApiError(method, path, response);
      return response.body;
    },
    close: () => agent.destroy(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
