// Whole processes that read types: `create-operator generate` beside plain ts-morph on the same project, an empty Node.js process,
// and, where it is installed, controller-gen on the same API in Go; and edits of a project that `create-operator generate --watch`
// watches, from the write of the source to the outputs on the disk.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages, root, runChecked } from '../../tools/repository.ts';
import { interleaved, type BenchmarkResult, type Figure } from '../benchmark.ts';
import { assertSameDefinitions, goCompute, goKinds, hasControllerGen } from './controller-gen.ts';
import { writeKinds } from './kinds.ts';
import { type WatchedProject, watchProject } from './watch.ts';

const rounds = 5;

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
  types: [],
};

// prettier-ignore
const generateArguments = [
  'generate', '--source', 'src/**/*.types.ts', '--crd-dir', 'config/crd/bases', '--rbac-dir', 'config/rbac',
  '--role-name', 'manager-role', '--client-dir', 'src/generated',
];

/** A user's project, with a package folder of its own, whose types `fill` writes. */
function makeProject(fill: (folder: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-bench-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench', type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(packages['operator-runtime'], join(folder, 'node_modules', 'operator-runtime'));
  fill(join(folder, 'src', 'api', 'v1'));
  return folder;
}

function figure(name: string, ours: number, baseline: number, goal: string, holds: boolean): Figure {
  return { name, ours, baseline, ratio: ours / baseline, goal, holds };
}

const tool = join(root, 'bin', 'create-operator.js');
const plain = join(import.meta.dirname, 'plain-ts-morph.ts');

async function node(folder: string, ...args: string[]): Promise<string> {
  return await runChecked(process.execPath, args, { cwd: folder });
}

/** All of the work: nothing of an earlier run is left. */
async function generate(folder: string): Promise<void> {
  for (const path of ['config', 'src/generated', 'node_modules/.cache']) {
    rmSync(join(folder, path), { recursive: true, force: true });
  }
  await node(folder, tool, ...generateArguments);
}

/** The API of fixtures/compute: three kinds with decorators. */
function makeCompute(): string {
  const source = join(root, 'fixtures', 'compute', 'decorators');
  return makeProject((folder) => cpSync(source, folder, { recursive: true }));
}

const makeKinds = (count: number): string => makeProject((folder) => writeKinds(folder, count));

/** The most that an edit may take, in ms. */
const editLimit = 100;

export async function run(): Promise<BenchmarkResult> {
  const compute = makeCompute();
  const [one, ten, hundred, watchedTen, watchedHundred] = [
    makeKinds(1),
    makeKinds(10),
    makeKinds(100),
    makeKinds(10),
    makeKinds(100),
  ];
  const goFolder = mkdtempSync(join(tmpdir(), 'create-operator-bench-go-'));
  const folders = [compute, one, ten, hundred, watchedTen, watchedHundred, goFolder];
  const watched: WatchedProject[] = [];
  const watch = async (folder: string): Promise<WatchedProject> => {
    const file = join(folder, 'src', 'api', 'v1', 'kind0.types.ts');
    const started = await watchProject([tool, ...generateArguments], folder, file);
    watched.push(started);
    return started;
  };
  try {
    const withGo = await hasControllerGen();
    const [goThree, goOne, goTen, goHundred] = withGo
      ? [goCompute(goFolder), goKinds(goFolder, 1), goKinds(goFolder, 10), goKinds(goFolder, 100)]
      : [];
    const pairs = [
      [compute, goThree],
      [one, goOne],
      [ten, goTen],
      [hundred, goHundred],
    ] as const;
    for (const [folder, module] of pairs) {
      if (module === undefined) continue;
      await Promise.all([generate(folder), module.generate()]);
      assertSameDefinitions(join(folder, 'config', 'crd', 'bases'), module.outputs);
    }
    const [editTen, editHundred] = [await watch(watchedTen), await watch(watchedHundred)];
    const tsMorph = async (folder: string): Promise<string> => await node(folder, plain, join(folder, 'tsconfig.json'));
    const candidates = {
      compute: async () => await generate(compute),
      computeTsMorph: async () => await tsMorph(compute),
      computeGo: async () => await goThree?.generate(),
      one: async () => await generate(one),
      oneTsMorph: async () => await tsMorph(one),
      oneGo: async () => await goOne?.generate(),
      ten: async () => await generate(ten),
      // With the manifest that the run before left.
      again: async () => await node(ten, tool, ...generateArguments),
      empty: async () => await node(ten, '--eval', ''),
      tenTsMorph: async () => await tsMorph(ten),
      tenGo: async () => await goTen?.generate(),
      editTen: editTen.edit,
      hundred: async () => await generate(hundred),
      hundredTsMorph: async () => await tsMorph(hundred),
      hundredGo: async () => await goHundred?.generate(),
      editHundred: editHundred.edit,
    };
    // The least counts: what else the machine does can only add to a process that computes from its start to its end.
    const times = await interleaved(rounds, candidates, (values) => Math.min(...values));
    const beside = (other: string) => {
      return (name: string, ours: number, baseline: number, goal: number): Figure =>
        figure(`${name} beside ${other} (ms)`, ours, baseline, `<= ${goal}`, ours <= goal * baseline);
    };
    const [besideTsMorph, besideGo] = [beside('plain ts-morph'), beside('controller-gen')];
    const edit = (name: string, ours: number): Figure =>
      figure(`an edit of one of ${name}, watched (ms)`, ours, editLimit, '<= 100 ms', ours <= editLimit);
    const again = times.again <= times.empty + 25;
    const figures = [
      besideTsMorph('3 kinds of fixtures/compute', times.compute, times.computeTsMorph, 0.25),
      besideTsMorph('1 kind with a PodTemplateSpec', times.one, times.oneTsMorph, 0.25),
      besideTsMorph('10 kinds', times.ten, times.tenTsMorph, 0.25),
      besideTsMorph('100 kinds', times.hundred, times.hundredTsMorph, 0.4),
      figure('nothing changed beside an empty process (ms)', times.again, times.empty, '<= baseline + 25 ms', again),
      edit('10 kinds', times.editTen),
      edit('100 kinds', times.editHundred),
    ];
    if (withGo) {
      // Little work costs little more than to start, which takes Node.js and the compiler longer than it takes a Go program.
      figures.push(
        besideGo('3 kinds of fixtures/compute', times.compute, times.computeGo, 1),
        besideGo('1 kind with a PodTemplateSpec', times.one, times.oneGo, 1),
        besideGo('10 kinds', times.ten, times.tenGo, 0.3),
        besideGo('100 kinds', times.hundred, times.hundredGo, 0.3),
      );
    }
    return { name: 'generate', figures };
  } finally {
    for (const { end } of watched) end();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
