import { isGenerated } from '../../model/index.ts';
import { packageManagerCommands } from '../../project/package-manager.ts';
import type { OperatorFile, ProjectResource } from '../../project/operator-file.ts';
import {
  type FileChange,
  isLastVersion,
  isOwn,
  kindRoleFiles,
  planProjectChange,
  resourcePaths,
  withoutResource,
} from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { runGenerate } from '../generate/run.ts';
import type { Io } from '../io.ts';
import { hasRuntime, openProject, ownPackages, type ProjectFolder } from '../project-folder.ts';
import { changeList, listOverwritten, planned, refuseConflicts, writeChanges } from '../scaffold-changes.ts';
import type { DeleteApiFlags } from './flags.ts';

/** `create-operator delete api` */
export async function runDeleteApi(flags: DeleteApiFlags, io: Io): Promise<ExitCode> {
  const folder = openProject(io);
  const wanted = { ...flags, group: flags.group === 'core' ? '' : flags.group };
  const { project, resource } = await planned(() => withoutResource(folder.file, wanted));
  const input = { ...folder, versions: ownPackages(), force: flags.force === true };
  const change = await planned(() => planProjectChange(input, folder.file, project));
  refuseConflicts(change);
  const known = new Set(change.changes.map(({ path }) => path));
  const outputs = generatedFiles(resource, project, folder).filter(({ path }) => !known.has(path));
  const changes = [...change.changes, ...outputs].sort((a, b) => (a.path < b.path ? -1 : 1));
  const plan = { ...change, changes };

  const { group, version, kind } = resource;
  const name = `${kind} (${group === '' ? version : `${group}/${version}`})`;
  if (flags.dryRun === true) {
    io.stdout.write(`Would delete ${name}:\n${changeList(plan)}Nothing was written.\n`);
    return exitCode.done;
  }
  listOverwritten(plan, io);
  await writeChanges(folder, plan, io);
  io.stdout.write(`Deleted ${name}:\n${changeList(plan)}`);
  if (!flags.generate) return exitCode.done;
  if (hasRuntime(folder.root)) return await runGenerate({ format: 'text' }, { ...io, folder: folder.root });
  const { install, run } = packageManagerCommands[project.packageManager ?? 'npm'];
  io.stdout.write(`\nNext:\n  ${install}, then ${run} generate: the dependencies are not there yet\n`);
  return exitCode.done;
}

/** What `generate` wrote for the kind alone: it goes at once, since what is left may not compile with it. */
function generatedFiles(resource: ProjectResource, left: OperatorFile, { file, read }: ProjectFolder): FileChange[] {
  if (!isOwn(resource)) return [];
  const { client, definition } = resourcePaths(resource, file.multigroup === true);
  const ofKind = isLastVersion(left, resource)
    ? [`config/crd/${definition}`, ...kindRoleFiles(resource, file.resources).map((name) => `config/rbac/${name}`)]
    : [];
  return [client, ...ofKind]
    .filter((path) => isGenerated(read(path) ?? ''))
    .map((path) => ({ path, action: 'delete', content: undefined }));
}
