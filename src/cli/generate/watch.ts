import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderOfPattern, toPattern } from '../../project/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { FolderWatchers } from '../folder-watchers.ts';
import type { Io } from '../io.ts';
import type { Plan } from './plan.ts';

/**
 * How long sources must rest before a run: editors write a file in several steps, ms. Where version control writes many files, it may
 * run more than once: each run after the first reads only what changed.
 */
const quiet = 20;

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
  const watchers = new FolderWatchers(
    () => watchedFolders(plan),
    /\.[cm]?tsx?$/,
    failure.reject,
    () => {
      clearTimeout(timer);
      timer = setTimeout(start, quiet);
    },
  );
  try {
    // Before the first run, so that what is edited during it is seen; again after it, which may have made folders.
    watchers.update();
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

/** The folders that hold all that the patterns may match: their parts before the first sign of a glob, as far as they exist. */
function watchedFolders(plan: Plan): string[] {
  const folders = plan.globs.map((glob) => {
    let folder = folderOfPattern(toPattern(glob, plan.root));
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return folder;
  });
  const unique = [...new Set(folders)].sort();
  return unique.filter((folder) => !unique.some((other) => other !== folder && folder.startsWith(join(other, '/'))));
}
