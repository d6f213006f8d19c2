import { argument, declare, type Library, overload } from '../declarations.ts';
import { addTwoVariableMacros } from '../macros.ts';
import { insertEntry, MapValue } from '../maps.ts';
import { mapOf, typeParameter } from '../types.ts';
import { isError, noSuchOverload, type Value } from '../values.ts';

const k = typeParameter('K');
const v = typeParameter('V');
const mapOfKV = mapOf(k, v);

function insertAll(args: readonly Value[]): Value {
  const update = argument(args, 1);
  if (!(update instanceof MapValue)) return noSuchOverload(update);
  let map = argument(args, 0);
  for (const key of update.keys()) {
    const next = insertEntry(map, key, update.get(key));
    if (isError(next)) return next;
    map = next;
  }
  return map;
}

/** The macros with two variables. */
export const twoVariablesLibrary: Library = {
  since: 32,
  addMacros: addTwoVariableMacros,
  functions: [
    declare(
      'cel.@mapInsert',
      overload('@mapInsert_map_key_value', [mapOfKV, k, v], mapOfKV, (args) =>
        insertEntry(argument(args, 0), argument(args, 1), argument(args, 2)),
      ),
      overload('@mapInsert_map_map', [mapOfKV, mapOfKV], mapOfKV, insertAll),
    ),
  ],
};
