import type { ObjectKey } from '../client/types.ts';
import { raceSignal, sleep } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { ExponentialBackoff } from '../queue/rate-limiter.ts';

/** Runs the map functions of watches that answer later, again and again while they fail: no event is lost to an error. */
export class MappingRetries {
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();

  constructor(environment: Environment, log: Logger) {
    this.#environment = environment;
    this.#log = log;
  }

  start(watched: ObjectKey & { readonly kind: string }, attempt: () => Promise<void>): void {
    const run = this.#run(watched, attempt);
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#running);
  }

  async #run(watched: ObjectKey & { readonly kind: string }, attempt: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#environment;
    const { signal } = this.#abort;
    const backoff = new ExponentialBackoff<string>({ random });
    while (!signal.aborted) {
      try {
        await raceSignal(attempt(), signal);
        return;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        const delay = backoff.when('');
        const { kind, namespace, name } = watched;
        this.#log.error('The map function of a watch failed', {
          watched: { kind, namespace, name },
          error,
          retryInMilliseconds: Math.ceil(delay),
        });
        await sleep(clock, delay, signal).catch(() => undefined); // Ended by stop: the loop's condition sees it.
      }
    }
  }
}
