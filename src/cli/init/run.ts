import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findPackageManager } from '../../project/find-package-manager.ts';
import { parseKubernetesVersion } from '../../project/kubernetes-version.ts';
import type { OperatorFile } from '../../project/operator-file.ts';
import { type PackageManager, packageManagerCommands } from '../../project/package-manager.ts';
import { nearest } from '../../project/settings.ts';
import { ownVersion } from '../../project/version.ts';
import { checkProjectName, planNewProject } from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { ownPackages, reader } from '../project-folder.ts';
import { changeList, planned, refuseConflicts, writeChanges } from '../scaffold-changes.ts';
import { UsageError } from '../usage-error.ts';
import { ask } from './ask.ts';
import type { InitFlags } from './flags.ts';
import { findProgram, installDependencies } from './install.ts';
import { refuseMistypedCommand } from './mistyped-command.ts';

/** Files that may stand in the folder of a new project: they say nothing of what it is. */
const harmless = new Set(['.git', '.DS_Store', 'Thumbs.db']);

/** `create-operator [init] [dir]` */
export async function runInit(dir: string | undefined, flags: InitFlags, io: Io): Promise<ExitCode> {
  if (dir !== undefined) refuseMistypedCommand(dir, io.folder, flags.commands);
  const { root, name } = await place(dir, flags, io);
  const { major, minor } = parseKubernetesVersion(flags.kubernetesVersion, '--kubernetes-version');
  const { name: manager, workspace } = findPackageManager(
    root,
    flags.packageManager,
    io.environment['npm_config_user_agent'],
  );
  const installs = flags.install && flags.dryRun !== true;
  const program = installs ? findProgram(manager, io.environment) : undefined;
  if (installs && program === undefined) {
    throw new UsageError(
      `${manager} was not found, so that the dependencies cannot be installed`,
      `install ${manager}, or use --skip-install`,
    );
  }

  const file: OperatorFile = {
    projectName: name,
    kubernetesVersion: `${major}.${minor}`,
    packageManager: manager,
    ...(workspace === undefined ? {} : { workspace: true }),
    namespaced: flags.namespaced === true,
    multigroup: flags.multigroup === true,
    helm: flags.helm,
    resources: [],
  };
  const input = { root, read: reader(root), versions: ownPackages(), force: flags.force === true };
  const plan = await planned(() => planNewProject(input, file, ownVersion()));
  refuseConflicts(plan);
  const folder = relative(io.folder, root) || '.';
  const count = `${plan.changes.length} files`;
  if (flags.dryRun === true) {
    io.stdout.write(`Would create ${name} in ${folder} (${count}):\n${changeList(plan)}Nothing was written.\n`);
    return exitCode.done;
  }
  const overwritten = plan.changes.filter(({ action }) => action !== 'create');
  if (overwritten.length > 0) io.stdout.write(changeList({ changes: overwritten, kept: [] }));
  await writeChanges(input, plan, io);
  io.stdout.write(`Created ${name} in ${folder} (${count})\n`);

  if (program !== undefined && !(await installed(manager, program, root, folder, io))) {
    if (workspace !== undefined && manager === 'pnpm') io.stderr.write(`  ${allowBuilds(workspace)}\n`);
    return exitCode.problems;
  }
  io.stdout.write(nextSteps(folder, program !== undefined, manager, workspace));
  return exitCode.done;
}

/** Where the project goes and what it is called, asked for where it is not said and somebody can be asked. */
async function place(
  dir: string | undefined,
  flags: InitFlags,
  io: Io,
): Promise<{ readonly root: string; readonly name: string }> {
  const asks = io.isInteractive && flags.yes !== true;
  const force = flags.force === true;
  // Inside of a project most answers would be wrong.
  if (dir === undefined && nearest(io.folder, 'operator.json') !== undefined) {
    refuseFolder(io.folder, 'this folder', force);
  }
  const folder =
    dir ?? (asks ? await ask(io, 'Where shall the project be?', 'my-operator', folderProblem(io, force)) : undefined);
  if (folder === undefined) {
    throw new UsageError('no folder is named, and there is no terminal to ask in', 'create-operator my-operator');
  }
  if (folder === '') throw new UsageError('the name of the folder is empty', 'for the folder that you are in: .');
  const root = resolve(io.folder, folder);
  refuseFolder(root, folder, force);
  const suggested = flags.name ?? basename(root);
  const name =
    flags.name === undefined && asks && checkProjectName(suggested) !== undefined
      ? await ask(io, 'What is the project called?', 'my-operator', (answer) => checkProjectName(answer)?.message)
      : suggested;
  const problem = checkProjectName(name);
  if (problem !== undefined) throw new UsageError(problem.message, problem.remedy);
  return { root, name };
}

/** Installs the dependencies, or says why they are not there. */
async function installed(
  manager: PackageManager,
  program: string,
  root: string,
  shown: string,
  io: Io,
): Promise<boolean> {
  // Ctrl-C reaches it as well; what is left to say is said before it ends us.
  const release = io.holdSignals();
  try {
    const installation = await installDependencies(manager, program, root, io);
    if (installation.ok) return true;
    io.stderr.write(
      `error: the project is complete, but its dependencies are not installed: ${installation.reason}\n` +
        `  help: run ${packageManagerCommands[manager].install} in ${shown}\n`,
    );
    return false;
  } finally {
    release();
  }
}

/** What is wrong with a folder that the user names in the terminal. */
function folderProblem({ folder }: Io, force: boolean): (answer: string) => string | undefined {
  return (answer) => {
    try {
      refuseFolder(resolve(folder, answer), answer, force);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
}

function refuseFolder(root: string, shown: string, force: boolean): void {
  const project = nearest(root, 'operator.json');
  if (project !== undefined) {
    throw new UsageError(
      `${shown} lies in a project already: ${project}`,
      'add a kind to it with create-operator api, or choose a folder outside of it',
    );
  }
  if (!existsSync(root)) {
    const above = firstAbove(root);
    if (statSync(above).isDirectory()) return;
    throw new UsageError(`${shown} cannot be a folder: ${above} is a file`, 'choose another folder');
  }
  if (!statSync(root).isDirectory()) throw new UsageError(`${shown} is a file`, 'choose another folder');
  if (force) return;
  const entries = readdirSync(root).filter((entry) => !harmless.has(entry));
  if (entries.length === 0) return;
  const named = entries.slice(0, 3).join(', ');
  const more = entries.length > 3 ? ` and ${entries.length - 3} more` : '';
  throw new UsageError(
    `the folder ${shown} is not empty: it has ${named}${more}`,
    'choose a new or empty folder; or --force: what is in the way is listed and overwritten',
  );
}

/** The nearest thing above a path that exists: the root does. */
function firstAbove(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) ? parent : firstAbove(parent);
}

function nextSteps(folder: string, installed: boolean, manager: PackageManager, workspace: string | undefined): string {
  const { exec, install, run } = packageManagerCommands[manager];
  const steps = [
    ...(workspace !== undefined && manager === 'pnpm' ? [allowBuilds(workspace)] : []),
    ...(folder === '.' ? [] : [`cd ${folder}`]),
    ...(installed ? [] : [install]),
    `${exec} create-operator api --group example.com --version v1 --kind Widget`,
    `${run} dev`,
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** pnpm refuses to install packages with install scripts of which its workspace says nothing. */
function allowBuilds(workspace: string): string {
  return `in ${join(workspace, 'pnpm-workspace.yaml')}: "allowBuilds: { esbuild: false }"; esbuild needs no install script`;
}
