import type { Command } from 'commander';
import { ownVersion } from '../project/version.ts';
import { defineApi } from './api/command.ts';
import { defineApiserver } from './apiserver-command.ts';
import type { DefineCommand } from './command-line.ts';
import { defineDelete } from './delete/command.ts';
import { defineDev } from './dev/command.ts';
import { defineEdit } from './edit/command.ts';
import { defineGenerate } from './generate/command.ts';
import { defineImport } from './import/command.ts';
import { defineInit } from './init/command.ts';
import { defineMarkers } from './markers/command.ts';
import { defineRbac } from './rbac/command.ts';
import { defineUpgrade } from './upgrade/command.ts';
import { UsageError } from './usage-error.ts';

/** Commands that are yet to come. */
const missing = ['webhook', 'diff', 'lint', 'docs'] as const;

/** The commands; each loads its code when it runs. */
export const commands: readonly DefineCommand[] = [
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
  ...missing.map((name) => (program: Command) => refuse(program, name)),
];

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
