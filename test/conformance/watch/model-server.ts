import { ConnectionError } from 'operator-runtime/client';

/** One request to the model and what it does with it: of a scripted transport, or of a real socket. */
export interface Exchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** Whether the other side has gone, or the answer is complete. */
  readonly over: boolean;
  answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void;
  head(status?: number, headers?: Readonly<Record<string, string>>): void;
  write(chunk: string | Uint8Array): void;
  end(): void;
  /** Resets the connection. */
  fail(error: unknown): void;
}

export interface ModelObject {
  readonly apiVersion: 'example.com/v1';
  readonly kind: 'Widget';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly text: string };
}

interface HistoryEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ModelObject;
  readonly version: number;
}

interface Watcher {
  readonly exchange: Exchange;
  sent: number;
}

/** What becomes of a request that meets a fault. */
export type Fault =
  | 'refused'
  | 'silent'
  | 'html'
  | 'html without end'
  | 'empty'
  | 'rubbish'
  | 'no list'
  | 'half a body'
  | { readonly status: number; readonly reason: string; readonly retryAfter?: string; readonly details?: object };

/** `continue`: a page after the first. */
export type RequestForm = 'list' | 'continue' | 'stream' | 'watch';

export interface ModelOptions {
  /** What the server makes of `sendInitialEvents`. Default `supported`. */
  readonly streaming?: 'supported' | 'refused' | 'ignored' | 'never ends';
  /** Objects on a page; the client's limit is honoured when it is lower. Default 2. */
  readonly pageSize?: number;
  /** Bytes that are written at a time. Default: all. */
  readonly chunkSize?: number;
}

const status = (code: number, reason: string, details?: object): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: reason,
  reason,
  code,
  ...(details === undefined ? {} : { details }),
});

function formOf({ isWatch, query }: Exchange): RequestForm {
  if (!isWatch) return query.has('continue') ? 'continue' : 'list';
  return query.has('sendInitialEvents') ? 'stream' : 'watch';
}

/**
 * An API server of one kind: versions are a counter as etcd's, with a history that can be compacted, pages, streaming lists, and faults on
 * demand.
 */
export class ModelServer {
  readonly objects = new Map<string, ModelObject>();
  /** Requests so far, in words: `list`, `watch 12`. */
  readonly requests: string[] = [];
  maxWatches = 0;
  readonly #options: ModelOptions;
  readonly #faults: { readonly form: RequestForm | undefined; readonly fault: Fault; left: number }[] = [];
  #version = 100;
  #compacted = 100;
  #uid = 0;
  #frozen = false;
  #spoiled = 0;
  #history: HistoryEvent[] = [];
  #watchers: Watcher[] = [];
  readonly #snapshots = new Map<string, readonly ModelObject[]>();

  constructor(options: ModelOptions = {}) {
    this.#options = options;
  }

  get version(): number {
    return this.#version;
  }

