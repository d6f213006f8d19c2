import { runCommandLine } from './command-line.ts';
import type { ExitCode } from './exit-code.ts';
import { type Io, processIo } from './io.ts';
import { commands } from './program.ts';

/** The whole command line. `argv` is what the user typed after the program's name; returns the exit code. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  return await runCommandLine(commands, argv, io);
}
