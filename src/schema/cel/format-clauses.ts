/** How a clause of a format string prints its argument. */
export type ClauseKind = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

export interface FormatClause {
  readonly kind: ClauseKind;
  readonly precision: number | undefined;
}

/** A format string that is wrong in itself. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

const clauseKinds: ReadonlySet<string> = new Set(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o']);

/**
 * Reads a format string: calls `literal` with what is copied and `clause` for each `%...`, in their order.
 * `hasArgument` says whether there is an argument for the clause with this number. Throws a {@link FormatError}.
 */
export function readFormat(
  format: string,
  hasArgument: (index: number) => boolean,
  literal: (text: string) => void,
  clause: (clause: FormatClause, index: number) => void,
): void {
  let index = 0;
  let offset = 0;
  while (offset < format.length) {
    const percent = format.indexOf('%', offset);
    if (percent < 0) {
      literal(format.slice(offset));
      return;
    }
    if (percent > offset) literal(format.slice(offset, percent));
    if (format[percent + 1] === '%') {
      literal('%');
      offset = percent + 2;
      continue;
    }
    if (!hasArgument(index)) throw new FormatError(`index ${index} out of range`);
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string');
    const read = readClause(format, percent + 1);
    clause(read.clause, index);
    offset = read.end;
    index += 1;
  }
}

function readClause(format: string, start: number): { clause: FormatClause; end: number } {
  const refuse = (problem: string): never => {
    throw new FormatError(`could not parse formatting clause: ${problem}`);
  };
  let offset = start;
  let precision: number | undefined;
  if (format[offset] === '.') {
    offset += 1;
    const digits = /^\d*/.exec(format.slice(offset))?.[0] ?? '';
    offset += digits.length;
    if (offset >= format.length) refuse('error while parsing precision: could not find end of precision specifier');
    if (digits === '') {
      refuse(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    }
    precision = Number(digits);
  }
  const kind = format.charAt(offset);
  if (!isClauseKind(kind)) return refuse(`unrecognized formatting clause "${kind}"`);
  return { clause: { kind, precision }, end: offset + 1 };
}

function isClauseKind(kind: string): kind is ClauseKind {
  return clauseKinds.has(kind);
}

/** What a clause says of a type that it does not print. */
export function clauseProblem(kind: ClauseKind, typeName: string): string {
  switch (kind) {
    case 's':
      return `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName}`;
    case 'd':
      return `decimal clause can only be used on integers, was given ${typeName}`;
    case 'f':
      return `fixed-point clause can only be used on doubles, was given ${typeName}`;
    case 'e':
      return `scientific clause can only be used on doubles, was given ${typeName}`;
    case 'b':
      return `only integers and bools can be formatted as binary, was given ${typeName}`;
    case 'o':
      return `octal clause can only be used on integers, was given ${typeName}`;
    default:
      return `only integers, byte buffers, and strings can be formatted as hex, was given ${typeName}`;
  }
}
