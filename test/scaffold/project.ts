// A project that is scaffolded from the packed tarballs, as a user would, with those in place of the registry's packages.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as testing from '../../src/testing/index.ts';
import { pack } from '../../tools/pack.ts';
import { run, runChecked, type RunResult } from '../../tools/repository.ts';

/** npm from here must not see what the test run's own npm has set, and need not tell of news. */
const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };

export interface Packages {
  /** A temporary folder for whatever a test makes. */
  readonly folder: string;
  /** The absolute paths of both tarballs. */
  readonly tarballs: readonly string[];
  /** What `npx create-operator` starts: the installed tarball's program. */
  readonly createOperator: string;
  readonly remove: () => void;
}

/** Packs both packages and installs the tool alone, as npx does. */
export async function packages(): Promise<Packages> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-scaffold-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const tarballs = await pack(join(folder, 'tarballs'));
    const tool = tarballs.find(({ name }) => name === 'create-operator')?.path ?? '';
    const npx = join(folder, 'npx');
    await runChecked('npm', ['install', '--prefer-offline', '--no-save', '--prefix', npx, tool], {
      cwd: folder,
      env: quiet,
    });
    const createOperator = join(npx, 'node_modules', '.bin', 'create-operator');
    return { folder, tarballs: tarballs.map(({ path }) => path), createOperator, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A scaffolded project with its dependencies installed. */
export class ScaffoldedProject {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async create({ folder, tarballs, createOperator }: Packages, name: string): Promise<ScaffoldedProject> {
    await runChecked(createOperator, [name, '--skip-install'], { cwd: folder });
    const project = new ScaffoldedProject(join(folder, name));
    await runChecked('npm', ['install', '--prefer-offline', ...tarballs], { cwd: project.root, env: quiet });
    return project;
  }

  /** The project's own `create-operator`. */
  get program(): string {
    return join(this.root, 'node_modules', '.bin', 'create-operator');
  }

  createOperator(...args: string[]): Promise<RunResult> {
    return run(this.program, args, { cwd: this.root });
  }

  npm(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<RunResult> {
    return run('npm', args, { cwd: this.root, env: { ...quiet, NO_COLOR: '1', FORCE_COLOR: undefined, ...env } });
  }

  /** `create-operator/testing` as the project sees it. */
  async testing(): Promise<typeof testing> {
    const module = join(this.root, 'node_modules', 'create-operator', 'dist', 'testing', 'index.js');
    return (await import(pathToFileURL(module).href)) as typeof testing;
  }
}

const processes = new Set<Running>();

/** A program that runs until it is told to end. */
export class Running {
  readonly #child: ChildProcess;
  #output = '';
  readonly ended: Promise<number | NodeJS.Signals>;

  constructor(command: string, args: readonly string[], folder: string, env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    processes.add(this);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      // The output ends when all that the program has started has ended, too.
      this.#child.once('close', (code, signal) => {
        processes.delete(this);
        resolve(code ?? signal ?? 1);
      });
    });
  }

  /** The process that was started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** All that it has printed. */
  get output(): string {
    return this.#output;
  }

  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.ended;
  }
}

/** Ends what a failed test left running. */
export async function endAll(): Promise<void> {
  await Promise.all([...processes].map((program) => program.end('SIGTERM')));
}
