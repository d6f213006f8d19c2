import { compilePattern, PatternError } from '../../re2.ts';
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from '../conversions.ts';
import {
  argument,
  declare,
  type FunctionDeclaration,
  type Library,
  member,
  type Overload,
  overload,
} from '../declarations.ts';
import { ListValue } from '../lists.ts';
import { addStandardMacros } from '../macros.ts';
import { MapValue } from '../maps.ts';
import {
  add,
  canAdd,
  canCompare,
  canNegate,
  canSubtract,
  compare,
  divide,
  isArithmetic,
  modulo,
  multiply,
  negate,
  subtract,
} from '../operations.ts';
import { typeOfValue } from '../runtime-types.ts';
import { codePointCount } from '../source.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  typeType,
  uintType,
} from '../types.ts';
import { CelError, isError, noSuchOverload, type Value } from '../values.ts';
import { timeFunctions } from './time-functions.ts';

const a = typeParameter('A');
const b = typeParameter('B');
const listOfA = listOf(a);
const mapOfAB = mapOf(a, b);

function binary(
  name: string,
  overloads: readonly Overload[],
  call: (left: Value, right: Value) => Value,
  accepts?: (value: Value) => boolean,
): FunctionDeclaration {
  const shared = { call: (args: readonly Value[]) => call(argument(args, 0), argument(args, 1)) };
  return { name, overloads, shared: accepts === undefined ? shared : { ...shared, accepts } };
}

function sameTypes(prefix: string, types: readonly (readonly [string, CelType])[]): Overload[] {
  return types.map(([suffix, type]) => overload(`${prefix}_${suffix}`, [type, type], type));
}

const int = ['int64', intType] as const;
const uint = ['uint64', uintType] as const;
const double = ['double', doubleType] as const;

/** `<` and the like: all types that have an order, and numbers among each other. */
function comparison(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const pairs: readonly (readonly [string, CelType, CelType])[] = [
    ['bool', boolType, boolType],
    ['int64', intType, intType],
    ['int64_double', intType, doubleType],
    ['int64_uint64', intType, uintType],
    ['uint64', uintType, uintType],
    ['uint64_double', uintType, doubleType],
    ['uint64_int64', uintType, intType],
    ['double', doubleType, doubleType],
    ['double_int64', doubleType, intType],
    ['double_uint64', doubleType, uintType],
    ['string', stringType, stringType],
    ['bytes', bytesType, bytesType],
    ['timestamp', timestampType, timestampType],
    ['duration', durationType, durationType],
  ];
  const overloads = pairs.map(([suffix, left, right]) => overload(`${prefix}_${suffix}`, [left, right], boolType));
  const call = (left: Value, right: Value): Value => {
    const order = compare(left, right);
    return order instanceof CelError ? order : holds(order);
  };
  return binary(name, overloads, call, canCompare);
}

function conversion(
  name: string,
  result: CelType,
  convert: (value: Value) => Value,
  from: readonly (readonly [string, CelType])[],
) {
  return declare(name, ...from.map(([id, type]) => overload(id, [type], result, (args) => convert(argument(args, 0)))));
}

function hasSize(value: Value): boolean {
  return (
    typeof value === 'string' || value instanceof Uint8Array || value instanceof ListValue || value instanceof MapValue
  );
}

