import { lstatSync } from 'node:fs';

/**
 * What files were found to hold, by their absolute paths, for runs of one process that follow one another: a file that has not been
 * touched since is not read again.
 */
export class KnownFiles {
  readonly #files = new Map<string, { readonly stamp: string; readonly content: string }>();

  /** Whether a file is known to hold this, and has not been touched. */
  holds(path: string, content: string): boolean {
    const known = this.#files.get(path);
    return known !== undefined && known.content === content && known.stamp === stampOf(path);
  }

  remember(path: string, content: string): void {
    const stamp = stampOf(path);
    if (stamp === undefined) this.#files.delete(path);
    else this.#files.set(path, { stamp, content });
  }
}

function stampOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}` : undefined;
}
