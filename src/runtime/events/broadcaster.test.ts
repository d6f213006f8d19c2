import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { createClient } from '../client/client.ts';
import { NotLeaderError } from '../election/errors.ts';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import type { ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import type { VirtualEnvironment } from '../environment/virtual.ts';
import { recorder as logRecorder } from '../../../test/support/controller-bench.ts';
import type { Line } from '../../../test/support/controller-bench.ts';
import { EventBroadcaster } from './broadcaster.ts';
import { Event } from './event.ts';
import type { EventRecorder } from './event.ts';

let world: VirtualEnvironment;
let exchanges: ScriptedExchange[];
let lines: Line[];
let answer: (exchange: ScriptedExchange) => void;
let broadcaster: EventBroadcaster;
let recorder: EventRecorder;
let transport: ScriptedTransport;

const widget = (name = 'w', namespace?: string): KubernetesObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '7', ...(namespace === undefined ? {} : { namespace }) },
});
const bodies = (method: string): Event[] =>
  exchanges.filter(({ request }) => request.method === method).map(({ body }) => body as Event);
const fail = (exchange: ScriptedExchange, code: number, reason: string): void => {
  exchange.answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason });
};

beforeEach(() => {
  world = createVirtualEnvironment();
  exchanges = [];
  lines = [];
  answer = (exchange) => {
    exchange.answer(200, { ...bodies('POST')[0], ...(exchange.body as object) });
  };
  transport = new ScriptedTransport((exchange) => {
    exchanges.push(exchange);
    answer(exchange);
  });
  const client = createClient({ transport, environment: world, kinds: [Event] });
  broadcaster = new EventBroadcaster(client, world, logRecorder(lines), 'host');
  recorder = broadcaster.recorder('widget');
});

