import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePrivateFile } from '../../output/private-file.ts';
import { nearest } from '../../project/settings.ts';
import { readProject } from '../../testing/project.ts';
import { ManifestError, startTestEnvironment, StateError, type TestEnvironment } from '../../testing/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { FolderWatchers } from '../folder-watchers.ts';
import { runGenerate } from '../generate/run.ts';
import type { Io } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { StateFile } from '../state-file.ts';
import { UsageError } from '../usage-error.ts';
import type { DevFlags } from './flags.ts';
import { readableLogLine } from './log-line.ts';
import { NodeProcess } from './operator-process.ts';
import { watchedNamespace } from './watched-namespace.ts';

/** How long sources must rest before a run; ms. */
const quiet = 100;
const bundle = 'dist/main.js';
const bundler = 'esbuild.config.mjs';

/** `create-operator dev`: embedded API server and operator, again after each change, until Ctrl-C or SIGTERM. */
export async function runDev(flags: DevFlags, io: Io): Promise<ExitCode> {
  const root = nearest(io.folder, 'operator.json');
  if (root === undefined) {
    throw new UsageError(
      'this is no project: there is no operator.json here or above',
      'create one first: npx create-operator my-operator',
    );
  }
  if (!existsSync(join(root, bundler))) {
    throw new UsageError(`${bundler} is missing: dev bundles the operator with it`, 'take it from a new project');
  }
  if (!existsSync(join(root, 'src'))) {
    throw new UsageError('src is missing: dev runs the operator from it', 'take it from your version control');
  }
  const interrupted = io.interrupted();
  const state = flags.state === undefined ? undefined : new StateFile(flags.state, io);
  const environment = await startEnvironment(root, flags, state);
  const session = new Session(root, environment, io);
  try {
    state?.keep(() => environment.server?.snapshot() ?? '');
    const file = await kubeconfigFile(environment, flags, io);
    io.stdout.write(`API server ready on ${environment.url}\n  export KUBECONFIG=${shellWord(file)}\n`);
    await session.watch(interrupted);
    return exitCode.done;
  } finally {
    await session.stop();
    state?.close();
    await environment.stop();
  }
}

async function startEnvironment(root: string, flags: DevFlags, state: StateFile | undefined): Promise<TestEnvironment> {
  try {
    return await startTestEnvironment({
      project: root,
      assets: '',
      server: {
        workloads: flags.workloads === true,
        adminEndpoint: flags.adminEndpoint === true,
        ...(state?.text !== undefined && { state: state.text }),
        onChange: () => state?.changed(),
      },
    });
  } catch (error) {
    if (error instanceof ManifestError) {
      throw new UsageError(
        `the API server cannot start with this project: ${error.message}`,
        'mend it, or take it from your version control; create-operator generate writes its own files anew',
      );
    }
    throw state !== undefined && error instanceof StateError ? state.unusable(error) : error;
  }
}

async function kubeconfigFile(environment: TestEnvironment, flags: DevFlags, io: Io): Promise<string> {
  if (flags.kubeconfig === undefined) return environment.kubeconfigFile();
  const file = resolve(io.folder, flags.kubeconfig);
  writePrivateFile(file, environment.kubeconfig());
  return file;
}

/** Turns changes of the sources into a running operator. */
class Session {
  readonly #root: string;
  readonly #environment: TestEnvironment;
  readonly #io: Io;
  #operator: NodeProcess | undefined;
  /** What the sources looked like when they were last built. */
  #built = '';
  #ending = false;

  constructor(root: string, environment: TestEnvironment, io: Io) {
    this.#root = root;
    this.#environment = environment;
    this.#io = io;
  }

  /** Builds and runs, and again after each change, until `interrupted` resolves. */
  async watch(interrupted: Promise<void>): Promise<void> {
    let changed = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    const failure = Promise.withResolvers<never>();
    const sources = join(this.#root, 'src');
    const watchers = new FolderWatchers(
      () => [sources],
      /\.([cm]?tsx?|json)$/,
      failure.reject,
      () => {
        clearTimeout(timer);
        timer = setTimeout(() => changed.resolve(), quiet);
      },
    );
    const end = this.#noteEnd(interrupted);
    try {
      watchers.update();
      while (!this.#ending) {
        changed = Promise.withResolvers();
        const state = fingerprint(sources);
        // Our own outputs among the sources wake the watchers, too.
        if (state !== this.#built) await this.#run(sources);
        if (!this.#ending) await Promise.race([changed.promise, end, failure.promise]);
      }
    } finally {
      clearTimeout(timer);
      watchers.close();
    }
  }

  async stop(): Promise<void> {
    await this.#operator?.stop();
  }

  async #noteEnd(interrupted: Promise<void>): Promise<void> {
    await interrupted;
    this.#ending = true;
  }

  async #run(sources: string): Promise<void> {
    const generated = await runGenerate({ format: 'text' }, { ...this.#io, folder: this.#root });
    this.#built = fingerprint(sources);
    if (generated !== exitCode.done) return this.#waiting('mend it');
    try {
      const { manifests } = await readProject(this.#root);
      await this.#environment.install(...manifests);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      this.#io.stderr.write(`error: ${error.message}\n`);
      return this.#waiting('mend it');
    }
    const build = new NodeProcess(
      [bundler],
      this.#processOptions((line) => line),
    );
    const { code } = await build.ended;
    if (code !== 0) return this.#waiting('mend it');
    await this.#operator?.stop();
    if (!this.#ending) await this.#start();
  }

  async #start(): Promise<void> {
    const kubeconfig = await this.#environment.kubeconfigFile(this.#environment.operatorUser);
    const flags = ['--kubeconfig', kubeconfig, '--health-probe-bind-address', '0'];
    const options = this.#processOptions(readableLogLine);
    const operator = new NodeProcess(['--enable-source-maps', bundle, ...flags], {
      ...options,
      environment: { ...options.environment, ...watchedNamespace(this.#root, options.environment) },
    });
    this.#operator = operator;
    this.#io.stdout.write('Operator started; Ctrl-C ends it and the API server\n');
    void this.#reportEnd(operator);
  }

  /** Says when the operator ends by itself; never rejects. */
  async #reportEnd(operator: NodeProcess): Promise<void> {
    try {
      const { code, signal } = await operator.ended;
      if (this.#ending || this.#operator !== operator || code === 0) return;
      this.#io.stderr.write(`The operator ended with ${signal ?? `code ${code}`}; it starts again after a change\n`);
    } catch (error) {
      this.#io.stderr.write(`error: the operator cannot be started: ${String(error)}\n`);
    }
  }

  #processOptions(readable: (line: string) => string) {
    return {
      folder: this.#root,
      environment: this.#io.environment,
      line: (line: string): void => this.#io.stdout.write(`${readable(line)}\n`),
    };
  }

  #waiting(what: string): void {
    this.#io.stderr.write(
      `Waiting for a change: ${what}${this.#operator === undefined ? '' : '; the old operator goes on'}\n`,
    );
  }
}

/** A text that changes when a file comes, goes or is written. */
function fingerprint(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
      return `${path} ${mtimeMs} ${size}`;
    })
    .sort()
    .join('\n');
}
