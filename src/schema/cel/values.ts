import type { CelType } from './types.ts';

/**
 * A value of the language. `bigint` is an int, `number` a double, a JavaScript string a string (its size counts code points).
 * An error is a value, too: it travels through an expression until a logical operator absorbs it.
 */
export type Value = null | boolean | bigint | number | string | Uint8Array | CelType | CelError | CelObject;

/** What went wrong while a rule was evaluated; the message is the server's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A value that JavaScript has no type for: lists, maps, unsigned integers, times, and what the libraries add. */
export abstract class CelObject {
  /** The type at run time. */
  abstract readonly type: CelType;

  /** The value as error messages show it. */
  toString(): string {
    return this.type.name;
  }

  /** Whether the other value equals this one; an error when they cannot be compared. */
  abstract equal(other: Value): Value;

  /** Whether `optional.ofNonZeroValue` leaves the value out. */
  isZero(): boolean {
    return false;
  }

  /** What the cost of a call counts as its size; undefined for values without one. */
  get costSize(): number | undefined {
    return undefined;
  }
}

/**
 * A fault inside the server's evaluation, which ends it at once: no operator absorbs it. Some functions meet errors among their
 * arguments in this way when their cost is counted.
 */
export class EvaluationFault extends Error {
  override readonly name = 'EvaluationFault';
}

export const noSuchOverloadMessage = 'no such overload';

/** The value itself when it is an error, else "no such overload". */
export function noSuchOverload(value?: Value): CelError {
  return value instanceof CelError ? value : new CelError(noSuchOverloadMessage);
}

export function isError(value: Value): value is CelError {
  return value instanceof CelError;
}
