import type { Diagnostic } from '../../model/index.ts';
import type { Difference } from '../../output/index.ts';
import { diagnosticToJson, formatDiagnostics, painter } from '../diagnostics.ts';
import { hasColor, type Io } from '../io.ts';
import { count } from '../repeat.ts';
import type { Plan } from './plan.ts';

/** What became of one file, or in a check what is to become of it. */
export interface FileState {
  readonly path: string;
  readonly state: 'written' | 'removed' | 'unchanged' | 'printed' | Difference['state'];
  /** With `printed`. */
  readonly content?: string;
  /** With `missing`, `changed` and `stale`. */
  readonly difference?: Difference;
}

/** All that a run has to say. */
export interface Report {
  readonly mode: Plan['mode'];
  readonly diagnostics: readonly Diagnostic[];
  readonly kinds: number;
  readonly roles: number;
  readonly files: readonly FileState[];
  readonly failed: boolean;
}

/** Prints a report: outputs, differences and summary to stdout, diagnostics to stderr; or all as one JSON object to stdout. */
export async function writeReport(
  report: Report,
  format: 'text' | 'json',
  io: Io,
  source: (file: string) => string | undefined,
): Promise<void> {
  const diffs = await diffsOf(report.files);
  if (format === 'json') {
    io.stdout.write(`${JSON.stringify(toJson(report, diffs), undefined, 2)}\n`);
    return;
  }
  const color = hasColor(io, io.stderr);
  io.stderr.write(formatDiagnostics(report.diagnostics, { color, ...(io.stderr.isTerminal ? { source } : {}) }));
  if (report.failed) {
    io.stderr.write(`${failure(report)}\n`);
    return;
  }
  if (report.mode === 'print') {
    for (const { content } of report.files) io.stdout.write(content ?? '');
    return;
  }
  for (const { path, state } of report.files) {
    const diff = diffs.get(path);
    if (diff !== undefined) io.stdout.write(`${state} ${path}\n${colored(diff, hasColor(io, io.stdout))}`);
  }
  io.stdout.write(`${summary(report)}\n`);
}

async function diffsOf(files: readonly FileState[]): Promise<Map<string, string>> {
  const differences = files.flatMap(({ difference }) => difference ?? []);
  if (differences.length === 0) return new Map();
  const { unifiedDiff } = await import('../../output/diff.ts');
  return new Map(differences.map((difference) => [difference.path, unifiedDiff(difference)]));
}

function failure({ diagnostics, mode }: Report): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return `${count(errors, 'error')}; nothing was ${mode === 'print' ? 'printed' : mode === 'check' ? 'compared' : 'written'}`;
}

function summary({ mode, kinds, roles, files }: Report): string {
  const found = `${count(kinds, 'kind')}, ${count(roles, 'role')}`;
  const states = ['written', 'missing', 'changed', 'stale', 'unchanged', 'removed'] as const;
  const numbers = states
    .map((state) => ({ state, number: files.filter((file) => file.state === state).length }))
    .filter(({ number }) => number > 0)
    .map(({ state, number }) => `${number} ${state}`);
  const total = files.filter(({ state }) => state !== 'removed' && state !== 'stale').length;
  const details = numbers.length === 0 ? '' : ` (${numbers.join(', ')})`;
  const drifted = mode === 'check' && files.some(({ state }) => state !== 'unchanged');
  return `${found}, ${count(total, 'file')}${details}${drifted ? '; run create-operator generate' : ''}`;
}

function colored(diff: string, color: boolean): string {
  if (!color) return diff;
  const paint = painter(color);
  return diff
    .split('\n')
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return line;
      if (line.startsWith('+')) return paint('green', line);
      if (line.startsWith('-')) return paint('red', line);
      return line.startsWith('@@') ? paint('cyan', line) : line;
    })
    .join('\n');
}

function toJson(report: Report, diffs: ReadonlyMap<string, string>): object {
  return {
    diagnostics: report.diagnostics.map(diagnosticToJson),
    kinds: report.kinds,
    roles: report.roles,
    files: report.files.map(({ path, state, content }) => {
      const diff = diffs.get(path);
      return { path, state, ...(content === undefined ? {} : { content }), ...(diff === undefined ? {} : { diff }) };
    }),
  };
}
