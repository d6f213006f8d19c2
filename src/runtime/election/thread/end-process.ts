import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import type { Environment } from '../../environment/environment.ts';

/** What a process that SIGKILL ended is said to have exited with. */
const killed = 137;
/** How long the kernel may take to end the process, in milliseconds. */
const killTime = 200;

/**
 * Ends the process from another thread, though the main thread is busy: by SIGKILL, which needs nobody's help. The kernel keeps signals
 * of its own away from the first process of a container, though; that one is ended by interrupting its main thread, as a debugger does.
 * `line` is the last line of the log.
 */
export function endProcess(line: Readonly<Record<string, unknown>>, { clock }: Environment): void {
  try {
    // Past the logger, which is the main thread's.
    writeSync(2, `${JSON.stringify({ level: 'error', time: new Date(clock.wall()).toISOString(), ...line })}\n`);
  } catch {
    // Nobody reads the log: no reason to stay.
  }
  process.kill(process.pid, 'SIGKILL');
  clock.setTimer(() => {
    const session = new Session();
    session.connectToMainThread();
    session.post('Runtime.evaluate', { expression: `process.reallyExit(${killed})` });
  }, killTime);
}
