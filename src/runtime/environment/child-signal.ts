import type { Clock } from './environment.ts';

/** The reason of a signal, and so the rejection of what it ended, whose time was up. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  readonly reason = 'DeadlineExceeded';
  /** The time that was allowed. */
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`not done within ${milliseconds} ms`);
    this.milliseconds = milliseconds;
  }
}

export interface ChildSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts the child alone. */
  abort(reason?: unknown): void;
}

/**
 * A signal that is aborted with its parent (with the parent's reason), or after `milliseconds` (with a `DeadlineExceededError`; no
 * deadline when left out). Disposing it, which every user must do, takes its listener off the parent and cancels its timer: unlike
 * `AbortSignal.any` and `AbortSignal.timeout` nothing stays behind on a parent that lives as long as the program.
 */
export function childSignal(parent: AbortSignal | undefined, clock: Clock, milliseconds?: number): ChildSignal {
  const controller = new AbortController();
  const follow = (): void => {
    controller.abort(parent?.reason);
  };
  if (parent?.aborted === true) {
    follow();
    return { signal: controller.signal, abort() {}, [Symbol.dispose]() {} };
  }
  parent?.addEventListener('abort', follow, { once: true });
  const timer =
    milliseconds === undefined
      ? undefined
      : clock.setTimer(() => {
          controller.abort(new DeadlineExceededError(milliseconds));
        }, milliseconds);
  return {
    signal: controller.signal,
    abort(reason) {
      controller.abort(reason);
    },
    [Symbol.dispose]() {
      parent?.removeEventListener('abort', follow);
      timer?.cancel();
    },
  };
}

/**
 * Resolves after `milliseconds`; rejects with the signal's reason when it is aborted first. Leaves neither timer nor listener behind.
 */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    const timer = clock.setTimer(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * The promise's outcome, unless the signal is aborted first: then a rejection with the signal's reason. The promise itself goes on;
 * its later rejection is taken, so that it never counts as unhandled.
 */
export function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) {
      stop();
      promise.catch(() => undefined);
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    }
  });
}
