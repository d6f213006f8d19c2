import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../../tools/repository.ts';

/** One line of the example's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The example operator as a process of its own. */
export interface Example {
  readonly log: readonly LogLine[];
  readonly running: boolean;
  readonly pid: number;
  /**
   * Stops its execution between two turns of its event loop, until SIGCONT. (Between a look at the fence and the system call that sends a
   * write lie a few microseconds in which no program can know that it was stopped; what is sent then is as good as on the wire already.)
   */
  pause(): Promise<void>;
  /** Sends a signal; resolves with the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const examples = new Set<Example>();

/** Starts it in one namespace, so that tests do not see each other's objects. */
export function startExample(namespace: string, args: readonly string[]): Example {
  const child = spawn(process.execPath, [join(root, 'tools', 'example.ts'), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      WATCH_NAMESPACE: namespace,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
    },
  });
  const log: LogLine[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { text: line });
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      examples.delete(example);
      resolve(code ?? signal ?? 1);
    });
  });
  const example: Example = {
    log,
    pid: child.pid ?? 0,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    async pause() {
      await eventually('it stops while it waits for events', async () => {
        child.kill('SIGSTOP');
        if (await stopsInWait(example.pid)) return true;
        child.kill('SIGCONT');
        return false;
      });
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
  examples.add(example);
  return example;
}

/** Numbers of `epoll_wait` and `epoll_pwait`. */
const waitingCalls: Readonly<Record<string, readonly string[]>> = { x64: ['232', '281'], arm64: ['22'] };

/** Of a process that was sent SIGSTOP, when it has stopped: whether its main thread was waiting for events. True where that cannot be seen. */
async function stopsInWait(pid: number): Promise<boolean> {
  const waiting = process.platform === 'linux' ? waitingCalls[process.arch] : undefined;
  if (waiting === undefined) return true;
  await eventually('the process stops', () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
  const [call = ''] = readFileSync(`/proc/${pid}/syscall`, 'utf8').split(' ');
  return waiting.includes(call);
}

/** Kills what a failed test left running. */
export async function killExamples(): Promise<void> {
  await Promise.all([...examples].map((example) => example.end('SIGKILL')));
}

/** Polls until the function gives something other than undefined or false; its own errors count as "not yet". */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limit = 30_000,
): Promise<T> {
  const deadline = performance.now() + limit;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) {
        return found;
      }
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${limit} ms: ${what}`, { cause: last });
    }
    await wait(50);
  }
}

/** The ids of the resources of a kind in the cloud. */
export function cloudIds(cloud: string, kind: string): string[] {
  try {
    return readdirSync(join(cloud, kind))
      .map((file) => file.replace(/\.json$/, ''))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return [];
    }
    throw error;
  }
}

export interface CloudFile {
  readonly id: string;
  readonly token: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export function cloudFile(cloud: string, kind: string, id: string): CloudFile {
  return JSON.parse(readFileSync(join(cloud, kind, `${id}.json`), 'utf8')) as CloudFile;
}
