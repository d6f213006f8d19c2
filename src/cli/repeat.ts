// What says that a run of `generate` would find everything as the last one left it. It is loaded before all else, and alone where
// it is so: it must stay small.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '../model/index.ts';
import { reportBrokenOutput } from './broken-output.ts';
import { KeptCode } from './kept-code.ts';

/** What a run that wrote its outputs leaves behind, so that the next one can see that there is nothing to do. */
export interface Manifest {
  /** Who ran: {@link callerOf}; empty where a repetition would have to say more than how many files there are. */
  readonly caller: string;
  /** What was to be done: the plan, the version of the tool. */
  readonly task: string;
  /** All that decides what a run does, by absolute paths: files, folders, and files that would count if they were there. */
  readonly stamps: Readonly<Record<string, string>>;
  readonly kinds: number;
  readonly roles: number;
  /** The outputs' paths below the root. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The command, as the user typed it, and where: the same command means the same while all stamps are as they were. */
export function callerOf(argv: readonly string[], folder: string): string {
  return JSON.stringify([process.versions.node, folder, argv]);
}

/** The files of the tool itself: with others it may do otherwise. */
export function ownFiles(): string[] {
  return [fileURLToPath(import.meta.url), fileURLToPath(new URL('../../package.json', import.meta.url))];
}

/** Says what `generate` would say where there is nothing to do. Undefined where that is not certain: then the command has to run. */
export function repeat(
  argv: readonly string[],
  folder: string = process.cwd(),
  print: (text: string) => void = printOut,
): 0 | undefined {
  if (argv[0] !== 'generate') return undefined;
  const manifest = readManifest(manifestFile(folder)) ?? readManifest(manifestFile(projectAbove(folder)));
  if (manifest?.caller !== callerOf(argv, folder) || !isUnchanged(manifest)) return undefined;
  print(`${unchangedSummary(manifest)}\n`);
  return 0;
}

function printOut(text: string): void {
  reportBrokenOutput();
  process.stdout.write(text);
}

/** A bundle of commands. */
interface Bundle {
  main(argv: readonly string[]): Promise<number>;
}

/** Loads what has the command: `generate` and `rbac`, which are run all day, are bundled for themselves. */
export async function load(argv: readonly string[]): Promise<Bundle> {
  const [command = ''] = argv;
  if (command !== 'generate' && command !== 'rbac') {
    return (await import(new URL('../cli/main.js', import.meta.url).href)) as Bundle;
  }
  const code = new KeptCode(command, getCompileCacheDir());
  process.on('exit', () => code.keep());
  return code.load(fileURLToPath(new URL('generate.cjs', import.meta.url))) as Bundle;
}

function projectAbove(folder: string): string {
  for (let current = folder; current !== dirname(current); current = dirname(current)) {
    if (existsSync(join(current, 'operator.json'))) return current;
  }
  return folder;
}

/** Where packages are kept there may be caches, too; elsewhere nothing is left. */
export function manifestFile(root: string): string {
  return join(root, 'node_modules', '.cache', 'create-operator', 'generate.json');
}

/** Undefined where there is no manifest, or one that was cut off by a crash: the full run needs nothing of it. */
export function readManifest(file: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isManifest(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false;
  const found = value as { readonly [Name in keyof Manifest]?: unknown };
  return (
    typeof found.caller === 'string' &&
    typeof found.task === 'string' &&
    typeof found.stamps === 'object' &&
    found.stamps !== null &&
    typeof found.kinds === 'number' &&
    typeof found.roles === 'number' &&
    Array.isArray(found.files) &&
    Array.isArray(found.diagnostics)
  );
}

export function isUnchanged({ stamps }: Manifest): boolean {
  for (const path in stamps) if (stampOf(path) !== stamps[path]) return false;
  return true;
}

/** Size and times of a file; the names in a folder, but for that of caches; empty where there is nothing. */
export function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return '';
  if (found.isDirectory()) {
    // `node_modules/.cache` comes to be when the first of the tools that keep something there has run.
    const names = readdirSync(path).filter((name) => name !== '.cache');
    return `/${names.sort().join('/')}`;
  }
  return `${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}`;
}

/** What a run says at its end that found all files as they are to be. */
export function unchangedSummary({ kinds, roles, files }: Pick<Manifest, 'kinds' | 'roles' | 'files'>): string {
  const { length } = files;
  const found = `${count(kinds, 'kind')}, ${count(roles, 'role')}, ${count(length, 'file')}`;
  return length === 0 ? found : `${found} (${length} unchanged)`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
