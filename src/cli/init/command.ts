import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';

/** The flags of `init` as commander gives them. */
export interface InitFlags {
  readonly name?: string;
  readonly kubernetesVersion: string;
  readonly packageManager?: 'npm';
  readonly install: boolean;
  readonly yes?: boolean;
  /** The names of all commands, to tell a folder from a misspelt command. */
  readonly commands: readonly string[];
}

/** As commander gives them: what is switched off has a flag of its own. */
type GivenFlags = Omit<InitFlags, 'install' | 'commands'> & { readonly skipInstall?: boolean };

export function defineInit(program: Command, io: Io, finish: Finish): void {
  program
    .command('init', { isDefault: true })
    .description('scaffold an operator project in a new or empty folder (what create-operator does without a command)')
    .argument('[dir]', 'the folder (asked for in a terminal)')
    .option('--name <name>', "the project's name (default: the folder's)")
    .option('--kubernetes-version <version>', 'the oldest Kubernetes that the operator is for', '1.34')
    .addOption(new Option('--package-manager <name>', 'who installs the dependencies').choices(['npm']))
    .option('--skip-install', 'do not install the dependencies')
    .option('-y, --yes', 'ask nothing, take the defaults')
    .allowExcessArguments(false)
    .action(async (dir: string | undefined, flags: GivenFlags) => {
      const { runInit } = await import('./run.ts');
      const commands = program.commands.map((command) => command.name());
      finish(await runInit(dir, { ...flags, install: flags.skipInstall !== true, commands }, io));
    });
}
