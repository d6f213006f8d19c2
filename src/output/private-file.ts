import { randomBytes } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asOutputError } from './compare.ts';

/**
 * Writes a file that its owner alone may read (a kubeconfig, a key): whole or not at all, in place of the one that is there.
 *
 * @throws OutputError
 */
export function writePrivateFile(path: string, content: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.create-operator-tmp`);
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    throw asOutputError(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}
