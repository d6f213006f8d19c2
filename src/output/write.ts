import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { asOutputError, compareOutput, hasCode, readText, realFolder, walk } from './compare.ts';
import type { KnownFiles } from './known-files.ts';
import { lockFolders } from './lock.ts';
import { type Difference, OutputError, type OutputSet } from './output-set.ts';

/** What a run did; paths as in the set. */
export interface WriteSummary {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/** The two steps of a write that a test makes fail. */
export interface Disk {
  /** Writes a new file, which is whole when this returns. What a machine that fails takes with it, the next run writes again. */
  readonly writeFile: (path: string, content: string, mode: number) => void;
  readonly rename: (from: string, to: string) => void;
}

const temporary = /^\.(.*\.create-operator-(tmp|old)|create-operator-lock-[0-9a-f]+)$/;

/**
 * Makes the folders hold exactly the files of the set. What is right already is not touched. All new contents are written beside
 * their targets first, and only then renamed over them; when anything fails, all is put back. Concurrent runs wait for each other.
 *
 * @throws OutputError; the folders are then as they were.
 */
export async function writeOutput(set: OutputSet, disk: Disk = nodeDisk, known?: KnownFiles): Promise<WriteSummary> {
  if (compareOutput(set, known).length === 0 && leftovers(set).length === 0) {
    return { written: [], removed: [], unchanged: set.files.length };
  }
  const created = createFolders(set);
  try {
    const locked = set.folders.map(({ path }) => resolve(set.root, path)).filter((path) => existsSync(path));
    const release = await lockFolders(locked.map(realFolder));
    try {
      // Whoever holds the lock is alone: temporary files are what killed runs left.
      for (const path of leftovers(set)) rmSync(path, { force: true });
      checkBasis(set);
      const differences = compareOutput(set, known);
      apply(set, differences, created, disk);
      for (const difference of differences) {
        if (difference.state !== 'stale') known?.remember(resolve(set.root, difference.path), difference.expected);
      }
      removeEmptyFolders(set);
      const removed = differences.filter(({ state }) => state === 'stale').map(({ path }) => path);
      const written = differences.filter(({ state }) => state !== 'stale').map(({ path }) => path);
      return { written, removed, unchanged: set.files.length - written.length };
    } finally {
      release();
    }
  } catch (error) {
    removeFolders(created);
    throw error;
  }
}

function checkBasis({ root, basis = new Map() }: OutputSet): void {
  for (const [path, content] of basis) {
    if (readText(resolve(root, path), path) === content) continue;
    throw new OutputError(path, 'another program has changed it meanwhile; run the command again');
  }
}

/** A target, the new content beside it (none for a stale file) and a second name of the old content (none for a new file). */
interface Step {
  readonly path: string;
  readonly target: string;
  readonly next: string | undefined;
  readonly old: string | undefined;
}

function apply(set: OutputSet, differences: readonly Difference[], created: string[], disk: Disk): void {
  const temporaries: string[] = [];
  const done: Step[] = [];
  try {
    const steps = differences.map((difference) =>
      attempt(difference.path, () =>
        prepare(resolve(set.root, difference.path), difference, { temporaries, created, disk }),
      ),
    );
    for (const step of steps) {
      attempt(step.path, () => {
        if (step.next === undefined) rmSync(step.target);
        else disk.rename(step.next, step.target);
      });
      done.push(step);
    }
  } catch (error) {
    for (const { target, old } of done.toReversed()) {
      if (old === undefined) rmSync(target, { force: true });
      else renameSync(old, target);
    }
    throw error;
  } finally {
    for (const path of temporaries) rmSync(path, { force: true });
  }
}

interface Preparation {
  readonly temporaries: string[];
  readonly created: string[];
  readonly disk: Disk;
}

function prepare(target: string, difference: Difference, { temporaries, created, disk }: Preparation): Step {
  const temporaryFile = (purpose: 'tmp' | 'old'): string => {
    const path = join(
      dirname(target),
      `.${basename(target)}.${randomBytes(6).toString('hex')}.create-operator-${purpose}`,
    );
    temporaries.push(path);
    return path;
  };
  createFolder(dirname(target), created);
  const before = lstatSync(target, { throwIfNoEntry: false });
  if (before?.isDirectory() === true) throw new OutputError(difference.path, 'a folder stands in the way');
  // Renaming would replace a read-only file without asking.
  if (before?.isFile() === true) accessSync(target, constants.W_OK);
  const old = before === undefined ? undefined : temporaryFile('old');
  if (old !== undefined) giveSecondName(target, old);
  if (difference.state === 'stale') return { path: difference.path, target, next: undefined, old };
  const next = temporaryFile('tmp');
  disk.writeFile(next, difference.expected, before?.isFile() === true ? before.mode & 0o777 : 0o666);
  return { path: difference.path, target, next, old };
}

/** Gives a file a second name, so that it can be put back; a copy where the file system has no links. */
function giveSecondName(target: string, old: string): void {
  try {
    linkSync(target, old);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'].some((code) => hasCode(error, code)))
      throw error;
    copyFileSync(target, old);
  }
}

/** The temporary files that stand in the folders. */
function leftovers(set: OutputSet): string[] {
  return set.folders.flatMap((folder) =>
    walk(resolve(set.root, folder.path), folder.depth, true).filter((path) => temporary.test(basename(path))),
  );
}

/** Creates the folders of the set that will hold files; gives those that were not there, the outermost first. */
function createFolders(set: OutputSet): string[] {
  const created: string[] = [];
  try {
    for (const { path } of set.folders) {
      const prefix = posix.normalize(`${path}/`);
      const filled = set.files.some((file) => prefix === './' || posix.normalize(file.path).startsWith(prefix));
      if (filled) attempt(path, () => createFolder(resolve(set.root, path), created));
    }
  } catch (error) {
    removeFolders(created);
    throw error;
  }
  return created;
}

/**
 * Creates a folder and those above it that are not there; notes each in `created`, the outermost first. Not by `recursive` of
 * Node.js, which never returns where a file system refuses folders with ENOENT (`/proc`), and says the same of a read-only one.
 */
function createFolder(folder: string, created: string[]): void {
  const missing: string[] = [];
  for (let path = folder; !isThere(path) && path !== dirname(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    try {
      mkdirSync(path);
      created.push(path);
    } catch (error) {
      // Another run was faster. What is there and leads nowhere is a symbolic link.
      if (!hasCode(error, 'EEXIST')) throw error;
      if (!isThere(path)) throw new OutputError(path, 'a symbolic link that leads nowhere stands in the way');
    }
  }
}

/** Removes the folders that the removed files have left empty, up to the root. */
function removeEmptyFolders({ root, removals = [] }: OutputSet): void {
  for (const path of removals) {
    for (let folder = posix.dirname(path); folder !== '.' && folder !== '/'; folder = posix.dirname(folder)) {
      try {
        rmdirSync(resolve(root, folder));
      } catch (error) {
        // One that holds something stays; an empty one that cannot be removed does no harm.
        if (!(error instanceof Error) || !('code' in error)) throw error;
        break;
      }
    }
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Removes folders that a failed run made, unless something stands in them by now. */
function removeFolders(created: readonly string[]): void {
  for (const path of created.toReversed()) {
    try {
      rmdirSync(path);
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'ENOENT')) throw error;
    }
  }
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asOutputError(path, error);
  }
}

const nodeDisk: Disk = {
  writeFile(path, content, mode) {
    const file = openSync(path, 'wx', mode);
    try {
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
  },
  rename: renameSync,
};
