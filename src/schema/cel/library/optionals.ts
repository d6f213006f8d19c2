import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { ArrayList, ListValue } from '../lists.ts';
import { addOptionalMacros } from '../macros.ts';
import { Optional, optionalNone } from '../optional.ts';
import { printValue } from '../print-value.ts';
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  optionalOfDynType,
  stringType,
  typeParameter,
} from '../types.ts';
import { CelError, CelObject, noSuchOverload, type Value } from '../values.ts';

const k = typeParameter('K');
const v = typeParameter('V');
const optionalOfV = optionalOf(v);
const listOfV = listOf(v);
const mapOfKV = mapOf(k, v);
const listOfOptionals = listOf(optionalOfV);

/** Whether `optional.ofNonZeroValue` leaves the value out. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint8Array) return value.length === 0;
  return value instanceof CelObject && value.isZero();
}

function unwrap(list: Value): Value {
  if (!(list instanceof ListValue)) return noSuchOverload(list);
  const values: Value[] = [];
  for (const element of list) {
    if (!(element instanceof Optional)) return new CelError(`value ${printValue(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

function endOf(list: Value, position: 'first' | 'last'): Value {
  if (!(list instanceof ListValue)) return noSuchOverload(list);
  if (list.size === 0) return optionalNone;
  return new Optional(list.get(position === 'first' ? 0 : list.size - 1));
}

function onOptional(call: (optional: Optional) => Value) {
  return (args: readonly Value[]): Value => {
    const value = argument(args, 0);
    return value instanceof Optional ? call(value) : noSuchOverload(value);
  };
}

/** Optional values with their syntax. */
export const optionalsLibrary: Library = {
  since: 28,
  types: [optionalOfDynType],
  addMacros: addOptionalMacros,
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [v], optionalOfV, (args) => new Optional(argument(args, 0))),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [v], optionalOfV, (args) =>
        isZero(argument(args, 0)) ? optionalNone : new Optional(argument(args, 0)),
      ),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], optionalOfV, () => optionalNone),
    ),
    declare(
      'value',
      member(
        'optional_value',
        [optionalOfV],
        v,
        onOptional((optional) => optional.get()),
      ),
    ),
    declare(
      'hasValue',
      member(
        'optional_hasValue',
        [optionalOfV],
        boolType,
        onOptional((optional) => optional.value !== undefined),
      ),
    ),
    declare('or', member('optional_or_optional', [optionalOfV, optionalOfV], optionalOfV)),
    declare('orValue', member('optional_orValue_value', [optionalOfV, v], v)),
    declare('_?._', overload('select_optional_field', [dynType, stringType], optionalOfV)),
    declare(
      '_[?_]',
      overload('list_optindex_optional_int', [listOfV, intType], optionalOfV),
      overload('optional_list_optindex_optional_int', [optionalOf(listOfV), intType], optionalOfV),
      overload('map_optindex_optional_value', [mapOfKV, k], optionalOfV),
      overload('optional_map_optindex_optional_value', [optionalOf(mapOfKV), k], optionalOfV),
    ),
    declare(
      '_[_]',
      overload('optional_list_index_int', [optionalOf(listOfV), intType], optionalOfV),
      overload('optional_map_index_value', [optionalOf(mapOfKV), k], optionalOfV),
    ),
    declare(
      'last',
      member('list_last', [listOfV], optionalOfV, (args) => endOf(argument(args, 0), 'last')),
    ),
    declare(
      'first',
      member('list_first', [listOfV], optionalOfV, (args) => endOf(argument(args, 0), 'first')),
    ),
    declare(
      'optional.unwrap',
      overload('optional_unwrap', [listOfOptionals], listOfV, (args) => unwrap(argument(args, 0))),
    ),
    declare(
      'unwrapOpt',
      member('optional_unwrapOpt', [listOfOptionals], listOfV, (args) => unwrap(argument(args, 0))),
    ),
  ],
};
