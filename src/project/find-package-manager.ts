import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PackageManager, packageManagers } from './package-manager.ts';
import { ProjectError } from './project-error.ts';
import { nearest } from './settings.ts';

/** Who installs the dependencies of a new project, and why it is they. */
export interface FoundPackageManager {
  readonly name: PackageManager;
  /** The folder of the workspace that the project becomes a part of, absolute. */
  readonly workspace: string | undefined;
}

/**
 * Decides for a package manager: what the user says, else that of the workspace around the folder, else the one that runs us
 * (`npm_config_user_agent`), else npm.
 *
 * @param folder of the new project, absolute; it need not be there
 * @throws ProjectError where the workspace installs with Yarn Plug'n'Play
 */
export function findPackageManager(
  folder: string,
  asked: PackageManager | undefined,
  userAgent: string | undefined,
): FoundPackageManager {
  const workspace = findWorkspace(dirname(folder));
  const name = asked ?? workspace?.name ?? named(/^([a-z]+)\//.exec(userAgent ?? '')?.[1]) ?? 'npm';
  // A workspace of another package manager than the one that is asked for is none of the project's.
  const own = workspace !== undefined && (workspace.name ?? name) === name ? workspace.folder : undefined;
  if (own !== undefined && name === 'yarn') refusePlugAndPlayWorkspace(own);
  return { name, workspace: own };
}

function named(name: string | undefined): PackageManager | undefined {
  return packageManagers.find((each) => each === name);
}

/** The nearest workspace, from a folder upwards, and its package manager where it names one. */
function findWorkspace(
  from: string,
): { readonly folder: string; readonly name: PackageManager | undefined } | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const has = (file: string): boolean => existsSync(join(folder, file));
    const description = packageJson(folder);
    if (has('pnpm-workspace.yaml') || description?.['workspaces'] !== undefined) {
      const field = description?.['packageManager'];
      const byField = typeof field === 'string' ? named(field.split('@')[0]) : undefined;
      if (byField !== undefined) return { folder, name: byField };
      if (has('pnpm-workspace.yaml') || has('pnpm-lock.yaml')) return { folder, name: 'pnpm' };
      if (has('yarn.lock')) return { folder, name: 'yarn' };
      if (has('bun.lock') || has('bun.lockb')) return { folder, name: 'bun' };
      return { folder, name: has('package-lock.json') ? 'npm' : undefined };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function packageJson(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // None, or one that says nothing: no workspace.
    return undefined;
  }
}

/** Yarn from 2 on installs by Plug'n'Play unless it is told otherwise. */
function refusePlugAndPlayWorkspace(folder: string): void {
  const field = packageJson(folder)?.['packageManager'];
  const isClassic =
    (typeof field === 'string' && field.startsWith('yarn@1.')) ||
    (/^# yarn lockfile v1$/m.test(textOf(folder, 'yarn.lock')) && !existsSync(join(folder, '.yarnrc.yml')));
  if (isClassic || !isPlugAndPlay(linkerOf(folder))) return;
  throw plugAndPlay(`the workspace ${folder} installs with Yarn Plug'n'Play`, folder);
}

/**
 * Refuses a folder whose dependencies are installed by Yarn Plug'n'Play: TypeScript 7, bundlers and we look for `node_modules`.
 *
 * @throws ProjectError
 */
export function checkNotPlugAndPlay(folder: string): void {
  const root = nearest(folder, '.pnp.cjs') ?? nearest(folder, '.pnp.loader.mjs');
  // The file may be left over from before the linker was changed.
  if (root === undefined || !isPlugAndPlay(linkerOf(root))) return;
  throw plugAndPlay("the project is installed with Yarn Plug'n'Play", root);
}

function linkerOf(folder: string): string | undefined {
  return /^nodeLinker:\s*["']?([\w-]+)/m.exec(textOf(folder, '.yarnrc.yml'))?.[1];
}

function isPlugAndPlay(linker: string | undefined): boolean {
  return linker === undefined || linker === 'pnp';
}

function textOf(folder: string, name: string): string {
  return existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
}

function plugAndPlay(what: string, folder: string): ProjectError {
  return new ProjectError(
    `${what}, and operators need node_modules`,
    `write "nodeLinker: node-modules" in ${join(folder, '.yarnrc.yml')}, then run yarn install`,
  );
}
