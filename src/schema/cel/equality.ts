import { CelType } from './types.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, type Value } from './values.ts';

/** `left == right` as the left value's type defines it; an error when it does not define it for the right one. */
export function equals(left: Value, right: Value): Value {
  switch (typeof left) {
    case 'string':
    case 'boolean':
      return left === right;
    case 'bigint':
      if (typeof right === 'bigint') return left === right;
      if (typeof right === 'number') return compareIntDouble(left, right) === 0;
      return right instanceof Uint && left === right.value;
    case 'number':
      if (typeof right === 'number') return left === right;
      if (typeof right === 'bigint') return compareIntDouble(right, left) === 0;
      return right instanceof Uint && Number(right.value) === left;
    default:
      if (left === null) return right === null;
      if (left instanceof CelObject) return left.equal(right);
      if (left instanceof CelType) return right instanceof CelType && left.name === right.name;
      if (left instanceof CelError) return left;
      return right instanceof Uint8Array && compareBytes(left, right) === 0;
  }
}

/** As the operator `==` compares: null equals null only. */
export function strictEquals(left: Value, right: Value): Value {
  if (left === null || right === null) return left === right;
  return equals(left, right);
}

/** An int against a double as cel-go compares them: beyond the range of int64 by range, else as doubles. */
export function compareIntDouble(int: bigint, double: number): number {
  if (Number.isNaN(double)) return Number.NaN;
  if (double < -(2 ** 63)) return 1;
  if (double > 2 ** 63) return -1;
  const left = Number(int);
  return left < double ? -1 : left > double ? 1 : 0;
}

/** Byte by byte, then the shorter first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(left.length - right.length);
}

/** By code point, which is the order of the UTF-8 bytes. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) < rank(b) ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

/** Surrogates stand for code points beyond all single units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
