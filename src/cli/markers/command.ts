import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { MarkersFlags } from './flags.ts';

export function defineMarkers(program: Command, io: Io, finish: Finish): void {
  program
    .command('markers')
    .description('list the markers, or explain one')
    .argument('[name]', 'a marker, as decorator or as tag: MinLength, minLength')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .allowExcessArguments(false)
    .action(async (name: string | undefined, flags: MarkersFlags) => {
      const { runMarkers } = await import('./run.ts');
      finish(runMarkers(name, flags, io));
    });
}
