import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { ConnectionError } from '../client/errors.ts';
import { Rest } from '../client/rest.ts';
import { discardLogger } from '../environment/logger.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment, type VirtualEnvironment } from '../environment/virtual.ts';
import { defineKind } from '../kind/kind.ts';
import { createInformer } from './informer.ts';
import type { EventHandler, SharedInformer } from './types.ts';

const kind = defineKind<KubernetesObject, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});

interface HistoryEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
  readonly version: number;
}

interface Watcher {
  readonly exchange: ScriptedExchange;
  sent: number;
}

/** An API server of one kind with a history, pages, compaction and faults. Versions are a counter, as etcd's. */
class ModelServer {
  readonly transport = new ScriptedTransport((exchange) => {
    this.#serve(exchange);
  });
  readonly objects = new Map<string, KubernetesObject>();
  down: 'no' | 'refused' | '500' | '429' | 'html' | 'silent' = 'no';
  #version = 100;
  #compacted = 100;
  #uid = 0;
  #history: HistoryEvent[] = [];
  #watchers: Watcher[] = [];
  readonly #snapshots = new Map<string, readonly KubernetesObject[]>();
  maxWatches = 0;

  write(name: string): void {
    const existing = this.objects.get(name);
    const resourceVersion = String(++this.#version);
    const uid = existing?.metadata.uid ?? `uid-${++this.#uid}`;
    const object = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name, namespace: 'a', uid, resourceVersion },
    };
    this.objects.set(name, object);
    this.#record({ type: existing === undefined ? 'ADDED' : 'MODIFIED', object, version: this.#version });
  }

  remove(name: string): void {
    const object = this.objects.get(name);
    if (object === undefined) return;
    this.objects.delete(name);
    const final = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#record({ type: 'DELETED', object: final, version: this.#version });
  }

  /** Watches and lists of older versions are expired from now on. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
    this.#snapshots.clear();
  }

  bookmark(): void {
    this.#line({ type: 'BOOKMARK', object: { kind: 'Widget', metadata: { resourceVersion: String(this.#version) } } });
  }

  fail(code: number, reason: string): void {
    this.#line({ type: 'ERROR', object: { kind: 'Status', code, reason, message: reason } });
  }

  /** Repeats the latest events, as a server does whose watch begins a little early. */
  repeat(count: number): void {
    for (const { type, object } of this.#history.slice(-count)) this.#line({ type, object });
  }

  /** Ends all connections, the last event cut after so many bytes. */
  cut(bytes: number): void {
    for (const { exchange } of this.#live()) {
      exchange.write('{"type":"MODIFIED","object":{"apiVersion":"example.com/v1","ki'.slice(0, bytes));
      if (bytes % 2 === 0) exchange.end();
      else exchange.fail(new ConnectionError('reset'));
    }
    this.#watchers = [];
  }

  #record(event: HistoryEvent): void {
    this.#history.push(event);
    for (const watcher of this.#live()) this.#send(watcher);
  }

  #send(watcher: Watcher): void {
    for (const { type, object, version } of this.#history) {
      if (version <= watcher.sent) continue;
      watcher.exchange.event(type, object);
      watcher.sent = version;
    }
  }

  #line(line: object): void {
    for (const { exchange } of this.#live()) exchange.write(`${JSON.stringify(line)}\n`);
  }

  #live(): Watcher[] {
    this.#watchers = this.#watchers.filter(({ exchange }) => !exchange.over);
    return this.#watchers;
  }

  #serve(exchange: ScriptedExchange): void {
    switch (this.down) {
      case 'refused':
        exchange.fail(new ConnectionError('refused'));
        return;
      case '500':
        exchange.answer(500, { kind: 'Status', code: 500, reason: 'InternalError' });
        return;
      case '429':
        exchange.answer(429, { kind: 'Status', code: 429, reason: 'TooManyRequests' }, { 'retry-after': '2' });
        return;
      case 'html':
        exchange.answer(200, '<html>', { 'content-type': 'text/html' });
        return;
      case 'silent':
        return;
      case 'no':
        if (exchange.isWatch) this.#watch(exchange);
        else this.#list(exchange);
    }
  }

  #watch(exchange: ScriptedExchange): void {
    const from = Number(exchange.query.get('resourceVersion'));
    if (from < this.#compacted) {
      // Both forms that servers use.
      if (from % 2 === 0) {
        exchange.answer(410, { kind: 'Status', code: 410, reason: 'Expired' });
        return;
      }
      exchange.head();
      exchange.event('ERROR', { kind: 'Status', code: 410, reason: 'Gone' });
      exchange.end();
      return;
    }
    exchange.head();
    const watcher = { exchange, sent: from };
    this.#watchers.push(watcher);
    this.maxWatches = Math.max(this.maxWatches, this.#live().length);
    this.#send(watcher);
  }

  #list(exchange: ScriptedExchange): void {
    const token = exchange.query.get('continue');
    const [version = String(this.#version), start = '0'] = token?.split(':') ?? [];
    const all = token === null ? [...this.objects.values()] : this.#snapshots.get(version);
    if (all === undefined) {
      exchange.answer(410, { kind: 'Status', code: 410, reason: 'Expired' });
      return;
    }
    this.#snapshots.set(version, all);
    const end = Number(start) + 2;
    exchange.answer(200, {
      kind: 'WidgetList',
      metadata: { resourceVersion: version, ...(end < all.length ? { continue: `${version}:${end}` } : {}) },
      items: all.slice(Number(start), end),
    });
  }
}

