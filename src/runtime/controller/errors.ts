import type { Duration } from '../apis/meta/v1.ts';
import { retryAfter } from '../client/errors.ts';
import { milliseconds } from './duration.ts';

/**
 * Throw it from a reconcile that cannot succeed however often it is tried: the key is not retried. The next event on the object runs
 * it again.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly reason = 'Terminal';
}

/** Throw it from a reconcile that failed and shall be tried again after a given time instead of the backoff. */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  readonly reason = 'RetryAfter';
  /** Milliseconds. */
  readonly delay: number;

  /** Throws a RangeError when the delay (milliseconds, or a duration such as `'30s'`) is none. */
  constructor(delay: number | Duration, message?: string, options?: ErrorOptions) {
    const parsed = milliseconds(delay);
    super(message ?? `try again after ${parsed} ms`, options);
    this.delay = parsed;
  }
}

/** A reconcile did not return a `Result`. */
export class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError';
  readonly reason = 'InvalidResult';

  constructor(controller: string, value: unknown) {
    super(
      `the reconciler of controller ${JSON.stringify(controller)} returned ${describe(value)}; ` +
        'return `done` or `requeueAfter(milliseconds | "30s")`, or throw',
    );
  }
}

/** A reconcile took longer than `reconcileTimeout`; the reason of its signal. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
  readonly reason = 'ReconcileTimeout';

  constructor(controller: string, timeout: number) {
    super(`the reconcile of controller ${JSON.stringify(controller)} was not done within ${timeout} ms`);
  }
}

/** A controller's caches were not filled within `cacheSyncTimeout`. */
export class CacheSyncError extends Error {
  override readonly name = 'CacheSyncError';
  readonly reason = 'CacheSync';
  /** The kinds that are missing. */
  readonly kinds: readonly string[];

  constructor(
    controller: string,
    timeout: number,
    missing: readonly { readonly kind: string; readonly error?: Error }[],
  ) {
    const details = missing.map(({ kind, error }) => (error === undefined ? kind : `${kind} (${error.message})`));
    super(`controller ${JSON.stringify(controller)}: caches not synced within ${timeout} ms: ${details.join('; ')}`, {
      cause: missing.find(({ error }) => error !== undefined)?.error,
    });
    this.kinds = missing.map(({ kind }) => kind);
  }
}

/** Whether the error, or one that caused it, says so by its `reason`: true across copies of this package, too. */
function findReason(error: unknown, reason: string): Error | undefined {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    if ('reason' in current && current.reason === reason) {
      return current;
    }
  }
  return undefined;
}

const faults: readonly string[] = ['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'AssertionError'];

/**
 * Whether what a reconciler threw is a fault of the program, as a panic is in Go: an error that JavaScript itself throws, no error at all, or
 * no result. One that has a cause was made on purpose (`fetch` reports a broken connection as a TypeError).
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) {
    return true;
  }
  return thrown instanceof InvalidResultError || (faults.includes(thrown.name) && thrown.cause === undefined);
}

/** Whether the error is, or was caused by, a `TerminalError`. */
export function isTerminal(error: unknown): boolean {
  return findReason(error, 'Terminal') !== undefined;
}

/** The delay of the `RetryAfterError` that the error is or was caused by; undefined when it is none. */
export function explicitDelay(error: unknown): number | undefined {
  const found = findReason(error, 'RetryAfter');
  return found !== undefined && 'delay' in found && typeof found.delay === 'number' && Number.isFinite(found.delay)
    ? found.delay
    : undefined;
}

/** The longest wait that an API server can impose on a key. */
const longestServerDelay = 5 * 60_000;

/** What the API server asked to wait (a `Retry-After` of its answer), capped at five minutes; 0 when it asked for nothing. */
export function serverDelay(error: unknown): number {
  return Math.min(Math.max(0, retryAfter(error) ?? 0), longestServerDelay);
}

function describe(value: unknown): string {
  if (value === undefined) {
    return 'nothing';
  }
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
