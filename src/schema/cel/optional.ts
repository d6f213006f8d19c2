import { equals } from './equality.ts';
import { optionalOfDynType } from './types.ts';
import { CelError, CelObject, type Value } from './values.ts';

/** `optional.of(value)`, or `optional.none()` when it holds nothing. */
export class Optional extends CelObject {
  readonly value: Value | undefined;
  override readonly type = optionalOfDynType;

  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }

  get(): Value {
    return this.value === undefined ? new CelError('optional.none() dereference') : this.value;
  }

  override equal(other: Value): Value {
    if (!(other instanceof Optional)) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equals(this.value, other.value);
  }
}

export const optionalNone = new Optional(undefined);