  write(name: string, text = ''): void {
    const existing = this.objects.get(name);
    const object: ModelObject = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        name,
        namespace: 'a',
        uid: existing?.metadata.uid ?? `uid-${++this.#uid}`,
        resourceVersion: String(++this.#version),
      },
      spec: { text },
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

  recreate(name: string): void {
    this.remove(name);
    this.write(name);
  }

  /** Versions pass that concern other kinds. */
  skip(versions: number): void {
    this.#version += versions;
  }

  /** Watches from older versions, and lists that are under way, are expired from now on. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
    this.#snapshots.clear();
  }

  /** As after a restore from a backup: the newest so many versions never were. */
  rewind(versions: number): void {
    this.cut();
    this.#version -= versions;
    for (const [name, { metadata }] of this.objects) {
      if (Number(metadata.resourceVersion) > this.#version) this.objects.delete(name);
    }
    this.#history = [];
    this.#compacted = this.#version;
    this.#snapshots.clear();
  }

  bookmark(version = this.#version): void {
    const metadata = { resourceVersion: String(version) };
    this.line({ type: 'BOOKMARK', object: { apiVersion: 'example.com/v1', kind: 'Widget', metadata } });
  }

  /** An ERROR event on the open watch. */
  error(code: number, reason: string, details?: object): void {
    this.line({ type: 'ERROR', object: status(code, reason, details) });
  }

  /** Repeats the latest events, as a server does whose watch begins a little early. */
  repeat(count: number): void {
    for (const { type, object } of this.#history.slice(-count)) this.line({ type, object });
  }

  line(event: object): void {
    this.raw(`${JSON.stringify(event)}\n`);
  }

  raw(text: string): void {
    for (const { exchange } of this.#live()) this.#write(exchange, text);
  }

  /** Ends all watches after the first bytes of another event, which the watch of then has to bring: in good order or by a reset. */
  cut(bytes = 0, how: 'end' | 'reset' = 'reset'): void {
    const partial = Buffer.from(
      '{"type":"MODIFIED","object":{"apiVersion":"example.com/v1","kind":"Widget","spec":{"text":"ü🦀"}',
    ).subarray(0, bytes);
    for (const { exchange } of this.#live()) {
      if (bytes > 0) exchange.write(partial);
      if (how === 'end') exchange.end();
      else exchange.fail(new ConnectionError('read ECONNRESET', undefined, { systemCode: 'ECONNRESET' }));
    }
    this.#watchers = [];
  }

  /** Open watches hear nothing any more, and are not told that they are forgotten: a half-open connection. */
  halfOpen(): void {
    this.#watchers = [];
  }

  /** The next requests (of a form) meet a fault. */
  fault(fault: Fault, times = Infinity, form?: RequestForm): void {
    this.#faults.push({ form, fault, left: times });
  }

  /** The bodies of the next so many objects that are sent, by whatever request, are no JSON. */
  spoil(objects: number): void {
    this.#spoiled = objects;
  }

  /** No faults from now on. */
  recover(): void {
    this.#spoiled = 0;
    this.#faults.length = 0;
    this.#frozen = false;
  }

  /** Holds requests that come back until they are let go: the server is slow. */
  freeze(): void {
    this.#frozen = true;
  }

  readonly serve = (exchange: Exchange): void => {
    const form = formOf(exchange);
    this.requests.push(form === 'watch' ? `watch ${exchange.query.get('resourceVersion')}` : form);
    if (this.#frozen) return;
    const pending = this.#faults.find((one) => one.left > 0 && (one.form === undefined || one.form === form));
    if (pending !== undefined) {
      pending.left--;
      this.#fail(exchange, pending.fault);
    } else if (form === 'list' || form === 'continue') this.#list(exchange);
    else if (form === 'stream') this.#stream(exchange);
    else this.#watch(exchange);
  };

  #fail(exchange: Exchange, fault: Fault): void {
    switch (fault) {
      case 'refused':
        exchange.fail(new ConnectionError('connect ECONNREFUSED', undefined, { systemCode: 'ECONNREFUSED' }));
        return;
      case 'silent':
        return;
      case 'html':
        exchange.answer(200, '<html><body>Sign in</body></html>', { 'content-type': 'text/html' });
        return;
      case 'html without end':
        exchange.head(200, { 'content-type': 'text/html' });
        exchange.write('<html>');
        return;
      case 'empty':
        exchange.answer(200, '');
        return;
      case 'rubbish':
        exchange.answer(200, 'rubbish\n');
        return;
      case 'no list':
        exchange.answer(200, { kind: 'Widget', metadata: { name: 'x' } });
        return;
      case 'half a body':
        exchange.head(200);
        exchange.write('{"kind":"WidgetList","apiVersion":"example.com/v1","items":[{"metadata":{"na');
        exchange.fail(new ConnectionError('other side closed', undefined, { systemCode: 'UND_ERR_SOCKET' }));
        return;
      default: {
        const headers = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
        exchange.answer(fault.status, status(fault.status, fault.reason, fault.details), headers);
      }
    }
  }

  #record(event: HistoryEvent): void {
    this.#history.push(event);
    for (const watcher of this.#live()) this.#send(watcher);
  }

  #send(watcher: Watcher): void {
    for (const { type, object, version } of this.#history) {
      if (version <= watcher.sent) continue;
      this.#write(watcher.exchange, `{"type":"${type}","object":${this.#text(object)}}\n`);
      watcher.sent = version;
    }
  }

  #text(object: ModelObject): string {
    const text = JSON.stringify(object);
    if (this.#spoiled === 0) return text;
    this.#spoiled--;
    return text.replace('"spec":{', '"spec":{,');
  }

  #write(exchange: Exchange, text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    const size = this.#options.chunkSize ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) exchange.write(bytes.subarray(at, at + size));
  }

  #live(): Watcher[] {
    this.#watchers = this.#watchers.filter(({ exchange }) => !exchange.over);
    return this.#watchers;
  }

  #open(exchange: Exchange, sent: number): void {
    const watcher = { exchange, sent };
    this.#watchers.push(watcher);
    this.maxWatches = Math.max(this.maxWatches, this.#live().length);
    this.#send(watcher);
  }

  #watch(exchange: Exchange): void {
    const from = Number(exchange.query.get('resourceVersion'));
    if (from > this.#version) {
      this.#fail(exchange, this.#tooLarge());
    } else if (from < this.#compacted && from % 2 === 0) {
      this.#fail(exchange, { status: 410, reason: 'Expired' });
    } else if (from < this.#compacted) {
      // The other form that servers use.
      exchange.head();
      this.#write(exchange, `${JSON.stringify({ type: 'ERROR', object: status(410, 'Gone') })}\n`);
      exchange.end();
    } else {
      exchange.head();
      this.#open(exchange, from);
    }
  }

