// npm run bench -- rbac: what `create-operator rbac --check` takes beside a check of the same project's types, each as a process of its own.
// The first baseline is the compiler that reads the sources here (ts-morph's, in JavaScript), the second TypeScript's native one.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runChecked } from '../../tools/repository.ts';
import { type BenchmarkResult, type Figure, interleaved } from '../benchmark.ts';

const rounds = 5;
const sizes = [1, 20];
const program = join(root, 'bin/create-operator.js');
const checkTypes = join(root, 'bench/rbac/check-types.ts');
const native = join(root, 'node_modules/typescript/bin/tsc');

/** A scaffolded project with so many kinds, each with its controller. */
async function scaffold(folder: string, kinds: number): Promise<string> {
  const name = `operator-${kinds}`;
  const create = (cwd: string, ...argv: string[]): Promise<unknown> =>
    runChecked(process.execPath, [program, ...argv], { cwd });
  await create(folder, name, '--skip-install');
  const project = join(folder, name);
  for (let index = 1; index <= kinds; index++) {
    await create(project, 'api', '--group', 'example.com', '--version', 'v1', '--kind', `Widget${index}`);
  }
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  for (const name of ['@types', 'vitest', 'esbuild'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  symlinkSync(join(root, 'src/runtime'), join(modules, 'operator-runtime'), 'junction');
  symlinkSync(root, join(modules, 'create-operator'), 'junction');
  await create(project, 'generate');
  return project;
}

async function measure(folder: string, kinds: number): Promise<Figure[]> {
  const project = await scaffold(folder, kinds);
  const node = (...argv: string[]): Promise<unknown> => runChecked(process.execPath, argv, { cwd: project });
  const times = await interleaved(rounds, {
    rbac: () => node(program, 'rbac', '--check'),
    types: () => node(checkTypes, project),
    native: () => node(native, '--noEmit', '-p', project),
  });
  const what = kinds === 1 ? '1 kind' : `${kinds} kinds`;
  const figure = (name: string, baseline: number, goal: number): Figure => {
    const ratio = times.rbac / baseline;
    return { name, ours: times.rbac, baseline, ratio, goal: `<= ${goal}`, holds: ratio <= goal };
  };
  return [
    figure(`rbac --check, ${what}, ms, beside tsc --noEmit by the same compiler`, times.types, 1.2),
    figure(`rbac --check, ${what}, ms, beside tsc --noEmit by the native compiler`, times.native, 1.2),
  ];
}

export async function run(): Promise<BenchmarkResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-bench-')));
  try {
    const figures: Figure[] = [];
    for (const kinds of sizes) figures.push(...(await measure(folder, kinds)));
    return { name: 'rbac', figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
