import type { Clock } from '../environment/environment.ts';
import type { Credentials, CredentialSource } from './types.ts';

/**
 * Credentials read by `read` at most once in `lifetime` milliseconds, and anew after a refusal. Concurrent askers share one read. When
 * a later read fails, the old ones are kept: a file that is missing for the moment of its rotation is no reason to stop.
 */
export function cachedCredentials(read: () => Promise<Credentials>, clock: Clock, lifetime: number): CredentialSource {
  let known: Credentials | undefined;
  let readAt = 0;
  let reading: Promise<Credentials> | undefined;

  const refresh = async (): Promise<Credentials> => {
    try {
      known = await read();
      readAt = clock.monotonic();
      return known;
    } catch (error) {
      if (known === undefined) throw error;
      readAt = clock.monotonic();
      return known;
    } finally {
      reading = undefined;
    }
  };

  return {
    current() {
      if (known !== undefined && clock.monotonic() - readAt < lifetime) return Promise.resolve(known);
      reading ??= refresh();
      return reading;
    },
    invalidate(refused) {
      // A refusal of credentials that were replaced meanwhile says nothing of the new ones.
      if (refused === known) readAt = -Infinity;
    },
  };
}
