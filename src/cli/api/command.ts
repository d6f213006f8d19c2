import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';

/** The flags of `api` as commander gives them. */
export interface ApiFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly controller: boolean;
  readonly generate: boolean;
}

export function defineApi(program: Command, io: Io, finish: Finish): void {
  program
    .command('api')
    .description('add a kind to the project: types, reconciler, tests, sample, registration')
    .option('--group <group>', 'the whole API group, a domain of your own: apps.example.com')
    .option('--version <version>', 'the API version: v1, v1beta1 (default in a terminal: v1)')
    .option('--kind <kind>', 'the kind in PascalCase: Widget')
    .addOption(
      new Option('--scope <scope>', 'where its objects live').choices(['Namespaced', 'Cluster']).default('Namespaced'),
    )
    .option('--no-controller', 'types only, without a reconciler')
    .option('--no-generate', 'do not run generate afterwards')
    .allowExcessArguments(false)
    .action(async (flags: ApiFlags) => {
      const { runApi } = await import('./run.ts');
      finish(await runApi(flags, io));
    });
}
