import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Watches each folder for itself: Node's recursive watch loses files on Linux that an editor has replaced. Folders that come and go
 * are followed.
 */
export class FolderWatchers {
  readonly #folders: () => readonly string[];
  readonly #files: RegExp;
  readonly #fail: (error: Error) => void;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();

  /** `folders` gives the topmost folders, `files` says which names count; `changed` is called for each change, many times for one save. */
  constructor(folders: () => readonly string[], files: RegExp, fail: (error: Error) => void, changed: () => void) {
    this.#folders = folders;
    this.#files = files;
    this.#fail = fail;
    this.#changed = changed;
  }

  update(): void {
    const folders = new Set(this.#folders().flatMap(foldersBelow));
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
      if (name === null || isFolder || this.#files.test(name)) this.#changed();
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
