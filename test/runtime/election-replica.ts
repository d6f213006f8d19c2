import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { eventually } from './example-process.ts';

/** The program of `election-program.ts` as a process. */
export interface Replica {
  readonly name: string;
  /** What it has told so far. */
  readonly told: readonly string[];
  /** Its lines on standard error. */
  readonly log: readonly string[];
  readonly running: boolean;
  /** Waits until it has told this so many times. */
  tells(event: string, times?: number): Promise<void>;
  /** Has it do something; see the program. */
  ask(line: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const replicas = new Set<Replica>();

/** Starts a command with the settings as its last argument. */
export function startReplica(
  name: string,
  command: readonly string[],
  settings: Readonly<Record<string, unknown>>,
  cwd: string,
): Replica {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, JSON.stringify({ ...settings, identity: name })], { cwd });
  const told: string[] = [];
  const log: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => told.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  // A process that is gone takes no more lines.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      replicas.delete(replica);
      resolve(code ?? signal ?? 1);
    });
  });
  const replica: Replica = {
    name,
    told,
    log,
    ended,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    async tells(event, times = 1) {
      try {
        await eventually(event, () => told.filter((line) => line === event).length >= times, 60_000);
      } catch (error) {
        throw new Error(
          `${name} has told ${told.join(', ')}, not ${event}; the end of its log:\n${log.slice(-3).join('\n')}`,
          {
            cause: error,
          },
        );
      }
    },
    ask(line) {
      child.stdin.write(`${line}\n`);
    },
    signal(signal) {
      child.kill(signal);
    },
  };
  replicas.add(replica);
  return replica;
}

/** Kills what a test left running. */
export async function killReplicas(): Promise<void> {
  await Promise.all(
    [...replicas].map((replica) => {
      replica.signal('SIGKILL');
      return replica.ended;
    }),
  );
}
