import type { CallExpression } from './ast.ts';
import { estimatePattern, textFactor } from './cost-factors.ts';
import {
  addRanges,
  type CallEstimate,
  type CostNode,
  type EntrySizes,
  type ExpressionSizes,
  fixed,
  multiplyRanges,
  type Range,
  scaleRange,
  unionRanges,
  unknownSize,
  wrapUint64,
  zero,
} from './estimates.ts';
import { libraryCallCost } from './library-costs.ts';

const comparisons = new Set(
  ['less', 'greater', 'less_equals', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
);

function known(node: CostNode | undefined): Range {
  return node?.computedSize ?? unknownSize;
}

/** The estimated cost of a call with its arguments. */
export function callCost(
  sizes: ExpressionSizes,
  expression: CallExpression,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
  argumentCosts: readonly Range[],
): CallEstimate {
  const library = libraryCallCost(sizes, expression.name, overload, target, args);
  const withArguments = (estimate: CallEstimate): CallEstimate => ({
    ...estimate,
    cost: addRanges(estimate.cost, argumentCosts.reduce(addRanges, zero)),
  });
  if (library !== undefined) return withArguments(library);
  const branches = branchCost(sizes, expression, overload, args, argumentCosts);
  return branches ?? withArguments(standardCost(sizes, expression, overload, target, args) ?? { cost: fixed(1n) });
}

/** Operators that do not evaluate all of their arguments. */
function branchCost(
  sizes: ExpressionSizes,
  expression: CallExpression,
  overload: string,
  args: readonly CostNode[],
  argumentCosts: readonly Range[],
): CallEstimate | undefined {
  const [first = zero, second = zero, third = zero] = argumentCosts;
  if (overload === 'logical_or' || overload === 'logical_and') {
    return { cost: { min: first.min, max: addRanges(first, second).max } };
  }
  if (overload !== 'conditional') return undefined;
  sizes.setEntrySizes(expression, unionEntrySizes(sizes, args[1], args[2]));
  return {
    cost: addRanges(first, unionRanges(second, third)),
    resultSize: unionRanges(known(args[1]), known(args[2])),
  };
}

function unionEntrySizes(
  sizes: ExpressionSizes,
  a: CostNode | undefined,
  b: CostNode | undefined,
): EntrySizes | undefined {
  const first = a?.expression === undefined ? undefined : sizes.entrySizesOf(a.expression);
  const second = b?.expression === undefined ? undefined : sizes.entrySizesOf(b.expression);
  if (first === undefined || second === undefined) return undefined;
  return {
    container: first.container,
    key: unionRanges(first.key, second.key),
    value: unionRanges(first.value, second.value),
  };
}

function standardCost(
  sizes: ExpressionSizes,
  expression: CallExpression,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
): CallEstimate | undefined {
  const [first, second] = args;
  const size = known(first);
  switch (overload) {
    case 'string_format':
      return target === undefined ? undefined : { cost: scaleRange(known(target), textFactor) };
    case 'string_to_bytes':
      return { cost: scaleRange(size, textFactor), resultSize: { min: size.min, max: wrapUint64(size.max * 4n) } };
    case 'bytes_to_string':
      return { cost: scaleRange(size, textFactor), resultSize: { min: size.min / 4n, max: size.max } };
    case 'strings_quote':
      return {
        cost: scaleRange(size, textFactor),
        resultSize: { min: wrapUint64(size.min + 2n), max: wrapUint64(size.max * 2n + 2n) },
      };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scaleRange(size, textFactor) };
    case 'in_list':
      return { cost: scaleRange(known(second), 1) };
    case 'matches_string':
      return { cost: estimatePattern(known(target), size) };
    case 'matches':
      return { cost: estimatePattern(size, known(second)) };
    case 'contains_string':
      return { cost: multiplyRanges(scaleRange(known(target), textFactor), scaleRange(size, textFactor)) };
    case 'add_string':
    case 'add_bytes':
    case 'add_list': {
      const resultSize = addRanges(size, known(second));
      sizes.setEntrySizes(expression, unionEntrySizes(sizes, first, second));
      return { cost: overload === 'add_list' ? fixed(1n) : scaleRange(resultSize, textFactor), resultSize };
    }
    default:
      return comparisons.has(overload) || overload === 'equals' || overload === 'not_equals'
        ? { cost: comparisonCost(size, known(second)) }
        : undefined;
  }
}

/** Two values are compared as far as the shorter one reaches. */
function comparisonCost(left: Range, right: Range): Range {
  const max = right.max < left.max ? right.max : left.max;
  return scaleRange({ min: max > 0n ? 1n : 0n, max }, textFactor);
}
