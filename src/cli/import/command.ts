import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { ImportFlags } from './flags.ts';

export function defineImport(program: Command, io: Io, finish: Finish): void {
  program
    .command('import')
    .description('write typed clients for CRDs that others define, or marked types for your own')
    .argument('<sources...>', 'CRDs in YAML or JSON: files, folders, https URLs, or - for the standard input')
    .requiredOption('--out <dir>', 'write here: <group>_<version>_<kind>.ts; files of other imports stay')
    .option('--types', 'write marked TypeScript that generate turns back into the same CRDs: <version>/<kind>.types.ts')
    .allowExcessArguments(false)
    .action(async (sources: readonly string[], flags: ImportFlags) => {
      const { runImport } = await import('./run.ts');
      finish(await runImport(sources, flags, io));
    });
}
