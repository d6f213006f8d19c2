import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importClients, importTypes, readDefinitions } from '../../import/index.ts';
import type { Diagnostic } from '../../model/index.ts';
import { writeOutput } from '../../output/index.ts';
import { toProjectPath } from '../../project/index.ts';
import { projectLayout } from '../../project/layout.ts';
import { readSettings } from '../../project/settings.ts';
import { formatDiagnostics } from '../diagnostics.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { hasColor, type Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import type { ImportFlags } from './flags.ts';
import { readInputs } from './input.ts';
import { addToProject, projectOf } from './project.ts';

/** `create-operator import` */
export async function runImport(sources: readonly string[], flags: ImportFlags, io: Io): Promise<ExitCode> {
  if (flags.out === '') throw new UsageError('--out names no folder');
  const folder = toProjectPath(flags.out, io.folder);
  if (folder === undefined) throw new UsageError(`--out ${flags.out} lies on another drive than ${io.folder}`);
  const project = flags.types === true ? projectOf(flags.out, io) : undefined;
  const inputs = await readInputs(sources, io);
  const read = inputs.map(({ name, text }) => readDefinitions(text, name));
  const definitions = read.flatMap((each) => each.definitions);
  const diagnostics = read.flatMap((each) => each.diagnostics);
  const { files, diagnostics: problems } =
    flags.types === true
      ? importTypes(definitions, folder, project?.file.multigroup === true)
      : await importClients(definitions, folder);
  diagnostics.push(...problems);
  print(diagnostics, io);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    io.stderr.write(`${count(errors, 'error')}; nothing was written\n`);
    return exitCode.problems;
  }
  if (project !== undefined) return await addToProject(project, definitions, files, io);
  const release = io.holdSignals();
  try {
    // What other imports have written stays.
    const folders = [{ path: folder, depth: flags.types === true ? 2 : 0, owns: () => false, replacesForeign: false }];
    const { written, unchanged } = await writeOutput({ root: io.folder, folders, files });
    const states = [`${written.length} written`, ...(unchanged > 0 ? [`${unchanged} unchanged`] : [])].join(', ');
    io.stdout.write(`${count(definitions.length, 'kind')}, ${count(files.length, 'file')} (${states})\n`);
    if (flags.types === true && readSettings(resolve(io.folder, flags.out)).projectName !== undefined) {
      io.stdout.write(
        `generate reads types below ${projectLayout.clientDir} only: with --out there the project gets the kinds, too\n`,
      );
    }
  } finally {
    release();
  }
  return exitCode.done;
}

function print(diagnostics: readonly Diagnostic[], io: Io): void {
  const source = (file: string): string | undefined => {
    try {
      return readFileSync(resolve(io.folder, file), 'utf8');
    } catch {
      // A URL, or the standard input.
      return undefined;
    }
  };
  const color = hasColor(io, io.stderr);
  io.stderr.write(formatDiagnostics(diagnostics, { color, ...(io.stderr.isTerminal ? { source } : {}) }));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
