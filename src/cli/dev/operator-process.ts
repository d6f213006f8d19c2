import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How long the operator may take to stop before it is killed; ms. Its manager waits 30 s for reconciles by default. */
const patience = 35_000;

export interface ProcessOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Each line of its output, without the line end. */
  readonly line: (line: string) => void;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that runs with this Node.js; it ends when it likes, or when `stop` is called. */
export class NodeProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended and all of its output was seen. */
  readonly ended: Promise<Ending>;

  constructor(args: readonly string[], options: ProcessOptions) {
    this.#child = spawn(process.execPath, args, {
      cwd: options.folder,
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in the terminal goes to the whole group: the operator is stopped by us, in order.
      detached: process.platform !== 'win32',
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', options.line);
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
    // Whoever waits sees the failure; nobody waiting is no reason to end this process.
    this.ended.catch(() => {});
  }

  /** Asks it to end, and kills it when it does not. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), patience);
    try {
      await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }
}
