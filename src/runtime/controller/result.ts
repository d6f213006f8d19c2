import type { Duration } from '../apis/meta/v1.ts';
import { milliseconds } from './duration.ts';

/**
 * What a reconcile says at its end. There are these two, made by `done` and `requeueAfter`; to fail, throw: an error cannot be
 * combined with a delay (for that there is `RetryAfterError`).
 */
export type Result = Done | RequeueAfter;

/** Nothing to do until the next event. */
export interface Done {
  readonly result: 'done';
}

/** Run again after some time, whatever happens meanwhile. */
export interface RequeueAfter {
  readonly result: 'requeueAfter';
  readonly milliseconds: number;
}

/** The object is as it should be; the next event brings it back. The count of its failures starts again. */
export const done: Done = Object.freeze({ result: 'done' });

/**
 * Come back after this time (milliseconds, or a duration in Go's notation: `'30s'`), at the latest: events still bring the object
 * back before. An event does not use the delay up. Of several delays the earliest counts. 0 and negative delays mean at once, behind
 * the keys that wait already; note that this repeats for ever if nothing else decides otherwise. The count of the failures starts again.
 *
 * Throws a RangeError for NaN, infinite numbers and what is no duration, so that the reconcile fails and is retried with backoff.
 */
export function requeueAfter(delay: number | Duration): RequeueAfter {
  return Object.freeze({ result: 'requeueAfter', milliseconds: milliseconds(delay) });
}

/** Checks at run time what the type promises (reconcilers may be written without types). */
export function isResult(value: unknown): value is Result {
  if (typeof value !== 'object' || value === null || !('result' in value)) {
    return false;
  }
  if (value.result === 'done') {
    return true;
  }
  return value.result === 'requeueAfter' && 'milliseconds' in value && Number.isFinite(value.milliseconds);
}
