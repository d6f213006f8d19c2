import type { ServerResponse } from 'node:http';
import { childSignal, raceSignal } from '../environment/child-signal.ts';
import type { Clock } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { HttpListener, sendText as send, urlOf } from './http-listener.ts';

/** How long a check may take, in milliseconds: a probe that gets no answer keeps its connection. */
const longestCheck = 10_000;

/**
 * Throws, or rejects, when something is wrong; one that has not answered within 10 s has failed. What it throws goes to the log, never
 * into the answer.
 */
export type HealthCheck = () => void | Promise<void>;

/** What a probe tells beside the result of a check, a line each, to who asks for `?verbose`. Nothing that is secret. */
export type HealthDetails = () => readonly string[];

export type Probe = 'healthz' | 'readyz';

interface NamedCheck {
  readonly check: HealthCheck;
  readonly details: HealthDetails | undefined;
}

/** Answers `/healthz` and `/readyz` as controller-runtime does: 200 `ok`, or 500 with the names of the checks that failed. */
export class HealthServer {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #checks: Readonly<Record<Probe, Map<string, NamedCheck>>> = {
    healthz: new Map([['ping', { check: () => undefined, details: undefined }]]),
    readyz: new Map(),
  };
  readonly #listener: HttpListener;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#listener = new HttpListener(
      (request, response) => this.#answer(urlOf(request), response),
      (error) => {
        log.error('A health probe could not be answered', { error });
      },
    );
  }

  /** Adds a check, also found alone at `/<probe>/<name>`. A name that is taken is an error. */
  add(probe: Probe, name: string, check: HealthCheck, details?: HealthDetails): void {
    if (this.#checks[probe].has(name)) {
      throw new Error(`there is a ${probe} check named ${name} already`);
    }
    this.#checks[probe].set(name, { check, details });
  }

  /**
   * Listens at an address: `:8081` (all interfaces), `127.0.0.1:8081`, `[::1]:0`. Resolves with the port; rejects when it cannot
   * listen there.
   */
  listen(address: string): Promise<number> {
    return this.#listener.listen(address);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  async #answer(url: URL, response: ServerResponse): Promise<void> {
    const [, probe = '', ...rest] = url.pathname.replace(/\/+$/, '').split('/');
    if (probe !== 'healthz' && probe !== 'readyz') {
      send(response, 404, '404 page not found\n');
      return;
    }
    const name = rest.join('/');
    const checks = this.#checks[probe];
    if (name !== '' && !checks.has(name)) {
      send(response, 404, '404 page not found\n');
      return;
    }
    const excluded = new Set(url.searchParams.getAll('exclude'));
    const chosen =
      name === ''
        ? [...checks].filter(([other]) => !excluded.has(other))
        : [...checks].filter(([other]) => other === name);
    const verbose = url.searchParams.has('verbose');
    const results = await Promise.all(chosen.map(([other, { check }]) => this.#run(probe, other, check)));
    const failed = results.some(({ ok }) => !ok);
    const lines = results.flatMap(({ ok, name: check }) => [
      ok ? `[+]${check} ok` : `[-]${check} failed: reason withheld`,
      ...(verbose ? (checks.get(check)?.details?.() ?? []).map((detail) => `    ${detail}`) : []),
    ]);
    if (failed) {
      send(response, 500, `${lines.join('\n')}\n${probe} check failed\n`);
    } else if (verbose) {
      send(response, 200, `${lines.join('\n')}\n${probe} check passed\n`);
    } else {
      send(response, 200, 'ok');
    }
  }

  async #run(probe: Probe, name: string, check: HealthCheck): Promise<{ readonly name: string; readonly ok: boolean }> {
    try {
      const running = check();
      if (running !== undefined) {
        using deadline = childSignal(undefined, this.#clock, longestCheck);
        await raceSignal(running, deadline.signal);
      }
      return { name, ok: true };
    } catch (error) {
      this.#log.debug('Health check failed', { probe, check: name, error });
      return { name, ok: false };
    }
  }
}
