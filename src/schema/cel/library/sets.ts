import { argument, declare, type Library, type Overload, overload } from '../declarations.ts';
import { addRanges, fixed, multiplyRanges, scaleRange } from '../estimates.ts';
import { ListValue } from '../lists.ts';
import { costSize } from '../size.ts';
import { boolType, listOf, typeParameter } from '../types.ts';
import { noSuchOverload, type Value } from '../values.ts';

const list = listOf(typeParameter('T'));

function containsAll(all: Value, some: Value): Value {
  if (!(all instanceof ListValue)) return noSuchOverload(all);
  if (!(some instanceof ListValue)) return noSuchOverload(some);
  for (const element of some) {
    const found = all.contains(element);
    if (found !== true) return found;
  }
  return true;
}

function intersects(first: Value, second: Value): Value {
  if (!(first instanceof ListValue)) return noSuchOverload(first);
  if (!(second instanceof ListValue)) return noSuchOverload(second);
  for (const element of first) if (second.contains(element) === true) return true;
  return false;
}

function equivalent(first: Value, second: Value): Value {
  const contained = containsAll(first, second);
  return contained === true ? containsAll(second, first) : contained;
}

function setOverload(name: string, factor: number, call: (first: Value, second: Value) => Value): Overload {
  return {
    ...overload(`list_sets_${name}_list`, [list, list], boolType, (args) => call(argument(args, 0), argument(args, 1))),
    estimate: (sizes, _target, args) => {
      const [first, second] = args;
      if (first === undefined || second === undefined) return undefined;
      return {
        cost: addRanges(scaleRange(multiplyRanges(sizes.sizeOf(first), sizes.sizeOf(second)), factor), fixed(1n)),
      };
    },
    track: (args) => 1 + costSize(argument(args, 0)) * costSize(argument(args, 1)) * factor,
  };
}

/** Lists as sets. */
export const setsLibrary: Library = {
  since: 29,
  functions: [
    declare('sets.contains', setOverload('contains', 1, containsAll)),
    declare('sets.equivalent', setOverload('equivalent', 2, equivalent)),
    declare('sets.intersects', setOverload('intersects', 1, intersects)),
  ],
};
