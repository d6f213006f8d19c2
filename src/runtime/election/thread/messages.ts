import type { ClusterConfiguration, Credentials } from '../../config/types.ts';
import type { ElectionTimes } from '../times.ts';

/** Of a configuration what can be copied to another thread: all but where the credentials come from. */
export type PlainConfiguration = Omit<ClusterConfiguration, 'credentials' | 'namespace'>;

/** What the thread is started with. */
export interface ThreadData {
  readonly state: SharedArrayBuffer;
  /** Nanoseconds by `process.hrtime` at the moment 0 of the main thread's monotonic clock. */
  readonly epoch: bigint;
  readonly configuration: PlainConfiguration;
  readonly userAgent: string | undefined;
  readonly identity: string;
  readonly times: Required<ElectionTimes>;
  readonly task: ThreadTask;
}

/** What the thread competes for. */
export type ThreadTask =
  | { readonly type: 'leader'; readonly namespace: string; readonly name: string }
  | { readonly type: 'slots'; readonly namespace: string; readonly id: string; readonly slots: number };

/** From the main thread. */
export type ToThread =
  /** Answers a request for credentials. */
  | { readonly type: 'credentials'; readonly credentials?: Credentials; readonly error?: PlainError }
  /** Renews and competes no more; what is held stays so. Answered by `stopped`. */
  | { readonly type: 'stop' }
  /** Gives back what is held. Answered by `released`. */
  | { readonly type: 'release' }
  /** Takes no more slots. */
  | { readonly type: 'retire' }
  /** Nothing is at work any more for the slot that the thread asked for. */
  | { readonly type: 'yielded'; readonly turn: number };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** From the thread. */
export type FromThread =
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly fields: PlainFields }
  /** Asks for today's credentials; `refused` when the API server did not take those that it has. */
  | { readonly type: 'credentials'; readonly refused: boolean }
  /** A request was answered, for the metrics; `<error>` when it was not. */
  | { readonly type: 'request'; readonly method: string; readonly code: string }
  | { readonly type: 'acquired' }
  | { readonly type: 'lost'; readonly message: string }
  | { readonly type: 'gained'; readonly slots: readonly number[] }
  /** Asks for the end of the work for a slot; `turn` tells the answer apart from others. */
  | { readonly type: 'yield'; readonly slot: number; readonly turn: number }
  | { readonly type: 'slots lost'; readonly slots: readonly number[]; readonly why: string }
  | { readonly type: 'members'; readonly members: readonly string[] }
  | { readonly type: 'stopped' }
  | { readonly type: 'released'; readonly done: boolean }
  /** It cannot go on. */
  | { readonly type: 'failed'; readonly error: PlainError };

/** An error as it passes between threads: their own copies lose the name and all members. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | number | undefined;
  readonly reason: string | undefined;
}

export type PlainFields = Readonly<Record<string, unknown>>;

export function plainError(error: unknown): PlainError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const { code, reason } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly reason?: unknown;
  };
  return {
    name,
    message,
    stack,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

export function errorOf({ name, message, stack, code, reason }: PlainError): Error {
  const error = new Error(message);
  return Object.assign(error, {
    name,
    ...(stack === undefined ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
  });
}
