import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { expositionType } from '../metrics/registry.ts';
import type { Counter, MetricsRegistry } from '../metrics/registry.ts';
import type { AccessReview } from './access-review.ts';
import { HttpListener, sendText, urlOf } from './http-listener.ts';
import type { ServingCertificate } from './http-listener.ts';
import type { MetricsOptions } from './options.ts';
import { selfSignedCertificate } from './self-signed.ts';

/** How often certificate files are read again, in milliseconds. */
const certificatePeriod = 10_000;

/** Serves `/metrics`. */
export class MetricsServer {
  readonly #registry: MetricsRegistry;
  readonly #access: AccessReview | undefined;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #listener: HttpListener;
  readonly #closed = new AbortController();
  readonly #reads: Counter;
  readonly #readErrors: Counter;
  #timer: Timer | undefined;

  /** Without `access` everybody may read. */
  constructor(registry: MetricsRegistry, access: AccessReview | undefined, log: Logger, clock: Clock) {
    this.#registry = registry;
    // controller-runtime's names.
    this.#reads = registry.counter({
      name: 'certwatcher_read_certificate_total',
      help: 'Total number of certificate reads',
    });
    this.#readErrors = registry.counter({
      name: 'certwatcher_read_certificate_errors_total',
      help: 'Total number of certificate read errors',
    });
    this.#reads.series({});
    this.#readErrors.series({});
    this.#access = access;
    this.#log = log;
    this.#clock = clock;
    this.#listener = new HttpListener(
      (request, response) => this.#answer(request, response),
      (error) => {
        log.error('A request for metrics could not be answered', { error });
      },
    );
  }

  /** Resolves with the port. Rejects when it cannot listen there, or when there is no certificate where there should be. */
  async listen({ bindAddress, secure = true, certificateFolder }: MetricsOptions): Promise<number> {
    if (!secure) {
      return this.#listener.listen(bindAddress);
    }
    if (certificateFolder === undefined) {
      return this.#listener.listen(bindAddress, selfSignedCertificate(this.#clock.wall()));
    }
    const certificate = await this.#read(certificateFolder);
    const port = await this.#listener.listen(bindAddress, certificate);
    this.#watch(certificateFolder, certificate);
    return port;
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error('the metrics server is closed'));
    this.#timer?.cancel();
    await this.#listener.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = urlOf(request).pathname;
    const method = request.method ?? 'GET';
    const denial = await this.#access?.check(
      request.headers.authorization,
      method.toLowerCase(),
      path,
      this.#closed.signal,
    );
    if (denial !== undefined) {
      sendText(response, denial.status, denial.message);
    } else if (path !== '/metrics') {
      sendText(response, 404, '404 page not found\n');
    } else if (method === 'GET' || method === 'HEAD') {
      sendText(response, 200, this.#registry.expose(), expositionType);
    } else {
      sendText(response, 405, '405 method not allowed\n');
    }
  }

  /** Looks for new files again and again: a rotated certificate is served without a restart. */
  #watch(folder: string, current: ServingCertificate): void {
    this.#timer = this.#clock.setTimer(
      () => {
        void this.#reload(folder, current);
      },
      certificatePeriod,
      { keepAlive: false },
    );
  }

  /** Never rejects. */
  async #reload(folder: string, current: ServingCertificate): Promise<void> {
    const next = await this.#newer(folder, current);
    if (!this.#closed.signal.aborted) {
      this.#watch(folder, next);
    }
  }

  async #read(folder: string): Promise<ServingCertificate> {
    this.#reads.inc({});
    try {
      return await readCertificate(folder);
    } catch (error) {
      this.#readErrors.inc({});
      throw new Error(`metrics.certificateFolder must hold tls.crt and tls.key: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  async #newer(folder: string, current: ServingCertificate): Promise<ServingCertificate> {
    try {
      const next = await this.#read(folder);
      if (next.cert === current.cert && next.key === current.key) {
        return current;
      }
      this.#listener.use(next);
      this.#log.info('The metrics endpoint serves a new certificate', { folder });
      return next;
    } catch (error) {
      // Half-written, perhaps: the one that was read before stays.
      this.#log.error('The certificate of the metrics endpoint could not be read again', { folder, error });
      return current;
    }
  }
}

async function readCertificate(folder: string): Promise<ServingCertificate> {
  const [cert, key] = await Promise.all([
    readFile(join(folder, 'tls.crt'), 'utf8'),
    readFile(join(folder, 'tls.key'), 'utf8'),
  ]);
  return { cert, key };
}
