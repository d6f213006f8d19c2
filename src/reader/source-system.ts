import { readdirSync } from 'node:fs';
import { ts } from 'ts-morph';

/** Reads files by absolute paths with `/`: those of the disk, or those that a test has in memory. */
export interface SourceSystem {
  fileExists(path: string): boolean;
  /** The text without a byte order mark; undefined where there is no such file. */
  readFile(path: string): string | undefined;
  folderExists(path: string): boolean;
  /** The names of what is in a folder, sorted; none where there is no such folder. */
  names(folder: string): string[];
  /** A path without symbolic links. */
  realPath(path: string): string;
}

export function sourceSystem(files: ReadonlyMap<string, string> | undefined): SourceSystem {
  return files === undefined ? disk : inMemory(files);
}

const disk: SourceSystem = {
  fileExists: (path) => ts.sys.fileExists(path),
  readFile: (path) => ts.sys.readFile(path),
  folderExists: (path) => ts.sys.directoryExists(path),
  names: (folder) => (ts.sys.directoryExists(folder) ? readdirSync(folder).sort() : []),
  realPath: (path) => ts.sys.realpath?.(path) ?? path,
};

function inMemory(files: ReadonlyMap<string, string>): SourceSystem {
  const folders = new Set<string>();
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  }
  return {
    fileExists: (path) => files.has(path),
    readFile: (path) => files.get(path)?.replace(/^\ufeff/, ''),
    folderExists: (path) => folders.has(path),
    names: (folder) => {
      const inside = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))].sort();
    },
    realPath: (path) => path,
  };
}
