import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, type BenchmarkResult, type Figure } from '../benchmark.ts';
import { measureBacklogs } from './backlog-bench.ts';
import type { Measured } from './measure.ts';
import { bundleFile, nodeCommand, runCandidate, shippedFlags, type Command, type Shape } from './processes.ts';

type Name = 'ours' | 'pages' | 'reads' | 'client-node' | 'floor' | 'controller-runtime';
type Results = Partial<Record<Name, Measured[]>>;

interface Load {
  readonly objects: number;
  readonly shape: Shape;
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
  const ours = await bundleFile(folder, 'ours');
  const controllerRuntime = await buildControllerRuntime(folder);
  return {
    ours: nodeCommand(ours, {}, shippedFlags),
    reads: nodeCommand(ours, { READ_BODIES: '1' }, shippedFlags),
    pages: nodeCommand(ours, { LIST_IN_PAGES: '1' }, shippedFlags),
    'client-node': nodeCommand(await bundleFile(folder, 'client-node')),
    floor: nodeCommand(await bundleFile(folder, 'floor')),
    ...(controllerRuntime === undefined ? {} : { 'controller-runtime': controllerRuntime }),
  };
}

async function measureLoad(load: Load, commands: Partial<Record<Name, Command>>): Promise<Results> {
  const results: Results = {};
  for (let round = 0; round < load.rounds; round++) {
    for (const [name, command] of Object.entries(commands) as [Name, Command][]) {
      if (name === 'controller-runtime' && (!load.all || load.shape === 'pods')) continue;
      if (name === 'reads' && !load.all) continue;
      const measured = await runCandidate<Measured>(command, load, load.all ? 'all' : 'sync');
      (results[name] ??= []).push(measured);
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
    // As client-go, whose delay is 800 ms and up to as much again.
    figure(
      "pause before a relist, ms, to client-go's 1600",
      [of('ours', ({ relistPause }) => relistPause), 1600],
      '<= 1.1',
    ),
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
    figures.push(...(await measureBacklogs(folder)));
    return { name: 'informer', figures };
  } finally {
    await rm(folder, { recursive: true });
  }
}
