import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { programDeclarations } from './program-declarations.ts';

const outputEnding = /\.(js|js\.map|d\.ts|d\.ts\.map)$/;

/** Removes from `<folder>/dist` what was compiled from sources that are gone: the compiler leaves it, and it would be packed. */
export async function removeStaleOutputs(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) return;
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !outputEnding.test(entry.name)) continue;
    const output = join(entry.parentPath, entry.name);
    if (output === join(dist, programDeclarations)) continue;
    const source = join(folder, relative(dist, output).replace(outputEnding, '.ts'));
    if (!existsSync(source)) await rm(output);
  }
}
