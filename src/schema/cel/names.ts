import type { Expression, SelectExpression } from './ast.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  nullType,
  stringType,
  timestampType,
  uintType,
} from './types.ts';

/** Types that can be named although no value of them can be made in that way; using one fails when the program is built. */
export const unusableTypeNames = new Map<string, CelType>([
  ['duration', durationType],
  ['timestamp', timestampType],
]);

/** The names that are declared in one part of an expression. */
export class Scope {
  readonly names = new Map<string, CelType>();
  readonly parent: Scope | undefined;

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }
}

/** The type of a literal. */
export function literalType(value: unknown): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      if (value === null) return nullType;
      return value instanceof Uint8Array ? bytesType : uintType;
  }
}

/** The parts of `a.b.c` when it is nothing but names. */
export function qualifiers(expression: SelectExpression): string[] | undefined {
  const names: string[] = [];
  let current: Expression = expression;
  while (current.kind === 'select') {
    if (current.testOnly) return undefined;
    names.unshift(current.field);
    current = current.operand;
  }
  if (current.kind !== 'identifier') return undefined;
  names.unshift(current.name);
  return names;
}

export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind === 'select') return qualifiers(expression)?.join('.');
  return undefined;
}
