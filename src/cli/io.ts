import { isatty } from 'node:tty';
import { reportBrokenOutput } from './broken-output.ts';

/** A stream that a command prints to. */
export interface Output {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** All that a command knows of the process that it runs in. */
export interface Io {
  /** Absolute. */
  readonly folder: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All of the standard input as text; rejects when it is longer than `limit` bytes. */
  readonly readInput: (limit: number) => Promise<string>;
  /** Whether somebody can be asked: input and errors are a terminal, and this is no CI. */
  readonly isInteractive: boolean;
  /** Puts off the end that a signal brings until the function that it gives is called. */
  readonly holdSignals: () => () => void;
  /** Resolves when the user ends a command that runs until then. */
  readonly interrupted: () => Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The real thing. */
export function processIo(): Io {
  reportBrokenOutput();
  return {
    folder: process.cwd(),
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    environment: process.env,
    readInput,
    isInteractive: isatty(process.stdin.fd) && isatty(process.stderr.fd) && (process.env['CI'] ?? '') === '',
    holdSignals,
    interrupted: () =>
      new Promise((resolve) => {
        for (const signal of signals) process.once(signal, () => resolve());
        if (process.env['npm_lifecycle_event'] === undefined) return;
        // npm passes a signal on to its shell alone, which ends without telling us.
        const shell = process.ppid;
        setInterval(() => process.ppid === shell || resolve(), 200).unref();
      }),
  };
}

async function readInput(limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new RangeError(`the standard input is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function output(stream: NodeJS.WriteStream & { readonly fd: number }): Output {
  return { isTerminal: isatty(stream.fd), write: (text) => void stream.write(text) };
}

function holdSignals(): () => void {
  let seen: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals): void => {
    seen = signal;
  };
  for (const signal of signals) process.on(signal, note);
  return () => {
    for (const signal of signals) process.off(signal, note);
    if (seen !== undefined) process.kill(process.pid, seen);
  };
}

/** Whether to colour what goes to an output: in a terminal, unless `NO_COLOR` is set; `FORCE_COLOR` decides before that. */
export function hasColor({ environment }: Io, output: Output): boolean {
  const force = environment['FORCE_COLOR'];
  if (force !== undefined) return force !== '' && force !== '0' && force !== 'false';
  const none = environment['NO_COLOR'];
  return output.isTerminal && (none === undefined || none === '') && environment['TERM'] !== 'dumb';
}
