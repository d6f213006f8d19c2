import { runCommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-code.ts';
import { type Io, processIo } from '../io.ts';
import { defineRbac } from '../rbac/command.ts';
import { defineGenerate } from './command.ts';

/**
 * The command lines of `create-operator generate` and `create-operator rbac` alone: what is run all day is bundled for itself, so that it
 * starts at once. `argv` begins with one of the two.
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  return await runCommandLine([argv[0] === 'rbac' ? defineRbac : defineGenerate], argv, io);
}
