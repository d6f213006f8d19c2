import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { median, type BenchmarkResult, type Figure } from '../benchmark.ts';
import type { Measured } from './measure.ts';

type Name = 'ours' | 'pages' | 'reads' | 'client-node' | 'floor' | 'controller-runtime';
type Results = Partial<Record<Name, Measured[]>>;

interface Load {
  readonly objects: number;
  /** Custom resources of so many bytes, or Pods, which have about 4 kB. */
  readonly shape: number | 'pods';
  readonly rounds: number;
  /** Whether to go on to relists, events and requests after the sync. */
  readonly all: boolean;
}

const loads: readonly Load[] = [
  { objects: 1000, shape: 'pods', rounds: 3, all: false },
  { objects: 10_000, shape: 'pods', rounds: 3, all: true },
  { objects: 50_000, shape: 'pods', rounds: 2, all: true },
  { objects: 50_000, shape: 2000, rounds: 2, all: true },
  { objects: 2000, shape: 10_000, rounds: 3, all: false },
  { objects: 200, shape: 200_000, rounds: 3, all: false },
];

/** How a candidate is started; the server's address and the mode follow. */
interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const execute = promisify(execFile);

/** Its cache as a program of Go, in pages; undefined where there is no Go. */
async function buildControllerRuntime(folder: string): Promise<Command | undefined> {
  try {
    await execute('go', ['version']);
  } catch {
    return undefined;
  }
  const program = join(folder, 'controller-runtime');
  await execute('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'controller-runtime') });
  return { program, parameters: [], env: { KUBE_FEATURE_WatchListClient: 'false' } };
}

/** Each candidate as the one file that users ship. */
async function bundle(folder: string): Promise<Partial<Record<Name, Command>>> {
  const file = async (name: string): Promise<string> => {
    const outfile = join(folder, `${name}.mjs`);
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    };
    await build({
      entryPoints: [join(import.meta.dirname, `${name}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      banner,
    });
    return outfile;
  };
  const node = (name: string, env: Command['env'] = {}, flags: readonly string[] = []): Command => ({
    program: process.execPath,
    parameters: ['--expose-gc', ...flags, name],
    env,
  });
  // As the scaffold's Deployment starts it.
  const flags = ['--max-semi-space-size=4'];
  const ours = await file('ours');
  const controllerRuntime = await buildControllerRuntime(folder);
  return {
    ours: node(ours, {}, flags),
    reads: node(ours, { READ_BODIES: '1' }, flags),
    pages: node(ours, { LIST_IN_PAGES: '1' }, flags),
    'client-node': node(await file('client-node')),
    floor: node(await file('floor')),
    ...(controllerRuntime === undefined ? {} : { 'controller-runtime': controllerRuntime }),
  };
}

async function startServer({
  objects,
  shape,
}: Load): Promise<{ readonly address: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), String(objects), String(shape)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { address: `http://127.0.0.1:${port}`, process: child };
}

async function measureOne(
  { program, parameters, env }: Command,
  address: string,
  { all, shape }: Load,
): Promise<Measured> {
  const child = spawn(program, [...parameters, address, all ? 'all' : 'sync'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, ...(shape === 'pods' ? { BENCH_PODS: '1' } : {}) },
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return JSON.parse(lines.at(-1) ?? '') as Measured;
}

async function measureLoad(load: Load, commands: Partial<Record<Name, Command>>): Promise<Results> {
  const results: Results = {};
  for (let round = 0; round < load.rounds; round++) {
    for (const [name, command] of Object.entries(commands) as [Name, Command][]) {
      if (name === 'controller-runtime' && (!load.all || load.shape === 'pods')) continue;
      if (name === 'reads' && !load.all) continue;
      const server = await startServer(load);
      try {
        const measured = await measureOne(command, server.address, load);
        (results[name] ??= []).push(measured);
      } finally {
        server.process.kill();
      }
    }
  }
  return results;
}

function figuresOf({ objects, shape, all }: Load, results: Results): Figure[] {
  const label = shape === 'pods' ? `${objects} pods` : `${objects} custom resources of ${shape / 1000} kB`;
  const of = (name: Name, read: (measured: Measured) => number | undefined): number =>
    median((results[name] ?? []).map((measured) => read(measured) ?? Number.NaN));
  const figure = (
    name: string,
    [ours, baseline]: readonly [number, number],
    goal: `${'<=' | '>='} ${number}`,
  ): Figure => {
    const ratio = ours / baseline;
    const [sign, limit] = goal.split(' ');
    return {
      name: `${label}: ${name}`,
      ours,
      baseline,
      ratio,
      goal,
      holds: sign === '<=' ? ratio <= Number(limit) : ratio >= Number(limit),
    };
  };
  const against = (
    baseline: Name,
    read: (measured: Measured) => number | undefined,
    ours: Name = 'ours',
  ): readonly [number, number] => [of(ours, read), of(baseline, read)];
  const sync = ({ sync }: Measured): number => sync;
  const figures = [
    figure('sync, ms, to client-node', against('client-node', sync), '<= 0.4'),
    figure(
      'sync, ms of CPU, to client-node',
      against('client-node', ({ syncCpu }) => syncCpu),
      '<= 1',
    ),
    figure('sync, ms, to JSON.parse', against('floor', sync), '<= 1.2'),
    figure('sync in pages, ms, to JSON.parse', against('floor', sync, 'pages'), '<= 1.2'),
    figure('longest stall of a sync, ms, to 50', [of('ours', ({ syncStall }) => syncStall), 50], '<= 1'),
    figure('longest stall of a sync in pages, ms, to 50', [of('pages', ({ syncStall }) => syncStall), 50], '<= 1'),
  ];
  if (objects >= 10_000) {
    figures.push(
      figure(
        'peak RSS, MB, to client-node',
        against('client-node', ({ syncPeak }) => syncPeak),
        '<= 0.35',
      ),
      figure(
        'heap, MB, to client-node',
        against('client-node', ({ heap }) => heap),
        '<= 0.45',
      ),
    );
  }
  if (!all) return figures;
  return [
    ...figures,
    figure('longest stall of a relist, ms, to 50', [of('ours', ({ relistStall }) => relistStall), 50], '<= 1'),
    figure('peak RSS of a relist, to steady', [of('ours', ({ relistPeak }) => relistPeak), 1], '<= 1.6'),
    figure('relist, ms, to the sync', [of('ours', ({ relist }) => relist), of('ours', sync)], '<= 2.5'),
    figure(
      'events a second, to client-node',
      against('client-node', ({ events }) => events),
      '>= 1.6',
    ),
    figure(
      'events a second whose bodies are all read, to client-node',
      against('client-node', ({ events }) => events, 'reads'),
      '>= 1',
    ),
    figure(
      'CPU of an event, microseconds, to client-node',
      against('client-node', ({ eventCpu }) => eventCpu),
      '<= 0.6',
    ),
    figure(
      'event to handler, ms, to client-node',
      against('client-node', ({ latency }) => latency),
      '<= 1.5',
    ),
    ...([1, 16, 64] as const).map((concurrency) =>
      figure(
        `requests a second, ${concurrency} at once, to client-node`,
        against('client-node', ({ requests }) => requests?.[concurrency]),
        concurrency === 16 ? '>= 3' : '>= 1.5',
      ),
    ),
    ...(results['controller-runtime'] === undefined
      ? []
      : [
          figure('sync in pages, ms, to controller-runtime', against('controller-runtime', sync, 'pages'), '<= 0.6'),
          figure(
            'events a second, to controller-runtime',
            against('controller-runtime', ({ events }) => events),
            '>= 4',
          ),
          figure(
            'peak RSS in pages, MB, to controller-runtime',
            against('controller-runtime', ({ syncPeak }) => syncPeak, 'pages'),
            '<= 1.3',
          ),
        ]),
  ];
}

/**
 * Our informer, as a bundled file, beside client-node's, beside parsing alone, and (where Go is installed) beside controller-runtime's
 * cache, each in a process of its own.
 */
export async function run(): Promise<BenchmarkResult> {
  // Inside the repository, so that packages are found.
  const folder = await mkdtemp(join(import.meta.dirname, '../../node_modules/.cache/bench-'));
  try {
    const commands = await bundle(folder);
    const figures: Figure[] = [];
    for (const load of loads) figures.push(...figuresOf(load, await measureLoad(load, commands)));
    return { name: 'informer', figures };
  } finally {
    await rm(folder, { recursive: true });
  }
}
