// A project with kinds of both scopes, bundled as its own build does it: from the sources of the tool and the built runtime.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../../src/cli/main.ts';
import { recordingIo } from '../../../src/cli/testing/io.ts';
import { root as repository, runChecked } from '../../../tools/repository.ts';

/** A scaffolded project that sees the repository's packages as if they were installed. */
export class LinkedProject {
  readonly folder: string;
  readonly root: string;

  private constructor(folder: string, root: string) {
    this.folder = folder;
    this.root = root;
  }

  /** `kinds` are the arguments of `create-operator api`, each beside the group `example.com` and the version `v1`. */
  static async create(name: string, kinds: readonly (readonly string[])[], ...init: string[]): Promise<LinkedProject> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-shipped-')));
    const project = new LinkedProject(folder, join(folder, name));
    await createOperator(folder, name, '--skip-install', ...init);
    const modules = join(project.root, 'node_modules');
    mkdirSync(modules);
    symlinkSync(join(repository, 'src/runtime'), join(modules, 'operator-runtime'), 'junction');
    for (const name of ['@types', 'esbuild', 'typescript', 'vitest']) {
      symlinkSync(join(repository, 'node_modules', name), join(modules, name), 'junction');
    }
    for (const kind of kinds) await project.run('api', '--group', 'example.com', '--version', 'v1', ...kind);
    return project;
  }

  /** Runs a command that must succeed. */
  run(...argv: string[]): Promise<string> {
    return createOperator(this.root, ...argv);
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  async bundle(): Promise<void> {
    await runChecked(process.execPath, ['esbuild.config.mjs'], { cwd: this.root });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function createOperator(folder: string, ...argv: string[]): Promise<string> {
  const { io, printed } = recordingIo(folder);
  const code = await main(argv, io);
  if (code !== 0) throw new Error(`create-operator ${argv.join(' ')}: ${code}\n${printed.stdout}${printed.stderr}`);
  return printed.stdout;
}
