import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';

/** The flags of `dev` as commander gives them. */
export interface DevFlags {
  readonly kubeconfig?: string;
}

export function defineDev(program: Command, io: Io, finish: Finish): void {
  program
    .command('dev')
    .description('run the operator against an embedded API server, and again whenever a file changes')
    .option('--kubeconfig <file>', "write the administrator's kubeconfig here (default: a temporary file)")
    .allowExcessArguments(false)
    .action(async (flags: DevFlags) => {
      const { runDev } = await import('./run.ts');
      finish(await runDev(flags, io));
    });
}
