import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../exit-code.ts';
import type { DevFlags } from './flags.ts';

export function defineDev(program: Command, io: Io, finish: Finish): void {
  program
    .command('dev')
    .description('run the operator against an embedded API server, and again whenever a file changes')
    .option('--kubeconfig <file>', "write the administrator's kubeconfig here (default: a temporary file)")
    .option('--state <file>', 'start with the objects in this file, and keep them there')
    .option('--workloads', 'make Deployments, StatefulSets, DaemonSets and Jobs look alive: no container runs')
    .option('--admin-endpoint', 'let administrators control faults, clock, restarts and state under /_admin')
    .allowExcessArguments(false)
    .action(async (flags: DevFlags) => {
      const { runDev } = await import('./run.ts');
      finish(await runDev(flags, io));
    });
}
