import { trace } from '@opentelemetry/api';
import type { ProxyTracerProvider, TracerProvider } from '@opentelemetry/api';

const instrumentation = 'operator-runtime';

/** Where every copy of the API, of whatever version, keeps what was registered. */
const registry = Symbol.for('opentelemetry.js.api.1');

/**
 * The tracer of the OpenTelemetry SDK that the program has registered; undefined where there is none. Asked for at each use, which costs
 * about ten nanoseconds: the SDK may be registered before or after this package is loaded, and needs to know nothing of it.
 *
 * It is a `Tracer`, which is not said here: the declarations of this package name no types of others.
 */
export function activeTracer(): object | undefined {
  const provider: TracerProvider & Partial<Pick<ProxyTracerProvider, 'getDelegateTracer'>> = trace.getTracerProvider();
  // The API's own provider, also that of another copy of the API, stands in for one that is registered or not.
  return provider.getDelegateTracer === undefined
    ? provider.getTracer(instrumentation)
    : provider.getDelegateTracer(instrumentation);
}

/**
 * The version of `@opentelemetry/api` by which an SDK was registered, if it is too old for this package's: no span would come there, and
 * nobody would know why.
 */
export function tooOldApi(): string | undefined {
  const registered = Reflect.get(globalThis, registry) as
    { readonly version?: string; readonly trace?: unknown } | undefined;
  return registered?.trace === undefined || registered.trace === trace.getTracerProvider()
    ? undefined
    : registered.version;
}
