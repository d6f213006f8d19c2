import { writeOutput } from '../output/index.ts';
import {
  BaseError,
  basePath,
  type ChangePlan,
  type FileChange,
  type FileNote,
  ResourceError,
} from '../scaffold/index.ts';
import type { Io } from './io.ts';
import type { ProjectFolder } from './project-folder.ts';
import { UsageError } from './usage-error.ts';

/** The flags of all commands that change a scaffold. */
export interface ChangeFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Runs a planner; what is wrong with the project or the wish becomes wrong usage. */
export async function planned<T>(plan: () => T | Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ResourceError) throw new UsageError(error.message, error.hint);
    if (error instanceof BaseError) {
      throw new UsageError(error.message, `take ${basePath} from your version control: it says what the scaffold was`);
    }
    throw error;
  }
}

/** @throws UsageError with a list, where something stands in the way that only `--force` may change */
export function refuseConflicts({ conflicts }: ChangePlan): void {
  if (conflicts.length === 0) return;
  const hint = 'to give up what is yours in them: --force; nothing has been changed';
  if (conflicts.length === 1 && conflicts[0] !== undefined) throw new UsageError(sentence(conflicts[0]), hint);
  const list = conflicts.map((note) => `\n  ${sentence(note)}`).join('');
  throw new UsageError(`${conflicts.length} files stand in the way:${list}`, hint);
}

function sentence({ path, reason }: FileNote): string {
  return reason.startsWith('it ') ? `${path} ${reason.slice(3)}` : `${path}: ${reason}`;
}

/** One line for each file: what is done to it, or was. */
export function changeList({ changes, kept }: Pick<ChangePlan, 'changes' | 'kept'>): string {
  const moved = new Set(changes.map(({ from }) => from));
  const done = changes
    .filter(({ path, action }) => action !== 'delete' || !moved.has(path))
    .map((change) => `  ${actionOf(change).padEnd(9)} ${place(change)}\n`);
  const left = kept.map(({ path, reason }) => `  ${'keep'.padEnd(9)} ${path} (${reason})\n`);
  return [...done, ...left].join('');
}

/** Lists what a plan gives up of the user's, before anything is written. */
export function listOverwritten({ changes }: Pick<ChangePlan, 'changes'>, io: Io): void {
  const overwritten = changes.filter(({ action }) => action === 'overwrite');
  if (overwritten.length > 0) io.stdout.write(changeList({ changes: overwritten, kept: [] }));
}

function actionOf({ action, from }: FileChange): string {
  return from !== undefined && action === 'create' ? 'move' : action;
}

function place({ path, from }: FileChange): string {
  return from === undefined ? path : `${path} (was ${from})`;
}

/** Writes all changes, or none: signals wait until it is done. */
export async function writeChanges(
  { root, read }: Pick<ProjectFolder, 'root' | 'read'>,
  { changes }: Pick<ChangePlan, 'changes'>,
  io: Io,
): Promise<void> {
  const files = changes.flatMap(({ path, content }) => (content === undefined ? [] : [{ path, content }]));
  const removals = changes.filter(({ content }) => content === undefined).map(({ path }) => path);
  const release = io.holdSignals();
  try {
    const folders = [{ path: '.', depth: 0, owns: () => false, replacesForeign: true }];
    // Of two commands at a time each would forget what the other added, and an editor may save a file in the meantime.
    const basis = new Map(['operator.json', ...changes.map(({ path }) => path)].map((path) => [path, read(path)]));
    await writeOutput({ root, folders, files, removals, basis });
  } finally {
    release();
  }
}