function size(value: Value): Value {
  if (typeof value === 'string') return BigInt(codePointCount(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof ListValue || value instanceof MapValue ? BigInt(value.size) : noSuchOverload(value);
}

const sized = [
  ['bytes', bytesType],
  ['list', listOfA],
  ['map', mapOfAB],
  ['string', stringType],
] as const;

function textTest(name: string, id: string, test: (text: string, other: string) => boolean): FunctionDeclaration {
  const call = (args: readonly Value[]): Value => {
    const [text, other] = [argument(args, 0), argument(args, 1)];
    if (typeof text !== 'string') return noSuchOverload(text);
    return typeof other === 'string' ? test(text, other) : noSuchOverload(other);
  };
  return { ...declare(name, member(id, [stringType, stringType], boolType, call)), unguarded: true };
}

function matches(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload(pattern);
  try {
    return compilePattern(pattern).matches(text);
  } catch (error) {
    if (error instanceof PatternError) return new CelError(error.message);
    throw error;
  }
}

function isIn(value: Value, container: Value): Value {
  if (container instanceof ListValue || container instanceof MapValue) return container.contains(value);
  return noSuchOverload(container);
}

/** The functions and operators of the language itself. */
export const standardLibrary: Library = {
  since: 0,
  addMacros: addStandardMacros,
  types: [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listOfA,
    mapOfAB,
    nullType,
    stringType,
    timestampType,
    typeType,
    uintType,
  ],
  functions: [
    declare('_?_:_', overload('conditional', [boolType, a, a], a)),
    declare('_&&_', overload('logical_and', [boolType, boolType], boolType)),
    declare('_||_', overload('logical_or', [boolType, boolType], boolType)),
    {
      name: '!_',
      overloads: [overload('logical_not', [boolType], boolType)],
      shared: {
        call: (args) => {
          const value = argument(args, 0);
          return typeof value === 'boolean' ? !value : noSuchOverload(value);
        },
      },
    },
    declare('@not_strictly_false', overload('not_strictly_false', [boolType], boolType)),
    declare('_==_', overload('equals', [a, a], boolType)),
    declare('_!=_', overload('not_equals', [a, a], boolType)),
    binary(
      '_+_',
      [
        overload('add_bytes', [bytesType, bytesType], bytesType),
        overload('add_double', [doubleType, doubleType], doubleType),
        overload('add_duration_duration', [durationType, durationType], durationType),
        overload('add_duration_timestamp', [durationType, timestampType], timestampType),
        overload('add_timestamp_duration', [timestampType, durationType], timestampType),
        overload('add_int64', [intType, intType], intType),
        overload('add_list', [listOfA, listOfA], listOfA),
        overload('add_string', [stringType, stringType], stringType),
        overload('add_uint64', [uintType, uintType], uintType),
      ],
      add,
      canAdd,
    ),
    binary('_/_', sameTypes('divide', [double, int, uint]), divide, isArithmetic),
    binary(
      '_%_',
      sameTypes('modulo', [int, uint]),
      modulo,
      (value) => isArithmetic(value) && typeof value !== 'number',
    ),
    binary('_*_', sameTypes('multiply', [double, int, uint]), multiply, isArithmetic),
    {
      name: '-_',
      overloads: [overload('negate_double', [doubleType], doubleType), overload('negate_int64', [intType], intType)],
      shared: { call: (args) => negate(argument(args, 0)), accepts: canNegate },
    },
    binary(
      '_-_',
      [
        overload('subtract_double', [doubleType, doubleType], doubleType),
        overload('subtract_duration_duration', [durationType, durationType], durationType),
        overload('subtract_int64', [intType, intType], intType),
        overload('subtract_timestamp_duration', [timestampType, durationType], timestampType),
        overload('subtract_timestamp_timestamp', [timestampType, timestampType], durationType),
        overload('subtract_uint64', [uintType, uintType], uintType),
      ],
      subtract,
      canSubtract,
    ),
    comparison('_<_', 'less', (order) => order < 0),
    comparison('_<=_', 'less_equals', (order) => order <= 0),
    comparison('_>_', 'greater', (order) => order > 0),
    comparison('_>=_', 'greater_equals', (order) => order >= 0),
    declare('_[_]', overload('index_list', [listOfA, intType], a), overload('index_map', [mapOfAB, a], b)),
    binary('@in', [overload('in_list', [a, listOfA], boolType), overload('in_map', [a, mapOfAB], boolType)], isIn),
    {
      name: 'size',
      overloads: sized.flatMap(([name, type]) => [
        overload(`size_${name}`, [type], intType),
        member(`${name}_size`, [type], intType),
      ]),
      shared: { call: (args) => size(argument(args, 0)), accepts: hasSize },
    },
    {
      name: 'type',
      overloads: [overload('type', [a], typeOfType(a))],
      shared: { call: (args) => (isError(argument(args, 0)) ? argument(args, 0) : typeOfValue(argument(args, 0))) },
    },
    conversion('bool', boolType, toBool, [
      ['bool_to_bool', boolType],
      ['string_to_bool', stringType],
    ]),
    conversion('bytes', bytesType, toBytes, [
      ['bytes_to_bytes', bytesType],
      ['string_to_bytes', stringType],
    ]),
    conversion('double', doubleType, toDouble, [
      ['double_to_double', doubleType],
      ['int64_to_double', intType],
      ['string_to_double', stringType],
      ['uint64_to_double', uintType],
    ]),
    conversion('duration', durationType, toDuration, [
      ['duration_to_duration', durationType],
      ['string_to_duration', stringType],
    ]),
    { name: 'dyn', overloads: [overload('to_dyn', [a], dynType)], shared: { call: (args) => argument(args, 0) } },
    conversion('int', intType, toInt, [
      ['int64_to_int64', intType],
      ['double_to_int64', doubleType],
      ['duration_to_int64', durationType],
      ['string_to_int64', stringType],
      ['timestamp_to_int64', timestampType],
      ['uint64_to_int64', uintType],
    ]),
    conversion('string', stringType, toText, [
      ['string_to_string', stringType],
      ['bool_to_string', boolType],
      ['bytes_to_string', bytesType],
      ['double_to_string', doubleType],
      ['duration_to_string', durationType],
      ['int64_to_string', intType],
      ['timestamp_to_string', timestampType],
      ['uint64_to_string', uintType],
    ]),
    conversion('timestamp', timestampType, toTimestamp, [
      ['timestamp_to_timestamp', timestampType],
      ['int64_to_timestamp', intType],
      ['string_to_timestamp', stringType],
    ]),
    conversion('uint', uintType, toUint, [
      ['uint64_to_uint64', uintType],
      ['double_to_uint64', doubleType],
      ['int64_to_uint64', intType],
      ['string_to_uint64', stringType],
    ]),
    textTest('contains', 'contains_string', (text, other) => text.includes(other)),
    textTest('endsWith', 'ends_with_string', (text, other) => text.endsWith(other)),
    textTest('startsWith', 'starts_with_string', (text, other) => text.startsWith(other)),
    {
      name: 'matches',
      overloads: [
        overload('matches', [stringType, stringType], boolType),
        member('matches_string', [stringType, stringType], boolType),
      ],
      shared: {
        call: (args) => matches(argument(args, 0), argument(args, 1)),
        accepts: (value) => typeof value === 'string',
      },
    },
    ...timeFunctions,
  ],
};
