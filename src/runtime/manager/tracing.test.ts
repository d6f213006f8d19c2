import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { recorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import {
  Widget,
  expectNothingLeft,
  leaderElection,
  pause,
  replica,
  server,
  setUp,
  widget,
  world,
  writeStatus,
} from '../../../test/support/manager-bench.ts';
import type { Replica } from '../../../test/support/manager-bench.ts';
import { TraceRecorder } from '../../../test/support/trace-recorder.ts';
import { RequestChannel } from '../controller/other-sources.ts';
import type { Reconcile } from '../controller/reconcile.ts';
import { done, requeueAfter } from '../controller/result.ts';

afterEach(expectNothingLeft);

/** A manager that has seen its first list. */
async function started(reconcile: Reconcile, options: Parameters<typeof replica>[1] = {}): Promise<Replica> {
  setUp();
  const a = replica(reconcile, options);
  a.start();
  await world.settle();
  return a;
}

describe('with an OpenTelemetry SDK', () => {
  it('one trace leads from the watch event through the queue and the reconcile to the API calls', async () => {
    using traces = new TraceRecorder();
    const lines: Line[] = [];
    const a = await started(
      async (request, context) => {
        context.log.info('at work');
        return writeStatus(request, context);
      },
      { logger: recorder(lines) },
    );
    server.put('widgets', widget('w'));
    await world.settle();
    const [watch, queue, reconcile, patch] = traces.spans;
    expect([watch, queue, reconcile, patch].map((span) => [span?.name, span?.parentId, span?.ends])).toEqual([
      ['watch Widget', undefined, 1],
      ['queue widget', watch?.spanId, 1],
      ['reconcile widget', queue?.spanId, 1],
      ['PATCH /apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status', reconcile?.spanId, 1],
    ]);
    expect(new Set([watch, queue, reconcile, patch].map((span) => span?.traceId)).size).toBe(1);
    const object = { 'k8s.object.kind': 'Widget', 'k8s.object.name': 'w', 'k8s.namespace.name': 'ns' };
    expect(watch).toMatchObject({
      kind: SpanKind.CONSUMER,
      attributes: {
        ...object,
        'k8s.object.api_version': 'example.com/v1',
        'k8s.object.uid': expect.any(String) as string,
        'k8s.object.resource_version': expect.any(String) as string,
        'operator.watch.event': 'create',
      },
    });
    const { reconcileID } = lines.find(({ message }) => message === 'at work')?.fields ?? {};
    expect(reconcile?.attributes).toMatchObject({
      ...object,
      'operator.controller.name': 'widget',
      'operator.reconcile.id': reconcileID,
      'operator.reconcile.result': 'success',
    });
    expect(patch).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'PATCH',
        'http.response.status_code': 200,
        'url.full': 'http://localhost/apis/example.com/v1/namespaces/ns/widgets/w/status',
        'url.template': '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status',
        'server.address': 'localhost',
        'server.port': 80,
        'k8s.namespace.name': 'ns',
      },
    });
    // The API server is told, and the log says which trace it is.
    const sent = server.transport.exchanges.find(({ request }) => request.method === 'PATCH');
    expect(sent?.request.headers['traceparent']).toBe(`00-${patch?.traceId}-${patch?.spanId}-01`);
    expect(lines.find(({ message }) => message === 'at work')?.fields).toMatchObject({
      trace_id: reconcile?.traceId,
      span_id: reconcile?.spanId,
    });
    await a.stop();
  });

  it('a run goes on with the first of its events, and links to those that came later', async () => {
    using traces = new TraceRecorder();
    const a = await started(async () => {
      await pause(100);
      return done;
    });
    server.put('widgets', widget('w', 1));
    await world.settle();
    for (const size of [2, 3, 4]) {
      server.put('widgets', widget('w', size));
      await world.advance(10);
    }
    await world.advance(1_000);
    const [first, ...later] = traces.named('watch Widget').slice(1);
    const queue = traces.named('queue widget')[1];
    expect(queue).toMatchObject({ traceId: first?.traceId, parentId: first?.spanId });
    expect(queue?.links.map(({ context }) => context.spanId)).toEqual(later.map(({ spanId }) => spanId));
    expect(later).toHaveLength(2);
    expect(traces.named('reconcile widget')).toHaveLength(2);
    // Ready at the end of the run before, 100 ms after its event; handed out at once.
    expect(queue?.endTime).toBe(queue?.startTime);
    await a.stop();
  });

  it('the time in the queue is the time for which the key was ready', async () => {
    using traces = new TraceRecorder();
    const a = await started(async () => {
      await pause(100);
      return done;
    });
    server.put('widgets', widget('a'));
    server.put('widgets', widget('b'));
    await world.advance(1_000);
    const waits = traces.named('queue widget').map(({ startTime, endTime }) => Number(endTime) - Number(startTime));
    expect(waits).toEqual([0, 100]);
    await a.stop();
  });

  it('a failure is recorded; the next try is a trace of its own that links to it', async () => {
    using traces = new TraceRecorder();
    let runs = 0;
    const a = await started(async () => {
      runs++;
      if (runs === 1) throw new TypeError('no cloud');
      return runs === 2 ? requeueAfter('1m') : done;
    });
    server.put('widgets', widget('w'));
    await world.advance(90_000);
    const [failed, retried, again] = traces.named('reconcile widget');
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'no cloud' },
      exception: { name: 'TypeError', message: 'no cloud' },
      attributes: { 'error.type': 'TypeError', 'operator.reconcile.result': 'error' },
    });
    expect(retried).toMatchObject({ status: undefined, attributes: { 'operator.reconcile.result': 'requeue_after' } });
    const queues = traces.named('queue widget');
    expect(queues.map(({ links }) => links.map(({ context }) => context.spanId))).toEqual([
      [],
      [failed?.spanId],
      [retried?.spanId],
    ]);
    expect(queues.map(({ parentId }) => parentId)).toEqual([
      traces.named('watch Widget')[0]?.spanId,
      undefined,
      undefined,
    ]);
    expect(new Set([failed, retried, again].map((span) => span?.traceId)).size).toBe(3);
    await a.stop();
  });

  it('what is sent to a channel links to the span of the sender', async () => {
    using traces = new TraceRecorder();
    setUp();
    server.put('widgets', widget('w'));
    const channel = new RequestChannel();
    const a = replica(async (request) => {
      // A reconcile that wakes another controller.
      channel.send(request);
      await Promise.resolve();
      return done;
    });
    a.manager
      .controller('other')
      .watchesChannel(channel)
      .reconcile(() => Promise.resolve(done));
    a.start();
    await world.settle();
    expect(traces.named('queue other')[0]?.links).toMatchObject([
      { context: { spanId: traces.named('reconcile widget')[0]?.spanId } },
    ]);
    await a.stop();
  });

  it('requests of informers, events and leader election, and what was there at the start, make no spans', async () => {
    using traces = new TraceRecorder();
    setUp();
    for (const name of ['a', 'b', 'c']) server.put('widgets', widget(name));
    const a = replica(() => Promise.resolve(done), { leaderElection });
    a.start();
    await world.advance(60_000);
    expect([...new Set(traces.spans.map(({ name }) => name))].toSorted()).toEqual(['queue widget', 'reconcile widget']);
    expect(traces.named('reconcile widget')).toHaveLength(3);
    await a.stop();
    expect(traces.spans.map(({ ends }) => ends)).toEqual(traces.spans.map(() => 1));
  });

  it('no span holds headers or bodies, and one of a refused or broken request says so', async () => {
    using traces = new TraceRecorder();
    let runs = 0;
    const a = await started(async (request, { client }) => {
      runs++;
      await client.status.jsonPatch(Widget, request, [{ op: 'add', path: '/status', value: { ready: 'hunter2' } }]);
      return done;
    });
    server.put('widgets', widget('w'));
    server.intercept = (exchange) => {
      if (exchange.request.method !== 'PATCH' || runs > 2) return false;
      if (runs === 1) exchange.answer(409, { kind: 'Status', code: 409, reason: 'Conflict', message: 'no' });
      else exchange.fail(new TypeError('hunter2 is no header'));
      return true;
    };
    await world.advance(1_000);
    const patches = traces.spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(patches.slice(0, 2).map(({ attributes, status, ends }) => [attributes['error.type'], status, ends])).toEqual(
      [
        ['409', { code: SpanStatusCode.ERROR }, 1],
        ['TypeError', { code: SpanStatusCode.ERROR }, 1],
      ],
    );
    expect(JSON.stringify(patches)).not.toMatch(/hunter2|authorization|user-agent/i);
    await a.stop();
  });
});

describe('with an SDK of an older API', () => {
  it('the manager says why there are no traces', async () => {
    const registry = Symbol.for('opentelemetry.js.api.1');
    Reflect.set(globalThis, registry, { version: '1.4.1', trace: { getTracer: () => ({}) } });
    try {
      const lines: Line[] = [];
      const a = await started(writeStatus, { logger: recorder(lines) });
      expect(lines.filter(({ message }) => message.startsWith('There will be no traces'))).toMatchObject([
        { level: 'warn', fields: { version: '1.4.1' } },
      ]);
      await a.stop();
    } finally {
      Reflect.deleteProperty(globalThis, registry);
    }
  });
});

describe('without an OpenTelemetry SDK', () => {
  it('nothing is traced, sent or logged of traces', async () => {
    const lines: Line[] = [];
    const a = await started(writeStatus, { logger: recorder(lines) });
    server.put('widgets', widget('w'));
    await world.settle();
    expect(a.reconciled).not.toEqual([]);
    expect(server.transport.exchanges.every(({ request }) => request.headers['traceparent'] === undefined)).toBe(true);
    expect(lines.every(({ fields }) => !('trace_id' in fields))).toBe(true);
    await a.stop();
  });
});
