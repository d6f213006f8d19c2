import { inspect } from 'node:util';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import type { Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { objectAttributes } from './attributes.ts';
import type { TracedObject } from './attributes.ts';
import { activeTracer } from './tracer.ts';

/** What a cause of a run comes from. */
interface Origin {
  readonly span: SpanContext;
  /** Whether the run goes on with the trace. Otherwise the run links to it: a trace of retries would never end. */
  readonly continued: boolean;
}

/** The origins of causes that wait in queues. They go away with the causes. */
const origins = new WeakMap<object, Origin>();

/**
 * Calls `deliver`, which computes the keys of a watch event and adds them to the queue, within a span of its own trace. Without an SDK it
 * just calls it.
 * @param cause what stands for the event in the queue: the run that it leads to finds the span by it
 */
export function traceWatchEvent(
  event: 'create' | 'update' | 'delete',
  object: TracedObject,
  cause: object,
  deliver: () => void,
): void {
  const tracer = activeTracer() as Tracer | undefined;
  if (tracer === undefined) {
    deliver();
    return;
  }
  const span = tracer.startSpan(`watch ${object.kind}`, {
    root: true,
    kind: SpanKind.CONSUMER,
    attributes: { ...objectAttributes(object), 'operator.watch.event': event },
  });
  origins.set(cause, { span: span.spanContext(), continued: true });
  try {
    context.with(trace.setSpan(ROOT_CONTEXT, span), deliver);
  } finally {
    span.end();
  }
}

/** Lets the run that the cause leads to link to the span that is active now, if there is one: that of whoever sends to a channel. */
export function traceSender(cause: object): void {
  const span = activeTracer() === undefined ? undefined : trace.getSpanContext(context.active());
  if (span !== undefined) {
    origins.set(cause, { span, continued: false });
  }
}

export interface TracedRun {
  readonly controller: string;
  /** Asked for only where there is an SDK. */
  readonly object: () => TracedObject;
  readonly reconcileID: string;
  readonly causes: readonly object[];
  /** For how long the key was ready before it was handed out, in milliseconds. */
  readonly waited: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The span of one reconcile. */
export interface RunSpan {
  /** For log lines: `trace_id`, `span_id`. */
  readonly fields: { readonly trace_id: string; readonly span_id: string };
  /** Calls the reconciler within the span: what it calls has it as its parent. */
  run<T>(reconcile: () => T): T;
  /** The run that this cause leads to links to this one. */
  leadsTo(cause: object): void;
  /** Ends the span. Of an error its type and message are recorded, and its stack; never a body of a request. */
  end(outcome: string, error?: unknown): void;
}

/**
 * Begins the spans of a run: one for the time in the queue, which ends at once, and one for the reconcile below it. They go on with the
 * trace of the watch event that came first, and link to the events that came later and to the run that asked for a retry. Undefined
 * without an SDK.
 */
export function traceRun(run: TracedRun): RunSpan | undefined {
  const tracer = activeTracer() as Tracer | undefined;
  return tracer === undefined ? undefined : new ReconcileSpan(tracer, run);
}

class ReconcileSpan implements RunSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(tracer: Tracer, run: TracedRun) {
    const { controller, now, waited } = run;
    const attributes = { ...objectAttributes(run.object()), 'operator.controller.name': controller };
    const found = run.causes.flatMap((cause) => origins.get(cause) ?? []);
    const first = found.find(({ continued }) => continued);
    const links: Link[] = found.filter((origin) => origin !== first).map(({ span }) => ({ context: span }));
    const parent = first === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, first.span);
    const queue = tracer.startSpan(`queue ${controller}`, { startTime: now - waited, attributes, links }, parent);
    queue.end(now);
    this.#span = tracer.startSpan(
      `reconcile ${controller}`,
      { attributes: { ...attributes, 'operator.reconcile.id': run.reconcileID } },
      trace.setSpan(parent, queue),
    );
    this.#context = trace.setSpan(parent, this.#span);
  }

  get fields(): RunSpan['fields'] {
    const { traceId, spanId } = this.#span.spanContext();
    return { trace_id: traceId, span_id: spanId };
  }

  run<T>(reconcile: () => T): T {
    return context.with(this.#context, reconcile);
  }

  leadsTo(cause: object): void {
    origins.set(cause, { span: this.#span.spanContext(), continued: false });
  }

  end(outcome: string, error?: unknown): void {
    this.#span.setAttribute('operator.reconcile.result', outcome);
    if (outcome === 'error') {
      const exception = error instanceof Error ? error : new Error(inspect(error));
      this.#span.recordException(exception);
      this.#span.setAttribute('error.type', exception.name);
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message });
    }
    this.#span.end();
  }
}
