import type { Diagnostic, SourcePosition } from '../../model/index.ts';

/** Adds a problem of one marker. */
export type Report = (code: string, message: string, remedy?: string, severity?: Diagnostic['severity']) => void;

/** A function that adds problems of the marker at a position, its name in front. */
export function reporter(diagnostics: Diagnostic[], position: SourcePosition, marker: string): Report {
  return (code, message, remedy, severity = 'error') => {
    const details = remedy === undefined ? {} : { remedy };
    diagnostics.push({ code, severity, message: `${marker}: ${message}`, position, ...details });
  };
}
