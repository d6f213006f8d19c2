import { parseKubernetesVersion } from '../../project/kubernetes-version.ts';
import { isGenerated } from '../../model/index.ts';
import type { OperatorFile, ProjectOptions } from '../../project/operator-file.ts';
import { packageManagerCommands } from '../../project/package-manager.ts';
import { type FileChange, isOwn, planProjectChange, resourcePaths, withChoices } from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { runGenerate } from '../generate/run.ts';
import type { Io } from '../io.ts';
import { hasRuntime, openProject, ownPackages, type ProjectFolder } from '../project-folder.ts';
import { changeList, listOverwritten, planned, refuseConflicts, writeChanges } from '../scaffold-changes.ts';
import { UsageError } from '../usage-error.ts';
import type { EditFlags } from './flags.ts';

/** `create-operator edit` */
export async function runEdit(flags: EditFlags, io: Io): Promise<ExitCode> {
  const folder = openProject(io);
  const choices = choicesOf(flags);
  if (Object.keys(choices).length === 0) {
    throw new UsageError('no choice is named that is to change', 'for instance create-operator edit --namespaced');
  }
  const project = await planned(() => withChoices(folder.file, choices));
  const input = { ...folder, versions: ownPackages(), force: flags.force === true };
  const change = await planned(() => planProjectChange(input, folder.file, project));
  refuseConflicts(change);
  const plan = { ...change, changes: [...change.changes, ...oldClients(folder, project)] };
  if (plan.changes.length === 0) {
    io.stdout.write('The project is so already; nothing was changed\n');
    return exitCode.done;
  }
  if (flags.dryRun === true) {
    io.stdout.write(`Would change the project:\n${changeList(plan)}Nothing was written.\n`);
    return exitCode.done;
  }
  listOverwritten(plan, io);
  await writeChanges(folder, plan, io);
  io.stdout.write(`Changed the project:\n${changeList(plan)}`);
  const { install, run } = packageManagerCommands[project.packageManager ?? 'npm'];
  const hints = [
    ...(choices.packageManager === undefined || choices.packageManager === (folder.file.packageManager ?? 'npm')
      ? []
      : [`remove the old lock file and node_modules, then run ${install}`]),
    ...(plan.changes.some(({ from }) => from !== undefined)
      ? [`${run} typecheck: it finds imports in your own files that still name the old places`]
      : []),
  ];
  // Roles, bindings and clients follow from the markers, which the choices change.
  const generates = flags.generate && hasRuntime(folder.root);
  const code = generates ? await runGenerate({ format: 'text' }, { ...io, folder: folder.root }) : exitCode.done;
  if (!generates && flags.generate) hints.push(`${install}, then ${run} generate: the dependencies are not there yet`);
  if (hints.length > 0) io.stdout.write(`\nNext:\n${hints.map((hint) => `  ${hint}\n`).join('')}`);
  return code;
}

/** The generated clients of kinds whose folder changes: `generate` writes them into the new one. */
function oldClients({ file, read }: ProjectFolder, project: OperatorFile): FileChange[] {
  return file.resources
    .filter(isOwn)
    .map((resource) => [file, project].map((each) => resourcePaths(resource, each.multigroup === true).client))
    .flatMap(([from = '', to]) => (from !== to && isGenerated(read(from) ?? '') ? [from] : []))
    .map((path) => ({ path, action: 'delete', content: undefined }));
}

function choicesOf(flags: EditFlags): ProjectOptions {
  const { namespaced, multigroup, helm, packageManager, kubernetesVersion, kindRoles } = flags;
  const version =
    kubernetesVersion === undefined ? undefined : parseKubernetesVersion(kubernetesVersion, '--kubernetes-version');
  return {
    ...(namespaced === undefined ? {} : { namespaced }),
    ...(multigroup === undefined ? {} : { multigroup }),
    ...(helm === undefined ? {} : { helm }),
    ...(packageManager === undefined ? {} : { packageManager }),
    ...(version === undefined ? {} : { kubernetesVersion: `${version.major}.${version.minor}` }),
    ...(kindRoles === undefined ? {} : { kindRoles: kindRoles === 'aggregated' ? kindRoles : kindRoles === 'plain' }),
  };
}
