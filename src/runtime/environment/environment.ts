/**
 * Everything that the runtime takes from the outside world: time, timers, randomness, ids, scheduling and the network.
 *
 * It is passed in, never reached for, so that a test (or the simulation) can put a virtual world in its place. Lint forbids the
 * globals that it stands for everywhere else in this package.
 */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
}

/** Time. All durations are milliseconds. */
export interface Clock {
  /** Milliseconds since an arbitrary moment; never goes back and is not moved by changes of the wall clock. */
  monotonic(): number;
  /** Milliseconds since 1970 by the wall clock: for time stamps only, never for measuring. */
  wall(): number;
  /**
   * Calls `callback` once after `milliseconds` (any length: delays beyond the platform's 2^31 - 1 ms are kept, negative ones are 0).
   * The timer does not keep the process alive when `keepAlive` is false (default true).
   */
  setTimer(callback: () => void, milliseconds: number, options?: { readonly keepAlive?: boolean }): Timer;
}

export interface Timer {
  /** Idempotent; after it the callback is never called. */
  cancel(): void;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A random UUID (RFC 9562 version 4). */
  uuid(): string;
}

/** Turns of the event loop. */
export interface Scheduler {
  /** Resolves in a later turn of the event loop, after pending I/O was served (`setImmediate`). */
  yield(): Promise<void>;
}

/** One HTTP exchange with the API server. Implemented by the undici transport and by the scripted servers of tests. */
export interface Transport {
  /**
   * Resolves when the answer's head has come; the body is read by iterating. Aborting `signal` ends the exchange, whatever its
   * state: the promise, or the iteration, then rejects with the signal's reason.
   */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Ends idle and running exchanges and resolves when no socket is left. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the API server's address: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /**
   * Called in the tick in which the request is written to its connection, after it waited for one: what it throws ends the exchange with
   * nothing sent, and is what `send` rejects with.
   */
  readonly beforeSend?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was read belongs to the reader: nobody writes into its bytes afterwards. */
  readonly body: AsyncIterable<Uint8Array>;
}
