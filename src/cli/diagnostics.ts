import { type Diagnostic, type SourcePosition } from '../model/index.ts';

export interface DiagnosticStyle {
  readonly color: boolean;
  /** The lines of a source for a frame around the place, or `undefined` to write none. */
  readonly source?: (file: string) => string | undefined;
}

/** Diagnostics for people: `file:line:col - error CODE: message`, the remedy below, and where asked for the place in the source. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], style: DiagnosticStyle): string {
  return diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, style)).join('');
}

function formatDiagnostic(diagnostic: Diagnostic, { color, source }: DiagnosticStyle): string {
  const paint = painter(color);
  const { position, severity, code, message, path, remedy } = diagnostic;
  const place =
    position === undefined ? '' : `${paint('cyan', `${position.file}:${position.line}:${position.column}`)} - `;
  const label = paint(severity === 'error' ? 'red' : 'yellow', severity);
  const member = path === undefined || path === '' ? '' : ` (${path})`;
  const [first = '', ...more] = message.split('\n');
  const lines = [`${place}${label} ${paint('grey', `${code}:`)} ${first}${member}`, ...more.map((line) => `  ${line}`)];
  if (remedy !== undefined) lines.push(`  ${paint('green', 'help:')} ${indented(remedy)}`);
  const frame =
    position === undefined || source === undefined ? undefined : codeFrame(position, source(position.file), color);
  return `${lines.join('\n')}\n${frame === undefined ? '' : `\n${frame}\n`}`;
}

/** The line of a place with a mark below its column; a line before it for the context. */
function codeFrame(position: SourcePosition, text: string | undefined, color: boolean): string | undefined {
  const paint = painter(color);
  const lines = text?.split(/\r?\n/);
  const line = lines?.[position.line - 1];
  if (lines === undefined || line === undefined) return undefined;
  const width = String(position.line).length;
  const numbered = (number: number, content: string): string =>
    `${paint('grey', String(number).padStart(width))} ${clipped(content)}`;
  const previous = lines[position.line - 2];
  const marker = clipped(line.slice(0, position.column - 1)).replaceAll(/[^\t]/g, ' ');
  return [
    ...(previous === undefined || previous.trim() === '' ? [] : [numbered(position.line - 1, previous)]),
    numbered(position.line, line),
    `${' '.repeat(width)} ${marker}${paint('red', '~')}`,
  ]
    .map((each) => `  ${each}\n`)
    .join('');
}

/** Terminals wrap very long lines, and the mark would stand below the wrong place. */
function clipped(line: string): string {
  return line.length > 160 ? `${line.slice(0, 160)}...` : line;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

const codes = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;

/** Writes a text in a colour, or as it is. */
export function painter(color: boolean): (name: keyof typeof codes, text: string) => string {
  return (name, text) => (color ? `\u001b[${codes[name]}m${text}\u001b[39m` : text);
}

/** A diagnostic for machines. */
export function diagnosticToJson({ position, ...rest }: Diagnostic): object {
  return { ...rest, ...position };
}
