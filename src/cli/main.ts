import { CommanderError } from 'commander';
import { OutputError } from '../output/output-set.ts';
import { ProjectError } from '../project/settings.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { type Io, processIo } from './io.ts';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

/**
 * Runs the command line.
 *
 * @param argv what the user typed after the program's name.
 * @returns the exit code: 0 done, 1 problems in the user's input or drift, 2 wrong usage or environment.
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = createProgram(io, (finished) => {
    code = finished;
  });
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
