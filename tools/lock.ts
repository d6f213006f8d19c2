import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Does something while no other process does it under the same lock. The lock is a file that holds its owner's process
 * id; that of a process that is gone counts for nothing. (Two that find such a lock at the same moment may both go on:
 * the actions here write whole files and rename them, so the lock saves work but nothing depends on it.)
 * @param waiting is told once when another process has the lock
 */
export async function withLock<T>(
  file: string,
  waiting: (owner: number) => void,
  action: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  for (let told = false; !(await take(file));) {
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner > 0 && !isRunning(owner)) {
      await rm(file, { force: true });
      continue;
    }
    // An owner of 0: the file is gone by now, or its owner is about to write its id.
    if (!told && owner > 0) {
      waiting(owner);
      told = true;
    }
    await wait(100);
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
