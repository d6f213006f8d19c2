import { negotiate, type ResponseForm } from '../http/negotiation.ts';
import { setWarnings, type Exchange } from '../http/exchange.ts';
import { fromPlain, type Json, jsonObject, type JsonObject, object, plain } from '../json.ts';
import { stringify, stringifyStored } from '../json-text.ts';
import type { Operations } from '../objects/operations.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { ApiError, expired, plainError, resourceVersionTooLarge } from '../status.ts';
import { CompactedError, type StoreEvent } from '../storage/store.ts';
import { includeObject, partialMetadata, table, type IncludeObject } from './forms.ts';
import { listOptions, type ListOptions } from './list-options.ts';
import { waitForRevision } from './revision.ts';

/** A watcher that has this many bytes waiting is too slow and is cut off: it must start again. */
const maxPendingBytes = 32 * 1024 * 1024;
const bookmarkInterval = 60_000;

/** The watches of the server that are open, and what can be done to them. */
export class WatchRegistry {
  readonly #open = new Map<Watcher, string>();
  /** The storages whose watches are held, those that are still to come included; `''` stands for all. */
  readonly #paused = new Set<string>();

  get size(): number {
    return this.#open.size;
  }

  add(watcher: Watcher, storage: string): void {
    this.#open.set(watcher, storage);
    if (this.#paused.has('') || this.#paused.has(storage)) watcher.pause(true);
  }

  remove(watcher: Watcher): void {
    this.#open.delete(watcher);
  }

  /** Ends the watches of a resource (all, when none is given) as the server does when they are due. */
  end(storage?: string): void {
    for (const [watcher, own] of this.#open) if (storage === undefined || own === storage) watcher.close();
  }

  /** Cuts the connections of the watches of a resource, in the middle of the stream. */
  cut(storage?: string): void {
    for (const [watcher, own] of this.#open) if (storage === undefined || own === storage) watcher.cut();
  }

  /** Holds events back, or lets them go again. */
  pause(paused: boolean, storage?: string): void {
    if (paused) this.#paused.add(storage ?? '');
    else if (storage === undefined) this.#paused.clear();
    else this.#paused.delete(storage);
    for (const [watcher, own] of this.#open) if (storage === undefined || own === storage) watcher.pause(paused);
  }
}

export async function handleWatch(
  operations: Operations,
  registry: WatchRegistry,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const form = negotiate(exchange.request.headers.accept, !resource.custom);
  const options = listOptions(resource, exchange.query, true);
  const include = form.as === 'Table' ? includeObject(exchange.query) : 'Metadata';
  if (options.resourceVersion !== '' && !/^\d+$/.test(options.resourceVersion)) {
    const { resourceVersion } = options;
    throw plainError(
      `resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
    );
  }
  const requested = options.resourceVersion === '' ? 0 : Number(options.resourceVersion);
  const watcher = new Watcher(operations, exchange, resource, options, form, include);
  registry.add(watcher, resource.storage);
  try {
    await watcher.run(requested);
  } finally {
    registry.remove(watcher);
  }
}

class Watcher {
  readonly #operations: Operations;
  readonly #exchange: Exchange;
  readonly #resource: Resource;
  readonly #options: ListOptions;
  readonly #form: ResponseForm;
  readonly #include: IncludeObject;
  readonly #namespace: string | undefined;
  readonly #finished: Promise<void>;
  #finish: () => void = () => undefined;
  #held: string[] | undefined;
  #columnsSent = false;
  #pending: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    operations: Operations,
    exchange: Exchange,
    resource: Resource,
    options: ListOptions,
    form: ResponseForm,
    include: IncludeObject,
  ) {
    this.#operations = operations;
    this.#exchange = exchange;
    this.#resource = resource;
    this.#options = options;
    this.#form = form;
    this.#include = include;
    this.#namespace = exchange.info.namespace === '' || !resource.namespaced ? undefined : exchange.info.namespace;
    this.#finished = new Promise((resolve) => (this.#finish = resolve));
  }

  /** Serves the watch until it is over. */
  async run(requested: number): Promise<void> {
    const { signal, response } = this.#exchange;
    const seconds = this.#options.timeoutSeconds ?? 1800 + Math.floor(this.#operations.sources.random() * 1800);
    const deadline = setTimeout(() => this.#end(), Math.max(seconds, 1) * 1000);
    const bookmarks = this.#options.allowWatchBookmarks
      ? setInterval(() => this.#bookmarkInOrder(), bookmarkInterval)
      : undefined;
    const lastBookmark =
      this.#options.allowWatchBookmarks && seconds > 4
        ? setTimeout(() => this.#bookmarkInOrder(), (seconds - 2) * 1000)
        : undefined;
    const close = (): void => this.close();
    signal.addEventListener('abort', close, { once: true });
    let unsubscribe: (() => void) | undefined;
    try {
      this.#start();
      unsubscribe = await this.#begin(requested);
      if (signal.aborted) this.close();
      await this.#finished;
    } finally {
      unsubscribe?.();
      clearTimeout(deadline);
      clearTimeout(lastBookmark);
      clearInterval(bookmarks);
      signal.removeEventListener('abort', close);
      response.end();
    }
  }

  /** Ends the stream in order. */
  close(): void {
    this.#closed = true;
    this.#finish();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#exchange.response.destroy();
    this.close();
  }

  pause(paused: boolean): void {
    if (paused) {
      this.#held ??= [];
      return;
    }
    const held = this.#held;
    this.#held = undefined;
    for (const line of held ?? []) this.#write(line);
  }

  #end(): void {
    this.close();
  }

  #start(): void {
    const { response } = this.#exchange;
    response.statusCode = 200;
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', 'no-cache, private');
    setWarnings(this.#exchange);
    response.flushHeaders();
  }

  /** Sends what there is and follows what comes; nothing gets lost in between, since both happen in one turn of the event loop. */
  async #begin(requested: number): Promise<(() => void) | undefined> {
    const { store } = this.#operations;
    const collection = this.#operations.collection(this.#resource);
    const options = this.#options;
    // A watch that names no version, or "0", starts with all objects, and the bookmark behind them tells of it.
    const initial = options.sendInitialEvents ?? requested === 0;
    if (initial && requested > store.revision) {
      await waitForRevision(store, requested, this.#exchange.signal);
      if (requested > store.revision) {
        this.#error(resourceVersionTooLarge(requested, store.revision));
        return undefined;
      }
    }
    if (initial) {
      if (this.#resource.conversion === undefined)
        this.#initial(
          collection.list(this.#namespace).map((stored) => this.#resource.strategy.fromStorage(stored)),
          store.revision,
        );
      else {
        // What comes in the meantime waits behind the initial objects.
        const stored = collection.list(this.#namespace);
        const { revision } = store;
        this.#later(async () => this.#initial(await this.#operations.readAll(this.#resource, stored), revision));
      }
    } else {
      try {
        for (const event of collection.eventsAfter(requested === 0 ? store.revision : requested)) this.#event(event);
      } catch (error) {
        if (!(error instanceof CompactedError)) throw error;
        this.#error(expired(`too old resource version: ${requested} (${error.oldest})`));
        return undefined;
      }
    }
    return collection.subscribe((event) => this.#event(event));
  }

  #initial(objects: readonly JsonObject[], revision: number): void {
    for (const object of objects) if (this.#options.matches(object)) this.#send('ADDED', object);
    if (this.#options.allowWatchBookmarks) this.#bookmark(true, revision);
  }

  /** Does something when all before it is done: conversions by webhooks take their time, and events keep their order. */
  #later(task: () => Promise<void>): void {
    this.#pending = this.#inOrder(this.#pending, task);
    this.#pending.catch((error: unknown) =>
      this.#exchange.response.destroy(error instanceof Error ? error : undefined),
    );
  }

  async #inOrder(before: Promise<void>, task: () => Promise<void>): Promise<void> {
    await before;
    if (this.#closed) return;
    try {
      await task();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#error(error);
    }
  }

  /** What a write means to this watch: objects come in sight and go out of it as the selectors have it. */
  #event(event: StoreEvent): void {
    if (this.#closed || (this.#namespace !== undefined && event.key.namespace !== this.#namespace)) return;
    const { conversion, strategy } = this.#resource;
    if (conversion === undefined) {
      this.#transition(
        event,
        strategy.fromStorage(event.object),
        event.previous && strategy.fromStorage(event.previous),
      );
      return;
    }
    this.#later(async () => {
      const [object, previous] = await this.#operations.readAll(
        this.#resource,
        event.previous === undefined ? [event.object] : [event.object, event.previous],
      );
      if (object !== undefined) this.#transition(event, object, previous);
    });
  }

  #transition(event: StoreEvent, object: JsonObject, previous: JsonObject | undefined): void {
    const before = previous !== undefined && this.#options.matches(previous);
    if (event.type === 'DELETED') {
      if (before) this.#send('DELETED', object);
      return;
    }
    if (this.#options.matches(object)) this.#send(before ? 'MODIFIED' : 'ADDED', object);
    else if (before) this.#send('DELETED', withRevision(previous, event.revision));
  }

  #send(type: string, object: JsonObject): void {
    this.#line(`{"type":"${type}","object":${this.#text(object)}}\n`);
  }

  #text(object: JsonObject): string {
    switch (this.#form.as) {
      case 'Table': {
        const metadata = fromPlain({ resourceVersion: plain((object['metadata'] as JsonObject)['resourceVersion']) });
        const body = table(
          this.#resource,
          metadata,
          [object],
          this.#include,
          this.#operations.sources.now(),
          !this.#columnsSent,
        );
        this.#columnsSent = true;
        return stringify(body);
      }
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList':
        return stringify(partialMetadata(object));
      default:
        return stringifyStored(object);
    }
  }

  /** A bookmark never comes before an event that it stands behind. */
  #bookmarkInOrder(): void {
    const { revision } = this.#operations.store;
    if (this.#resource.conversion === undefined) this.#bookmark(false, revision);
    else this.#later(() => Promise.resolve(this.#bookmark(false, revision)));
  }

  #bookmark(initial: boolean, revision = this.#operations.store.revision): void {
    const metadata = jsonObject([['resourceVersion', String(revision)]]);
    if (initial) metadata['annotations'] = jsonObject([['k8s.io/initial-events-end', 'true']]);
    const partial = this.#form.as === 'PartialObjectMetadata' || this.#form.as === 'PartialObjectMetadataList';
    const own: readonly (readonly [string, Json])[] = [
      ['kind', partial ? 'PartialObjectMetadata' : this.#resource.kind],
      ['apiVersion', partial ? 'meta.k8s.io/v1' : apiVersionOf(this.#resource)],
      ['metadata', metadata],
    ];
    const object = jsonObject(own);
    if (this.#form.as === 'Table') {
      const body = table(
        this.#resource,
        fromPlain({ resourceVersion: String(this.#operations.store.revision) }),
        [],
        this.#include,
        0,
        false,
      );
      this.#line(
        `{"type":"BOOKMARK","object":${stringify({
          ...body,
          rows: [
            jsonObject([
              ['cells', []],
              ['object', partialMetadata(object)],
            ]),
          ],
        })}}\n`,
      );
      return;
    }
    this.#line(`{"type":"BOOKMARK","object":${stringify(object)}}\n`);
  }

  #error(error: ApiError): void {
    this.#line(`{"type":"ERROR","object":${stringify(error.toStatus())}}\n`);
    this.close();
  }

  #line(line: string): void {
    if (this.#held !== undefined) this.#held.push(line);
    else this.#write(line);
  }

  #write(line: string): void {
    const { response } = this.#exchange;
    if (response.destroyed || response.writableEnded) return;
    response.write(line);
    if (response.writableLength > maxPendingBytes) this.cut();
  }
}

/** An object that goes out of sight is shown as it was last seen, with the version of the write that took it away. */
function withRevision(value: JsonObject, revision: number): JsonObject {
  const result = jsonObject(Object.entries(value));
  result['metadata'] = jsonObject([
    ...Object.entries(object(value, 'metadata')),
    ['resourceVersion', String(revision)],
  ]);
  return result;
}
