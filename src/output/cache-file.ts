import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file that only saves time, whole or not at all. Where it cannot be written (a read-only folder, a full disk) it is not: the
 * next run takes longer, and nothing else.
 */
export function writeCacheFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(draft, content);
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
