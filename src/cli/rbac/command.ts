import { type Command, Option } from 'commander';
import type { Finish } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { RbacFlags } from './flags.ts';

export function defineRbac(program: Command, io: Io, finish: Finish): void {
  program
    .command('rbac')
    .description('show which permissions the operator uses, where, and whether Rbac markers grant them')
    .option('--source <glob>', 'read these files, folders or globs (repeatable)', append)
    .option('--rbac-dir <dir>', 'take the bound roles that are written by hand here into account')
    .option('--role-name <name>', 'the role of the operator (default: manager-role)')
    .option('--tsconfig <file>', 'the tsconfig.json of the sources (default: the nearest above them)')
    .option('--check', 'exit 1 if anything is used and not granted; warn of what is granted and not used')
    .option('--write', 'insert the markers that are missing')
    .option('--stdout', 'with --write: print the changes and write nothing')
    .addOption(
      new Option(
        '--format <format>',
        'how to print; yaml is the role that grants what is used beside those written by hand, and nothing else',
      )
        .choices(['text', 'json', 'yaml'])
        .default('text'),
    )
    .allowExcessArguments(false)
    .action(async (flags: RbacFlags) => {
      const { runRbac } = await import('./run.ts');
      finish(await runRbac(flags, io));
    });
}

function append(glob: string, globs: readonly string[] | undefined): readonly string[] {
  return [...(globs ?? []), glob];
}
