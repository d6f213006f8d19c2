/** A place in a source file: `file` is relative to the project's root and written with `/`; `line` and `column` count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * One problem in the user's input, as a value.
 *
 * `code` is stable (`CO` and four digits) and never reused; `message` says what is wrong in the user's terms; `path` names the
 * member concerned (`spec.size`), `remedy` what to do about it. All problems of a run are reported together, and if one of them
 * is an error nothing is written.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly position?: SourcePosition;
  readonly path?: string;
  readonly remedy?: string;
}

/** Orders by file, line, column and code, so that a run prints the same whatever the order of its files. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  const file = compareText(a.position?.file ?? '', b.position?.file ?? '');
  if (file !== 0) return file;
  const line = (a.position?.line ?? 0) - (b.position?.line ?? 0);
  if (line !== 0) return line;
  const column = (a.position?.column ?? 0) - (b.position?.column ?? 0);
  if (column !== 0) return column;
  return compareText(a.code, b.code) || compareText(a.message, b.message);
}

/** Compares by code unit: the same order in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