describe('an event', () => {
  it('is created in the object’s namespace, with what events.k8s.io asks for', async () => {
    recorder.event(widget('w', 'ns'), { reason: 'Created', note: 'Bucket made', related: widget('other') });
    await world.settle();
    expect(exchanges.map(({ path }) => path)).toEqual(['/apis/events.k8s.io/v1/namespaces/ns/events']);
    const [event] = bodies('POST');
    expect(event).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'ns', name: expect.stringMatching(/^w\.[0-9a-f]{16}$/) as unknown },
      eventTime: '2026-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'Created',
      action: 'Created',
      note: 'Bucket made',
      regarding: {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        namespace: 'ns',
        name: 'w',
        uid: 'uid-w',
        resourceVersion: '7',
      },
      related: { apiVersion: 'example.com/v1', kind: 'Widget', name: 'other', uid: 'uid-other', resourceVersion: '7' },
      reportingController: 'widget',
      reportingInstance: 'widget-host',
    });
  });

  it('about a cluster-scoped object stands in default; notes and names are cut to what the server takes', async () => {
    recorder.event(widget(`${'n'.repeat(235)}.${'n'.repeat(17)}`), { reason: 'R'.repeat(200), note: 'ä'.repeat(600) });
    await world.settle();
    const [event] = bodies('POST');
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.metadata.name?.length).toBeLessThanOrEqual(253);
    expect(event?.metadata.name).not.toContain('..');
    expect(event?.note).toBe('ä'.repeat(512));
    expect(event?.reason).toHaveLength(128);
    // Between characters, where the limit falls within one.
    recorder.event(widget(), { reason: 'Cut', note: `x${'ä'.repeat(600)}` });
    await world.settle();
    expect(bodies('POST').at(-1)?.note).toBe(`x${'ä'.repeat(511)}`);
  });

  it('that is said again becomes a series: the second at once, later ones once a minute, the rest at the end', async () => {
    const say = (): void => {
      recorder.event(widget('w', 'ns'), { reason: 'Failed', note: 'no answer', type: 'Warning' });
    };
    for (let count = 0; count < 5; count++) {
      say();
    }
    await world.settle();
    expect(bodies('POST')).toHaveLength(1);
    expect(bodies('PATCH').map(({ series }) => series?.count)).toEqual([5]);
    say();
    say();
    await world.advance(59_000);
    expect(bodies('PATCH')).toHaveLength(1);
    await world.advance(1_000);
    expect(bodies('PATCH').map(({ series }) => series?.count)).toEqual([5, 7]);
    say();
    await broadcaster.close(new AbortController().signal);
    expect(bodies('PATCH').map(({ series }) => series?.count)).toEqual([5, 7, 8]);
    expect(world.pendingTimers).toBe(0);
  });

  it('that is said after six minutes without is a new one', async () => {
    recorder.event(widget(), { reason: 'Failed', note: 'no answer' });
    await world.advance(361_000);
    recorder.event(widget(), { reason: 'Failed', note: 'no answer' });
    await world.settle();
    expect(bodies('POST')).toHaveLength(2);
    expect(new Set(bodies('POST').map(({ metadata }) => metadata.name)).size).toBe(2);
  });

  it('with another note is another one, until there are more than ten', async () => {
    for (let count = 1; count <= 15; count++) {
      recorder.event(widget(), { reason: 'Failed', note: `try ${count}` });
    }
    await world.settle();
    const notes = bodies('POST').map(({ note }) => note);
    expect(notes.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `try ${index + 1}`));
    expect(notes.slice(10)).toEqual(['(combined from similar events): try 11']);
    // It waited for its turn to be written, and was said again meanwhile.
    expect(bodies('POST').at(-1)?.series?.count).toBe(5);
    expect(bodies('PATCH')).toEqual([]);
  });

  it('is dropped when the object has too many, one in five minutes passes then, and others are not concerned', async () => {
    for (let count = 0; count < 40; count++) {
      recorder.event(widget(), { reason: `Reason${count}`, note: 'n' });
    }
    recorder.event(widget('other'), { reason: 'Reason', note: 'n' });
    await world.settle();
    expect(bodies('POST')).toHaveLength(26);
    expect(broadcaster.dropped).toBe(15);
    await world.advance(300_000);
    recorder.event(widget(), { reason: 'Later', note: 'n' });
    recorder.event(widget(), { reason: 'TooSoon', note: 'n' });
    await world.settle();
    expect(bodies('POST').at(-1)?.reason).toBe('Later');
    // Warnings are counted apart.
    recorder.event(widget(), { type: 'Warning', reason: 'Failed', note: 'n' });
    await world.settle();
    expect(bodies('POST').at(-1)?.reason).toBe('Failed');
  });

  it('is dropped when a thousand wait to be written', async () => {
    answer = () => undefined;
    for (let count = 0; count < 1_100; count++) {
      recorder.event(widget(`w-${count}`), { reason: 'Seen', note: 'n' });
    }
    // Four are on their way.
    expect([bodies('POST').length, broadcaster.dropped]).toEqual([0, 96]);
    await world.settle();
    expect(bodies('POST')).toHaveLength(4);
    const abort = new AbortController();
    abort.abort();
    await broadcaster.close(abort.signal);
    expect([world.pendingTimers, broadcaster.dropped]).toEqual([0, 100]);
  });
});

