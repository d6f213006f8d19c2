import { equals, strictEquals } from './equality.ts';
import { listOfDynType, printType } from './types.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, isError, noSuchOverload, type Value } from './values.ts';

/** A list: how it compares and adds depends on where it comes from. */
export abstract class ListValue extends CelObject implements Iterable<Value> {
  override readonly type = listOfDynType;
  abstract readonly size: number;

  override get costSize(): number {
    return this.size;
  }

  /** The element at an index within the bounds. */
  abstract get(index: number): Value;

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.get(index);
  }

  override isZero(): boolean {
    return this.size === 0;
  }

  override equal(other: Value): Value {
    if (!(other instanceof ListValue)) return false;
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index += 1) {
      if (strictEquals(this.get(index), other.get(index)) === false) return false;
    }
    return true;
  }

  add(other: Value): Value {
    return other instanceof ListValue ? concatenate(this, other) : noSuchOverload(other);
  }

  contains(value: Value): Value {
    for (const element of this) if (equals(value, element) === true) return true;
    return false;
  }

  /** The element at a CEL index, or an error. */
  at(index: Value): Value {
    const position = listIndex(index);
    if (position instanceof CelError) return position;
    if (position < 0 || position >= this.size)
      return new CelError(`index '${position}' out of range in list size '${this.size}'`);
    return this.get(position);
  }
}

/** The position that a value means as a list index; a double or uint may stand for one when it is whole. */
export function listIndex(index: Value): number | CelError {
  if (typeof index === 'bigint') return Number(index);
  if (isError(index)) return index;
  if (index instanceof Uint) {
    return index.value < 2n ** 63n
      ? Number(index.value)
      : new CelError(`unsupported index value ${index.value} in list`);
  }
  if (typeof index === 'number') {
    return Number.isSafeInteger(index) ? index : new CelError(`unsupported index value ${index} in list`);
  }
  return new CelError(`unsupported index type '${indexTypeName(index)}' in list`);
}

function indexTypeName(index: Value): string {
  if (index === null) return 'null_type';
  if (typeof index === 'string') return 'string';
  if (typeof index === 'boolean') return 'bool';
  if (index instanceof CelObject) return printType(index.type);
  return index instanceof Uint8Array ? 'bytes' : 'type';
}

/** A list of values. */
export class ArrayList extends ListValue {
  readonly elements: readonly Value[];

  constructor(elements: readonly Value[]) {
    super();
    this.elements = elements;
  }

  override get size(): number {
    return this.elements.length;
  }

  override get(index: number): Value {
    return this.elements[index] ?? null;
  }

  override [Symbol.iterator](): IterableIterator<Value> {
    return this.elements[Symbol.iterator]() as IterableIterator<Value>;
  }
}

/** The list that a macro fills: adding to it changes it. It never leaves the macro. */
export class GrowingList extends ListValue {
  readonly elements: Value[] = [];

  override get size(): number {
    return this.elements.length;
  }

  override get(index: number): Value {
    return this.elements[index] ?? null;
  }

  override add(other: Value): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other);
    for (const element of other) this.elements.push(element);
    return this;
  }

  finished(): ListValue {
    return new ArrayList(this.elements);
  }
}

/** Two lists one after the other, without a copy. */
class JoinedList extends ListValue {
  readonly #first: ListValue;
  readonly #second: ListValue;
  override readonly size: number;

  constructor(first: ListValue, second: ListValue) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  override get(index: number): Value {
    return index < this.#first.size ? this.#first.get(index) : this.#second.get(index - this.#first.size);
  }

  override *[Symbol.iterator](): IterableIterator<Value> {
    yield* this.#first;
    yield* this.#second;
  }

  override equal(other: Value): Value {
    if (!(other instanceof ListValue)) return false;
    if (this.size !== other.size) return false;
    let error: CelError | undefined;
    for (let index = 0; index < this.size; index += 1) {
      const equal = strictEquals(this.get(index), other.get(index));
      if (equal === false) return false;
      if (isError(equal)) error ??= equal;
    }
    return error ?? true;
  }

  override contains(value: Value): Value {
    const first = this.#first.contains(value);
    if (first === true) return true;
    const second = this.#second.contains(value);
    if (second === true) return true;
    return isError(first) ? first : second;
  }

  override at(index: Value): Value {
    const position = listIndex(index);
    if (position instanceof CelError) return position;
    if (position < this.#first.size) return this.#first.at(BigInt(position));
    return this.#second.at(BigInt(position - this.#first.size));
  }
}

function concatenate(first: ListValue, second: ListValue): ListValue {
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  return new JoinedList(first, second);
}
