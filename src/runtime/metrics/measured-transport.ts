import type { Transport } from '../environment/environment.ts';
import type { MetricsRegistry } from './registry.ts';

/** A transport that counts its requests as client-go does; `code` is `<error>` for those that got no answer. */
export type MeasureTransport = (transport: Transport, host: string) => Transport;

/** Registers `rest_client_requests_total`. */
export function requestMetrics(registry: MetricsRegistry): MeasureTransport {
  const requests = registry.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  return (transport, host) => ({
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
}
