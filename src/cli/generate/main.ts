import { runCommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-code.ts';
import { type Io, processIo } from '../io.ts';
import { defineGenerate } from './command.ts';

/** The command line of `create-operator generate` alone: what is run all day is bundled for itself, so that it starts at once. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  return await runCommandLine([defineGenerate], argv, io);
}
