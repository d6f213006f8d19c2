import { compilePattern, PatternError } from '../re2.ts';
import { type CallExpression, type Expression, walkExpression } from './ast.ts';
import type { CheckedExpression } from './checked-expression.ts';
import { toDuration, toTimestamp } from './conversions.ts';
import { clauseProblem, type ClauseKind, FormatError, readFormat } from './format-clauses.ts';
import type { CompileIssue, Source } from './source.ts';
import { type CelType, errorType, isEquivalentType, printType, type TypeKind } from './types.ts';
import { unwrapOptional } from './unify.ts';
import { CelError, type Value } from './values.ts';

/** What the server looks for in an expression whose types are right: wrong literals, mixed lists, wrong format strings. */
export function validateExpression(checked: CheckedExpression, source: Source): CompileIssue[] {
  const issues: CompileIssue[] = [];
  const report = (id: number, message: string): void => {
    const offset = checked.offsets.get(id);
    issues.push(offset === undefined ? { message } : { message, position: source.positionAt(offset) });
  };
  const calls: CallExpression[] = [];
  const aggregates: { readonly expression: Expression; readonly exempt: boolean }[] = [];
  collect(checked.expression, false, calls, aggregates);
  for (const name of ['duration', 'timestamp', 'matches']) {
    for (const call of calls) if (call.name === name) checkLiteral(call, report);
  }
  for (const { expression, exempt } of aggregates) if (!exempt) checkAggregate(checked, expression, report);
  for (const call of calls) checkFormat(checked, call, report);
  return issues;
}

type Report = (id: number, message: string) => void;

/** Lists and maps among the arguments of `format` may be mixed. */
function collect(
  expression: Expression,
  exempt: boolean,
  calls: CallExpression[],
  aggregates: { readonly expression: Expression; readonly exempt: boolean }[],
): void {
  const formatted = new Set<number>();
  walkExpression(expression, (part) => {
    if (part.kind === 'call') {
      calls.push(part);
      if (part.name === 'format') walkExpression(part, (inner) => inner !== part && formatted.add(inner.id));
    }
    if (part.kind === 'list' || part.kind === 'map')
      aggregates.push({ expression: part, exempt: exempt || formatted.has(part.id) });
  });
}

function checkLiteral(call: CallExpression, report: Report): void {
  const [argument] = call.args;
  if (argument?.kind !== 'literal') return;
  if (!isValidLiteral(call.name, argument.value as Value)) report(argument.id, `invalid ${call.name} argument`);
}

function isValidLiteral(name: string, value: Value): boolean {
  if (name === 'duration') return !(toDuration(value) instanceof CelError);
  if (name === 'timestamp') return !(toTimestamp(value) instanceof CelError);
  try {
    if (typeof value !== 'string') return true;
    compilePattern(value);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

function checkAggregate(checked: CheckedExpression, expression: Expression, report: Report): void {
  const typeOf = (part: Expression, optional: boolean): CelType => {
    const type = checked.types.get(part.id) ?? errorType;
    return optional ? unwrapOptional(type).type : type;
  };
  const compare = (first: CelType | undefined, part: Expression, optional: boolean): boolean => {
    const type = typeOf(part, optional);
    if (first === undefined || isEquivalentType(first, type)) return true;
    report(part.id, `expected type '${printType(first)}' but found '${printType(type)}'`);
    return false;
  };
  if (expression.kind === 'list') {
    const first = expression.elements[0];
    const firstType = first === undefined ? undefined : typeOf(first, expression.optionals.has(0));
    for (const [index, element] of expression.elements.entries()) {
      if (!compare(firstType, element, expression.optionals.has(index))) return;
    }
  } else if (expression.kind === 'map') {
    const first = expression.entries[0];
    if (first === undefined) return;
    const keyType = typeOf(first.key, false);
    const valueType = typeOf(first.value, first.optional);
    for (const entry of expression.entries.slice(1)) {
      compare(keyType, entry.key, false);
      compare(valueType, entry.value, entry.optional);
    }
  }
}

const clauseTypes: Readonly<Record<ClauseKind, readonly TypeKind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** A wrong argument of a constant format string. */
class ArgumentError extends FormatError {
  readonly at: number;

  constructor(at: number, message: string) {
    super(`error during formatting: ${message}`);
    this.at = at;
  }
}

function checkFormat(checked: CheckedExpression, call: CallExpression, report: Report): void {
  const { target } = call;
  const [list] = call.args;
  if (call.name !== 'format' || target?.kind !== 'literal' || typeof target.value !== 'string') return;
  if (call.args.length !== 1 || list?.kind !== 'list') return;
  let used = 0;
  try {
    readFormat(
      target.value,
      () => true,
      () => undefined,
      ({ kind }, index) => {
        used += 1;
        const argument = list.elements[index];
        if (argument === undefined) throw new FormatError(`index ${index} out of range`);
        const wrong = mismatchOf(checked, argument, kind);
        if (wrong !== undefined) throw new ArgumentError(wrong.id, clauseProblem(kind, wrong.typeName));
      },
    );
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    report(error instanceof ArgumentError ? error.at : call.id, error.message);
    return;
  }
  if (list.elements.length > used) {
    report(call.id, `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`);
  }
}

/** The part of an argument that a clause does not print; `%s` looks into lists and maps. */
function mismatchOf(
  checked: CheckedExpression,
  argument: Expression,
  kind: ClauseKind,
): { id: number; typeName: string } | undefined {
  const type = checked.types.get(argument.id) ?? errorType;
  if (type.kind !== 'dyn' && !clauseTypes[kind].includes(type.kind)) return { id: argument.id, typeName: type.name };
  if (kind !== 's') return undefined;
  const inner =
    argument.kind === 'list'
      ? argument.elements
      : argument.kind === 'map'
        ? argument.entries.flatMap((entry) => [entry.key, entry.value])
        : [];
  for (const part of inner) {
    const found = mismatchOf(checked, part, kind);
    if (found !== undefined) return found;
  }
  return undefined;
}
