import { childSignal, sleep } from '../environment/child-signal.ts';
import type { Clock } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { Kind } from '../kind/kind.ts';
import { CacheSyncError } from './errors.ts';
import type { AttachedSource } from './sources.ts';

/** How often a controller that waits for its caches says so, in milliseconds. */
const noticePeriod = 30_000;

interface Missing {
  readonly kind: string;
  readonly error?: Error;
}

/**
 * Resolves when the caches of all sources are filled and their handlers were told, or when the signal is aborted. Says in the log what it
 * waits for. Rejects with a `CacheSyncError` when the timeout (milliseconds) passes first.
 */
export async function waitForCaches(
  controller: string,
  sources: readonly AttachedSource[],
  options: {
    readonly signal: AbortSignal;
    readonly clock: Clock;
    readonly log: Logger;
    readonly timeout: number | undefined;
  },
): Promise<void> {
  const { signal, clock, log, timeout } = options;
  using wait = childSignal(signal, clock, timeout);
  const notices = notify(sources, wait.signal, clock, log);
  try {
    await Promise.all(
      sources.map(async ({ informer, registration }) => {
        await informer.waitForSync(wait.signal);
        // A controller that comes late to a large cache is told of it in slices.
        if (!registration.hasSynced()) await informer.waitUntil(() => registration.hasSynced(), wait.signal);
      }),
    );
  } catch (error) {
    if (signal.aborted) {
      return;
    }
    if (wait.signal.aborted && timeout !== undefined) {
      throw new CacheSyncError(controller, timeout, missing(sources));
    }
    throw error;
  } finally {
    wait.abort();
    await notices;
  }
}

async function notify(
  sources: readonly AttachedSource[],
  signal: AbortSignal,
  clock: Clock,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(clock, noticePeriod, signal);
    } catch {
      return; // Waiting is over.
    }
    for (const { kind, error } of missing(sources)) {
      log.warn('Waiting for the cache', { kind, ...(error === undefined ? {} : { error }) });
    }
  }
}

function missing(sources: readonly AttachedSource[]): Missing[] {
  return sources
    .filter(({ registration }) => !registration.hasSynced())
    .map(({ kind, informer }) => {
      const { error } = informer.health();
      return { kind: qualified(kind), ...(error === undefined ? {} : { error }) };
    });
}

/** `Widget.example.com`, `ConfigMap`: as kubectl names a kind with its group. */
function qualified(kind: Kind): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}
