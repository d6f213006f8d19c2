import type { Expression } from './ast.ts';
import type { CelType } from './types.ts';

/** The largest uint64: what a cost that cannot be bounded is. */
export const maximumUint64 = 2n ** 64n - 1n;

/** Between how many elements a value has, or what an evaluation costs. Both are uint64. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** What an estimator of a call knows of its target and arguments. */
export interface CostNode {
  /** Where in the schema the value lies, beginning with the variable; empty when it lies nowhere. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expression: Expression | undefined;
  readonly computedSize: Range | undefined;
}

/** Gives the size of a node: computed, by the schema, or unbounded. */
export interface NodeSizes {
  sizeOf(node: CostNode): Range;
}

/** The sizes of the keys and values of a list or map made in the expression. */
export interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/** Knows, too, the entries of what calls make. */
export interface ExpressionSizes extends NodeSizes {
  entrySizesOf(expression: Expression): EntrySizes | undefined;
  setEntrySizes(expression: Expression, sizes: EntrySizes | undefined): void;
}

export const zero: Range = { min: 0n, max: 0n };
export const unknownSize: Range = { min: 0n, max: maximumUint64 };

export function fixed(value: bigint): Range {
  return { min: value, max: value };
}

export function addRanges(a: Range, b: Range): Range {
  return { min: saturatingAdd(a.min, b.min), max: saturatingAdd(a.max, b.max) };
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: saturatingMultiply(a.min, b.min), max: saturatingMultiply(a.max, b.max) };
}

export function scaleRange(range: Range, factor: number): Range {
  return { min: scale(range.min, factor), max: scale(range.max, factor) };
}

export function unionRanges(a: Range, b: Range): Range {
  return { min: b.min < a.min ? b.min : a.min, max: b.max > a.max ? b.max : a.max };
}

export function saturatingAdd(a: bigint, b: bigint): bigint {
  const sum = a + b;
  return sum > maximumUint64 ? maximumUint64 : sum;
}

export function saturatingMultiply(a: bigint, b: bigint): bigint {
  const product = a * b;
  return product > maximumUint64 ? maximumUint64 : product;
}

const twoTo64 = 2 ** 64;

/** The server multiplies as doubles and rounds up. */
function scale(value: bigint, factor: number): bigint {
  const double = Number(value);
  if (double > 0 && factor > 0 && double > twoTo64 / factor) return maximumUint64;
  const result = Math.ceil(double * factor);
  return result >= twoTo64 ? maximumUint64 : BigInt(result);
}

/** What arithmetic that does not look for an overflow makes of a number. */
export function wrapUint64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
