import { Command } from 'commander';
import { ownVersion } from '../project/version.ts';
import type { Finish } from './exit-code.ts';
import { defineApi } from './api/command.ts';
import { defineApiserver } from './apiserver-command.ts';
import { defineDelete } from './delete/command.ts';
import { defineDev } from './dev/command.ts';
import { defineEdit } from './edit/command.ts';
import { defineGenerate } from './generate/command.ts';
import { defineImport } from './import/command.ts';
import type { Io } from './io.ts';
import { defineInit } from './init/command.ts';
import { defineMarkers } from './markers/command.ts';
import { defineRbac } from './rbac/command.ts';
import { defineUpgrade } from './upgrade/command.ts';
import { UsageError } from './usage-error.ts';

/** The commands; each loads its code when it runs. */
const commands: readonly ((program: Command, io: Io, finish: Finish) => void)[] = [
  defineInit,
  defineApi,
  defineEdit,
  defineDelete,
  defineUpgrade,
  defineDev,
  defineGenerate,
  defineImport,
  defineMarkers,
  defineRbac,
  defineApiserver,
];

/** Commands that are yet to come. */
const missing = ['webhook', 'diff', 'lint', 'docs'] as const;

/** The command line as commander knows it. Nothing is printed but by `io`, and nothing ends the process. */
export function createProgram(io: Io, finish: Finish): Command {
  const program = new Command('create-operator')
    .description('A kubebuilder for TypeScript: CRDs, RBAC and typed clients from marked TypeScript types.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    // So that `api --version v1` is not asked for our own version.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: io.stdout.write,
      writeErr: io.stderr.write,
      // Errors are printed where they are caught, with those of other kinds.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const define of commands) define(program, io, finish);
  for (const name of missing) refuse(program, name);
  return program;
}

/** Without its name a command that is not there would be taken for the folder of a new project. */
function refuse(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(
        `create-operator ${ownVersion()} has no command "${name}"`,
        `for a project of that name: create-operator ./${name}`,
      );
    });
}
