import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Diagnostic } from '../../model/index.ts';
import { writeCacheFile } from '../../output/cache-file.ts';
import {
  checkRuntimeVersion,
  findSources,
  findTsconfig,
  folderOfPattern,
  ownVersion,
  type Sources,
} from '../../project/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { callerOf, isUnchanged, type Manifest, manifestFile, ownFiles, readManifest, stampOf } from '../repeat.ts';
import type { GenerateFlags } from './flags.ts';
import { kustomizationOf } from './listed-definitions.ts';
import { type Plan, planGenerate } from './plan.ts';
import { writeReport } from './report.ts';

/** What a run has to leave behind. */
export interface FinishedRun {
  readonly sources: Sources;
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
 * their sizes and times. Undefined where that is not certain, and for checks, which always do the full work. The same command with
 * nothing to warn of does not come here: `repeat` has answered it.
 */
export async function repeatRun(flags: GenerateFlags, io: Io): Promise<ExitCode | undefined> {
  if (flags.watch === true || flags.check === true || flags.stdout === true) return undefined;
  const plan = planGenerate(flags, io.folder);
  checkRuntimeVersion(plan.root);
  const manifest = readManifest(manifestFile(plan.root));
  if (manifest === undefined || manifest.task !== taskOf(plan) || !isUnchanged(manifest)) return undefined;
  const { kinds, roles, diagnostics } = manifest;
  const files = manifest.files.map((path) => ({ path, state: 'unchanged' as const }));
  const source = (file: string): string => readFileSync(resolve(plan.root, file), 'utf8');
  await writeReport({ mode: 'write', kinds, roles, diagnostics, files, failed: false }, flags.format, io, source);
  return exitCode.done;
}

/** Where a command was given and how; without its arguments where the same command has more to say than how many files there are. */
export interface Caller {
  readonly folder: string;
  readonly argv: readonly string[] | undefined;
}

/**
 * Leaves a manifest for the next run. Nothing is left where an input was written after the run began, for it might have been read
 * before, nor where packages are not kept in a folder.
 */
export function rememberRun(plan: Plan, caller: Caller, run: FinishedRun): void {
  if (!isFolder(join(plan.root, 'node_modules'))) return;
  const { sources } = run;
  const inputs = [...new Set([...run.inputs, ...sources.files].map((path) => resolve(path)))];
  if (inputs.some((path) => changedSince(path, run.began))) return;
  const outputs = run.files.map((path) => resolve(plan.root, path));
  const { crdDir, rbacDir, webhookDir, clientDir } = plan.outputs;
  const owned = [crdDir, rbacDir, webhookDir, clientDir].flatMap((each) =>
    each === undefined ? [] : foldersBelow(resolve(plan.root, each)),
  );
  const paths = [
    ...inputs,
    ...outputs,
    ...sources.generated,
    // A file that comes to be can take the place of another: it shows in its folder. So does a source that nobody has read,
    ...[...inputs, ...outputs].flatMap((path) => foldersAbove(path, plan.root)),
    ...sources.patterns.flatMap((pattern) => foldersBelow(resolve(folderOfPattern(pattern)))),
    // and one of our files that comes to be where nothing is expected, and is to be pruned.
    ...owned,
    ...settingsOf(plan, caller.folder, sources.files),
    ...ownFiles(),
  ];
  const manifest: Manifest = {
    caller: caller.argv === undefined || run.diagnostics.length > 0 ? '' : callerOf(caller.argv, caller.folder),
    task: taskOf(plan),
    stamps: Object.fromEntries([...new Set(paths)].sort().map((path) => [path, stampOf(path)])),
    kinds: run.kinds,
    roles: run.roles,
    files: run.files,
    diagnostics: run.diagnostics,
  };
  // What came to be while the run went on was not read, and is in the stamps.
  if (JSON.stringify(findSources(plan.globs, plan.root)) !== JSON.stringify(sources)) return;
  writeCacheFile(manifestFile(plan.root), JSON.stringify(manifest));
}

function taskOf(plan: Plan): string {
  return JSON.stringify([ownVersion(), process.versions.node, plan]);
}

/** The files, there or not, that say what is to be done: the nearest operator.json, tsconfig.json and operator-runtime, and the kustomization of definitions. */
function settingsOf(plan: Plan, folder: string, sources: readonly string[]): string[] {
  const tsconfig = plan.tsconfig ?? findTsconfig(sources);
  const last = tsconfig === undefined ? undefined : dirname(resolve(tsconfig));
  const folders = [...new Set(sources.map((source) => dirname(source)))];
  const kustomization = kustomizationOf(plan);
  return [
    ...(kustomization === undefined ? [] : [join(plan.root, kustomization)]),
    ...foldersUpTo(undefined, folder).map((each) => join(each, 'operator.json')),
    ...folders.flatMap((each) => foldersUpTo(last, each)).map((each) => join(each, 'tsconfig.json')),
    ...foldersUpTo(undefined, plan.root).map((each) => join(each, 'node_modules/operator-runtime/package.json')),
  ];
}

/** A folder and those around it, up to one of them or all. */
function foldersUpTo(last: string | undefined, folder: string): string[] {
  const outer = dirname(folder);
  return folder === last || folder === outer ? [folder] : [folder, ...foldersUpTo(last, outer)];
}

/** The folder of a file, and those around it up to the root. */
export function foldersAbove(path: string, root: string): string[] {
  const folder = dirname(path);
  return folder.startsWith(join(root, '/')) ? foldersUpTo(resolve(root), folder) : [folder];
}

/** A folder and all below it that may hold sources or outputs; itself, too, where it does not exist yet. */
function foldersBelow(folder: string): string[] {
  if (!isFolder(folder)) return [folder];
  const below = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...below.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a file was written since then (milliseconds since 1970), or is not there. */
export function changedSince(path: string, began: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.mtimeMs >= began || found.ctimeMs >= began;
}
