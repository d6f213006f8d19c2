import { ConnectionError } from '../../src/runtime/client/errors.ts';
import { ScriptedTransport } from '../../src/runtime/environment/scripted-transport.ts';
import type { ScriptedExchange } from '../../src/runtime/environment/scripted-transport.ts';

export interface Stored {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    deletionTimestamp?: string;
    finalizers?: string[];
    ownerReferences?: unknown[];
    labels?: Record<string, string>;
  };
  [member: string]: unknown;
}

/** A write that was done: who asked (the user agent), and what for. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
}

interface HistoryEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
  readonly version: number;
}

interface Target {
  /** `apis/example.com/v1` */
  readonly prefix: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/**
 * As much of an API server as a manager under the virtual clock needs: objects with versions, generations, finalizers and a status
 * subresource; lists and watches; JSON patches. Rules of kinds are not checked.
 */
export class VirtualApiServer {
  readonly transport = new ScriptedTransport((exchange) => {
    this.#receive(exchange);
  });
  /** `Widget` by plural: what is served. */
  readonly kinds: Map<string, string>;
  readonly writes: Write[] = [];
  /** Decides about each exchange first; true: it is dealt with. */
  intercept: (exchange: ScriptedExchange) => boolean = () => false;
  readonly #objects = new Map<string, Stored>();
  readonly #history: HistoryEvent[] = [];
  #watches: { readonly exchange: ScriptedExchange; readonly target: Target; sent: number }[] = [];
  #version = 100;

  constructor(kinds: Readonly<Record<string, string>>) {
    this.kinds = new Map(Object.entries({ ...kinds, leases: 'Lease' }));
  }

  /** Creates or replaces an object as another client would. */
  put(plural: string, object: Stored): Stored {
    const prefix = object.apiVersion.includes('/') ? `apis/${object.apiVersion}` : `api/${object.apiVersion}`;
    const target = {
      prefix,
      plural,
      namespace: object.metadata.namespace,
      name: object.metadata.name,
      subresource: undefined,
    };
    const existing = this.#objects.get(keyOf(target));
    return this.#store(target, { ...object, metadata: { ...existing?.metadata, ...object.metadata } }, existing);
  }

  get(path: string): Stored | undefined {
    return this.#objects.get(path);
  }

  /** Deletes as another client would: at once, or by a deletion time stamp where there are finalizers. */
  delete(path: string): void {
    const target = parsePath(`/${path}`);
    if (target !== undefined) {
      this.#delete(target);
    }
  }

