import {
  accumulatorName,
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type Literal,
} from './ast.ts';
import type { CheckedExpression } from './checked-expression.ts';
import { callCost } from './cost-calls.ts';
import type { Overload } from './declarations.ts';
import type { DeclaredType } from './declared-type.ts';
import type { Environment } from './environment.ts';
import {
  addRanges,
  type CallEstimate,
  type CostNode,
  type EntrySizes,
  type ExpressionSizes,
  fixed,
  maximumUint64,
  multiplyRanges,
  type Range,
  unionRanges,
  unknownSize,
  zero,
} from './estimates.ts';
import { GrowingPath } from './growing-path.ts';
import { codePointCount } from './source.ts';
import { type CelType, dynType, errorType, isOptionalType, parameterOf } from './types.ts';

interface LocalVariable {
  readonly path: GrowingPath;
  readonly size: Range | undefined;
  readonly entrySizes: EntrySizes | undefined;
}

/** Between what a checked expression may cost when it is evaluated. `root` is what `self` and `oldSelf` are. */
export function estimateCost(checked: CheckedExpression, environment: Environment, root: DeclaredType): Range {
  return new CostEstimator(checked, environment, root).cost(checked.expression);
}

const one = fixed(1n);

/** Estimates as cel-go's checker does, with the sizes of the schema. */
class CostEstimator implements ExpressionSizes {
  readonly #checked: CheckedExpression;
  readonly #root: DeclaredType;
  readonly #overloads = new Map<string, Overload>();
  readonly #paths = new Map<number, GrowingPath>();
  readonly #sizes = new Map<number, Range>();
  readonly #entrySizes = new Map<number, EntrySizes>();
  readonly #variables = new Map<string, LocalVariable[]>();

  constructor(checked: CheckedExpression, environment: Environment, root: DeclaredType) {
    this.#checked = checked;
    this.#root = root;
    for (const declaration of environment.functions.values()) {
      for (const overload of declaration.overloads)
        if (overload.estimate !== undefined) this.#overloads.set(overload.id, overload);
    }
  }

  cost(expression: Expression): Range {
    if (expression.kind === 'select' && this.#checked.references.has(expression.id)) {
      return this.#identifierCost(expression, this.#referencedName(expression));
    }
    switch (expression.kind) {
      case 'literal':
      case 'unspecified':
        return zero;
      case 'identifier':
        return this.#identifierCost(expression, expression.name);
      case 'select': {
        const operand = this.cost(expression.operand);
        // Asking whether a field is there costs nothing.
        if (expression.testOnly) return operand;
        const { kind } = this.#typeOf(expression.operand);
        this.#paths.set(expression.id, this.#pathOf(expression.operand).append(expression.field));
        return kind === 'map' || kind === 'struct' || kind === 'typeParam' ? addRanges(operand, one) : operand;
      }
      case 'call':
        return this.#callCost(expression);
      case 'list':
        return this.#listCost(expression.id, expression.elements);
      case 'map':
        return this.#mapCost(expression);
      case 'struct':
        return expression.fields.reduce((sum, field) => addRanges(sum, this.cost(field.value)), fixed(40n));
      default:
        return isBinding(expression) ? this.#bindingCost(expression) : this.#comprehensionCost(expression);
    }
  }

