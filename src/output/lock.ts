import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asOutputError, hasCode } from './compare.ts';
import { OutputError } from './output-set.ts';

const lockName = '.create-operator-lock';

/** How long to wait for another run, and after what time the lock of a run on another machine counts as left behind; ms. */
const patience = 30_000;
const pause = 15;

/**
 * Holds a lock in each of the folders, taken in the order of their names, so that two runs never mix their files. The lock of a
 * process that is gone is taken over.
 *
 * @returns a function that frees the locks.
 * @throws OutputError when another run holds one for half a minute.
 */
export async function lockFolders(folders: readonly string[]): Promise<() => void> {
  const held: string[] = [];
  const release = (): void => {
    for (const lock of held) rmSync(lock, { force: true });
  };
  try {
    for (const folder of [...new Set(folders)].sort()) {
      const lock = join(folder, lockName);
      await take(lock, folder);
      held.push(lock);
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

async function take(lock: string, folder: string): Promise<void> {
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), run: randomBytes(6).toString('hex') });
  for (let waited = 0; ; waited += pause) {
    try {
      create(lock, owner);
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw asOutputError(folder, error);
    }
    if (waited > patience) throw new OutputError(folder, `another run holds ${lockName}`);
    const left = leftBehind(lock);
    if (left === undefined) await delay(pause);
    else takeAway(lock, left);
  }
}

/** Creates a file that is not there, whole or not at all: a full disk takes an empty one. */
function create(path: string, content: string): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** What stands in a lock that nobody holds any more; `undefined` for one that is held, or gone. */
function leftBehind(lock: string): string | undefined {
  let text: string;
  let owner: { pid?: unknown; host?: unknown };
  try {
    text = readFileSync(lock, 'utf8');
    if (Date.now() - statSync(lock).mtimeMs > patience) return text;
    owner = JSON.parse(text) as typeof owner;
  } catch (error) {
    // Gone by now, or being written: look again.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw asOutputError(lock, error);
  }
  if (owner.host !== hostname() || typeof owner.pid !== 'number') return undefined;
  try {
    process.kill(owner.pid, 0);
    return undefined;
  } catch (error) {
    return hasCode(error, 'ESRCH') ? text : undefined;
  }
}

/** Removes a lock that was left behind; one that another run has taken in the meantime goes back. */
function takeAway(lock: string, left: string): void {
  const aside = `${lock}-${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, aside);
    if (readFileSync(aside, 'utf8') !== left) linkSync(aside, lock);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw asOutputError(lock, error);
  } finally {
    rmSync(aside, { force: true });
  }
}
