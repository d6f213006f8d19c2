import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { root as repository } from '../../tools/repository.ts';
import type { Run } from '../generate/project.ts';

const runtime = join(repository, 'src/runtime');

/** A scaffolded project with one kind, `Widget`, on the runtime's sources. */
export class WidgetProject {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** `flags` are more of `init`. */
  static async create(...flags: readonly string[]): Promise<WidgetProject> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-rbac-')));
    const project = new WidgetProject(join(folder, 'my-operator'));
    await expectDone(run(folder, 'my-operator', '--skip-install', ...flags));
    installRuntime(project.root);
    await expectDone(project.run('api', '--group', 'example.com', '--version', 'v1', '--kind', 'Widget'));
    return project;
  }

  run(...argv: string[]): Promise<Run> {
    return run(this.root, ...argv);
  }

  path(path: string): string {
    return join(this.root, path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  edit(path: string, change: (text: string) => string): void {
    writeFileSync(this.path(path), change(this.read(path)));
  }

  /** A module of the project, as its own build makes it. */
  async import(path: string): Promise<unknown> {
    const output = this.path(`dist/${path.replaceAll('/', '-')}.mjs`);
    await build({
      entryPoints: [this.path(path)],
      outfile: output,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    });
    return await import(output);
  }

  remove(): void {
    rmSync(join(this.root, '..'), { recursive: true, force: true });
  }
}

/** Gives a folder operator-runtime as its sources are, and the types of Node. */
export function installRuntime(project: string): void {
  const modules = join(project, 'node_modules');
  const folder = join(modules, 'operator-runtime');
  mkdirSync(folder, { recursive: true });
  symlinkSync(runtime, join(folder, 'src'), 'junction');
  symlinkSync(join(repository, 'node_modules/@types'), join(modules, '@types'), 'junction');
  const { version } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8')) as { version: string };
  const exports = {
    '.': './src/index.ts',
    './package.json': './package.json',
    './apis/*': './src/apis/*.ts',
    './*': './src/*/index.ts',
  };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'operator-runtime', version, type: 'module', exports }),
  );
}

async function run(folder: string, ...argv: string[]): Promise<Run> {
  const { io, printed } = recordingIo(folder);
  const code = await main(argv, io);
  return { code, ...printed };
}

async function expectDone(running: Promise<Run>): Promise<void> {
  const { code, stdout, stderr } = await running;
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout}${stderr}`);
}