  #referencedName(expression: Expression): string {
    const reference = this.#checked.references.get(expression.id);
    return reference?.kind === 'variable' ? reference.name : '';
  }

  #identifierCost(expression: Expression, name: string): Range {
    this.#paths.set(expression.id, this.#local(name)?.path ?? GrowingPath.of(name));
    return one;
  }

  #callCost(expression: CallExpression): Range {
    if (expression.name === 'dyn') {
      const [argument] = expression.args;
      if (argument === undefined) return one;
      const cost = this.cost(argument);
      this.#copySizes(expression, argument);
      return addRanges(one, cost);
    }
    const argumentCosts: Range[] = [];
    const args: CostNode[] = [];
    for (const argument of expression.args) {
      argumentCosts.push(this.cost(argument));
      args.push(this.#node(argument));
    }
    const reference = this.#checked.references.get(expression.id);
    if (reference?.kind !== 'function' || reference.overloads.length === 0) return zero;
    let sum = zero;
    let target: CostNode | undefined;
    if (expression.target !== undefined) {
      sum = addRanges(sum, this.cost(expression.target));
      target = this.#node(expression.target);
    }
    let total: Range = { min: maximumUint64, max: 0n };
    let resultSize: Range | undefined;
    for (const overload of reference.overloads) {
      const estimate = this.#overloadCost(expression, overload, target, args, argumentCosts);
      total = unionRanges(total, estimate.cost);
      if (estimate.resultSize !== undefined) {
        resultSize = resultSize === undefined ? estimate.resultSize : unionRanges(resultSize, estimate.resultSize);
      }
      const [container] = expression.args;
      if ((overload === 'index_list' || overload === 'index_map') && container !== undefined) {
        resultSize = this.entrySizesOf(container)?.value;
        this.#paths.set(
          expression.id,
          this.#pathOf(container).append(overload === 'index_list' ? '@items' : '@values'),
        );
      }
      resultSize ??= this.#computeSize(expression);
    }
    if (resultSize !== undefined) this.#sizes.set(expression.id, resultSize);
    return addRanges(sum, total);
  }

  #overloadCost(
    expression: CallExpression,
    overload: string,
    target: CostNode | undefined,
    args: readonly CostNode[],
    argumentCosts: readonly Range[],
  ): CallEstimate {
    const own = this.#overloads.get(overload)?.estimate?.(this, target, args);
    if (own !== undefined) {
      const cost = argumentCosts.reduce(addRanges, own.cost);
      return own.resultSize === undefined ? { cost } : { cost, resultSize: own.resultSize };
    }
    return callCost(this, expression, overload, target, args, argumentCosts);
  }

  #listCost(id: number, elements: readonly Expression[]): Range {
    let sum = zero;
    let size: Range = { min: elements.length === 0 ? 0n : maximumUint64, max: 0n };
    for (const element of elements) {
      sum = addRanges(sum, this.cost(element));
      size = unionRanges(size, this.#computeSize(element) ?? unknownSize);
    }
    this.#entrySizes.set(id, { container: 'list', key: one, value: size });
    return addRanges(sum, fixed(10n));
  }

  #mapCost(expression: Extract<Expression, { kind: 'map' }>): Range {
    let sum = zero;
    const start = { min: expression.entries.length === 0 ? 0n : maximumUint64, max: 0n };
    let key: Range = start;
    let value: Range = start;
    for (const entry of expression.entries) {
      sum = addRanges(addRanges(sum, this.cost(entry.key)), this.cost(entry.value));
      key = unionRanges(key, this.#computeSize(entry.key) ?? unknownSize);
      value = unionRanges(value, this.#computeSize(entry.value) ?? unknownSize);
    }
    this.#entrySizes.set(expression.id, { container: 'map', key, value });
    return addRanges(sum, fixed(30n));
  }

  #comprehensionCost(expression: ComprehensionExpression): Range {
    const { range, initial, variable, variable2, accumulator } = expression;
    let sum = addRanges(this.cost(range), this.cost(initial));
    this.#pushValue(accumulator, initial);
    if (variable2 === undefined) {
      this.#pushSingle(variable, range);
    } else {
      this.#pushEntry(variable, range, 'key');
      this.#pushEntry(variable2, range, 'value');
    }
    const condition = this.cost(expression.condition);
    const step = this.cost(expression.step);
    this.#pop(variable);
    if (variable2 !== undefined) this.#pop(variable2);
    sum = addRanges(sum, this.cost(expression.result));
    this.#pop(accumulator);
    const count = this.#computeSize(range) ?? unknownSize;
    sum = addRanges(sum, multiplyRanges(count, addRanges(step, condition)));
    if (initial.kind === 'literal') {
      const size = this.#computeSize(initial);
      if (size !== undefined) this.#sizes.set(expression.id, size);
    } else if (initial.kind === 'list' || initial.kind === 'map') {
      this.#sizes.set(expression.id, count);
      const entries = this.entrySizesOf(expression.step);
      if (entries !== undefined) this.#entrySizes.set(expression.id, entries);
    }
    return sum;
  }

  #bindingCost(expression: ComprehensionExpression): Range {
    let sum = addRanges(this.cost(expression.range), this.cost(expression.initial));
    this.#pushValue(expression.accumulator, expression.initial);
    sum = addRanges(sum, this.cost(expression.result));
    this.#pop(expression.accumulator);
    this.#copySizes(expression, expression.result);
    return sum;
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#variables.get(name);
    if (stack === undefined) this.#variables.set(name, [variable]);
    else stack.push(variable);
  }

  #pop(name: string): void {
    this.#variables.get(name)?.pop();
  }

  #local(name: string): LocalVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  #pushValue(name: string, value: Expression): void {
    const path = this.#pathOf(value);
    const entrySizes = this.entrySizesOf(value);
    this.#push(name, { path, size: this.#computeSize(value), entrySizes });
  }

  #container(range: Expression, sizes: EntrySizes | undefined): string {
    return sizes?.container ?? this.#typeOf(range).kind;
  }

  #pushEntry(name: string, range: Expression, part: 'key' | 'value'): void {
    const sizes = this.entrySizesOf(range);
    const list = this.#container(range, sizes) === 'list';
    const step = part === 'key' ? (list ? '@indices' : '@keys') : list ? '@items' : '@values';
    this.#push(name, { path: this.#pathOf(range).append(step), size: sizes?.[part], entrySizes: undefined });
  }

  #pushSingle(name: string, range: Expression): void {
    const sizes = this.entrySizesOf(range);
    const list = this.#container(range, sizes) === 'list';
    const path = this.#pathOf(range).append(list ? '@items' : '@keys');
    this.#push(name, { path, size: list ? sizes?.value : sizes?.key, entrySizes: undefined });
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression.id) ?? errorType;
  }

  #pathOf(expression: Expression): GrowingPath {
    const local = expression.kind === 'identifier' ? this.#local(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression.id) ?? GrowingPath.empty;
  }

  #node(expression: Expression): CostNode {
    const names = this.#pathOf(expression).names();
    const path = names[0] === accumulatorName || names[0] === '__result__' ? [] : names;
    return { path, type: this.#typeOf(expression), expression, computedSize: this.#computeSize(expression) };
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#computeSize(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    this.setEntrySizes(to, this.entrySizesOf(from));
  }

  #computeSize(expression: Expression): Range | undefined {
    const known = this.#sizes.get(expression.id);
    if (known !== undefined) return known;
    const literal = expressionSize(expression);
    if (literal !== undefined) return literal;
    const declared = this.declaredSize(this.#pathOf(expression).names());
    if (declared !== undefined) {
      this.#sizes.set(expression.id, declared);
      return declared;
    }
    if (isScalar(this.#typeOf(expression))) return one;
    return expression.kind === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  /** The size that the schema gives to the value at a path. */
  declaredSize(path: readonly string[]): Range | undefined {
    if (path.length === 0) return undefined;
    let current: DeclaredType | undefined = this.#root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') current = current.element;
      else if (name === '@keys') current = current.key;
      else current = current.fields?.get(name);
      if (current === undefined) return undefined;
    }
    return { min: 0n, max: BigInt(current.maxElements) };
  }

  sizeOf(node: CostNode): Range {
    return node.computedSize ?? this.declaredSize(node.path) ?? unknownSize;
  }

  entrySizesOf(expression: Expression): EntrySizes | undefined {
    const known = this.#entrySizes.get(expression.id);
    if (known !== undefined) return known;
    return expression.kind === 'identifier' ? this.#local(expression.name)?.entrySizes : undefined;
  }

  setEntrySizes(expression: Expression, sizes: EntrySizes | undefined): void {
    if (sizes !== undefined) this.#entrySizes.set(expression.id, sizes);
  }
}

/** Whether a comprehension is nothing but a variable with a value (as `optMap` makes it). */
function isBinding(expression: ComprehensionExpression): boolean {
  const { range, condition, accumulator } = expression;
  const empty = range.kind === 'list' && range.elements.length === 0;
  return empty && condition.kind === 'literal' && condition.value === false && accumulator !== '__result__';
}

function expressionSize(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case 'literal':
      return fixed(BigInt(literalSize(expression.value)));
    case 'list':
      return fixed(BigInt(expression.elements.length));
    case 'map':
      return fixed(BigInt(expression.entries.length));
    default:
      return undefined;
  }
}

function literalSize(value: Literal): number {
  if (typeof value === 'string') return codePointCount(value);
  return value instanceof Uint8Array ? value.length : 1;
}

function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true;
    default:
      return isOptionalType(type) && isScalar(type.parameters.length > 0 ? parameterOf(type, 0) : dynType);
  }
}
