import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context, propagation, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanContext, SpanKind, SpanOptions } from '@opentelemetry/api';

/** A span as it was made. */
export interface RecordedSpan {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly links: readonly Link[];
  readonly attributes: Attributes;
  readonly startTime: unknown;
  status: unknown;
  exception: unknown;
  ends: number;
  endTime: unknown;
}

/** Stands for the SDK of a program: keeps all spans. Disposing it takes it off the API. */
export class TraceRecorder implements Disposable {
  readonly spans: RecordedSpan[] = [];
  #count = 0;

  constructor() {
    trace.setGlobalTracerProvider({
      getTracer: () => ({
        startSpan: (name: string, options?: SpanOptions, parent?: Context) => this.#start(name, options, parent),
        startActiveSpan: () => {
          throw new Error('not used');
        },
      }),
    });
    const storage = new AsyncLocalStorage<Context>();
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, work, self, ...args) => storage.run(active, () => work.call(self as never, ...args)),
      bind: (_, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    propagation.setGlobalPropagator({
      inject(from, carrier: Record<string, string>) {
        const span = trace.getSpanContext(from);
        if (span !== undefined) carrier['traceparent'] = `00-${span.traceId}-${span.spanId}-01`;
      },
      extract: (from) => from,
      fields: () => ['traceparent'],
    });
  }

  [Symbol.dispose](): void {
    trace.disable();
    context.disable();
    propagation.disable();
  }

  named(name: string): readonly RecordedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  #start(name: string, { attributes = {}, links = [], kind, root, startTime }: SpanOptions = {}, from?: Context): Span {
    const parent = root === true ? undefined : trace.getSpanContext(from ?? context.active());
    const spanContext: SpanContext = {
      traceId: parent?.traceId ?? (++this.#count).toString(16).padStart(32, '0'),
      spanId: (++this.#count).toString(16).padStart(16, '0'),
      traceFlags: 1,
    };
    const own: Record<string, Attributes[string]> = { ...attributes };
    const span: RecordedSpan = {
      name,
      kind,
      traceId: spanContext.traceId,
      spanId: spanContext.spanId,
      parentId: parent?.spanId,
      links,
      attributes: own,
      startTime,
      status: undefined,
      exception: undefined,
      ends: 0,
      endTime: undefined,
    };
    this.spans.push(span);
    const recorded: Partial<Span> = {
      spanContext: () => spanContext,
      isRecording: () => span.ends === 0,
      setAttribute(key, value) {
        own[key] = value;
        return this as Span;
      },
      setStatus(status) {
        span.status = status;
        return this as Span;
      },
      recordException(exception) {
        span.exception = exception;
      },
      end(time) {
        span.ends++;
        span.endTime = time;
      },
    };
    return recorded as Span;
  }
}
