// npm run bench -- rbac: what `create-operator rbac --check` takes beside a check of the same project's types, each as a process of its own.
// The first baseline is the compiler that reads the sources here (ts-morph's, in JavaScript), the second TypeScript's native one, which runs
// on all processors. A first run has nothing remembered; a run again finds what the last one read.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
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
  // As it is published: in a checkout of its sources, each of its declarations is read by itself.
  const runtime = join(modules, 'operator-runtime');
  mkdirSync(runtime);
  for (const name of ['package.json', 'dist'])
    cpSync(join(root, 'src/runtime', name), join(runtime, name), { recursive: true });
  symlinkSync(root, join(modules, 'create-operator'), 'junction');
  await create(project, 'generate');
  return project;
}

async function measure(folder: string, kinds: number): Promise<Figure[]> {
  const project = await scaffold(folder, kinds);
  const node = (...argv: string[]): Promise<unknown> => runChecked(process.execPath, argv, { cwd: project });
  const times = await interleaved(rounds, {
    rbac: () => {
      rmSync(join(project, 'node_modules/.cache'), { recursive: true, force: true });
      return node(program, 'rbac', '--check');
    },
    again: () => node(program, 'rbac', '--check'),
    types: () => node(checkTypes, project),
    native: () => node(native, '--noEmit', '-p', project),
  });
  const what = kinds === 1 ? '1 kind' : `${kinds} kinds`;
  const figure = (name: string, ours: number, baseline: number): Figure => {
    const ratio = ours / baseline;
    return { name, ours, baseline, ratio, goal: '<= 1.2', holds: ratio <= 1.2 };
  };
  return [
    figure(`rbac --check, ${what}, first run, ms, beside tsc --noEmit by the same compiler`, times.rbac, times.types),
    figure(
      `rbac --check, ${what}, first run, ms, beside tsc --noEmit by the native compiler`,
      times.rbac,
      times.native,
    ),
    figure(`rbac --check, ${what}, again, ms, beside tsc --noEmit by the native compiler`, times.again, times.native),
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
