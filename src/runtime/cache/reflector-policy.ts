import {
  isBadRequest,
  isConnectionFailed,
  isDeadlineExceeded,
  isExpired,
  isForbidden,
  isInvalid,
  isMethodNotAllowed,
  isResourceVersionTooLarge,
  isTooManyRequests,
  retryAfter,
} from '../client/errors.ts';

/** Where a reflector stands between two requests: plain data, so that each transition can be tested alone. */
export interface ReflectorPosition {
  /** The version that the next watch starts from, and that the next list must not be older than; `''` before the first list. */
  readonly resourceVersion: string;
  /** The server cannot serve `resourceVersion` any more: the next list asks for the latest state. */
  readonly unavailable: boolean;
  /** Lists in a row that found `resourceVersion` ahead of the server. */
  readonly tooLarge: number;
}

export const startPosition: ReflectorPosition = { resourceVersion: '', unavailable: false, tooLarge: 0 };

/** What to do next. */
export interface Transition {
  /** `pages`: a list that is not to be streamed this time. */
  readonly next: 'list' | 'pages' | 'watch';
  /** `now`; after the next delay of the backoff; or after so many milliseconds at least, whatever the backoff says. */
  readonly wait: 'now' | 'backoff' | { readonly atLeast: number };
  readonly position: ReflectorPosition;
}

/** How a watch ended. */
export interface WatchEnd {
  /** Absent when the stream ended in good order, or was cut: both are everyday life. */
  readonly error?: unknown;
  /** Whether the error came before the first byte of the body, or in place of it. */
  readonly opened: boolean;
  /** Milliseconds from the request to the end. */
  readonly lived: number;
  /** Whether it brought anything new. */
  readonly delivered: boolean;
}

/** Servers may ask for any time; no more than this is waited, in milliseconds. */
export const longestWait = 60_000;
/** So often a list waits for a server that lags behind, before it asks for whatever the server has. */
const patienceWithLag = 3;
/** A watch that ends sooner and empty is a fault, not a time-out of the server (`VeryShortWatchError`). */
const shortestWatch = 1000;

/** After a list that succeeded at this version. */
export function afterList(resourceVersion: string): Transition {
  return { next: 'watch', wait: 'now', position: { resourceVersion, unavailable: false, tooLarge: 0 } };
}

/**
 * After a list that failed. An expired version is asked for once: then the latest state, at once. A version ahead of the server (which
 * was restored from a backup, or lags) is waited for a few times.
 */
export function afterListError(position: ReflectorPosition, error: unknown): Transition {
  const pinned = position.resourceVersion !== '' && !position.unavailable;
  if (pinned && isResourceVersionTooLarge(error)) {
    const tooLarge = position.tooLarge + 1;
    if (tooLarge >= patienceWithLag) {
      return { next: 'list', wait: 'now', position: { ...position, unavailable: true, tooLarge: 0 } };
    }
    return { next: 'list', wait: { atLeast: capped(retryAfter(error) ?? 1000) }, position: { ...position, tooLarge } };
  }
  if (pinned && isExpired(error)) return { next: 'list', wait: 'now', position: { ...position, unavailable: true } };
  return { next: 'list', wait: waitAfter(error), position };
}

/**
 * After a streaming list that ended before its end was marked. A server that cannot stream, or stalls while it does, is asked for pages
 * at once; one that is overloaded or gone is left alone for a while, as with any list.
 */
export function afterStream(position: ReflectorPosition, end: WatchEnd): Transition {
  const { error, opened } = end;
  if (error === undefined) return { next: 'pages', wait: 'backoff', position };
  if (opened && isDeadlineExceeded(error)) return { next: 'pages', wait: 'now', position };
  if (refusesStreaming(error)) return { next: 'pages', wait: 'now', position };
  return afterListError(position, error);
}

/**
 * Whether a server says that it does not know streaming lists. Before 1.34, or with the feature gate off, they are `Invalid`; proxies
 * and aggregated servers have words of their own. Forbidden counts, too: whoever may list but not watch gets what is there.
 */
export function refusesStreaming(error: unknown): boolean {
  return isInvalid(error) || isBadRequest(error) || isForbidden(error) || isMethodNotAllowed(error);
}

/** After a watch: the table of client-go's reflector, and of `runtime` section 1.6. */
export function afterWatch(position: ReflectorPosition, end: WatchEnd): Transition {
  const { error } = end;
  if (error === undefined) {
    const healthy = end.delivered || end.lived >= shortestWatch;
    return healthy ? { next: 'watch', wait: 'now', position } : { next: 'list', wait: 'backoff', position };
  }
  // The server, or the way to it, is overloaded or gone; the state that was reached still holds.
  if (isTooManyRequests(error) || isConnectionFailed(error) || isDeadlineExceeded(error)) {
    return { next: 'watch', wait: waitAfter(error), position };
  }
  return { next: 'list', wait: waitAfter(error), position };
}

function waitAfter(error: unknown): Transition['wait'] {
  const asked = retryAfter(error);
  return asked === undefined ? 'backoff' : { atLeast: capped(asked) };
}

function capped(milliseconds: number): number {
  return Math.min(milliseconds, longestWait);
}
