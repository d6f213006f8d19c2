// The package managers that a machine has, or that npm can bring.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type PackageManager, packageManagers } from '../../src/project/package-manager.ts';
import { cacheFolder, run } from '../../tools/repository.ts';

/** The packages that bring them. */
const packages: Readonly<Record<Exclude<PackageManager, 'npm'>, string>> = {
  pnpm: 'pnpm@12',
  yarn: '@yarnpkg/cli-dist@4',
  bun: 'bun@1',
};

export interface InstalledPackageManager {
  readonly name: PackageManager;
  /** `PATH` with it at the front. */
  readonly path: string;
}

/** Brings the package managers, each by itself; those that cannot be installed or do not start are left out. */
export async function installPackageManagers(): Promise<ReadonlyMap<PackageManager, InstalledPackageManager>> {
  const found = new Map<PackageManager, InstalledPackageManager>();
  for (const name of packageManagers) {
    const path = name === 'npm' ? (process.env['PATH'] ?? '') : await install(name);
    if (path === undefined) continue;
    const version = await run(name, ['--version'], { env: { PATH: path } }).catch(() => undefined);
    if (version?.code === 0) found.set(name, { name, path });
  }
  return found;
}

async function install(name: Exclude<PackageManager, 'npm'>): Promise<string | undefined> {
  const folder = join(cacheFolder, 'package-managers', name);
  const programs = join(folder, 'node_modules', '.bin');
  if (!existsSync(join(programs, name))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder, packages[name]];
    const { code } = await run('npm', args, { cwd: folder });
    if (code !== 0) return undefined;
  }
  return `${programs}${delimiter}${process.env['PATH'] ?? ''}`;
}
