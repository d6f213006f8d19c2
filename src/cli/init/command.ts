import { type Command, Option } from 'commander';
import { packageManagers } from '../../project/package-manager.ts';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { InitFlags } from './flags.ts';

/** As commander gives them: what is switched off has a flag of its own. */
type GivenFlags = Omit<InitFlags, 'install' | 'commands'> & { readonly skipInstall?: boolean };

export function defineInit(program: Command, io: Io, finish: Finish): void {
  program
    .command('init', { isDefault: true })
    .description('scaffold an operator project in a new or empty folder (what create-operator does without a command)')
    .argument('[dir]', 'the folder (asked for in a terminal)')
    .option('--name <name>', "the project's name (default: the folder's)")
    .option('--kubernetes-version <version>', 'the oldest Kubernetes that the operator is for', '1.34')
    .addOption(
      new Option(
        '--package-manager <name>',
        'who installs the dependencies (default: that of the workspace around the folder, else the one that runs this)',
      ).choices(packageManagers),
    )
    .option('--namespaced', 'an operator of single namespaces: Roles in place of ClusterRoles, and WATCH_NAMESPACE')
    .option('--multigroup', 'folders for each API group')
    .option('--no-helm', 'without a Helm chart')
    .option('--skip-install', 'do not install the dependencies')
    .option('--force', 'also into a folder that is not empty: overwrites what is listed, and leaves all else')
    .option('--dry-run', 'print what would be written, and write nothing')
    .option('-y, --yes', 'ask nothing, take the defaults')
    .allowExcessArguments(false)
    .action(async (dir: string | undefined, flags: GivenFlags) => {
      const { runInit } = await import('./run.ts');
      const commands = program.commands.map((command) => command.name());
      finish(await runInit(dir, { ...flags, install: flags.skipInstall !== true, commands }, io));
    });
}
