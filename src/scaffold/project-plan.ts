import {
  formatOperatorFile,
  isSameVersion,
  type OperatorFile,
  type ProjectResource,
} from '../project/operator-file.ts';
import { operatorSchemaReference } from '../project/operator-schema.ts';
import { basePath, changedBase, formatBase, parseBase } from './base.ts';
import {
  type ChangePlan,
  type FileChange,
  type FileNote,
  type FileTree,
  planChanges,
  unresolved,
} from './change-plan.ts';
import { hasConflictMarkers } from './merge-text.ts';
import { resourceFiles } from './resource-files.ts';
import { resourcePaths } from './resource-paths.ts';
import { choicesOf, movedFiles, type PackageVersions, renderScaffold } from './scaffold.ts';

/** What every change of a project has to know. */
export interface ProjectInput {
  /** Absolute. */
  readonly root: string;
  /** The text of a file of the project, relative to the root and with `/`; `undefined` where there is none. */
  readonly read: (path: string) => string | undefined;
  readonly versions: PackageVersions;
  /** Whether what the user changed may be overwritten and deleted, where it cannot be kept. */
  readonly force: boolean;
}

/** A new project. Files of the scaffold that stand there already and differ are conflicts. */
export async function planNewProject(input: ProjectInput, file: OperatorFile, cliVersion: string): Promise<ChangePlan> {
  const project = recorded(file, cliVersion);
  const after = await renderScaffold(input.root, choicesOf(project, input.versions));
  const plan = planChanges({ ...parts(input), before: new Map(), after });
  return withRecords(plan, input, formatOperatorFile(project), formatBase(after));
}

/**
 * The change of a project's choices or kinds from `from` to `to`. Only files on which the two differ are looked at, so that what another
 * version of create-operator would make of the rest does not come into it.
 *
 * @param rewritten a resource whose files are written anew, whatever became of them; with `force` only
 * @throws BaseError where the project's base cannot be read
 */
export async function planProjectChange(
  input: ProjectInput,
  from: OperatorFile,
  to: OperatorFile,
  rewritten?: ProjectResource,
): Promise<ChangePlan> {
  const [old, next] = [from, to].map((file) => choicesOf(file, input.versions));
  if (old === undefined || next === undefined) throw new TypeError('two projects are compared');
  const before = new Map(await renderScaffold(input.root, old));
  const after = new Map(await renderScaffold(input.root, next));
  const text = input.read(basePath);
  const base = changedBase(text === undefined ? before : parseBase(text), before, after);
  carryAdopted(input, [from, old], [to, next], before, after);
  if (rewritten !== undefined) for (const { path } of resourceFiles(rewritten, next)) before.delete(path);
  const plan = planChanges({ ...parts(input), before, after, moves: movedFiles(old, next) });
  return withRecords(withoutAdopted(plan, input, from, to), input, formatOperatorFile(to), formatBase(base, text));
}

type Project = readonly [file: OperatorFile, choices: ReturnType<typeof choicesOf>];

/** Types that are none of the scaffold's go along when its layout changes. */
function carryAdopted(
  { read }: ProjectInput,
  [{ resources }, choices]: Project,
  [to, next]: Project,
  before: Map<string, string>,
  after: Map<string, string>,
): void {
  for (const resource of resources) {
    if (resource.adopted !== true || !to.resources.some((each) => isSameVersion(each, resource))) continue;
    const [was, becomes] = [choices, next].map(({ multigroup }) => resourcePaths(resource, multigroup).types);
    const text = read(was ?? '')?.replaceAll('\r\n', '\n');
    if (text === undefined || was === undefined || becomes === undefined) continue;
    before.set(was, text);
    after.set(becomes, text);
  }
}

/** Types that are none of the scaffold's are deleted with their kind only where the user says so. */
function withoutAdopted(
  plan: ChangePlan,
  { read, force }: ProjectInput,
  from: OperatorFile,
  to: OperatorFile,
): ChangePlan {
  const paths = from.resources
    .filter((resource) => resource.adopted === true && !to.resources.some((each) => isSameVersion(each, resource)))
    .map((resource) => resourcePaths(resource, from.multigroup === true).types)
    .filter((path) => read(path) !== undefined);
  if (!force) {
    const reason = 'it was there before create-operator knew of the kind';
    return { ...plan, conflicts: [...plan.conflicts, ...paths.map((path) => ({ path, reason }))] };
  }
  const deleted = paths.map((path): FileChange => ({ path, action: 'delete', content: undefined }));
  return { ...plan, changes: [...plan.changes, ...deleted] };
}

/**
 * The way from the scaffold that the project was made from to the one that its `operator.json` gives now. Conflicts are written into the
 * files, as `git merge` does.
 *
 * @param base what the project was made from; `undefined` where its record is gone
 */
export async function planUpgrade(
  input: Omit<ProjectInput, 'force'>,
  file: OperatorFile,
  cliVersion: string,
): Promise<ChangePlan> {
  const after = await renderScaffold(input.root, choicesOf(file, input.versions));
  const text = input.read(basePath);
  const before = text === undefined ? after : parseBase(text);
  const labels = { ours: 'yours', theirs: `create-operator ${cliVersion}` };
  const changed = planChanges({ before, after, read: input.read, policy: 'merge', labels });
  const plan = { ...changed, conflicts: [...changed.conflicts, ...leftConflicts(after, changed, input.read)] };
  return withRecords(plan, input, formatOperatorFile(recorded(file, cliVersion)), formatBase(after, text));
}

/** The files that nobody has mended since an earlier upgrade. */
function leftConflicts(after: FileTree, { changes, conflicts }: ChangePlan, read: ProjectInput['read']): FileNote[] {
  const seen = new Set([...changes, ...conflicts].map(({ path }) => path));
  return [...after.keys()]
    .filter((path) => !seen.has(path) && hasConflictMarkers(read(path) ?? ''))
    .sort()
    .map((path) => ({ path, reason: unresolved }));
}

function parts({ read, force }: ProjectInput): Pick<Parameters<typeof planChanges>[0], 'read' | 'policy' | 'labels'> {
  return { read, policy: force ? 'force' : 'refuse', labels: { ours: 'yours', theirs: 'scaffold' } };
}

/** What stands at the beginning stays there, also where it was not there before. */
function recorded(file: OperatorFile, cliVersion: string): OperatorFile {
  const { $schema = operatorSchemaReference, projectName, cliVersion: _, ...rest } = file;
  return { $schema, projectName, cliVersion, ...rest };
}

/** The plan with `operator.json` and the base, which are ours alone. */
function withRecords(
  plan: ChangePlan,
  { read }: Pick<ProjectInput, 'read'>,
  operatorFile: string,
  base: string,
): ChangePlan {
  const records = new Map([
    ['operator.json', operatorFile],
    [basePath, base],
  ]);
  const changes: FileChange[] = [...plan.changes];
  for (const [path, content] of records) {
    const current = read(path)?.replaceAll('\r\n', '\n');
    if (current !== content) changes.push({ path, action: current === undefined ? 'create' : 'update', content });
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...plan, changes };
}
