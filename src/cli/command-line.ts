import { Command, CommanderError } from 'commander';
import { OutputError } from '../output/output-set.ts';
import { ProjectError } from '../project/settings.ts';
import { ownVersion } from '../project/version.ts';
import { exitCode, type ExitCode, type Finish } from './exit-code.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

/** Adds a command, which calls `finish` when it has ended; `argv` is what the user typed. */
export type DefineCommand = (program: Command, io: Io, finish: Finish, argv: readonly string[]) => void;

/**
 * Runs a command line with these commands.
 *
 * @param argv what the user typed after the program's name.
 * @returns the exit code: 0 done, 1 problems in the user's input or drift, 2 wrong usage or environment.
 */
export async function runCommandLine(
  commands: readonly DefineCommand[],
  argv: readonly string[],
  io: Io,
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const finish = (finished: ExitCode): void => {
    code = finished;
  };
  const program = createProgram(commands, io, finish, argv);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return report(
      error,
      argv,
      program.commands.map((command) => command.name()),
      io,
    );
  }
}

/** The command line as commander knows it. Nothing is printed but by `io`, and nothing ends the process. */
function createProgram(commands: readonly DefineCommand[], io: Io, finish: Finish, argv: readonly string[]): Command {
  const program = new Command('create-operator')
    .description('A kubebuilder for TypeScript: CRDs, RBAC and typed clients from marked TypeScript types.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    // So that `api --version v1` is not asked for our own version.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: io.stdout.write,
      writeErr: io.stderr.write,
      // Errors are printed where they are caught, with those of other kinds.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const define of commands) define(program, io, finish, argv);
  return program;
}

function report(error: unknown, argv: readonly string[], commands: readonly string[], io: Io): ExitCode {
  const print = (message: string, hint: string | undefined): ExitCode => {
    io.stderr.write(`error: ${message}\n${hint === undefined ? '' : `  help: ${hint}\n`}`);
    return exitCode.usage;
  };
  if (error instanceof CommanderError) {
    // Help and version have been printed.
    if (error.exitCode === 0) return exitCode.done;
    if (error.code === 'commander.help') return exitCode.usage;
    const [first = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
    // Without a command's name the folder of a new project stands first.
    const command = commands.includes(argv[0] ?? '') ? ` ${argv[0]}` : '';
    return print(first, suggestion?.replace(/^\((.*)\)$/, '$1').toLowerCase() ?? `create-operator${command} --help`);
  }
  if (error instanceof UsageError || error instanceof ProjectError) return print(error.message, error.hint);
  if (error instanceof OutputError) return print(`cannot write ${error.message}`, 'nothing has been changed');
  const text = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  if (io.environment['CREATE_OPERATOR_DEBUG'] === '1' && error instanceof Error) io.stderr.write(`${error.stack}\n`);
  return print(
    `unexpected: ${text}`,
    'this is a fault of create-operator; please report it with the output of CREATE_OPERATOR_DEBUG=1',
  );
}
