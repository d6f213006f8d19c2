import type { Status } from '../apis/meta/v1.ts';
import { childSignal, DeadlineExceededError, sleep, type ChildSignal } from '../environment/child-signal.ts';
import type { Environment, Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import {
  apiError,
  ConnectionError,
  isConnectionFailed,
  RequestTimeoutError,
  retryAfter,
  UnexpectedAnswerError,
  type ApiError,
  type RequestInfo,
  type Verb,
} from './errors.ts';
import { isRecord } from './json.ts';
import { queryString, type Query } from './paths.ts';
import { parseRetryAfter } from './retry-after.ts';
import { WarningLog } from './warnings.ts';

export interface RestOptions {
  readonly transport: Transport;
  readonly environment: Environment;
  readonly logger: Logger;
  /** Default `operator-runtime`. The server takes what stands before a slash as the default field manager. */
  readonly userAgent?: string;
  /** How long one try of a request may take, in milliseconds. Default 60 s, which is the API server's own limit. */
  readonly requestTimeout?: number;
  /**
   * Called for each try of a write when it is about to be written to its connection (`TransportRequest.beforeSend`); what it throws
   * ends the call. The fence of leader election.
   */
  readonly beforeWrite?: () => void;
}

export interface RestRequest {
  readonly verb: Verb;
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** Default true: tries again as client-go does, see `Rest.json`. */
  readonly retry?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** As client-go: at most so many tries after the first. */
const maxRetries = 10;
/** What a server may ask to wait at most before a request is tried again. */
const longestRetryAfter = 60_000;
/** What is read of an answer that is an error. */
const errorBodyLimit = 1024 * 1024;

/** Requests and answers in JSON over a transport, with typed errors, deadlines and client-go's policy of retries. */
export class Rest {
  readonly environment: Environment;
  readonly #options: RestOptions;
  readonly #warnings: WarningLog;

  constructor(options: RestOptions) {
    this.#options = options;
    this.environment = options.environment;
    this.#warnings = new WarningLog(options.logger);
  }

  /**
   * The answer's object. Tried again, up to ten times: after 429 and 5xx with a Retry-After, when that has passed; and, for reads,
   * after broken connections.
   */
  async json(request: RestRequest): Promise<Record<string, unknown>> {
    const { clock, random } = this.environment;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(request);
      } catch (error) {
        const wait = request.retry === false || tries >= maxRetries ? undefined : waitBeforeRetry(request, error);
        if (wait === undefined) throw error;
        // Spread a little, so that all who were told the same do not come back together.
        await sleep(clock, wait * (1 + 0.1 * random.next()), request.signal ?? never);
      }
    }
  }

  /**
   * The answer's head and body, for watches, under a connection that the caller disposes of after reading. The deadline holds until
   * the head has come. Answers other than 200 throw; nothing is tried again.
   */
  async stream(request: Omit<RestRequest, 'signal' | 'retry'>, connection: ChildSignal): Promise<TransportResponse> {
    const info: RequestInfo = { verb: request.verb, path: request.path };
    const deadline = new DeadlineExceededError(this.#timeout);
    const timer = this.environment.clock.setTimer(() => {
      connection.abort(deadline);
    }, this.#timeout);
    try {
      const response = await this.#options.transport.send(this.#wire(request), connection.signal);
      if (response.status !== 200) throw await this.#errorOf(response, info);
      this.#warnings.report(response.headers['warning']);
      return response;
    } catch (error) {
      if (connection.signal.aborted && error !== deadline) throw connection.signal.reason;
      throw translate(error, info);
    } finally {
      timer.cancel();
    }
  }

  get #timeout(): number {
    return this.#options.requestTimeout ?? 60_000;
  }

  /** The answer as `consume` reads it, within the deadline. Answers other than 2xx throw; nothing is tried again. */
  async read<T>(request: RestRequest, consume: (response: TransportResponse) => Promise<T>): Promise<T> {
    const info: RequestInfo = { verb: request.verb, path: request.path };
    const parent = request.signal ?? never;
    using child = childSignal(parent, this.environment.clock, this.#timeout);
    try {
      const response = await this.#options.transport.send(this.#wire(request), child.signal);
      if (response.status < 200 || response.status > 299) throw await this.#errorOf(response, info);
      this.#warnings.report(response.headers['warning']);
      return await consume(response);
    } catch (error) {
      // What is left of the answer is not waited for.
      child.abort(error);
      throw parent.aborted ? parent.reason : translate(error, info);
    }
  }

  #once(request: RestRequest): Promise<Record<string, unknown>> {
    const info: RequestInfo = { verb: request.verb, path: request.path };
    return this.read(request, async (response) => parseObject(await readBody(response.body), response, info));
  }

  #wire(request: RestRequest): TransportRequest {
    const { beforeWrite } = this.#options;
    return {
      method: request.method,
      path: request.path + queryString(request.query ?? {}),
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': this.#options.userAgent ?? 'operator-runtime',
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(beforeWrite !== undefined && isWrite(request.verb) ? { beforeSend: beforeWrite } : {}),
    };
  }

  async #errorOf(response: TransportResponse, info: RequestInfo): Promise<ApiError> {
    const wait = parseRetryAfter(response.headers['retry-after'], this.environment.clock.wall());
    const status = statusOf(await readBody(response.body, errorBodyLimit), response);
    const seconds = status.details?.retryAfterSeconds;
    const asked = wait ?? (typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
    return apiError(response.status, status, info, asked);
  }
}

/** Says of which request an error is. */
function translate(error: unknown, info: RequestInfo): unknown {
  if (error instanceof DeadlineExceededError) {
    return new RequestTimeoutError(`${info.verb} ${info.path}: no answer within ${error.milliseconds} ms`, info);
  }
  if (error instanceof ConnectionError && error.request === undefined) {
    const options = { systemCode: error.systemCode, cause: error.cause };
    return new ConnectionError(`${info.verb} ${info.path}: ${error.message}`, info, options);
  }
  return error;
}

const never = new AbortController().signal;

function isWrite(verb: Verb): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

function waitBeforeRetry(request: RestRequest, error: unknown): number | undefined {
  if (isConnectionFailed(error) && !isWrite(request.verb)) return 1000;
  const wait = retryAfter(error);
  if (wait === undefined || !(error instanceof Error) || !('code' in error)) return undefined;
  const code = Number(error.code);
  return code === 429 || code >= 500 ? Math.min(wait, longestRetryAfter) : undefined;
}

/** Reads a body whole, or its first `limit` bytes. */
async function readBody(body: AsyncIterable<Uint8Array>, limit = Infinity): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string, response: TransportResponse, info: RequestInfo): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isRecord(value)) return value;
  const type = response.headers['content-type'] ?? 'no content type';
  throw new UnexpectedAnswerError(
    `${info.verb} ${info.path}: the answer is no JSON object (HTTP status ${response.status}, ${type}): is this a Kubernetes API server?`,
    info,
  );
}

/** The Status of an error's body; one made up where it has none, as proxies answer. */
function statusOf(text: string, response: TransportResponse): Status {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && value['kind'] === 'Status') return value;
  } catch {
    // Not JSON: answered below.
  }
  const type = response.headers['content-type'];
  return {
    kind: 'Status',
    status: 'Failure',
    code: response.status,
    message: `HTTP status ${response.status}${type === undefined ? '' : ` with ${type}`} in place of a Status`,
  };
}
