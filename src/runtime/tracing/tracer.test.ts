import { trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { TraceRecorder } from '../../../test/support/trace-recorder.ts';
import { activeTracer, tooOldApi } from './tracer.ts';

const registry = Symbol.for('opentelemetry.js.api.1');
afterEach(() => {
  trace.disable();
  Reflect.deleteProperty(globalThis, registry);
});

describe('the tracer', () => {
  it('is that of the SDK that is registered, and none before and after', () => {
    expect([activeTracer(), tooOldApi()]).toEqual([undefined, undefined]);
    {
      using traces = new TraceRecorder();
      (activeTracer() as Tracer | undefined)?.startSpan('seen').end();
      expect(traces.named('seen')).toHaveLength(1);
      expect(tooOldApi()).toBeUndefined();
    }
    expect(activeTracer()).toBeUndefined();
  });

  it.each(['1.9.7', '1.12.0'])('is found by another copy of the API, of version %s', (version) => {
    const tracer = { startSpan: () => undefined };
    // As a copy registers what stands in for its SDK.
    Reflect.set(globalThis, registry, { version, trace: { getDelegateTracer: () => tracer } });
    expect([activeTracer(), tooOldApi()]).toEqual([tracer, undefined]);
    Reflect.set(globalThis, registry, { version, trace: { getTracer: () => tracer } });
    expect(activeTracer()).toBe(tracer);
  });

  it('does not see an SDK of an older API, which is told', () => {
    Reflect.set(globalThis, registry, { version: '1.4.1', trace: { getTracer: () => ({}) } });
    expect([activeTracer(), tooOldApi()]).toEqual([undefined, '1.4.1']);
  });
});
