import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { ApiFlags } from './flags.ts';

export function defineApi(program: Command, io: Io, finish: Finish): void {
  program
    .command('api')
    .description(
      'add a kind to the project, or another version of one: types, reconciler, tests, sample, registration. ' +
        'Again for what is there it changes nothing; with --force it writes its files anew',
    )
    .option('--group <group>', 'the whole API group: a domain of your own, or a group of Kubernetes: apps, core')
    .option('--version <version>', 'the API version: v1, v1beta1 (default in a terminal: v1)')
    .option('--kind <kind>', 'the kind in PascalCase: Widget')
    .option('--plural <plural>', 'the plural of an own kind, where it is irregular')
    .addOption(
      new Option('--scope <scope>', 'where its objects live (default: Namespaced)').choices(['Namespaced', 'Cluster']),
    )
    .option('--controller', 'with a reconciler (the default for the first version of a kind)')
    .option('--no-controller', 'types only, without a reconciler')
    .option('--resource', 'with types of its own (the default, unless Kubernetes has the kind or it was imported)')
    .option('--no-resource', 'a reconciler only, for a kind of Kubernetes or one that create-operator import knows')
    .option('--external-api-path <file>', 'the module that import wrote for the kind (default: looked for in src)')
    .option('--force', 'overwrite what is in the way, after listing it')
    .option('--dry-run', 'print what would be done, and do nothing')
    .option('--no-generate', 'do not run generate afterwards')
    .allowExcessArguments(false)
    .action(async (flags: ApiFlags) => {
      const { runApi } = await import('./run.ts');
      finish(await runApi(flags, io));
    });
}
