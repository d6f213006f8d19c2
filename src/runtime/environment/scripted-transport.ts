import type { Transport, TransportRequest, TransportResponse } from './environment.ts';

/** A transport for tests: a function plays the API server, and every exchange is kept to be looked at. */
export class ScriptedTransport implements Transport {
  /** All exchanges, in order. */
  readonly exchanges: ScriptedExchange[] = [];
  /** Plays the server; may answer at once, later, or never. Exchange by exchange it can be replaced. */
  handler: (exchange: ScriptedExchange) => void;

  constructor(handler: (exchange: ScriptedExchange) => void) {
    this.handler = handler;
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    try {
      if (!signal.aborted) request.beforeSend?.();
    } catch (error) {
      return Promise.reject(error);
    }
    const exchange = new ScriptedExchange(request, signal);
    this.exchanges.push(exchange);
    if (!signal.aborted) this.handler(exchange);
    return exchange.response;
  }

  close(): Promise<void> {
    for (const exchange of this.open) exchange.fail(new Error('the transport is closed'));
    return Promise.resolve();
  }

  /** Exchanges that are not over: waiting for an answer, or with a body that has not ended. */
  get open(): readonly ScriptedExchange[] {
    return this.exchanges.filter((exchange) => !exchange.over);
  }
}

/** One request and what the script does with it. */
export class ScriptedExchange {
  readonly request: TransportRequest;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly response: Promise<TransportResponse>;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #failed = false;
  #failure: unknown;

  constructor(request: TransportRequest, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    const [path = '', query = ''] = request.path.split('?');
    this.request = request;
    this.path = path;
    this.query = new URLSearchParams(query);
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    const abort = (): void => {
      this.fail(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  get isWatch(): boolean {
    return this.query.get('watch') === 'true';
  }

  /** The request's body, parsed. */
  get body(): unknown {
    const { body } = this.request;
    return body === undefined
      ? undefined
      : JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  }

  get over(): boolean {
    return this.#ended || this.#failed;
  }

  /** Answers whole: an object as JSON, a string as it is. */
  answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.head(status, headers);
    this.write(typeof body === 'string' ? body : JSON.stringify(body));
    this.end();
  }

  /** Answers with a head; the body follows by `write`, until `end` or `fail`. */
  head(status = 200, headers: Readonly<Record<string, string>> = {}): void {
    this.#resolve({ status, headers: { 'content-type': 'application/json', ...headers }, body: this.#read() });
  }

  write(chunk: string | Uint8Array): void {
    if (this.over) return;
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk);
    this.#wake?.();
  }

  /** Writes an event of a watch. */
  event(type: string, object: unknown): void {
    this.write(`${JSON.stringify({ type, object })}\n`);
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Ends the exchange with an error, whatever its state; what was written before is delivered first. */
  fail(error: unknown): void {
    if (this.over) return;
    this.#failed = true;
    this.#failure = error;
    this.#reject(error);
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#failed) throw this.#failure;
        else if (this.#ended) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      // A reader that goes away closes the connection.
      this.#ended = true;
    }
  }
}