  #receive(exchange: ScriptedExchange): void {
    if (this.intercept(exchange)) {
      return;
    }
    const target = parsePath(exchange.path);
    const kind = target === undefined ? undefined : this.kinds.get(target.plural);
    if (target === undefined || kind === undefined) {
      exchange.answer(404, '404 page not found\n', { 'content-type': 'text/plain' });
      return;
    }
    if (exchange.query.has('sendInitialEvents')) {
      fail(exchange, 422, 'Invalid', target);
    } else if (exchange.isWatch) {
      exchange.head();
      const watch = { exchange, target, sent: Number(exchange.query.get('resourceVersion') ?? 0) };
      this.#watches.push(watch);
      this.#feed();
    } else if (exchange.request.method === 'GET') {
      this.#read(exchange, target, kind);
    } else {
      this.#write(exchange, target);
    }
  }

  #read(exchange: ScriptedExchange, target: Target, kind: string): void {
    if (target.name !== undefined) {
      const object = this.#objects.get(keyOf(target));
      if (object === undefined) {
        fail(exchange, 404, 'NotFound', target);
      } else {
        exchange.answer(200, object);
      }
      return;
    }
    const items = [...this.#objects].filter(([key]) => contains(target, key)).map(([, object]) => object);
    const { prefix } = target;
    const metadata = { resourceVersion: String(this.#version) };
    exchange.answer(200, { apiVersion: prefix.replace(/^apis?\//, ''), kind: `${kind}List`, metadata, items });
  }

  #write(exchange: ScriptedExchange, target: Target): void {
    const { method, headers } = exchange.request;
    const existing = this.#objects.get(keyOf(target));
    this.writes.push({ method, path: exchange.path, userAgent: headers['user-agent'] ?? '' });
    if (method === 'POST') {
      const object = exchange.body as Stored;
      const named = { ...target, name: object.metadata.name };
      if (this.#objects.has(keyOf(named))) {
        fail(exchange, 409, 'AlreadyExists', named);
      } else {
        exchange.answer(201, this.#store(named, object, undefined));
      }
    } else if (existing === undefined) {
      fail(exchange, 404, 'NotFound', target);
    } else if (method === 'DELETE') {
      this.#delete(target);
      exchange.answer(200, existing);
    } else {
      const changed =
        method === 'PUT' ? (exchange.body as Stored) : patched(existing, exchange.body as readonly Operation[]);
      const wanted = changed.metadata.resourceVersion;
      if (wanted !== undefined && wanted !== existing.metadata.resourceVersion) {
        fail(exchange, 409, 'Conflict', target);
      } else {
        exchange.answer(200, this.#store(target, changed, existing));
      }
    }
  }

  #delete(target: Target): void {
    const existing = this.#objects.get(keyOf(target));
    if (existing === undefined) {
      return;
    }
    const deletionTimestamp = existing.metadata.deletionTimestamp ?? '2026-01-01T00:00:00Z';
    this.#store(target, { ...existing, metadata: { ...existing.metadata, deletionTimestamp } }, existing);
  }

  #store(target: Target, object: Stored, existing: Stored | undefined): Stored {
    const version = ++this.#version;
    const same = existing !== undefined && JSON.stringify(existing['spec']) === JSON.stringify(object['spec']);
    const generation = (existing?.metadata.generation ?? 0) + (same ? 0 : 1);
    const stored = structuredClone({
      ...object,
      metadata: {
        ...object.metadata,
        ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
        uid: existing?.metadata.uid ?? `uid-${version}`,
        resourceVersion: String(version),
        generation,
      },
    });
    const gone = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0;
    if (gone) {
      this.#objects.delete(keyOf(target));
    } else {
      this.#objects.set(keyOf(target), stored);
    }
    this.#history.push({
      type: gone ? 'DELETED' : existing === undefined ? 'ADDED' : 'MODIFIED',
      object: stored,
      version,
    });
    this.#feed();
    return stored;
  }

  #feed(): void {
    this.#watches = this.#watches.filter(({ exchange }) => !exchange.over);
    for (const watch of this.#watches) {
      for (const { type, object, version } of this.#history) {
        if (
          version > watch.sent &&
          contains(watch.target, keyOfObject(watch.target, object)) &&
          this.#isOf(watch.target, object)
        ) {
          watch.exchange.event(type, object);
        }
      }
      watch.sent = this.#version;
    }
  }

  #isOf({ plural }: Target, { kind }: Stored): boolean {
    return this.kinds.get(plural) === kind;
  }

  /** Cuts all watches, as a server that goes away. */
  cutWatches(): void {
    for (const { exchange } of this.#watches) {
      exchange.fail(new ConnectionError('reset'));
    }
    this.#watches = [];
  }
}

function parsePath(path: string): Target | undefined {
  const match =
    /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(path);
  if (match === null) {
    return undefined;
  }
  const [, prefix = '', namespace, plural = '', name, subresource] = match;
  return { prefix, namespace, plural, name, subresource };
}

/** Where an object is kept; its path without the leading slash. */
function keyOf({ prefix, namespace, plural, name }: Target): string {
  return `${prefix}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`;
}

function keyOfObject(target: Target, { metadata }: Stored): string {
  return keyOf({ ...target, namespace: metadata.namespace, name: metadata.name });
}

/** Whether a collection (of one namespace or of all) contains the object of this key. */
function contains({ prefix, namespace, plural }: Target, key: string): boolean {
  const found = parsePath(`/${key}`);
  return (
    found?.prefix === prefix && found.plural === plural && (namespace === undefined || found.namespace === namespace)
  );
}

function fail(exchange: ScriptedExchange, code: number, reason: string, target: Target): void {
  const details = { name: target.name, kind: target.plural, group: target.prefix.split('/')[1] };
  exchange.answer(code, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message: reason,
    details,
  });
}

function patched(object: Stored, operations: readonly Operation[]): Stored {
  const result = structuredClone(object);
  for (const { op, path, value } of operations) {
    const keys = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce((at, key) => at[key] as Record<string, unknown>, result as Record<string, unknown>);
    if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : Number(last);
      if (op === 'remove') parent.splice(index, 1);
      else if (op === 'add') parent.splice(index, 0, value);
      else parent[index] = value;
    } else if (op === 'remove') {
      delete parent[last];
    } else {
      parent[last] = value;
    }
  }
  return result;
}
