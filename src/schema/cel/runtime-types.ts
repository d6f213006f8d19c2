import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  errorType,
  intType,
  nullType,
  parameterOf,
  stringType,
  typeType,
} from './types.ts';
import { CelError, CelObject, type Value } from './values.ts';
import { ListValue } from './lists.ts';
import { MapValue } from './maps.ts';

/** The type of a value at run time; lists and maps do not know the types of what they hold. */
export function typeOfValue(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    default:
      if (value === null) return nullType;
      if (value instanceof CelObject) return value.type;
      if (value instanceof CelError) return errorType;
      return value instanceof Uint8Array ? bytesType : typeType;
  }
}

/** Whether a value may be passed where a type is declared; of lists and maps the first entry decides. */
export function isAssignableValue(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'typeParam') return true;
  if (type.name !== typeOfValue(value).name) return false;
  if (type.kind === 'list' && value instanceof ListValue) {
    return value.size === 0 || isAssignableValue(parameterOf(type, 0), value.get(0));
  }
  if (type.kind === 'map' && value instanceof MapValue) {
    for (const key of value.keys()) {
      return isAssignableValue(parameterOf(type, 0), key) && isAssignableValue(parameterOf(type, 1), value.get(key));
    }
  }
  return true;
}
