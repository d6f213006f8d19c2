import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../../markers/suggestion.ts';
import { UsageError } from '../usage-error.ts';

/** `create-operator genrate` would make a project called genrate: a folder's name that looks like a command is asked about. */
export function refuseMistypedCommand(dir: string, folder: string, commands: readonly string[]): void {
  if (!/^[a-z]{5,}$/.test(dir) || existsSync(resolve(folder, dir))) return;
  const command = nearest(dir, commands);
  if (command === undefined) return;
  throw new UsageError(
    `unknown command "${dir}"; did you mean "${command}"?`,
    `for a project of that name: create-operator ./${dir}`,
  );
}
