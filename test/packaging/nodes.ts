import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPackageJson, root, run, runChecked } from '../../tools/repository.ts';

/** Why {@link nodeOfVersion} may have found nothing. */
export const withoutNode =
  process.env['CI'] === undefined ? 'set CI=true to bring it from npm' : 'npm could not bring it';

/**
 * The executable of a Node.js of just this version: the running one, the one that `npm ci` brought, or one in the user's
 * cache folder, to which CI brings it from npm; others are not made to download it. Undefined where there is none.
 */
export async function nodeOfVersion(version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`;
  const brought = join(root, 'node_modules', name);
  if (process.versions.node === version) return process.execPath;
  if (existsSync(brought) && readPackageJson(brought).version === version) return join(brought, 'bin', 'node');
  const caches = process.env['XDG_CACHE_HOME'];
  const cache = caches === undefined || caches === '' ? join(homedir(), '.cache') : caches;
  const folder = join(cache, 'create-operator', 'node', `${version}-${process.platform}-${process.arch}`);
  const executable = join(folder, 'bin', 'node');
  if (existsSync(executable)) return executable;
  if (process.env['CI'] === undefined) return undefined;
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
