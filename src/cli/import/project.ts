import { resolve } from 'node:path';
import type { CustomResourceDefinition } from '../../import/index.ts';
import type { OutputFile } from '../../model/index.ts';
import { projectLayout } from '../../project/layout.ts';
import { isSameVersion, type OperatorFile } from '../../project/operator-file.ts';
import { packageManagerCommands } from '../../project/package-manager.ts';
import { toProjectPath } from '../../project/paths.ts';
import { readSettings } from '../../project/settings.ts';
import { type FileChange, planProjectChange, withResource } from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { openProject, ownPackages, type ProjectFolder } from '../project-folder.ts';
import { changeList, planned, refuseConflicts, writeChanges } from '../scaffold-changes.ts';
import { UsageError } from '../usage-error.ts';

/**
 * The project that types are imported into: that whose declarations stand in the folder. `undefined` for any other folder, in a project
 * or not.
 *
 * @throws UsageError, ProjectError
 */
export function projectOf(out: string, io: Io): ProjectFolder | undefined {
  const folder = resolve(io.folder, out);
  const { root, projectName } = readSettings(folder);
  // One without a name holds settings of generate only.
  if (root === undefined || projectName === undefined || toProjectPath(folder, root) !== projectLayout.clientDir)
    return undefined;
  return openProject({ ...io, folder: root });
}

/** Writes types into a project and registers their kinds, without reconcilers: all of it or nothing. */
export async function addToProject(
  folder: ProjectFolder,
  definitions: readonly CustomResourceDefinition[],
  files: readonly OutputFile[],
  io: Io,
): Promise<ExitCode> {
  const project = await planned(() => withDefinitions(folder.file, definitions));
  const input = { ...folder, versions: ownPackages(), force: false };
  const change = await planned(() => planProjectChange(input, folder.file, project));
  refuseConflicts(change);
  const types = typeFiles(folder, files, io);
  const changes = [...change.changes, ...types].sort((a, b) => (a.path < b.path ? -1 : 1));
  const plan = { ...change, changes };
  const kinds = definitions.length === 1 ? '1 kind' : `${definitions.length} kinds`;
  if (changes.length === 0) {
    io.stdout.write(
      `The project has ${definitions.length === 1 ? 'the kind' : `the ${kinds}`} already; nothing was changed\n`,
    );
    return exitCode.done;
  }
  await writeChanges(folder, plan, io);
  const { run, exec } = packageManagerCommands[folder.file.packageManager ?? 'npm'];
  const [first] = definitions;
  const example =
    first === undefined
      ? ''
      : ` --group ${first.group} --version ${first.versions[0]?.name ?? ''} --kind ${first.kind}`;
  io.stdout.write(
    `Added ${kinds} to the project:\n${changeList(plan)}\nNext:\n  ${run} generate\n` +
      `  for a reconciler: ${exec} create-operator api${example} --controller\n`,
  );
  return exitCode.done;
}

function withDefinitions(file: OperatorFile, definitions: readonly CustomResourceDefinition[]): OperatorFile {
  let project = file;
  for (const { group, kind, plural, scope, versions } of definitions) {
    for (const { name: version } of versions) {
      const names = { group, version, kind };
      const known = project.resources.find((each) => isSameVersion(each, names));
      // What the scaffold made of it is in the way of its types, which is told with their file.
      if (known !== undefined && known.adopted !== true) continue;
      const controller = known?.controller === true;
      project = withResource(project, {
        ...names,
        plural,
        scope,
        controller,
        types: 'own',
        adopted: true,
      }).project;
    }
  }
  return project;
}

/** @throws UsageError for types that are there already and say something else */
function typeFiles({ root, read }: ProjectFolder, files: readonly OutputFile[], io: Io): FileChange[] {
  const paths = files.map(({ path, content }) => ({
    path: toProjectPath(resolve(io.folder, path), root) ?? path,
    content,
  }));
  const differing = paths.filter(({ path, content }) => {
    const current = read(path)?.replaceAll('\r\n', '\n');
    return current !== undefined && current !== content;
  });
  if (differing.length > 0) {
    throw new UsageError(
      `${differing.length === 1 ? 'a file stands' : `${differing.length} files stand`} in the way:${differing.map(({ path }) => `\n  ${path}`).join('')}`,
      'import into another folder to compare, or delete them first; nothing has been changed',
    );
  }
  return paths.flatMap(({ path, content }) =>
    read(path) === undefined ? [{ path, action: 'create' as const, content }] : [],
  );
}
