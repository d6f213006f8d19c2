/** A literal as the parser reads it. `bigint` is an int, `number` a double. */
export type Literal = null | boolean | bigint | number | string | Uint8Array | UintLiteral;

export interface UintLiteral {
  readonly uint: bigint;
}

export interface LiteralExpression {
  readonly kind: 'literal';
  readonly id: number;
  readonly value: Literal;
}

export interface IdentifierExpression {
  readonly kind: 'identifier';
  readonly id: number;
  name: string;
}

export interface SelectExpression {
  readonly kind: 'select';
  readonly id: number;
  readonly operand: Expression;
  readonly field: string;
  /** True inside `has(...)`: asks whether the field is there. */
  readonly testOnly: boolean;
}

export interface CallExpression {
  readonly kind: 'call';
  readonly id: number;
  name: string;
  target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListExpression {
  readonly kind: 'list';
  readonly id: number;
  readonly elements: readonly Expression[];
  /** The indices of elements written `?x`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression {
  readonly kind: 'map';
  readonly id: number;
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface StructExpression {
  readonly kind: 'struct';
  readonly id: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** What every macro over lists and maps expands to. */
export interface ComprehensionExpression {
  readonly kind: 'comprehension';
  readonly id: number;
  readonly range: Expression;
  readonly variable: string;
  /** The second variable of a two-variable macro. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Stands where the text could not be read; only trees with errors have it. */
export interface UnspecifiedExpression {
  readonly kind: 'unspecified';
  readonly id: number;
}

export type Expression =
  | LiteralExpression
  | IdentifierExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression
  | UnspecifiedExpression;

/** The name of the accumulator of the macros; no identifier can be written like this. */
export const accumulatorName = '@result';

/** The expressions directly inside one, in the order of evaluation of the tree walk. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
    case 'unspecified':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return expression.fields.map((field) => field.value);
    default:
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
  }
}

/** Calls `visit` with every expression of a tree, parents first. */
export function walkExpression(expression: Expression, visit: (expression: Expression) => void): void {
  visit(expression);
  for (const child of childrenOf(expression)) walkExpression(child, visit);
}
