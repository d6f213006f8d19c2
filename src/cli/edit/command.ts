import { type Command, Option } from 'commander';
import { packageManagers } from '../../project/package-manager.ts';
import type { Finish } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { EditFlags } from './flags.ts';

export function defineEdit(program: Command, io: Io, finish: Finish): void {
  program
    .command('edit')
    .description('change the choices of the project; what you changed in its files is merged')
    .option('--namespaced', 'an operator of single namespaces: Roles in place of ClusterRoles, and WATCH_NAMESPACE')
    .option('--no-namespaced', 'an operator of the whole cluster')
    .option('--multigroup', 'folders for each API group; files move there')
    .option('--no-multigroup', 'one folder for all API groups')
    .option('--helm', 'with a Helm chart')
    .option('--no-helm', 'without a Helm chart')
    .addOption(new Option('--package-manager <name>', 'who installs the dependencies').choices(packageManagers))
    .option('--kubernetes-version <version>', 'the oldest Kubernetes that the operator is for')
    .addOption(
      new Option('--kind-roles <which>', 'the admin, editor and viewer role of each kind').choices([
        'none',
        'plain',
        'aggregated',
      ]),
    )
    .option('--force', 'overwrite and delete what is in the way, after listing it')
    .option('--dry-run', 'print what would be done, and do nothing')
    .option('--no-generate', 'do not run generate afterwards')
    .allowExcessArguments(false)
    .action(async (flags: EditFlags) => {
      const { runEdit } = await import('./run.ts');
      finish(await runEdit(flags, io));
    });
}