describe('writing events', () => {
  it('is tried again while the server is not there', async () => {
    answer = (exchange) => {
      fail(exchange, 500, 'InternalError');
    };
    recorder.event(widget(), { reason: 'Created', note: 'n' });
    await world.advance(30_000);
    expect(exchanges.length).toBeGreaterThan(1);
    answer = (exchange) => {
      exchange.answer(201, exchange.body);
    };
    await world.advance(30_000);
    const before = exchanges.length;
    await world.advance(60_000);
    expect(exchanges).toHaveLength(before);
    expect(broadcaster.dropped).toBe(0);
  });

  it.each([
    [400, false],
    [404, false],
    [422, false],
    [408, true],
    [409, true],
    [429, true],
    [503, true],
  ])('is tried again after an answer of %d: %s', async (code, again) => {
    answer = (exchange) => {
      fail(exchange, code, 'Refused');
    };
    recorder.event(widget(), { reason: 'Created', note: 'n' });
    await world.advance(15_000);
    expect(exchanges.length > 1).toBe(again);
    expect(broadcaster.dropped).toBe(again ? 0 : 1);
    answer = (exchange) => {
      exchange.answer(201, exchange.body);
    };
    await world.advance(15_000);
  });

  it('takes an event that is there already for its own, whose answer was lost', async () => {
    answer = (exchange) => {
      if (exchange.request.method === 'POST') fail(exchange, 409, 'AlreadyExists');
      else exchange.answer(200, bodies('POST')[0] ?? {});
    };
    for (let count = 0; count < 2; count++) {
      recorder.event(widget(), { reason: 'Created', note: 'n' });
      await world.settle();
    }
    expect(exchanges.map(({ request }) => request.method)).toEqual(['POST', 'PATCH']);
  });

  it('holds no process up that has nothing else to do', async () => {
    const setTimer = vi.spyOn(world.clock, 'setTimer');
    recorder.event(widget(), { reason: 'Created', note: 'n' });
    await world.settle();
    expect(setTimer).toHaveBeenCalledWith(expect.any(Function), 60_000, { keepAlive: false });
  });

  it('is given up after a refusal, which is told once', async () => {
    answer = (exchange) => {
      fail(exchange, 403, 'Forbidden');
    };
    recorder.event(widget('a'), { reason: 'Created', note: 'n' });
    recorder.event(widget('b'), { reason: 'Created', note: 'n' });
    await world.advance(60_000);
    expect(exchanges).toHaveLength(2);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(broadcaster.dropped).toBe(2);
  });

  it('begins anew when the server has forgotten the first event of a series', async () => {
    const say = (): void => {
      recorder.event(widget(), { reason: 'Failed', note: 'n' });
    };
    say();
    await world.settle();
    answer = (exchange) => {
      if (exchange.request.method === 'PATCH') {
        fail(exchange, 404, 'NotFound');
      } else {
        exchange.answer(201, exchange.body);
      }
    };
    say();
    await world.settle();
    const [first, second] = bodies('POST');
    expect(second?.metadata.name).not.toBe(first?.metadata.name);
    expect(second).toMatchObject({ reason: 'Failed', note: 'n' });
  });

  it('goes through the client of who said it, which may refuse it for good', async () => {
    const refused = createClient({
      transport,
      environment: world,
      kinds: [Event],
      beforeWrite: () => {
        throw new NotLeaderError('slot 3 is not held any more');
      },
    });
    broadcaster.recorder('widget', refused).event(widget('a'), { reason: 'Created', note: 'n' });
    recorder.event(widget('b'), { reason: 'Created', note: 'n' });
    await world.settle();
    expect(bodies('POST').map(({ regarding }) => regarding.name)).toEqual(['b']);
    // At once: it is not tried again.
    expect(broadcaster.dropped).toBe(1);
  });

  it('is waited for by client, the latest counts included, no longer than the signal lets', async () => {
    const other = createClient({ transport, environment: world, kinds: [Event] });
    const say = (of: EventRecorder): void => {
      of.event(widget(), { reason: 'Failed', note: 'n' });
    };
    for (let count = 0; count < 3; count++) {
      say(broadcaster.recorder('other', other));
      await world.settle();
    }
    say(recorder);
    await world.settle();
    expect(bodies('PATCH').map(({ series }) => series?.count)).toEqual([2]);
    const abort = new AbortController();
    await broadcaster.flush(other, abort.signal);
    expect(bodies('PATCH').map(({ series }) => series?.count)).toEqual([2, 3]);

    answer = () => undefined;
    say(broadcaster.recorder('other', other));
    say(broadcaster.recorder('another', other));
    const flushed = broadcaster.flush(other, abort.signal);
    abort.abort(new Error('time is up'));
    await flushed;
    expect(transport.open).toHaveLength(2);
    const stop = new AbortController();
    stop.abort();
    await broadcaster.close(stop.signal);
  });

  it('holds up a stop no longer than it may', async () => {
    answer = () => undefined;
    recorder.event(widget(), { reason: 'Created', note: 'n' });
    await world.settle();
    const abort = new AbortController();
    const closed = broadcaster.close(abort.signal);
    abort.abort(new Error('time is up'));
    await closed;
    expect(transport.open).toEqual([]);
    recorder.event(widget(), { reason: 'TooLate', note: 'n' });
    await world.settle();
    expect(exchanges).toHaveLength(1);
  });
});
