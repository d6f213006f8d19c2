// An API server's stand-in for the benchmark, in a process of its own: objects from memory. Arguments: how many, and either `pods` or how
// many bytes a custom resource (compute.cloud.com/v1 Ec2Instance) has. Prints its port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instance } from './instance.ts';
import { owners, pod, replicaSet } from './pod.ts';

const [, , counted, shape = '2000'] = process.argv;
const count = Number(counted);
const isPods = shape === 'pods';
const type = isPods ? { apiVersion: 'v1', kind: 'Pod' } : { apiVersion: 'compute.cloud.com/v1', kind: 'Ec2Instance' };

/** Versions and generations have as many digits all along, so that a change writes over them. */
const firstVersion = 100_000_000;
const firstGeneration = 10;
const make = (index: number): string =>
  isPods
    ? pod(index, firstVersion + index, firstGeneration)
    : instance(Number(shape), index, firstVersion + index, firstGeneration);

let version = firstVersion + count;
const objects = Array.from({ length: count }, (_, index) => Buffer.from(make(index)));
const watches = new Set<ServerResponse>();

const versionKey = Buffer.from('"resourceVersion":"');
const generationKey = Buffer.from('"generation":');

/** Changes an object in place. */
function change(object: Buffer, generation: number): Buffer {
  object.write(String(++version), object.indexOf(versionKey) + versionKey.length, 'latin1');
  object.write(String(generation), object.indexOf(generationKey) + generationKey.length, 'latin1');
  return object;
}

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
const portionBytes = 262_144;

/** Writes events in portions, as fast as the reader takes them. Each object is read before the next is asked for. */
async function send(response: ServerResponse, type: keyof typeof opens, sent: Iterable<Buffer>): Promise<void> {
  const beginning = opens[type];
  let portion = Buffer.allocUnsafeSlow(portionBytes);
  let length = 0;
  const flush = async (): Promise<void> => {
    const isTaken = response.write(portion.subarray(0, length));
    portion = Buffer.allocUnsafeSlow(portionBytes);
    length = 0;
    if (!isTaken) await new Promise((resolve) => response.once('drain', resolve));
  };
  for (const object of sent) {
    const needed = beginning.length + object.length + close.length;
    if (length > 0 && length + needed > portion.length) await flush();
    if (needed > portion.length) portion = Buffer.allocUnsafeSlow(needed);
    for (const part of [beginning, object, close]) length += part.copy(portion, length);
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

/** Changes the first `hot` objects in turn; with `counted` their generation counts the rounds in tens. */
function* changes(events: number, hot: number, counted: boolean): Generator<Buffer, void, undefined> {
  for (let index = 0; index < events; index++) {
    const object = objects[index % hot];
    if (object === undefined) throw new Error('there are not so many objects');
    yield change(object, firstGeneration + (counted ? 1 + Math.floor(index / hot / 10) : 0));
  }
}

/** `/burst?events=N`: changes objects, with `&hot=M` the first M of them only. `/expire`: the watch has to list again. */
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
    response.write('ready');
    await send(target, 'MODIFIED', changes(events, hot, url.searchParams.has('hot')));
  }
  response.end();
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (!url.pathname.startsWith('/api')) void control(url, response);
  else if (url.pathname.endsWith('/replicasets')) void serveReplicaSets(url, response);
  else if (url.searchParams.get('watch') === 'true') void watch(url, response);
  else if (/\/(?:ec2instances|pods)$/.test(url.pathname)) list(url, response);
  else response.end(objects[0]);
}

const server = createServer({ keepAliveTimeout: 60_000 }, serve);
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
