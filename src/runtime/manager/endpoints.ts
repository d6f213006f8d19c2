import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { MetricsRegistry } from '../metrics/registry.ts';
import { AccessReview } from './access-review.ts';
import { HealthServer } from './health-server.ts';
import { HttpListener, sendText, urlOf } from './http-listener.ts';
import { MetricsServer } from './metrics-server.ts';
import type { ManagerOptions } from './options.ts';

export interface EndpointDependencies {
  readonly environment: Environment;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** For TokenReview and SubjectAccessReview. */
  readonly transport: Transport;
  /** What `/debug/controllers` shows, as plain JSON. */
  readonly inspect: () => unknown;
}

/** Everything that a manager serves over HTTP. They are up before anything else starts, and go down last. */
export class Endpoints {
  readonly health: HealthServer;
  readonly #options: ManagerOptions;
  readonly #log: Logger;
  readonly #metrics: MetricsServer;
  readonly #debug: HttpListener;

  constructor(options: ManagerOptions, dependencies: EndpointDependencies) {
    const { environment, log, metrics, transport, inspect } = dependencies;
    this.#options = options;
    this.#log = log;
    this.health = new HealthServer(log, environment.clock);
    const { secure = true, authorization = secure } = options.metrics ?? {};
    const { userAgent } = options;
    const access = authorization
      ? new AccessReview({ transport, environment, logger: log, ...(userAgent === undefined ? {} : { userAgent }) })
      : undefined;
    this.#metrics = new MetricsServer(metrics, access, log, environment.clock);
    this.#debug = new HttpListener(
      async (request, response) => {
        if (urlOf(request).pathname === '/debug/controllers') {
          sendText(response, 200, `${JSON.stringify(inspect(), undefined, 2)}\n`, 'application/json');
        } else {
          sendText(response, 404, '404 page not found\n');
        }
      },
      (error) => {
        log.error('A request for /debug could not be answered', { error });
      },
    );
  }

  /** Rejects when one of them cannot listen. */
  async listen(): Promise<void> {
    const { healthProbeBindAddress, metrics, debugBindAddress } = this.#options;
    if (isAddress(healthProbeBindAddress)) {
      const port = await this.health.listen(healthProbeBindAddress);
      this.#log.info('Serving health probes', { address: healthProbeBindAddress, port });
    }
    if (metrics !== undefined && isAddress(metrics.bindAddress)) {
      const port = await this.#metrics.listen(metrics);
      this.#log.info('Serving metrics', { address: metrics.bindAddress, port, secure: metrics.secure ?? true });
    }
    if (isAddress(debugBindAddress)) {
      const port = await this.#debug.listen(debugBindAddress, undefined, '127.0.0.1');
      this.#log.info('Serving /debug/controllers', { address: debugBindAddress, port });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.health.close(), this.#metrics.close(), this.#debug.close()]);
  }
}

function isAddress(address: string | undefined): address is string {
  return address !== undefined && address !== '0' && address !== '';
}
