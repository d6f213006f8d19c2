import { afterEach, beforeEach, expect } from 'vitest';
import type { KubernetesObject } from '../../src/runtime/apis/meta/v1.ts';
import { createInformer } from '../../src/runtime/cache/informer.ts';
import type { SharedInformer } from '../../src/runtime/cache/types.ts';
import { ConnectionError } from '../../src/runtime/client/errors.ts';
import { Rest } from '../../src/runtime/client/rest.ts';
import type { LogFields, Logger } from '../../src/runtime/environment/logger.ts';
import { ScriptedTransport, type ScriptedExchange } from '../../src/runtime/environment/scripted-transport.ts';
import { createVirtualEnvironment, type VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { defineKind } from '../../src/runtime/kind/kind.ts';

export interface Widget extends KubernetesObject {
  spec?: { size: number };
}
export const Widget = defineKind<Widget, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});

export const widget = (name: string, resourceVersion: string, uid = `uid-${name}`): Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'a', uid, resourceVersion },
});
export const bookmark = (resourceVersion: string, annotations?: Record<string, string>): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) },
});
/** Ends the initial events of a streaming list. */
export const initialEventsEnd = (resourceVersion: string): object =>
  bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' });
export const list = (resourceVersion: string, items: readonly object[], next?: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'WidgetList',
  metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
  items,
});
export const status = (code: number, reason: string, details?: object): object => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  message: reason,
  reason,
  code,
  ...(details === undefined ? {} : { details }),
});
export const refused = (): ConnectionError =>
  new ConnectionError('connect ECONNREFUSED', undefined, { systemCode: 'ECONNREFUSED' });

/** Answers a list whole. */
export const answersList =
  (resourceVersion: string, ...items: readonly object[]) =>
  (exchange: ScriptedExchange): void => {
    exchange.answer(200, list(resourceVersion, items));
  };
/** Answers a watch with its head alone. */
export const opens = (exchange: ScriptedExchange): void => {
  exchange.head();
};

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** An informer of Widgets in virtual time, whose server is played by the test. */
export class InformerBench {
  readonly environment: VirtualEnvironment = createVirtualEnvironment({ seed: 3 });
  readonly transport = new ScriptedTransport(() => undefined);
  readonly log: LogLine[] = [];
  /** What a handler was told of, in words: `update a 3 12`. */
  heard: string[] = [];
  readonly stop = new AbortController();
  readonly informer: SharedInformer<Widget>;

  /** `eager`: whether a handler is added that reads all bodies; without it `heard` stays empty. */
  constructor({
    streamingList = false,
    eager = true,
  }: { readonly streamingList?: boolean; readonly eager?: boolean } = {}) {
    const logger = this.#logger();
    const rest = new Rest({ transport: this.transport, environment: this.environment, logger });
    this.informer = createInformer<Widget>({ kind: Widget, rest, logger, streamingList });
    if (!eager) return;
    this.informer.addEventHandler({
      add: ({ metadata }, initial) =>
        this.heard.push(`add ${metadata.name} ${metadata.resourceVersion}${initial ? ' initial' : ''}`),
      update: (previous, { metadata }) =>
        this.heard.push(`update ${metadata.name} ${previous.metadata.resourceVersion} ${metadata.resourceVersion}`),
      delete: ({ metadata }, unknown) =>
        this.heard.push(`delete ${metadata.name} ${metadata.resourceVersion}${unknown ? ' unknown' : ''}`),
    });
  }

  /** A handler for each exchange in turn; later ones are left unanswered. */
  script(...handlers: ((exchange: ScriptedExchange) => void)[]): void {
    this.transport.handler = (exchange) => {
      handlers[this.transport.exchanges.indexOf(exchange)]?.(exchange);
    };
  }

  async start(): Promise<void> {
    void this.informer.start(this.stop.signal);
    await this.environment.settle();
  }

  exchange(index: number): ScriptedExchange {
    const found = this.transport.exchanges[index];
    if (found === undefined) throw new Error(`there are only ${this.transport.exchanges.length} exchanges`);
    return found;
  }

  /** All requests, in words: `list latest`, `watch 10`. */
  requests(): string[] {
    return this.transport.exchanges.map(
      ({ isWatch, query }) =>
        `${isWatch ? 'watch' : 'list'} ${query.get('continue') ?? query.get('resourceVersion') ?? 'latest'}`,
    );
  }

  /** All objects, in words: `a 12`. */
  cached(): string[] {
    const objects = this.informer.indexer.list();
    return objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  }

  #logger(): Logger {
    const at = (level: string) => (message: string, fields?: LogFields) => {
      this.log.push({ level, message, fields });
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: () => this.#logger(),
    };
  }
}

/** A new bench for each test; after each nothing may be left of it, and no rejection may have gone unhandled. */
export function useInformerBench(options?: { readonly streamingList?: boolean }): () => InformerBench {
  let bench: InformerBench;
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => {
    unhandled.push(error);
  };
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
    bench = new InformerBench(options);
  });
  afterEach(async () => {
    bench.stop.abort();
    await bench.informer.stop();
    await bench.environment.settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(bench.environment.pendingTimers).toBe(0);
    expect(bench.transport.open).toEqual([]);
  });
  return () => bench;
}
