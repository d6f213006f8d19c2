import type { Command } from 'commander';
import { resolve } from 'node:path';
import { writePrivateFile } from '../output/private-file.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';
import { shellWord } from './shell-word.ts';
import { StateFile } from './state-file.ts';
import { UsageError } from './usage-error.ts';

interface Flags {
  readonly port: string;
  readonly kubeconfig?: string;
  readonly insecure?: true;
  readonly workloads?: true;
  readonly state?: string;
  readonly adminEndpoint?: true;
}

/** `create-operator apiserver`: the embedded API server alone, until it is told to end. */
export function defineApiserver(program: Command, io: Io, finish: (code: ExitCode) => void): void {
  program
    .command('apiserver')
    .description('run the embedded Kubernetes API server until SIGTERM or Ctrl-C')
    .option('--port <number>', 'port to listen on, 0 for any free one', '0')
    .option('--kubeconfig <file>', "write the administrator's kubeconfig to this file")
    .option('--insecure', 'plain HTTP instead of HTTPS: kubectl sends no credentials over it')
    .option('--workloads', 'make Deployments, StatefulSets, DaemonSets and Jobs look alive: no container runs')
    .option('--state <file>', 'start with the state in this file, and keep it there')
    .option('--admin-endpoint', 'let administrators control faults, clock, restarts and state under /_admin')
    .action(async (flags: Flags) => {
      finish(await runApiServer(flags, io));
    });
}

async function runApiServer(flags: Flags, io: Io): Promise<ExitCode> {
  const port = Number(flags.port);
  if (!/^\d+$/.test(flags.port) || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${flags.port}`);
  // From here on a signal ends the server in order, even while it starts.
  const interrupted = io.interrupted();
  const { startApiServer, StateError } = await import('../apiserver/index.ts');
  const state = flags.state === undefined ? undefined : new StateFile(flags.state, io);
  let server;
  try {
    server = await startApiServer({
      port,
      insecure: flags.insecure === true,
      workloads: flags.workloads === true,
      adminEndpoint: flags.adminEndpoint === true,
      ...(state?.text !== undefined && { state: state.text }),
      onChange: () => state?.changed(),
      onError: (error) => io.stderr.write(`error: ${describe(error)}\n`),
    });
  } catch (error) {
    if (state !== undefined && error instanceof StateError) throw state.unusable(error);
    if (error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) {
      throw new UsageError(
        `cannot listen on port ${port}: ${error.code === 'EACCES' ? 'permission denied' : 'it is in use'}`,
      );
    }
    throw error;
  }
  try {
    state?.keep(() => server.snapshot());
    let hint = '';
    if (flags.kubeconfig !== undefined) {
      const file = resolve(io.folder, flags.kubeconfig);
      writePrivateFile(file, server.kubeconfig());
      hint = ` (KUBECONFIG=${shellWord(file)})`;
    }
    io.stdout.write(`API server ready on ${server.url}${hint}\n`);
    await interrupted;
  } finally {
    state?.close();
    await server.stop();
  }
  return exitCode.done;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
