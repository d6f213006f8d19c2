import type { Transport } from '../environment/environment.ts';
import type { MetricsRegistry } from './registry.ts';

/** Counts requests as client-go does; `code` is `<error>` for those that got no answer. */
export interface MeasureTransport {
  /** A transport that counts its requests. */
  (transport: Transport, host: string): Transport;
  /** Counts a request that went another way. */
  count(request: { readonly code: string; readonly method: string; readonly host: string }): void;
}

/** Registers `rest_client_requests_total`. */
export function requestMetrics(registry: MetricsRegistry): MeasureTransport {
  const requests = registry.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  const measure = (transport: Transport, host: string): Transport => ({
    async send(request, signal) {
      const { method } = request;
      try {
        const response = await transport.send(request, signal);
        requests.inc({ code: String(response.status), method, host });
        return response;
      } catch (error) {
        requests.inc({ code: '<error>', method, host });
        throw error;
      }
    },
    close: () => transport.close(),
  });
  return Object.assign(measure, {
    count: (request: { readonly code: string; readonly method: string; readonly host: string }) => {
      requests.inc({ ...request });
    },
  });
}