/** What a handler knows, and whether it was told in an order that makes sense. */
class View implements EventHandler<KubernetesObject> {
  readonly known = new Map<string, string>();
  readonly faults: string[] = [];

  add({ metadata: { name = '', uid = '', resourceVersion } }: Told): void {
    if (this.known.has(name)) this.faults.push(`add of ${name}, which was there`);
    this.known.set(name, `${uid} ${resourceVersion}`);
  }

  update(previous: Told, { metadata: { name = '', uid = '', resourceVersion } }: Told): void {
    const before = `${previous.metadata.uid} ${previous.metadata.resourceVersion}`;
    if (this.known.get(name) !== before)
      this.faults.push(`update of ${name} from ${before}, not ${this.known.get(name)}`);
    if (previous.metadata.uid !== uid) this.faults.push(`update of ${name} to another uid`);
    this.known.set(name, `${uid} ${resourceVersion}`);
  }

  delete({ metadata: { name = '', uid = '' } }: Told): void {
    if (this.known.get(name)?.startsWith(`${uid} `) !== true)
      this.faults.push(`delete of ${name} ${uid}, which was not there`);
    this.known.delete(name);
  }
}

type Told = Parameters<Required<EventHandler<KubernetesObject>>['delete']>[0];

interface World {
  readonly environment: VirtualEnvironment;
  readonly server: ModelServer;
  readonly informer: SharedInformer<KubernetesObject>;
  readonly views: View[];
  readonly signal: AbortSignal;
}

type Step = readonly [name: string, run: (world: World) => Promise<void> | void];

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: name.map((one): Step => [`write ${one}`, ({ server }) => server.write(one)]) },
  { weight: 4, arbitrary: name.map((one): Step => [`remove ${one}`, ({ server }) => server.remove(one)]) },
  {
    weight: 2,
    arbitrary: name.map((one): Step => [
      `recreate ${one}`,
      ({ server }) => {
        server.remove(one);
        server.write(one);
      },
    ]),
  },
  { weight: 3, arbitrary: fc.nat(62).map((bytes): Step => [`cut at ${bytes}`, ({ server }) => server.cut(bytes)]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('refused' as const, '500' as const, '429' as const, 'html' as const, 'silent' as const)
      .map((down): Step => [
        `down: ${down}`,
        ({ server }) => {
          server.down = down;
        },
      ]),
  },
  {
    weight: 3,
    arbitrary: fc.constant<Step>([
      'up',
      ({ server }) => {
        server.down = 'no';
      },
    ]),
  },
  { weight: 2, arbitrary: fc.constant<Step>(['compact', ({ server }) => server.compact()]) },
  { weight: 2, arbitrary: fc.constant<Step>(['bookmark', ({ server }) => server.bookmark()]) },
  { weight: 1, arbitrary: fc.nat(3).map((count): Step => [`repeat ${count}`, ({ server }) => server.repeat(count)]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom([410, 'Expired'] as const, [429, 'TooManyRequests'] as const, [500, 'InternalError'] as const)
      .map(([code, reason]): Step => [`ERROR ${code}`, ({ server }) => server.fail(code, reason)]),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(0, 10, 1000, 5000, 200_000)
      .map((time): Step => [`advance ${time}`, ({ environment }) => environment.advance(time)]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>([
      'another handler',
      ({ informer, views }) => {
        const view = new View();
        views.push(view);
        informer.addEventHandler(view);
      },
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>([
      'stop and start',
      async ({ environment, informer, signal }) => {
        await Promise.all([informer.stop(), environment.settle()]);
        void informer.start(signal);
      },
    ]),
  },
);

describe('an informer under random writes and faults', () => {
  it('ends equal to the server, and so do its handlers; one watch at a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 5, maxLength: 60 }), async (seed, steps) => {
        const environment = createVirtualEnvironment({ seed });
        const server = new ModelServer();
        const rest = new Rest({ transport: server.transport, environment, logger: discardLogger });
        const informer = createInformer({ kind, rest, logger: discardLogger });
        const stop = new AbortController();
        const world: World = { environment, server, informer, views: [new View()], signal: stop.signal };
        for (const view of world.views) informer.addEventHandler(view);
        void informer.start(stop.signal);
        for (const [, run] of steps) await run(world);

        server.down = 'no';
        server.cut(1);
        await environment.advance(300_000);
        const expected = new Map(
          [...server.objects].map(([key, { metadata }]) => [key, `${metadata.uid} ${metadata.resourceVersion}`]),
        );
        const stored = new Map(
          informer.indexer.list().map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.resourceVersion}`]),
        );
        expect(stored).toEqual(expected);
        for (const view of world.views) {
          expect(view.faults).toEqual([]);
          expect(view.known).toEqual(expected);
        }
        expect(server.maxWatches).toBe(1);
        expect(informer.health().error).toBeUndefined();

        stop.abort();
        await informer.stop();
        expect(environment.pendingTimers).toBe(0);
        expect(server.transport.open).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
