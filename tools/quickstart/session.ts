// What one run of the quickstart owns: a temporary folder and the programs that it starts. Nothing of it outlives `close`.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from '../repository.ts';

export interface ProgramOptions {
  /** Default: the session's folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface BackgroundOptions extends ProgramOptions {
  /** Each line that the program prints. */
  readonly line: (line: string) => void;
}

/** A program that runs beside the quickstart. */
export interface Background {
  /** How it ended, in words: `exit code 1`. */
  readonly ended: Promise<string>;
  /** Ends it in order, and for certain after ten seconds. */
  stop(): Promise<void>;
}

/** How long a program may take to end when it is asked to; ms. */
const patience = 10_000;

export class Session {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-operator-quickstart-')));
  readonly signal: AbortSignal;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #running = new Set<Background>();
  readonly #closing: (() => Promise<void>)[] = [];

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.#environment = {
      ...process.env,
      // npm's own news would only be in the way, and kubectl keeps what it learnt of a server that is soon gone.
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      KUBECACHEDIR: join(this.folder, 'kubectl-cache'),
    };
  }

  /** Runs a program to its end and returns all that it printed. A code other than `expected` is a CommandError. */
  async run(command: string, args: readonly string[], options: ProgramOptions = {}, expected = 0): Promise<string> {
    let output = '';
    let code: number | undefined;
    const program = this.#spawn(command, args, options, (child) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
      }
      child.once('close', (exit) => (code = exit ?? 1));
    });
    const abort = (): void => void program.stop();
    this.signal.addEventListener('abort', abort, { once: true });
    const ending = await program.ended;
    this.signal.removeEventListener('abort', abort);
    this.signal.throwIfAborted();
    if (code === expected) return output;
    const shown = [command, ...args].join(' ');
    if (code === undefined) throw new Error(`${shown}: ${ending}`);
    throw new CommandError(shown, { code, stdout: output, stderr: '' });
  }

  /** Starts a program that runs until it is stopped. */
  start(command: string, args: readonly string[], options: BackgroundOptions): Background {
    return this.#spawn(command, args, options, (child) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream !== null) createInterface({ input: stream }).on('line', options.line);
      }
    });
  }

  /** Does something when the session is closed, after its programs were stopped. */
  defer(action: () => Promise<void>): void {
    this.#closing.push(action);
  }

  /** Stops everything, the last first, and removes the folder. */
  async close(): Promise<void> {
    for (const program of [...this.#running].reverse()) await program.stop();
    for (const action of this.#closing.splice(0).reverse()) await action();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #spawn(
    command: string,
    args: readonly string[],
    options: ProgramOptions,
    attach: (child: ChildProcess) => void,
  ): Background {
    this.signal.throwIfAborted();
    const grouped = process.platform !== 'win32';
    const child = spawn(command, args, {
      cwd: options.cwd ?? this.folder,
      env: { ...this.#environment, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C reaches us alone, and what npm starts is stopped together with npm.
      detached: grouped,
      shell: !grouped,
    });
    const kill = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        if (grouped) process.kill(-child.pid, signal);
        else child.kill(signal);
      } catch (error) {
        // The group is gone already.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    };
    attach(child);
    // Output ends when the last process of the group has ended, not only the first.
    const ended = new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    });
    const program: Background = {
      ended,
      stop: async () => {
        kill('SIGTERM');
        const timer = setTimeout(() => kill('SIGKILL'), patience);
        await ended;
        clearTimeout(timer);
      },
    };
    this.#running.add(program);
    child.once('close', () => this.#running.delete(program));
    return program;
  }
}

/** Asks again until there is an answer. */
export async function eventually<T>(
  what: string,
  signal: AbortSignal,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within 30 seconds`);
    await wait(50);
  }
}
