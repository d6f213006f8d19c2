import type { Command } from 'commander';
import type { Finish } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { DeleteApiFlags } from './flags.ts';

export function defineDelete(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('delete')
    .description('take something out of the project that create-operator put into it')
    .helpOption('-h, --help', 'print this help');
  command
    .command('api')
    .description('remove a version of a kind: its files, its registration, its place in the kustomizations')
    .requiredOption('--group <group>', 'the whole API group')
    .requiredOption('--version <version>', 'the API version')
    .requiredOption('--kind <kind>', 'the kind')
    .option('--force', 'also files that you changed, after listing them')
    .option('--dry-run', 'print what would be done, and do nothing')
    .option('--no-generate', 'do not run generate afterwards')
    .allowExcessArguments(false)
    .action(async (flags: DeleteApiFlags) => {
      const { runDeleteApi } = await import('./run.ts');
      finish(await runDeleteApi(flags, io));
    });
}
