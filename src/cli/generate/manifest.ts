import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Diagnostic } from '../../model/index.ts';
import { writeCacheFile } from '../../output/cache-file.ts';
import { checkRuntimeVersion, findSources, findTsconfig, ownVersion } from '../../project/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { GenerateFlags } from './command.ts';
import { type Plan, planGenerate } from './plan.ts';
import { writeReport } from './report.ts';

/** What a run that wrote its outputs leaves behind, so that the next one can see that there is nothing to do. */
interface Manifest {
  /** What was to be done: the plan, the sources, the version of the tool. */
  readonly task: string;
  /** Files and folders as they were, by their absolute paths. */
  readonly stamps: Readonly<Record<string, string>>;
  readonly kinds: number;
  readonly roles: number;
  /** The outputs' paths below the root. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a run has to leave behind. */
export interface FinishedRun {
  readonly sources: readonly string[];
  /** All files that were read. */
  readonly inputs: readonly string[];
  readonly kinds: number;
  readonly roles: number;
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** When the run began, in milliseconds since 1970. */
  readonly began: number;
}

/**
 * Says what a run would say that finds everything as the last one left it: the same sources, settings, packages and outputs, by
 * their sizes and times. Undefined where that is not certain, and for checks, which always do the full work.
 */
export async function repeatRun(flags: GenerateFlags, io: Io): Promise<ExitCode | undefined> {
  if (flags.watch === true || flags.check === true || flags.stdout === true) return undefined;
  const plan = planGenerate(flags, io.folder);
  checkRuntimeVersion(plan.root);
  const manifest = readManifest(plan);
  if (manifest === undefined || manifest.task !== taskOf(plan, findSources(plan.globs, plan.root).files))
    return undefined;
  for (const [path, stamp] of Object.entries(manifest.stamps)) if (stampOf(path) !== stamp) return undefined;
  const { kinds, roles, diagnostics } = manifest;
  const files = manifest.files.map((path) => ({ path, state: 'unchanged' as const }));
  const source = (file: string): string => readFileSync(resolve(plan.root, file), 'utf8');
  await writeReport({ mode: 'write', kinds, roles, diagnostics, files, failed: false }, flags.format, io, source);
  return exitCode.done;
}

/**
 * Leaves a manifest for the next run. Nothing is left where an input was written after the run began, for it might have been read
 * before, nor where packages are not kept in a folder.
 */
export function rememberRun(plan: Plan, run: FinishedRun): void {
  const file = manifestFile(plan);
  if (file === undefined) return;
  const inputs = new Set([...run.inputs, ...run.sources].map((path) => resolve(path)));
  if ([...inputs].some((path) => changedSince(path, run.began))) return;
  const outputs = run.files.map((path) => resolve(plan.root, path));
  // A file that comes to be can take the place of another: it shows in its folder.
  const folders = [...inputs, ...outputs].flatMap((path) => foldersAbove(path, plan.root));
  // And one of ours that comes to be where nothing is expected is to be pruned.
  const { crdDir, rbacDir, webhookDir, clientDir } = plan.outputs;
  const owned = [crdDir, rbacDir, webhookDir, clientDir].flatMap((folder) =>
    folder === undefined ? [] : foldersBelow(resolve(plan.root, folder)),
  );
  const paths = [...new Set([...inputs, ...outputs, ...folders, ...owned])].sort();
  const manifest: Manifest = {
    task: taskOf(plan, run.sources),
    stamps: Object.fromEntries(paths.map((path) => [path, stampOf(path)])),
    kinds: run.kinds,
    roles: run.roles,
    files: run.files,
    diagnostics: run.diagnostics,
  };
  writeCacheFile(file, JSON.stringify(manifest));
}

function taskOf(plan: Plan, sources: readonly string[]): string {
  const tsconfig = plan.tsconfig ?? (sources.length === 0 ? undefined : findTsconfig(sources));
  return JSON.stringify([ownVersion(), process.versions.node, plan, sources, tsconfig]);
}

/** The folder of a file, and those around it up to the root. */
function foldersAbove(path: string, root: string): string[] {
  const folder = dirname(path);
  const isBelow = folder.startsWith(join(root, '/'));
  return isBelow ? [folder, ...foldersAbove(folder, root)] : [folder];
}

/** A folder and all below it that may hold outputs; itself, too, where it does not exist yet. */
function foldersBelow(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [folder];
  const below = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...below.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}

/** Where packages are kept there may be caches, too; elsewhere nothing is left. */
function manifestFile({ root }: Plan): string | undefined {
  const packages = join(root, 'node_modules');
  const exists = statSync(packages, { throwIfNoEntry: false })?.isDirectory() === true;
  return exists ? join(packages, '.cache', 'create-operator', 'generate.json') : undefined;
}

function readManifest(plan: Plan): Manifest | undefined {
  const file = manifestFile(plan);
  if (file === undefined || statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isManifest(manifest) ? manifest : undefined;
  } catch {
    // Cut off by a crash, or not to be read: as if it were not there. The full run needs nothing of it.
    return undefined;
  }
}

/** Whether a value has the form of a manifest; the versions in `task` say who wrote it. */
function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false;
  const { task, stamps, kinds, roles, files, diagnostics } = value as { readonly [Name in keyof Manifest]?: unknown };
  return (
    typeof task === 'string' &&
    typeof stamps === 'object' &&
    stamps !== null &&
    typeof kinds === 'number' &&
    typeof roles === 'number' &&
    Array.isArray(files) &&
    Array.isArray(diagnostics)
  );
}

/** Size and times of a file; of a folder the time at which its entries changed last; empty where there is nothing. */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return '';
  return found.isDirectory() ? String(found.mtimeNs) : [found.size, found.mtimeNs, found.ctimeNs, found.ino].join(' ');
}

function changedSince(path: string, began: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.mtimeMs >= began || found.ctimeMs >= began;
}
