// What a newcomer waits for: `npx create-operator` from the tarball, up to the scaffolded project, beside create-vite: megabytes
// and packages that npx installs, and seconds for the installation and the scaffold together, from npm's cache.
import { globSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../tools/pack.ts';
import { run as runProgram, runChecked } from '../tools/repository.ts';
import { interleaved, type BenchmarkResult, type Figure } from './benchmark.ts';

const rounds = 5;
const limits = { megabytes: 30, packages: 15 } as const;

interface Footprint {
  readonly megabytes: number;
  readonly packages: number;
}

/** Installs a package into a fresh folder, as npx does. */
async function install(folder: string, what: string): Promise<string> {
  const target = mkdtempSync(join(folder, 'npx-'));
  const args = ['install', '--prefer-offline', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  await runChecked('npm', [...args, '--prefix', target, what], { cwd: folder });
  return join(target, 'node_modules');
}

function footprint(modules: string): Footprint {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const manifests = globSync(['**/node_modules/*/package.json', '**/node_modules/@*/*/package.json'], {
    cwd: join(modules, '..'),
  });
  return { megabytes: bytes / 1e6, packages: manifests.length };
}

/** Installs a scaffolder and runs it, without the installation of the project's own dependencies. */
async function scaffold(folder: string, what: string, program: string, args: readonly string[]): Promise<void> {
  const modules = await install(folder, what);
  const project = mkdtempSync(join(folder, 'project-'));
  await runChecked(join(modules, '.bin', program), args, { cwd: project });
}

export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-bench-'));
  try {
    const tarball = (await pack(join(folder, 'tarballs'))).find(({ name }) => name === 'create-operator')?.path ?? '';
    const ours = footprint(await install(folder, tarball));
    const vite = await footprintOfVite(folder);
    const times = await interleaved(rounds, {
      ours: () => scaffold(folder, tarball, 'create-operator', ['app', '--skip-install']),
      vite: async () => {
        if (vite === undefined) return;
        await scaffold(folder, 'create-vite', 'create-vite', ['app', '--template', 'vanilla-ts', '--no-interactive']);
      },
    });
    // Without a network there is nothing to compare with but the limits themselves.
    const baseline = vite ?? limits;
    const beside = vite === undefined ? 'beside the limit' : 'beside create-vite';
    const figures = [
      figure(
        `installed, ${beside} (MB)`,
        ours.megabytes,
        baseline.megabytes,
        `<= ${limits.megabytes} MB`,
        ours.megabytes <= limits.megabytes,
      ),
      figure(
        `installed, ${beside} (packages)`,
        ours.packages,
        baseline.packages,
        `<= ${limits.packages} packages`,
        ours.packages <= limits.packages,
      ),
    ];
    if (vite !== undefined) {
      figures.push(
        figure('npx up to the project, beside create-vite (s)', times.ours / 1000, times.vite / 1000, 'measured', true),
      );
    }
    return { name: 'install', figures };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function footprintOfVite(folder: string): Promise<Footprint | undefined> {
  // npm without a network would try for minutes.
  const view = await runProgram('npm', ['view', 'create-vite', 'version', '--prefer-offline', '--fetch-retries=0']);
  return view.code === 0 ? footprint(await install(folder, 'create-vite')) : undefined;
}

function figure(name: string, ours: number, baseline: number, goal: string, holds: boolean): Figure {
  return { name, ours, baseline, ratio: ours / baseline, goal, holds };
}
