// Whole processes that read the types of fixtures/compute: `create-operator generate` beside plain ts-morph on the same
// project, an empty Node.js process, and controller-gen on the same API in Go where both are there.
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run as runProgram, runChecked } from '../../tools/repository.ts';
import { interleaved, type BenchmarkResult, type Figure } from '../benchmark.ts';

const rounds = 9;

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

/** A user's project with the API of fixtures/compute in it. */
function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-bench-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench', type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  cpSync(join(root, 'fixtures', 'compute', 'decorators'), join(folder, 'src', 'api', 'v1'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
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

export async function run(): Promise<BenchmarkResult> {
  const folder = makeProject();
  try {
    const node = async (...args: string[]): Promise<string> =>
      await runChecked(process.execPath, args, { cwd: folder });
    const tool = join(root, 'bin', 'create-operator.js');
    const outputs = ['config', join('src', 'generated')].map((path) => join(folder, path));
    const go = await controllerGen();
    const times = await interleaved(rounds, {
      generate: async () => {
        for (const output of outputs) rmSync(output, { recursive: true, force: true });
        await node(tool, ...generateArguments);
      },
      again: async () => await node(tool, ...generateArguments),
      tsMorph: async () => await node(join(import.meta.dirname, 'plain-ts-morph.ts'), join(folder, 'tsconfig.json')),
      empty: async () => await node('--eval', ''),
      controllerGen: async () => await go?.(),
    });
    const figures = [
      figure(
        '3 kinds beside plain ts-morph (ms)',
        times.generate,
        times.tsMorph,
        '<= 0.25',
        times.generate <= 0.25 * times.tsMorph,
      ),
      figure(
        'nothing changed beside an empty process (ms)',
        times.again,
        times.empty,
        '<= baseline + 25 ms',
        times.again <= times.empty + 25,
      ),
    ];
    if (go !== undefined) {
      const holds = times.generate <= 0.3 * times.controllerGen;
      figures.push(figure('3 kinds beside controller-gen (ms)', times.generate, times.controllerGen, '<= 0.3', holds));
    }
    return { name: 'generate', figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
