import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { run, runChecked } from '../../tools/repository.ts';

/**
 * The executable of a Node.js of just this version, brought from npm into the user's cache folder; undefined where it
 * cannot be had (another platform, no network).
 */
export async function nodeOfVersion(version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`;
  const caches = process.env['XDG_CACHE_HOME'];
  const cache = caches === undefined || caches === '' ? join(homedir(), '.cache') : caches;
  const folder = join(cache, 'create-operator', 'node', `${version}-${process.platform}-${process.arch}`);
  const executable = join(folder, 'bin', 'node');
  if (existsSync(executable)) return executable;
  await mkdir(dirname(folder), { recursive: true });
  // Made beside its place and renamed: two runs may do this at once, and one may be ended in the middle.
  const temporary = await mkdtemp(`${folder}-`);
  try {
    const packed = await run('npm', ['pack', '--silent', '--prefer-offline', `${name}@${version}`], { cwd: temporary });
    if (packed.code !== 0) return undefined;
    await runChecked('tar', ['-xzf', packed.stdout.trim(), '--strip-components=1'], { cwd: temporary });
    await rm(join(temporary, packed.stdout.trim()));
    await chmod(join(temporary, 'bin', 'node'), 0o755);
    await rename(temporary, folder).catch((error: unknown) => {
      if (!existsSync(executable)) throw error;
    });
    return executable;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
