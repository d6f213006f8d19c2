import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { median, type BenchmarkResult, type Figure } from '../benchmark.ts';
import type { Measured } from './measure.ts';

type Name = 'ours' | 'pages' | 'client-node' | 'floor';
type Results = Record<Name, Measured[]>;

interface Load {
  readonly objects: number;
  readonly bytes: number;
  readonly rounds: number;
  /** Whether to go on to relists, events and requests after the sync. */
  readonly all: boolean;
}

const loads: readonly Load[] = [
  { objects: 1000, bytes: 2000, rounds: 3, all: false },
  { objects: 10_000, bytes: 2000, rounds: 3, all: true },
  { objects: 50_000, bytes: 2000, rounds: 3, all: true },
  { objects: 2000, bytes: 10_000, rounds: 3, all: false },
  { objects: 200, bytes: 200_000, rounds: 3, all: false },
];

/** Each candidate as the one file that users ship. */
async function bundle(folder: string): Promise<Record<Name, string>> {
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
  const ours = await file('ours');
  return { ours, pages: ours, 'client-node': await file('client-node'), floor: await file('floor') };
}

async function startServer({
  objects,
  bytes,
}: Load): Promise<{ readonly address: string; readonly process: ChildProcess }> {
  const process_ = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), String(objects), String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(process_.stdout), 'line')) as [string];
  return { address: `http://127.0.0.1:${port}`, process: process_ };
}

async function measureOne(file: string, address: string, mode: string, pages: boolean): Promise<Measured> {
  const child = spawn(process.execPath, ['--expose-gc', file, address, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(pages ? { LIST_IN_PAGES: '1' } : {}) },
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`a candidate ended with ${code}`);
  return JSON.parse(lines.at(-1) ?? '') as Measured;
}

async function measureLoad(load: Load, files: Record<Name, string>): Promise<Results> {
  const results: Results = { ours: [], pages: [], 'client-node': [], floor: [] };
  for (let round = 0; round < load.rounds; round++) {
    for (const name of Object.keys(results) as Name[]) {
      const server = await startServer(load);
      try {
        const mode = load.all ? 'all' : 'sync';
        results[name].push(await measureOne(files[name], server.address, mode, name === 'pages'));
      } finally {
        server.process.kill();
      }
    }
  }
  return results;
}

function figuresOf({ objects, bytes, all }: Load, results: Results): Figure[] {
  const label = `${objects} objects of ${bytes / 1000} kB`;
  const of = (name: Name, read: (measured: Measured) => number | undefined): number =>
    median(results[name].map((measured) => read(measured) ?? Number.NaN));
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
  ];
}

/** Our informer, as a bundled file, beside client-node's and beside parsing alone, each in a process of its own. */
export async function run(): Promise<BenchmarkResult> {
  // Inside the repository, so that packages are found.
  const folder = await mkdtemp(join(import.meta.dirname, '../../node_modules/.cache/bench-'));
  try {
    const files = await bundle(folder);
    const figures: Figure[] = [];
    for (const load of loads) figures.push(...figuresOf(load, await measureLoad(load, files)));
    return { name: 'informer', figures };
  } finally {
    await rm(folder, { recursive: true });
  }
}
