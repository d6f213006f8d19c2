import type { Command } from 'commander';
import type { Finish } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { UpgradeFlags } from './flags.ts';

export function defineUpgrade(program: Command, io: Io, finish: Finish): void {
  program
    .command('upgrade')
    .description(
      'bring the files of the project to what this version would scaffold, merged with what you changed; ' +
        'where both changed the same lines, conflict markers say so, and the exit code is 1',
    )
    .option('--dry-run', 'print what would be done, and do nothing')
    .allowExcessArguments(false)
    .action(async (flags: UpgradeFlags) => {
      const { runUpgrade } = await import('./run.ts');
      finish(await runUpgrade(flags, io));
    });
}
