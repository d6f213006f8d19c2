import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../model/index.ts';
import { diagnosticToJson, formatDiagnostics } from './diagnostics.ts';

const diagnostic: Diagnostic = {
  code: 'CO1234',
  severity: 'error',
  message: 'a minimum may not exceed its maximum',
  position: { file: 'src/api/widget.types.ts', line: 2, column: 3 },
  path: 'spec.size',
  remedy: 'lower it',
};
const source = (): string => 'class Spec {\n\t@Minimum(9) @Maximum(1) size!: number;\n}\n';

describe('formatDiagnostics', () => {
  it('writes place, severity, code, message and remedy', () => {
    expect(formatDiagnostics([diagnostic], { color: false })).toBe(
      'src/api/widget.types.ts:2:3 - error CO1234: a minimum may not exceed its maximum (spec.size)\n  help: lower it\n',
    );
  });

  it('shows the place in the source; tabs stay below tabs', () => {
    expect(formatDiagnostics([diagnostic], { color: false, source })).toContain(
      '\n  1 class Spec {\n  2 \t@Minimum(9) @Maximum(1) size!: number;\n    \t ~\n',
    );
  });

  it('goes without the source when there is none, or when the place is beyond it', () => {
    const plain = formatDiagnostics([diagnostic], { color: false });
    expect(formatDiagnostics([diagnostic], { color: false, source: () => undefined })).toBe(plain);
    expect(formatDiagnostics([diagnostic], { color: false, source: () => '' })).toBe(plain);
  });

  it('names the member in the first line of a message that has several', () => {
    const text = formatDiagnostics([{ ...diagnostic, message: 'ERROR: x\n | a b\n | ..^' }], { color: false });
    expect(text).toContain('error CO1234: ERROR: x (spec.size)\n   | a b\n   | ..^\n  help: lower it\n');
  });

  it('writes a warning without a place', () => {
    expect(formatDiagnostics([{ code: 'CO1', severity: 'warning', message: 'm' }], { color: false })).toBe(
      'warning CO1: m\n',
    );
  });

  it('colours only when asked', () => {
    expect(formatDiagnostics([diagnostic], { color: true })).toContain('\u001b[31merror\u001b[39m');
    expect(formatDiagnostics([diagnostic], { color: false, source })).not.toContain('\u001b');
  });
});

describe('diagnosticToJson', () => {
  it('is flat', () => {
    expect(diagnosticToJson(diagnostic)).toEqual({
      code: 'CO1234',
      severity: 'error',
      message: 'a minimum may not exceed its maximum',
      path: 'spec.size',
      remedy: 'lower it',
      file: 'src/api/widget.types.ts',
      line: 2,
      column: 3,
    });
  });
});
