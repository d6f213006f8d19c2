import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { compareText, isGenerated, type OutputFile } from '../model/index.ts';
import type { KnownFiles } from './known-files.ts';
import { type Difference, OutputError, type OutputFolder, type OutputSet } from './output-set.ts';

/** Compares the folders with the set, in the order of paths. Line endings do not count: a checkout may have CRLF. */
export function compareOutput(set: OutputSet, known?: KnownFiles): Difference[] {
  const differences: Difference[] = [];
  const expected = new Set<string>();
  for (const file of set.files) {
    const folder = folderOf(set, file);
    const target = resolve(set.root, file.path);
    staysBelow(set, folder.path, file.path);
    expected.add(target);
    if (known?.holds(target, file.content) === true) continue;
    const current = readText(target, file.path);
    if (current === undefined) {
      differences.push({ path: file.path, state: 'missing', expected: file.content });
    } else if (normalized(current) !== file.content) {
      if (!folder.replacesForeign && !isGenerated(current)) {
        throw new OutputError(file.path, 'stands in the way and was not generated; move it, or name another folder');
      }
      differences.push({ path: file.path, state: 'changed', current: normalized(current), expected: file.content });
    } else known?.remember(target, file.content);
  }
  for (const path of set.removals ?? []) {
    const target = resolve(set.root, path);
    if (posix.isAbsolute(path) || posix.normalize(path).startsWith('../')) {
      throw new OutputError(path, 'lies in none of the output folders');
    }
    staysBelow(set, '.', path);
    const current = readText(target, path);
    if (current === undefined || expected.has(target)) continue;
    expected.add(target);
    differences.push({ path, state: 'stale', current: normalized(current) });
  }
  for (const folder of set.folders) {
    for (const path of walk(resolve(set.root, folder.path), folder.depth)) {
      if (expected.has(path) || !/\.(ya?ml|[cm]?ts)$/.test(path)) continue;
      const name = relative(set.root, path).replaceAll(sep, '/');
      const current = readText(path, name);
      if (current === undefined || !isGenerated(current) || !folder.owns(current)) continue;
      expected.add(path);
      differences.push({ path: name, state: 'stale', current: normalized(current) });
    }
  }
  return differences.sort((a, b) => compareText(a.path, b.path));
}

/** The files in a folder and `depth` levels below it; not hidden ones, and never through a symbolic link. */
export function walk(folder: string, depth: number, hidden = false): string[] {
  const files: string[] = [];
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) {
      if (hidden || !entry.name.startsWith('.')) files.push(path);
    } else if (entry.isDirectory() && depth > 0 && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      files.push(...walk(path, depth - 1, hidden));
    }
  }
  return files;
}

function entriesOf(folder: string): { name: string; isFile(): boolean; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw asOutputError(folder, error);
  }
}

/** The text of a file, or `undefined` where there is none. */
export function readText(path: string, name: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw asOutputError(name, error);
  }
}

function normalized(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** The folder that a file belongs to. Several may share a path, or lie in one another: then it is the one that owns such files. */
function folderOf(set: OutputSet, file: OutputFile): OutputFolder {
  const path = posix.normalize(file.path);
  const [first, ...others] = set.folders
    .map((folder) => ({ folder, prefix: posix.normalize(`${folder.path}/`) }))
    .filter(({ prefix }) =>
      prefix === './' ? !path.startsWith('../') && !posix.isAbsolute(path) : path.startsWith(prefix),
    );
  if (first === undefined) throw new OutputError(file.path, 'lies in none of the output folders');
  if (others.length === 0) return first.folder;
  const [owner = first] = [first, ...others]
    .map((candidate) => ({ ...candidate, owns: candidate.folder.owns(file.content) }))
    .sort((a, b) => Number(b.owns) - Number(a.owns) || b.prefix.length - a.prefix.length);
  return owner.folder;
}

/** Refuses a file whose folder lies elsewhere because of a symbolic link below the output folder. */
function staysBelow(set: OutputSet, folder: string, path: string): void {
  const base = resolve(set.root, folder);
  let parent = dirname(resolve(set.root, path));
  while (parent !== base && parent.length > base.length) {
    if (isLink(parent)) {
      throw new OutputError(path, `leads out of ${folder} through the symbolic link ${relative(set.root, parent)}`);
    }
    parent = dirname(parent);
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** The real path of a folder, or its path where it does not exist yet: equal for equal folders. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return path;
    throw asOutputError(path, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EFBIG: 'files may not be that large',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'a folder stands in the way',
  ENOTEMPTY: 'a folder stands in the way',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
};

/** Why the operating system refused something, in the user's terms; `undefined` for what is no such error, or a rare one. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined;
}

/** Says in the user's terms what went wrong with a path. */
export function asOutputError(path: string, error: unknown): unknown {
  if (error instanceof OutputError || !(error instanceof Error) || !('code' in error)) return error;
  return new OutputError(path, reasonOf(error) ?? String(error.code), { cause: error });
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
