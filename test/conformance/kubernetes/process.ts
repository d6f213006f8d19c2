import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const supervisor = fileURLToPath(new URL('supervise.ts', import.meta.url));

/** A program that runs in the background and cannot outlive this process. */
export interface BackgroundProcess {
  readonly name: string;
  /** False once the program has ended, by itself or by `kill`. */
  readonly running: boolean;
  /** The last lines that it wrote. */
  readonly lastOutput: () => string;
  /** Kills it and resolves once it is gone. */
  readonly kill: () => Promise<void>;
}

/**
 * Starts a program with its output going to a file.
 * @param remove a folder that is deleted after the program was killed, even when this process is gone by then
 */
export function startProcess(
  name: string,
  program: string,
  args: readonly string[],
  logFile: string,
  remove = '',
): BackgroundProcess {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(process.execPath, [supervisor, remove, program, ...args], {
    // A group of its own: Ctrl-C in the terminal reaches this process, which then stops what it has started in order.
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  let running = true;
  const gone = new Promise<void>((resolve) => {
    const ended = (): void => {
      running = false;
      resolve();
    };
    child.once('exit', ended).once('error', ended);
  });
  child.stdin?.on('error', () => {
    // The supervisor is gone; `exit` says so.
  });
  return {
    name,
    get running() {
      return running;
    },
    lastOutput: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
    kill: async () => {
      child.stdin?.end();
      await gone;
    },
  };
}

/** A number of loopback TCP ports that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const server = createServer().once('error', reject).listen(0, '127.0.0.1', resolve);
      await promise;
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