  #stream(exchange: Exchange): void {
    const { streaming = 'supported' } = this.#options;
    if (streaming === 'refused') {
      this.#fail(exchange, { status: 422, reason: 'Invalid' });
      return;
    }
    if (streaming === 'ignored') {
      exchange.head();
      this.#open(exchange, this.#version);
      return;
    }
    if (Number(exchange.query.get('resourceVersion') ?? 0) > this.#version) {
      this.#fail(exchange, this.#tooLarge());
      return;
    }
    exchange.head();
    for (const object of this.objects.values()) {
      this.#write(exchange, `{"type":"ADDED","object":${this.#text(object)}}\n`);
    }
    if (streaming === 'never ends') return;
    const metadata = {
      resourceVersion: String(this.#version),
      annotations: { 'k8s.io/initial-events-end': 'true' },
    };
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
    this.#write(exchange, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    this.#open(exchange, this.#version);
  }

  #list(exchange: Exchange): void {
    const { query } = exchange;
    const token = query.get('continue');
    if (token === null && Number(query.get('resourceVersion') ?? 0) > this.#version) {
      this.#fail(exchange, this.#tooLarge());
      return;
    }
    const [version = String(this.#version), start = '0'] = token?.split(':') ?? [];
    const all = token === null ? [...this.objects.values()] : this.#snapshots.get(version);
    if (all === undefined) {
      this.#fail(exchange, { status: 410, reason: 'Expired' });
      return;
    }
    this.#snapshots.set(version, all);
    const limit = Math.min(this.#options.pageSize ?? 2, Number(query.get('limit') ?? Infinity) || Infinity);
    // Who asks for no pages gets everything.
    const end = query.has('limit') ? Number(start) + limit : all.length;
    const metadata = { resourceVersion: version, ...(end < all.length ? { continue: `${version}:${end}` } : {}) };
    exchange.head(200);
    const items = all.slice(Number(start), end).map((object) => this.#text(object));
    const rest = JSON.stringify({ kind: 'WidgetList', metadata }).slice(1);
    this.#write(exchange, `{"apiVersion":"example.com/v1","items":[${items.join(',')}],${rest}`);
    exchange.end();
  }

  #tooLarge(): Fault {
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 };
    return { status: 504, reason: 'Timeout', details };
  }
}
