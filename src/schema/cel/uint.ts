import { uintType } from './types.ts';
import { CelObject, type Value } from './values.ts';

/** An unsigned integer of 64 bits. */
export class Uint extends CelObject {
  readonly value: bigint;
  override readonly type = uintType;

  constructor(value: bigint) {
    super();
    this.value = value;
  }

  override isZero(): boolean {
    return this.value === 0n;
  }

  override toString(): string {
    return String(this.value);
  }

  override equal(other: Value): Value {
    if (other instanceof Uint) return this.value === other.value;
    if (typeof other === 'bigint') return this.value === other;
    return typeof other === 'number' && Number(this.value) === other;
  }
}
