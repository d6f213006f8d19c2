import { SpanKind, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import type { Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';
import { pathTemplate } from './attributes.ts';
import { activeTracer } from './tracer.ts';

/**
 * A transport with a span for each request that is sent within another span, such as a reconcile's; those of informers and of leader
 * election, which would be traces of their own without end, have none. Follows OpenTelemetry's conventions for HTTP clients. Bodies and
 * headers are never recorded. The request carries the span's context on, where the program has a propagator: an API server that traces
 * joins in.
 *
 * @param server the API server's address, without credentials
 */
export function tracedTransport(transport: Transport, server: URL): Transport {
  return {
    send(request, signal) {
      const tracer = activeTracer() as Tracer | undefined;
      // A span that has ended may live on in the context of a timer: it is not the cause of what happens later.
      if (tracer === undefined || trace.getSpan(context.active())?.isRecording() !== true) {
        return transport.send(request, signal);
      }
      const { template, namespace } = pathTemplate(pathOf(request));
      const span = tracer.startSpan(`${request.method} ${template}`, {
        kind: SpanKind.CLIENT,
        attributes: requestAttributes(request, server, template, namespace),
      });
      return send(transport, request, signal, span);
    },
    close: () => transport.close(),
  };
}

async function send(
  transport: Transport,
  request: TransportRequest,
  signal: AbortSignal,
  span: Span,
): Promise<TransportResponse> {
  const headers: Record<string, string> = { ...request.headers };
  propagation.inject(trace.setSpan(context.active(), span), headers);
  try {
    const response = await transport.send({ ...request, headers }, signal);
    span.setAttribute('http.response.status_code', response.status);
    if (response.status >= 400) {
      fail(span, String(response.status));
    }
    return { ...response, body: readWithin(span, response.body, signal) };
  } catch (error) {
    fail(span, error instanceof Error ? error.name : 'Error');
    span.end();
    throw error;
  }
}

/** The body; the span ends with it. Whoever sends a request reads its answer to the end, or stops the iteration. */
async function* readWithin(
  span: Span,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    fail(span, signal.aborted ? 'AbortError' : error instanceof Error ? error.name : 'Error');
    throw error;
  } finally {
    span.end();
  }
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function requestAttributes(
  request: TransportRequest,
  server: URL,
  template: string,
  namespace: string | undefined,
): Attributes {
  return {
    'http.request.method': request.method,
    'url.full': server.origin + request.path,
    'url.template': template,
    'server.address': server.hostname,
    'server.port': Number(server.port) || (server.protocol === 'http:' ? 80 : 443),
    ...(namespace === undefined ? {} : { 'k8s.namespace.name': namespace }),
  };
}

function pathOf({ path }: TransportRequest): string {
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}
