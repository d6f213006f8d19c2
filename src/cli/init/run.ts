import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { writeOutput } from '../../output/index.ts';
import { nearest, parseKubernetesVersion } from '../../project/settings.ts';
import { ownVersion } from '../../project/version.ts';
import { checkProjectName, planProject } from '../../scaffold/index.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { ask } from './ask.ts';
import type { InitFlags } from './command.ts';
import { findNpm, installDependencies } from './install.ts';
import { refuseMistypedCommand } from './mistyped-command.ts';

/** Files that may stand in the folder of a new project: they say nothing of what it is. */
const harmless = new Set(['.git', '.DS_Store', 'Thumbs.db']);

/** `create-operator [init] [dir]` */
export async function runInit(dir: string | undefined, flags: InitFlags, io: Io): Promise<ExitCode> {
  if (dir !== undefined) refuseMistypedCommand(dir, io.folder, flags.commands);
  const asks = io.isInteractive && flags.yes !== true;
  // Inside of a project most answers would be wrong.
  if (dir === undefined && nearest(io.folder, 'operator.json') !== undefined) refuseFolder(io.folder, 'this folder');
  const folder =
    dir ?? (asks ? await ask(io, 'Where shall the project be?', 'my-operator', folderProblem(io)) : undefined);
  if (folder === undefined) {
    throw new UsageError('no folder is named, and there is no terminal to ask in', 'create-operator my-operator');
  }
  const root = resolve(io.folder, folder);
  refuseFolder(root, folder);

  const suggested = flags.name ?? basename(root);
  const name =
    flags.name === undefined && asks && checkProjectName(suggested) !== undefined
      ? await ask(io, 'What is the project called?', 'my-operator', (answer) => checkProjectName(answer)?.message)
      : suggested;
  const problem = checkProjectName(name);
  if (problem !== undefined) throw new UsageError(problem.message, problem.remedy);
  const { major, minor } = parseKubernetesVersion(flags.kubernetesVersion, '--kubernetes-version');
  const npm = flags.install ? findNpm(io.environment) : undefined;
  if (flags.install && npm === undefined) {
    throw new UsageError(
      'npm was not found, so that the dependencies cannot be installed',
      'install npm, or use --skip-install',
    );
  }

  const version = `^${ownVersion()}`;
  const files = await planProject(root, {
    name,
    kubernetesVersion: `${major}.${minor}`,
    dependencies: { 'create-operator': version, 'operator-runtime': version },
  });
  const release = io.holdSignals();
  try {
    await writeOutput({
      root,
      folders: [{ path: '.', depth: 0, owns: () => false, replacesForeign: false }],
      files,
    });
  } finally {
    release();
  }
  const shown = relative(io.folder, root) || '.';
  io.stdout.write(`Created ${name} in ${shown} (${files.length} files)\n`);

  if (npm !== undefined && !(await installed(npm, root, shown, io))) return exitCode.problems;
  io.stdout.write(nextSteps(shown, npm !== undefined));
  return exitCode.done;
}

/** Installs the dependencies, or says why they are not there. */
async function installed(npm: string, root: string, shown: string, io: Io): Promise<boolean> {
  // Ctrl-C reaches npm as well; what is left to say is said before it ends us.
  const release = io.holdSignals();
  try {
    const installation = await installDependencies(npm, root, io);
    if (installation.ok) return true;
    io.stderr.write(
      `error: the project is complete, but its dependencies are not installed: ${installation.reason}\n` +
        `  help: run npm install in ${shown}\n`,
    );
    return false;
  } finally {
    release();
  }
}

/** What is wrong with a folder that the user names in the terminal. */
function folderProblem({ folder }: Io): (answer: string) => string | undefined {
  return (answer) => {
    try {
      refuseFolder(resolve(folder, answer), answer);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
}

function refuseFolder(root: string, shown: string): void {
  const project = nearest(root, 'operator.json');
  if (project !== undefined) {
    throw new UsageError(
      `${shown} lies in a project already: ${project}`,
      'add a kind to it with create-operator api, or choose a folder outside of it',
    );
  }
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new UsageError(`${shown} is a file`, 'choose another folder');
  const entries = readdirSync(root).filter((entry) => !harmless.has(entry));
  if (entries.length === 0) return;
  const named = entries.slice(0, 3).join(', ');
  const more = entries.length > 3 ? ` and ${entries.length - 3} more` : '';
  throw new UsageError(`the folder ${shown} is not empty: it has ${named}${more}`, 'choose a new or empty folder');
}

function nextSteps(folder: string, installed: boolean): string {
  const steps = [
    ...(folder === '.' ? [] : [`cd ${folder}`]),
    ...(installed ? [] : ['npm install']),
    'npx create-operator api --group example.com --version v1 --kind Widget',
    'npm run dev',
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}
