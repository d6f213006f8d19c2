import { compareBytes, compareIntDouble, compareStrings } from './equality.ts';
import { ListValue } from './lists.ts';
import { addToTimestamp, Duration, subtractTimestamps, Timestamp } from './time.ts';
import { Uint } from './uint.ts';
import { CelError, noSuchOverload, type Value } from './values.ts';

const minimumInt = -(2n ** 63n);
const maximumInt = 2n ** 63n - 1n;
const maximumUint = 2n ** 64n - 1n;

/** An int, or an overflow. */
export function checkedInt(value: bigint): bigint | CelError {
  return value < minimumInt || value > maximumInt ? new CelError('integer overflow') : value;
}

/** A uint, or an overflow. */
export function checkedUint(value: bigint): Uint | CelError {
  return value < 0n || value > maximumUint ? new CelError('unsigned integer overflow') : new Uint(value);
}

/** Which values `+` is defined for on the left. */
export function canAdd(value: Value): boolean {
  return (
    isArithmetic(value) ||
    typeof value === 'string' ||
    value instanceof Uint8Array ||
    value instanceof ListValue ||
    isTime(value)
  );
}

export function canSubtract(value: Value): boolean {
  return isArithmetic(value) || isTime(value);
}

export function canCompare(value: Value): boolean {
  return (
    isArithmetic(value) || isTime(value) || ['string', 'boolean'].includes(typeof value) || value instanceof Uint8Array
  );
}

export function canNegate(value: Value): boolean {
  return (
    typeof value === 'bigint' || typeof value === 'number' || value instanceof Duration || typeof value === 'boolean'
  );
}

/** int, uint or double. */
export function isArithmetic(value: Value): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function isTime(value: Value): boolean {
  return value instanceof Duration || value instanceof Timestamp;
}

export function add(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left + right);
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (left instanceof ListValue) return left.add(right);
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value + right.value);
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    const joined = new Uint8Array(left.length + right.length);
    joined.set(left);
    joined.set(right, left.length);
    return joined;
  }
  if (left instanceof Duration && right instanceof Duration)
    return Duration.checked(left.nanoseconds + right.nanoseconds);
  if (left instanceof Duration && right instanceof Timestamp) return addToTimestamp(right, left.nanoseconds);
  if (left instanceof Timestamp && right instanceof Duration) return addToTimestamp(left, right.nanoseconds);
  return noSuchOverload(right);
}

export function subtract(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left - right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value - right.value);
  if (left instanceof Duration && right instanceof Duration)
    return Duration.checked(left.nanoseconds - right.nanoseconds);
  if (left instanceof Timestamp && right instanceof Timestamp) return subtractTimestamps(left, right);
  if (left instanceof Timestamp && right instanceof Duration) {
    if (right.nanoseconds === minimumInt) return new CelError('integer overflow');
    return addToTimestamp(left, -right.nanoseconds);
  }
  return noSuchOverload(right);
}

export function multiply(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left * right);
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value * right.value);
  return noSuchOverload(right);
}

export function divide(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left / right;
  return integerDivision(left, right, 'division by zero', (a, b) => a / b);
}

export function modulo(left: Value, right: Value): Value {
  return integerDivision(left, right, 'modulus by zero', (a, b) => a % b);
}

function integerDivision(left: Value, right: Value, byZero: string, compute: (a: bigint, b: bigint) => bigint): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) return new CelError(byZero);
    if (left === minimumInt && right === -1n) return new CelError('integer overflow');
    return compute(left, right);
  }
  if (left instanceof Uint && right instanceof Uint) {
    return right.value === 0n ? new CelError(byZero) : new Uint(compute(left.value, right.value));
  }
  return noSuchOverload(right);
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return checkedInt(-value);
  if (typeof value === 'number') return -value;
  if (value instanceof Duration) return Duration.checked(-value.nanoseconds);
  return noSuchOverload(value);
}

/** -1, 0 or 1, or an error when the values have no order. */
export function compare(left: Value, right: Value): number | CelError {
  if (isArithmetic(left)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  if (left instanceof Duration && right instanceof Duration) return order(left.nanoseconds, right.nanoseconds);
  if (left instanceof Timestamp && right instanceof Timestamp) return order(left.nanoseconds, right.nanoseconds);
  return noSuchOverload(right);
}

function compareNumbers(left: Value, right: Value): number | CelError {
  if (!isArithmetic(right)) return noSuchOverload(right);
  if (Number.isNaN(left) || Number.isNaN(right)) return new CelError('NaN values cannot be ordered');
  if (typeof left === 'number' && typeof right === 'number') return order(left, right);
  const [a, b] = [integerOf(left), integerOf(right)];
  if (typeof a === 'bigint' && typeof b === 'bigint') return order(a, b);
  if (typeof a === 'bigint' && typeof right === 'number') return compareIntDouble(a, right);
  return typeof b === 'bigint' && typeof left === 'number' ? -compareIntDouble(b, left) : noSuchOverload(right);
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : undefined;
}

function order<T extends bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
