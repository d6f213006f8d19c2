import { Quantity, QuantityError } from '../../quantity.ts';
import { argument, declare, type Library, member, overload } from '../declarations.ts';
import { boolType, doubleType, intType, quantityType, stringType } from '../types.ts';
import { CelError, CelObject, noSuchOverload, type Value } from '../values.ts';

/** A quantity such as `1500m`. */
export class QuantityValue extends CelObject {
  readonly quantity: Quantity;
  override readonly type = quantityType;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  override equal(other: Value): Value {
    // What add() and sub() give is of another Go type, which this comparison does not know.
    if (!(other instanceof QuantityValue) || other instanceof ComputedQuantity) return noSuchOverload(other);
    return this.quantity.equals(other.quantity);
  }

  override toString(): string {
    return this.quantity.toString();
  }
}

/** The result of `add` or `sub`. */
class ComputedQuantity extends QuantityValue {}

function parse(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload(text);
  try {
    return new QuantityValue(Quantity.parse(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

function on(call: (quantity: Quantity) => Value) {
  return (args: readonly Value[]): Value => {
    const value = argument(args, 0);
    return value instanceof QuantityValue ? call(value.quantity) : noSuchOverload(value);
  };
}

function onTwo(call: (left: Quantity, right: Quantity) => Value) {
  return (args: readonly Value[]): Value => {
    const [left, right] = [argument(args, 0), argument(args, 1)];
    if (!(left instanceof QuantityValue)) return noSuchOverload(left);
    if (typeof right === 'bigint') return call(left.quantity, Quantity.fromInteger(right));
    return right instanceof QuantityValue ? call(left.quantity, right.quantity) : noSuchOverload(left);
  };
}

const sum = onTwo((left, right) => new ComputedQuantity(left.add(right)));
const difference = onTwo((left, right) => new ComputedQuantity(left.sub(right)));
const two = [quantityType, quantityType];

/** Quantities. */
export const quantityLibrary: Library = {
  since: 28,
  functions: [
    declare(
      'quantity',
      overload('string_to_quantity', [stringType], quantityType, (args) => parse(argument(args, 0))),
    ),
    declare(
      'isQuantity',
      overload(
        'is_quantity_string',
        [stringType],
        boolType,
        (args) => parse(argument(args, 0)) instanceof QuantityValue,
      ),
    ),
    declare(
      'sign',
      overload(
        'quantity_sign',
        [quantityType],
        intType,
        on((quantity) => BigInt(quantity.sign)),
      ),
    ),
    declare(
      'isGreaterThan',
      member(
        'quantity_is_greater_than',
        two,
        boolType,
        onTwo((left, right) => left.compare(right) > 0),
      ),
    ),
    declare(
      'isLessThan',
      member(
        'quantity_is_less_than',
        two,
        boolType,
        onTwo((left, right) => left.compare(right) < 0),
      ),
    ),
    declare(
      'compareTo',
      member(
        'quantity_compare_to',
        two,
        intType,
        onTwo((left, right) => BigInt(left.compare(right))),
      ),
    ),
    declare(
      'asApproximateFloat',
      member(
        'quantity_get_float',
        [quantityType],
        doubleType,
        on((quantity) => quantity.asApproximateFloat()),
      ),
    ),
    declare(
      'asInteger',
      member(
        'quantity_get_int',
        [quantityType],
        intType,
        on((quantity) => quantity.asInteger() ?? new CelError('cannot convert value to integer')),
      ),
    ),
    declare(
      'isInteger',
      member(
        'quantity_is_integer',
        [quantityType],
        boolType,
        on((quantity) => quantity.isInteger()),
      ),
    ),
    declare(
      'add',
      member('quantity_add', two, quantityType, sum),
      member('quantity_add_int', [quantityType, intType], quantityType, sum),
    ),
    declare(
      'sub',
      member('quantity_sub', two, quantityType, difference),
      member('quantity_sub_int', [quantityType, intType], quantityType, difference),
    ),
  ],
};
