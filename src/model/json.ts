/**
 * A JSON value as every room of the toolchain passes it.
 *
 * Kubernetes keeps integers and floats apart and integers whole up to 64 bits, so numbers have three forms: a `number` that is a
 * safe integer stands for an integer literal (`3`), any other `number` for a float literal (`0.5`); a `bigint` for an integer
 * literal beyond 2^53; a `Float` for a float literal whose value is a whole number (`1.0`, `1e3`). Objects made by our code have no
 * prototype, so that a member called `__proto__` is one like any other; read them with `Object.hasOwn` or `Object.entries`.
 */
export type Json = null | boolean | string | number | bigint | Float | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A float literal with a whole value (`1.0`): equal to the integer in value, not in kind. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  /** What `JSON.stringify` writes when this crosses into code that knows plain JSON only. */
  toJSON(): number {
    return this.value;
  }
}

/** An object without a prototype and with these members. */
export function jsonObject(entries: Iterable<readonly [string, Json]> = []): { [name: string]: Json } {
  const object = Object.create(null) as { [name: string]: Json };
  for (const [name, value] of entries) object[name] = value;
  return object;
}
