import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { startTestEnvironment } from '../src/testing/index.ts';
import { RestClient, type Connection } from '../src/testing/rest.ts';
import { WatchStream } from '../test/apiserver/stream.ts';
import { median, type BenchmarkResult, type Figure } from './benchmark.ts';

const rounds = 5;
const writes = 500;
const watchers = 100;
const manyObjects = 50_000;
const objectSize = 2000;
/** Requests at a time, where many objects are made. */
const parallel = 32;

/** The embedded server as users start it: one bundle, a process of its own. */
async function bundle(folder: string): Promise<string> {
  await build({
    entryPoints: { apiserver: fileURLToPath(new URL('../src/apiserver/index.ts', import.meta.url)) },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  const file = join(folder, 'start.mjs');
  const lines = [
    "import { enableCompileCache } from 'node:module';",
    `enableCompileCache(${JSON.stringify(join(folder, 'cache'))});`,
    "const { startApiServer } = await import('./apiserver.mjs');",
    'const server = await startApiServer();',
    'const { url, caCertificate, adminToken: token } = server;',
    'console.log(JSON.stringify({ url, caCertificate, token }));',
    "process.once('SIGTERM', () => server.stop());",
  ];
  await writeFile(file, lines.join('\n'));
  return file;
}

interface Embedded {
  readonly pid: number;
  /** Milliseconds from the start of the process until the server answers. */
  readonly taken: number;
  readonly connection: Connection;
  stop(): Promise<void>;
}

async function startEmbedded(file: string): Promise<Embedded> {
  const started = performance.now();
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const taken = performance.now() - started;
  return {
    pid: child.pid ?? 0,
    taken,
    connection: JSON.parse(line.toString()) as Connection,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function timeOfStart(file: string): Promise<number> {
  const server = await startEmbedded(file);
  await server.stop();
  return server.taken;
}

async function startReal(assets: string): Promise<number> {
  const started = performance.now();
  const environment = await startTestEnvironment({ assets, timeout: 120_000 });
  const taken = performance.now() - started;
  await environment.stop();
  return taken;
}

/** Milliseconds that a number of creations, one after the other, take. */
async function write(connection: Connection): Promise<number> {
  const path = '/api/v1/namespaces/default/configmaps';
  const client = new RestClient(connection);
  const started = performance.now();
  for (let index = 0; index < writes; index++) {
    await client.send({
      method: 'POST',
      path,
      body: { metadata: { name: `w-${index}` }, data: { index: String(index) } },
    });
  }
  const taken = performance.now() - started;
  client.close();
  return taken;
}

/** Milliseconds until many watchers have seen a number of writes. */
async function fanOut(connection: Connection): Promise<number> {
  const path = '/api/v1/namespaces/default/secrets';
  const count = 50;
  const client = new RestClient(connection);
  const streams = await Promise.all(
    Array.from({ length: watchers }, () => WatchStream.open(connection, `${path}?watch=true&labelSelector=fan`)),
  );
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    await client.send({
      method: 'POST',
      path,
      body: { metadata: { name: `f-${index}`, labels: { fan: 'out' } } },
    });
  }
  await Promise.all(streams.map((stream) => stream.take(count)));
  const taken = performance.now() - started;
  for (const stream of streams) stream.close();
  client.close();
  return taken;
}

/** Megabytes that processes hold in memory, as Linux counts them. */
function residentMemory(pids: readonly number[]): number {
  return pids
    .map((pid) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
    .reduce((sum, size) => sum + size, 0);
}

/** Processes with these names that this one started. */
function childrenNamed(...names: readonly string[]): number[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && names.includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()))
    .map(Number);
}

/** Megabytes by which processes grow with a number of objects. */
async function memoryOfObjects(connection: Connection, pids: readonly number[]): Promise<number> {
  const client = new RestClient(connection);
  const before = residentMemory(pids);
  let next = 0;
  const text = 'x'.repeat(20);
  const data = Object.fromEntries(
    Array.from({ length: objectSize / 40 }, (_, index) => [`member-${String(index).padStart(6, '0')}`, text]),
  );
  const work = async (): Promise<void> => {
    for (let index = next++; index < manyObjects; index = next++) {
      const body = { metadata: { name: `m-${index}` }, data: { ...data, index: String(index) } };
      await client.send({ method: 'POST', path: '/api/v1/namespaces/kube-public/configmaps', body });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  client.close();
  return residentMemory(pids) - before;
}

function figure(name: string, ours: number, baseline: number, limit: number, goal: string): Figure {
  const ratio = ours / baseline;
  return { name, ours, baseline, ratio, goal, holds: ratio <= limit };
}

/**
 * The embedded API server beside etcd and kube-apiserver from the folder in KUBEBUILDER_ASSETS: from start to ready, writes and
 * watches. All times are milliseconds.
 */
export async function run(): Promise<BenchmarkResult> {
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  if (assets === '') throw new Error('set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver: the baseline');
  const folder = await mkdtemp(join(tmpdir(), 'create-operator-bench-'));
  try {
    const file = await bundle(folder);
    const ours: number[] = [];
    const theirs: number[] = [];
    // The first start fills the compile cache, as an installed command's first run does.
    await timeOfStart(file);
    for (let round = 0; round < rounds; round++) {
      ours.push(await timeOfStart(file));
      theirs.push(await startReal(assets));
    }
    const embedded = await startEmbedded(file);
    const real = await startTestEnvironment({ assets, timeout: 120_000 });
    try {
      const figures = [
        figure('start to ready (ms)', median(ours), median(theirs), 1 / 20, '<= 1/20'),
        figure(
          `${writes} creations one after the other (ms)`,
          await write(embedded.connection),
          await write(real.connection()),
          1,
          '<= 1',
        ),
        figure(
          `50 writes to ${watchers} watchers (ms)`,
          await fanOut(embedded.connection),
          await fanOut(real.connection()),
          1,
          '<= 1',
        ),
      ];
      if (process.platform === 'linux') {
        figures.push(
          figure(
            `memory for ${manyObjects} objects of ${objectSize / 1000} kB (MB)`,
            await memoryOfObjects(embedded.connection, [embedded.pid]),
            await memoryOfObjects(real.connection(), childrenNamed('etcd', 'kube-apiserver')),
            1,
            '<= 1',
          ),
        );
      }
      return { name: 'apiserver', figures };
    } finally {
      await embedded.stop();
      await real.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
