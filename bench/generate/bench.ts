// Whole processes that read types: `create-operator generate` beside plain ts-morph on the same project, an empty Node.js process,
// and, for the API of fixtures/compute, controller-gen on the same API in Go where both are there.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages, root, run as runProgram, runChecked } from '../../tools/repository.ts';
import { interleaved, type BenchmarkResult, type Figure } from '../benchmark.ts';
import { writeKinds } from './kinds.ts';

const rounds = 7;

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

/** controller-gen on the Go types of the fixture; undefined where it or their module is not there. */
async function controllerGen(): Promise<(() => Promise<unknown>) | undefined> {
  const module = join(root, 'fixtures', 'compute', 'go');
  if (!existsSync(join(module, 'go.mod'))) return undefined;
  const found = await runProgram('controller-gen', ['--version']).catch(() => undefined);
  if (found?.code !== 0) return undefined;
  const args = ['crd', 'rbac:roleName=manager-role', 'paths=./...', 'output:stdout'];
  return async () => await runChecked('controller-gen', args, { cwd: module });
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

export async function run(): Promise<BenchmarkResult> {
  const compute = makeProject((folder) =>
    cpSync(join(root, 'fixtures', 'compute', 'decorators'), folder, { recursive: true }),
  );
  const [one, ten, hundred] = [1, 10, 100].map((count) => makeProject((folder) => writeKinds(folder, count)));
  if (one === undefined || ten === undefined || hundred === undefined) throw new Error('there are no projects');
  try {
    const go = await controllerGen();
    const tsMorph = async (folder: string): Promise<string> => await node(folder, plain, join(folder, 'tsconfig.json'));
    const times = await interleaved(rounds, {
      compute: async () => await generate(compute),
      // With the manifest that the run before left.
      again: async () => await node(compute, tool, ...generateArguments),
      empty: async () => await node(compute, '--eval', ''),
      computeTsMorph: async () => await tsMorph(compute),
      one: async () => await generate(one),
      oneTsMorph: async () => await tsMorph(one),
      ten: async () => await generate(ten),
      tenTsMorph: async () => await tsMorph(ten),
      hundred: async () => await generate(hundred),
      hundredTsMorph: async () => await tsMorph(hundred),
      controllerGen: async () => await go?.(),
    });
    const beside = (name: string, ours: number, baseline: number, goal: number): Figure =>
      figure(`${name} beside plain ts-morph (ms)`, ours, baseline, `<= ${goal}`, ours <= goal * baseline);
    const figures = [
      beside('3 kinds of fixtures/compute', times.compute, times.computeTsMorph, 0.25),
      beside('1 kind with a PodTemplateSpec', times.one, times.oneTsMorph, 0.25),
      beside('10 kinds', times.ten, times.tenTsMorph, 0.25),
      beside('100 kinds', times.hundred, times.hundredTsMorph, 0.4),
      figure(
        'nothing changed beside an empty process (ms)',
        times.again,
        times.empty,
        '<= baseline + 25 ms',
        times.again <= times.empty + 25,
      ),
    ];
    if (go !== undefined) {
      const holds = times.compute <= 0.3 * times.controllerGen;
      figures.push(figure('3 kinds beside controller-gen (ms)', times.compute, times.controllerGen, '<= 0.3', holds));
    }
    return { name: 'generate', figures };
  } finally {
    for (const folder of [compute, one, ten, hundred]) rmSync(folder, { recursive: true, force: true });
  }
}
