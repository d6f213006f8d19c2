import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { isGlob, toPattern } from '../../project/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { Plan } from './plan.ts';

/** How long sources must rest before a run: editors and version control write many files at once; ms. */
const quiet = 100;

/** Runs once, and again whenever a TypeScript file below the patterns' folders changes, until the user ends it. */
export async function watchSources(plan: Plan, io: Io, run: () => Promise<ExitCode>): Promise<ExitCode> {
  let running = false;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  const runAndReport = async (): Promise<void> => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        await run();
      } while (again);
    } finally {
      running = false;
    }
  };

  const failure = Promise.withResolvers<never>();
  const start = (): void => {
    timer = undefined;
    runAndReport().catch(failure.reject);
  };
  const watchers = new FolderWatchers(plan, failure.reject, () => {
    clearTimeout(timer);
    timer = setTimeout(start, quiet);
  });
  try {
    await runAndReport();
    watchers.update();
    io.stderr.write('watching; end with Ctrl-C\n');
    await Promise.race([io.interrupted(), failure.promise]);
    return exitCode.done;
  } finally {
    clearTimeout(timer);
    watchers.close();
  }
}

/**
 * Watches each folder for itself: Node's recursive watch loses files on Linux that an editor has replaced. Folders that come and go
 * are followed.
 */
class FolderWatchers {
  readonly #plan: Plan;
  readonly #fail: (error: Error) => void;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(plan: Plan, fail: (error: Error) => void, changed: () => void) {
    this.#plan = plan;
    this.#fail = fail;
    this.#changed = changed;
  }

  update(): void {
    const folders = new Set(watchedFolders(this.#plan).flatMap(foldersBelow));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #watch(folder: string): void {
    const watcher = watch(folder, (event, name) => {
      // A name without an ending may be a folder that came or went with sources in it.
      const isFolder = name !== null && !name.includes('.');
      if (event === 'rename' && (name === null || isFolder)) this.update();
      if (name === null || isFolder || /\.[cm]?tsx?$/.test(name)) this.#changed();
    });
    watcher.on('error', (error) => {
      // Windows reports the end of a watched folder so.
      if (existsSync(folder)) this.#fail(error);
    });
    this.#watchers.set(folder, watcher);
  }
}

function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...below.flatMap((entry) => foldersBelow(join(folder, entry.name)))];
}

/** The folders that hold all that the patterns may match: their parts before the first sign of a glob, as far as they exist. */
function watchedFolders(plan: Plan): string[] {
  const folders = plan.globs.map((glob) => {
    const parts = toPattern(glob, plan.root).split('/');
    const first = parts.findIndex(isGlob);
    let folder = (first === -1 ? parts.slice(0, -1) : parts.slice(0, first)).join('/') || '/';
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return folder;
  });
  const unique = [...new Set(folders)].sort();
  return unique.filter((folder) => !unique.some((other) => other !== folder && folder.startsWith(join(other, '/'))));
}
