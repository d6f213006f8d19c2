import { argument, declare, type Library, member, type Overload, overload } from '../declarations.ts';
import { equals } from '../equality.ts';
import {
  addRanges,
  type CallEstimate,
  type CostNode,
  fixed,
  maximumUint64,
  multiplyRanges,
  type NodeSizes,
  type Range,
  scaleRange,
  wrapUint64,
} from '../estimates.ts';
import { ArrayList, ListValue } from '../lists.ts';
import { addSortByMacro } from '../macros.ts';
import { canCompare, compare } from '../operations.ts';
import { typeOfValue } from '../runtime-types.ts';
import { costSize } from '../size.ts';
import { type CelType, dynType, intType, listOf, typeParameter } from '../types.ts';
import { CelError, EvaluationFault, noSuchOverload, type Value } from '../values.ts';
import { comparableTypes } from './kubernetes-lists.ts';

const t = typeParameter('T');
const listOfT = listOf(t);
const maximumRange = 1_000_000n;

function listAt(args: readonly Value[], index: number): ListValue {
  const value = argument(args, index);
  if (!(value instanceof ListValue)) throw new TypeError(`argument ${index} is no list`);
  return value;
}

function slice(args: readonly Value[]): Value {
  const list = listAt(args, 0);
  const [start, end] = [argument(args, 1), argument(args, 2)];
  if (typeof start !== 'bigint' || typeof end !== 'bigint') return noSuchOverload();
  const problem = (text: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${text}`);
  if (start < 0n || end < 0n) return problem('negative indexes not supported');
  if (start > end) return problem('start index must be less than or equal to end index');
  if (list.size < end) return problem(`list is length ${list.size}`);
  const elements: Value[] = [];
  for (let index = Number(start); index < end; index += 1) elements.push(list.get(index));
  return new ArrayList(elements);
}

function flatten(list: Value, depth: bigint): Value {
  if (!(list instanceof ListValue)) return noSuchOverload(list);
  if (depth < 0n) return new CelError('level must be non-negative');
  const elements: Value[] = [];
  const collect = (from: ListValue, levels: bigint): void => {
    for (const element of from) {
      if (element instanceof ListValue && levels > 0n) collect(element, levels - 1n);
      else elements.push(element);
    }
  };
  collect(list, depth);
  return new ArrayList(elements);
}

function sortByKeys(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  if (list.size === 0) return list;
  const first = keys.get(0);
  if (!canCompare(first)) return new CelError('list elements must be comparable');
  const type = typeOfValue(first);
  const pairs = Array.from(keys, (key, index) => ({ key, index }));
  if (pairs.length > 1 && pairs.some(({ key }) => typeOfValue(key) !== type))
    return new CelError('list elements must have the same type');
  pairs.sort((a, b) => Number(compare(a.key, b.key)) || a.index - b.index);
  return new ArrayList(pairs.map(({ index }) => list.get(index)));
}

function range(args: readonly Value[]): Value {
  const size = argument(args, 0);
  if (typeof size !== 'bigint') return noSuchOverload(size);
  if (size < 0n) return new CelError(`lists.range: size must be non-negative, got ${size}`);
  if (size > maximumRange) return new CelError(`lists.range: size ${size} exceeds maximum allowed (${maximumRange})`);
  return new ArrayList(Array.from({ length: Number(size) }, (_unused, index) => BigInt(index)));
}

function distinct(args: readonly Value[]): Value {
  const list = listAt(args, 0);
  if (list.size === 0) return list;
  const elements: Value[] = [];
  for (const value of list) {
    if (!elements.some((kept) => equals(value, kept) === true)) elements.push(value);
  }
  return new ArrayList(elements);
}

const allocation = fixed(10n);

function estimateList(factor: number, size: Range): CallEstimate {
  return { cost: addRanges(addRanges(scaleRange(size, factor), fixed(1n)), allocation), resultSize: size };
}

/** An int literal as uint64; other expressions give the default. */
function literalOf(node: CostNode | undefined, otherwise: bigint): bigint {
  const expression = node?.expression;
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return expression.value < 0n ? 0n : expression.value;
}

function estimateSlice(
  sizes: NodeSizes,
  target: CostNode | undefined,
  args: readonly CostNode[],
): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const size = sizes.sizeOf(target);
  return estimateList(1, fixed(wrapUint64(literalOf(args[1], size.max) - literalOf(args[0], 0n))));
}

function estimateFlatten(
  sizes: NodeSizes,
  target: CostNode | undefined,
  args: readonly CostNode[],
): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const depth = args.length === 1 ? literalOf(args[0], maximumUint64) : 1n;
  return estimateList(Number(depth), sizes.sizeOf(target));
}

function estimatePairs(sizes: NodeSizes, list: CostNode | undefined, factor: number): CallEstimate | undefined {
  if (list === undefined) return undefined;
  const size = sizes.sizeOf(list);
  return estimateList(factor, multiplyRanges(size, size));
}

function trackList(factor: number, size: number): number {
  return Math.floor(size * (factor < 0 ? 1 : factor)) + 11;
}

function trackPairs(list: Value): number {
  if (!(list instanceof ListValue)) {
    throw new EvaluationFault('interface conversion: *types.Err is not traits.Lister: missing method Add');
  }
  const first = list.size === 0 ? null : list.get(0);
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
  return trackList(factor, list.size * list.size);
}

function trackResult(_args: readonly Value[], result: Value): number {
  return trackList(1, costSize(result));
}

function trackFlatten(args: readonly Value[]): number {
  const depth = args.length === 2 ? argument(args, 1) : 1n;
  if (typeof depth !== 'bigint')
    throw new EvaluationFault('interface conversion: ref.Val is *types.Err, not types.Int');
  return trackList(Number(depth), costSize(argument(args, 0)));
}

function sortFactor(type: CelType): number {
  return type.kind === 'string' || type.kind === 'bytes' ? 2.1 : 2;
}

function sortOverload(type: CelType): Overload {
  return {
    ...member(`list_${type.name}_sort`, [listOf(type)], listOf(type)),
    estimate: (sizes, target, args) => (args.length === 0 ? estimatePairs(sizes, target, sortFactor(type)) : undefined),
    track: (args) => trackPairs(argument(args, 0)),
  };
}

function sortByOverload(type: CelType): Overload {
  return {
    ...member(`list_${type.name}_sortByAssociatedKeys`, [listOfT, listOf(type)], listOfT),
    estimate: (sizes, _target, args) => estimatePairs(sizes, args[0], sortFactor(type)),
    track: (args) => trackPairs(argument(args, 1)),
  };
}

const types = comparableTypes.map(([, type]) => type);
const isList = (value: Value): boolean => value instanceof ListValue;

/** The list functions of cel-go's extensions, version 3. */
export const listsLibrary: Library = {
  since: 34,
  addMacros: addSortByMacro,
  functions: [
    declare('slice', {
      ...member('list_slice', [listOfT, intType, intType], listOfT, slice),
      estimate: estimateSlice,
      track: trackResult,
    }),
    {
      unguarded: true,
      ...declare(
        'flatten',
        {
          ...member('list_flatten', [listOf(listOfT)], listOfT, (args) => flatten(argument(args, 0), 1n)),
          estimate: estimateFlatten,
          track: trackFlatten,
        },
        {
          ...member('list_flatten_int', [listOf(dynType), intType], listOf(dynType), (args) => {
            const depth = argument(args, 1);
            return typeof depth === 'bigint' ? flatten(argument(args, 0), depth) : noSuchOverload(depth);
          }),
          estimate: estimateFlatten,
          track: trackFlatten,
        },
      ),
    },
    {
      name: 'sort',
      overloads: types.map(sortOverload),
      shared: { call: (args) => sortByKeys(listAt(args, 0), listAt(args, 0)), accepts: isList },
    },
    {
      name: '@sortByAssociatedKeys',
      overloads: types.map(sortByOverload),
      shared: { call: (args) => sortByKeys(listAt(args, 0), listAt(args, 1)), accepts: isList },
    },
    declare('lists.range', {
      ...overload('lists_range', [intType], listOf(intType), range),
      estimate: (_sizes, _target, args) => estimateList(1, fixed(literalOf(args[0], maximumUint64))),
      track: trackResult,
    }),
    declare('reverse', {
      ...member('list_reverse', [listOfT], listOfT, (args) => new ArrayList([...listAt(args, 0)].reverse())),
      estimate: (sizes, target) => (target === undefined ? undefined : estimateList(1, sizes.sizeOf(target))),
      track: trackResult,
    }),
    declare('distinct', {
      ...member('list_distinct', [listOfT], listOfT, distinct),
      estimate: (sizes, target) => estimatePairs(sizes, target, 2),
      track: (args) => trackPairs(argument(args, 0)),
    }),
  ],
};
