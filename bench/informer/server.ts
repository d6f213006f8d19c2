// An API server's stand-in for the benchmark, in a process of its own: objects from memory. Arguments: how many, and either `pods` or how
// many bytes a custom resource (example.com/v1 Widget, keys sorted) has. Prints its port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { owners, pod, replicaSet } from './pod.ts';

const [, , counted, shape = '2000'] = process.argv;
const count = Number(counted);
const isPods = shape === 'pods';
const size = isPods ? 0 : Number(shape);
const type = isPods ? { apiVersion: 'v1', kind: 'Pod' } : { apiVersion: 'example.com/v1', kind: 'Widget' };

/** Bytes of a field: once with its value, once among the managed fields. */
const fieldBytes = 62;
const fixedBytes = 620;
const fieldCount = Math.max(1, Math.round((size - fixedBytes) / fieldBytes));
const names = Array.from({ length: fieldCount }, (_, field) => `field${String(field).padStart(4, '0')}`);
/** As the server keeps them: every field that somebody set. */
const managedFields = [
  {
    apiVersion: 'example.com/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:labels': { 'f:app': {} } },
      'f:spec': Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
    },
    manager: 'bench',
    operation: 'Update',
    time: '2026-01-01T00:00:00Z',
  },
  {
    apiVersion: 'example.com/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:ready': {} } },
    manager: 'operator',
    operation: 'Update',
    subresource: 'status',
    time: '2026-01-01T00:00:01Z',
  },
];

function widget(index: number, resourceVersion: number, generation = 1): string {
  return JSON.stringify({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation,
      labels: { app: `app-${index % 50}` },
      managedFields,
      name: `widget-${index}`,
      namespace: `namespace-${index % 10}`,
      resourceVersion: String(resourceVersion),
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    },
    spec: Object.fromEntries(names.map((name, field) => [name, `value-${index}-${field}-${'x'.repeat(14)}`])),
    status: { ready: index },
  });
}

const make = isPods ? pod : widget;

let version = count + 1;
const objects = Array.from({ length: count }, (_, index) => Buffer.from(make(index, index + 1)));
const watches = new Set<ServerResponse>();

/** The owners of Pods, which never change. */
const replicaSets = Array.from({ length: owners }, (_, index) => Buffer.from(replicaSet(index)));

async function serveReplicaSets(url: URL, response: ServerResponse): Promise<void> {
  const metadata = { resourceVersion: '1' };
  if (url.searchParams.get('watch') !== 'true') {
    const items = replicaSets.join(',');
    response.end(
      `{"kind":"ReplicaSetList","apiVersion":"apps/v1","metadata":${JSON.stringify(metadata)},"items":[${items}]}`,
    );
    return;
  }
  response.flushHeaders();
  if (!url.searchParams.has('sendInitialEvents')) return;
  await send(response, 'ADDED', replicaSets);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const bookmark = { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { ...metadata, annotations } };
  await send(response, 'BOOKMARK', [Buffer.from(JSON.stringify(bookmark))]);
}

function list(url: URL, response: ServerResponse): void {
  const limit = Number(url.searchParams.get('limit') ?? 0) || count;
  const start = Number(url.searchParams.get('continue') ?? 0);
  const end = Math.min(count, start + limit);
  const parts: Buffer[] = [Buffer.from(`{"apiVersion":"${type.apiVersion}","items":[`)];
  for (let index = start; index < end; index++) {
    if (index > start) parts.push(Buffer.from(','));
    parts.push(objects[index] ?? Buffer.alloc(0));
  }
  const metadata = { ...(end < count ? { continue: String(end) } : {}), resourceVersion: String(version) };
  parts.push(Buffer.from(`],"kind":"${type.kind}List","metadata":${JSON.stringify(metadata)}}`));
  response.end(Buffer.concat(parts));
}

const open = (type: string): Buffer => Buffer.from(`{"type":"${type}","object":`);
const close = Buffer.from('}\n');
const opens = { ADDED: open('ADDED'), MODIFIED: open('MODIFIED'), BOOKMARK: open('BOOKMARK'), ERROR: open('ERROR') };

/** Writes events in portions, as long as the reader takes them. */
async function send(response: ServerResponse, type: keyof typeof opens, sent: Iterable<Buffer>): Promise<void> {
  let portion: Buffer[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const whole = Buffer.concat(portion);
    portion = [];
    bytes = 0;
    if (!response.write(whole)) await new Promise((resolve) => response.once('drain', resolve));
  };
  for (const object of sent) {
    portion.push(opens[type], object, close);
    bytes += object.length;
    if (bytes >= 262_144) await flush();
  }
  await flush();
}

async function watch(url: URL, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  response.on('close', () => watches.delete(response));
  if (url.searchParams.has('sendInitialEvents')) {
    await send(response, 'ADDED', objects);
    const metadata = { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: String(version) };
    const bookmark = JSON.stringify({ ...type, metadata });
    await send(response, 'BOOKMARK', [Buffer.from(bookmark)]);
  }
  watches.add(response);
}

/**
 * `/burst?events=N`: changes objects in turn; with `&hot=M` the first M of them only, whose generation counts the rounds in tens. `/expire`: the watch has
 * to list again.
 */
async function control(url: URL, response: ServerResponse): Promise<void> {
  const [target] = watches;
  if (url.pathname === '/expire') {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      code: 410,
      reason: 'Expired',
      status: 'Failure',
      message: 'too old',
    };
    if (target !== undefined) await send(target, 'ERROR', [Buffer.from(JSON.stringify(status))]);
    target?.end();
  } else if (target !== undefined) {
    const events = Number(url.searchParams.get('events'));
    const hot = Number(url.searchParams.get('hot') ?? count);
    const changed = Array.from({ length: events }, (_, index) => {
      const generation = url.searchParams.has('hot') ? 2 + Math.floor(index / hot / 10) : 1;
      const object = Buffer.from(make(index % hot, ++version, generation));
      objects[index % hot] = object;
      return object;
    });
    // Made before the clock starts.
    response.write('ready');
    await send(target, 'MODIFIED', changed);
  }
  response.end();
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (!url.pathname.startsWith('/api')) void control(url, response);
  else if (url.pathname.endsWith('/replicasets')) void serveReplicaSets(url, response);
  else if (url.searchParams.get('watch') === 'true') void watch(url, response);
  else if (/\/(?:widgets|pods)$/.test(url.pathname)) list(url, response);
  else response.end(objects[0]);
}

const server = createServer({ keepAliveTimeout: 60_000 }, serve);
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
