import { argument, declare, type FunctionDeclaration, type Library, member } from '../declarations.ts';
import { equals } from '../equality.ts';
import { ListValue } from '../lists.ts';
import { add, canAdd, canCompare, compare } from '../operations.ts';
import { Duration } from '../time.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../types.ts';
import { Uint } from '../uint.ts';
import { CelError, isError, noSuchOverload, type Value } from '../values.ts';

const a = typeParameter('A');

/** The types whose lists can be sorted, with their names in overloads. */
export const comparableTypes: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

const summableTypes: readonly (readonly [string, CelType, Value])[] = [
  ['int', intType, 0n],
  ['uint', uintType, new Uint(0n)],
  ['double', doubleType, 0],
  ['duration', durationType, new Duration(0n)],
];

function onList(call: (list: ListValue, other: Value) => Value) {
  return (args: readonly Value[]): Value => {
    const list = argument(args, 0);
    return list instanceof ListValue ? call(list, argument(args, 1)) : noSuchOverload(list);
  };
}

const isSorted = onList((list) => {
  let previous: Value | undefined;
  for (const element of list) {
    if (!canCompare(element)) return noSuchOverload(element);
    if (previous !== undefined && compare(previous, element) === 1) return false;
    previous = element;
  }
  return true;
});

function sum(start: Value) {
  return onList((list) => {
    let total = start;
    for (const element of list) {
      if (!canAdd(element)) return noSuchOverload(element);
      const next = add(total, element);
      if (isError(next)) return next;
      total = next;
    }
    return total;
  });
}

function extreme(name: string, replacedWhen: number) {
  return onList((list) => {
    let result: Value | undefined;
    for (const element of list) {
      if (!canCompare(element)) return noSuchOverload(element);
      if (result === undefined || compare(result, element) === replacedWhen) result = element;
    }
    return result ?? new CelError(`${name} called on empty list`);
  });
}

const indexOf = onList((list, value) => {
  for (let index = 0; index < list.size; index += 1) if (equals(list.get(index), value) === true) return BigInt(index);
  return -1n;
});

const lastIndexOf = onList((list, value) => {
  for (let index = list.size - 1; index >= 0; index -= 1)
    if (equals(list.get(index), value) === true) return BigInt(index);
  return -1n;
});

function includes(args: readonly Value[]): Value {
  const [target, value] = [argument(args, 0), argument(args, 1)];
  if (!(target instanceof ListValue)) return equals(target, value) === true;
  for (const element of target) if (equals(element, value) === true) return true;
  return false;
}

const functions: readonly FunctionDeclaration[] = [
  declare(
    'isSorted',
    ...comparableTypes.map(([name, type]) => member(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, isSorted)),
  ),
  declare(
    'sum',
    ...summableTypes.map(([name, type, start]) => member(`list_${name}_sum_${name}`, [listOf(type)], type, sum(start))),
  ),
  declare(
    'max',
    ...comparableTypes.map(([name, type]) =>
      member(`list_${name}_max_${name}`, [listOf(type)], type, extreme('max', -1)),
    ),
  ),
  declare(
    'min',
    ...comparableTypes.map(([name, type]) =>
      member(`list_${name}_min_${name}`, [listOf(type)], type, extreme('min', 1)),
    ),
  ),
  declare('indexOf', member('list_a_index_of_int', [listOf(a), a], intType, indexOf)),
  declare('lastIndexOf', member('list_a_last_index_of_int', [listOf(a), a], intType, lastIndexOf)),
];

/** The list functions of Kubernetes before 1.37. */
export const kubernetesLists: Library = { since: 0, until: 37, functions };

/** The list functions of Kubernetes from 1.37 on. */
export const kubernetesLists1: Library = {
  since: 37,
  functions: [
    ...functions,
    declare('includes', member('list_includes_dyn_dyn', [dynType, dynType], boolType, includes)),
  ],
};
