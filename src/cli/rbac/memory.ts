import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallReport, Diagnostic, PolicyRule } from '../../model/index.ts';
import { writeCacheFile } from '../../output/cache-file.ts';
import { ownVersion } from '../../project/index.ts';
import { changedSince, foldersAbove, isFolder } from '../generate/manifest.ts';
import { ownFiles, stampOf } from '../repeat.ts';

/** What was read of a program: its markers, and what its calls need. */
export interface ProgramFacts {
  /** Warnings only: what has errors is read again. */
  readonly problems: readonly Diagnostic[];
  readonly policyRules: readonly PolicyRule[];
  readonly calls: CallReport;
}

/** What the facts depend on beside the files that were read. */
export interface ProgramTask {
  readonly root: string;
  readonly sources: readonly string[];
  readonly entries: readonly string[];
  readonly tsconfig: string | undefined;
  readonly allowedTags: readonly string[];
}

interface Memory extends ProgramFacts {
  readonly task: string;
  /** Files and folders as they were, by their absolute paths. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** The facts as the last run read them, where everything that they depend on is as it was. */
export function recall(task: ProgramTask): ProgramFacts | undefined {
  let memory: unknown;
  try {
    memory = JSON.parse(readFileSync(fileOf(task), 'utf8'));
  } catch {
    // There is none, or it was cut off by a crash: the full run needs nothing of it.
    return undefined;
  }
  if (!isMemory(memory) || memory.task !== textOf(task)) return undefined;
  for (const [path, stamp] of Object.entries(memory.stamps)) if (stampOf(path) !== stamp) return undefined;
  const { problems, policyRules, calls } = memory;
  return { problems, policyRules, calls };
}

/**
 * Leaves the facts for the next run. Nothing is left where a file was written after the run began (milliseconds since 1970), for it might
 * have been read before, nor where packages are not kept in a folder.
 */
export function remember(task: ProgramTask, facts: ProgramFacts, read: readonly string[], began: number): void {
  if (!isFolder(join(task.root, 'node_modules'))) return;
  const inputs = [...new Set([...read, ...task.sources, ...task.entries].map((path) => resolve(path)))];
  if (inputs.some((path) => changedSince(path, began))) return;
  // A file that comes to be can take the place of another: it shows in its folder.
  const folders = inputs.flatMap((path) => foldersAbove(path, task.root));
  const paths = [...new Set([...inputs, ...folders, ...ownFiles()])].sort();
  const stamps = Object.fromEntries(paths.map((path) => [path, stampOf(path)]));
  const memory: Memory = { ...facts, task: textOf(task), stamps };
  writeCacheFile(fileOf(task), JSON.stringify(memory));
}

function fileOf({ root }: ProgramTask): string {
  return join(root, 'node_modules/.cache/create-operator/rbac.json');
}

function textOf(task: ProgramTask): string {
  return JSON.stringify([ownVersion(), process.versions.node, task]);
}

/** Whether a value has the form of a memory; the versions in `task` say who wrote it. */
function isMemory(value: unknown): value is Memory {
  if (typeof value !== 'object' || value === null) return false;
  const { task, stamps, problems, policyRules, calls } = value as { readonly [Name in keyof Memory]?: unknown };
  return (
    typeof task === 'string' &&
    typeof stamps === 'object' &&
    stamps !== null &&
    Array.isArray(problems) &&
    Array.isArray(policyRules) &&
    typeof calls === 'object' &&
    calls !== null
  );
}
