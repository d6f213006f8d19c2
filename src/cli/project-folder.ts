import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { reasonOf } from '../output/compare.ts';
import { checkNotPlugAndPlay } from '../project/find-package-manager.ts';
import { type OperatorFile, parseOperatorFile } from '../project/operator-file.ts';
import { ProjectError } from '../project/project-error.ts';
import { nearest } from '../project/settings.ts';
import { ownVersion } from '../project/version.ts';
import { basePath, type PackageVersions } from '../scaffold/index.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

/** A scaffolded project on the disk. */
export interface ProjectFolder {
  /** Absolute. */
  readonly root: string;
  readonly file: OperatorFile;
  readonly read: (path: string) => string | undefined;
}

/**
 * The project that a command works in: the nearest folder with an `operator.json`, from here upwards.
 *
 * @throws UsageError, ProjectError
 */
export function openProject(io: Io): ProjectFolder {
  const root = nearest(io.folder, 'operator.json');
  if (root === undefined) {
    throw new UsageError(
      'this is no project: there is no operator.json here or above',
      'create one first: npx create-operator my-operator',
    );
  }
  checkNotPlugAndPlay(root);
  const read = reader(root);
  const file = parseOperatorFile(read('operator.json') ?? '');
  refuseMissingBase(file, read);
  return { root, read, file };
}

/** Without the base nobody can tell what the user changed. Where the version is the same it can be made again. */
function refuseMissingBase({ cliVersion }: OperatorFile, read: ProjectFolder['read']): void {
  if (cliVersion === undefined || cliVersion === ownVersion() || read(basePath) !== undefined) return;
  throw new UsageError(
    `${basePath} is missing: it says what create-operator ${cliVersion} made of the project`,
    `take it from your version control, or make it again: npx create-operator@${cliVersion} upgrade`,
  );
}

/** Reads files of a folder by their paths with `/`, each once: a command decides by one state of the folder. */
export function reader(root: string): (path: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (path) => {
    if (!known.has(path)) known.set(path, textOf(root, path));
    return known.get(path);
  };
}

function textOf(root: string, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new ProjectError(`${path} cannot be read: ${reasonOf(error) ?? error.message}`);
  }
}

/** What scaffolded projects ask for: this version, and later ones that fit. */
export function ownPackages(): PackageVersions {
  const version = `^${ownVersion()}`;
  return { 'create-operator': version, 'operator-runtime': version };
}

/** Whether the project's dependencies are installed: its types cannot be read without them. */
export function hasRuntime(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve('operator-runtime/package.json');
    return true;
  } catch {
    // Not installed yet.
    return false;
  }
}
