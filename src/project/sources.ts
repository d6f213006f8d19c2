import { closeSync, globSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { isGenerated } from '../model/index.ts';
import { isGlob, toPattern } from './paths.ts';
import { ProjectError } from './settings.ts';

/** The files that patterns name, absolute and sorted, and the patterns, resolved, that name none. */
export interface Sources {
  readonly files: readonly string[];
  readonly patterns: readonly string[];
  readonly unmatched: readonly string[];
  /** Files that patterns name and that do not count, since we generated them. */
  readonly generated: readonly string[];
}

const source = /(?<!\.d|\.test)\.[cm]?tsx?$/;

/**
 * Finds the sources that patterns name: files, folders (all TypeScript in them) or globs, with `/` or `\`. Never those below
 * `node_modules`, declarations (`.d.ts`), tests (`.test.ts`), or files that we generated: a stale one may not compile any more. A
 * file that has several names by symbolic links counts once.
 *
 * @throws ProjectError for a file that cannot be read.
 */
export function findSources(globs: readonly string[], folder: string): Sources {
  const patterns = globs.map((glob) => toPattern(glob, folder));
  const files = new Set<string>();
  const generated = new Set<string>();
  const unmatched: string[] = [];
  for (const pattern of patterns) {
    const found = filesOf(pattern).filter((file) => source.test(file));
    if (found.length === 0) unmatched.push(pattern);
    for (const file of found) (startsGenerated(file) ? generated : files).add(file);
  }
  return { files: withoutSecondNames([...files].sort()), patterns, unmatched, generated: [...generated].sort() };
}

/** The folder in which a pattern, as in {@link Sources.patterns}, looks for files; it may not exist. */
export function folderOfPattern(pattern: string): string {
  if (statSync(pattern, { throwIfNoEntry: false })?.isDirectory() === true) return pattern;
  const parts = pattern.split('/');
  const first = parts.findIndex(isGlob);
  return (first === -1 ? parts.slice(0, -1) : parts.slice(0, first)).join('/') || '/';
}

/** Of the names of one file the real one, else the first. */
function withoutSecondNames(files: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const file of files) {
    const real = realpathSync(file);
    if (file === real || !names.has(real)) names.set(real, file);
  }
  return [...names.values()].sort();
}

function filesOf(pattern: string): string[] {
  // A name with signs of a glob in it is still a name.
  const stats = statSync(pattern, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return [resolve(pattern)];
  if (stats === undefined && !isGlob(pattern)) return [];
  const base = stats === undefined ? undefined : resolve(pattern);
  const entries = globSync(base === undefined ? pattern : '**/*', {
    ...(base === undefined ? {} : { cwd: base }),
    withFileTypes: true,
    exclude: (entry) => entry.name === 'node_modules',
  });
  return entries
    .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && isFile(resolve(entry.parentPath, entry.name))))
    .map((entry) => (isAbsolute(entry.name) ? entry.name : resolve(base ?? '', entry.parentPath, entry.name)));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a file begins with our first line. */
function startsGenerated(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(100);
      return isGenerated(start.toString('utf8', 0, readSync(file, start, 0, start.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new ProjectError(`${path} cannot be read: ${error.code === 'EACCES' ? 'permission denied' : error.message}`);
  }
}
