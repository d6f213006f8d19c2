import { strictEquals } from './equality.ts';
import { printValue } from './print-value.ts';
import { mapOfDynType } from './types.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, noSuchOverload, type Value } from './values.ts';

/** A map or an object. */
export abstract class MapValue extends CelObject {
  override readonly type = mapOfDynType;
  abstract readonly size: number;

  override get costSize(): number {
    return this.size;
  }

  /** The value of a key, undefined when there is none; an error when the key is of a wrong kind. */
  abstract find(key: Value): Value | undefined;

  abstract keys(): Iterable<Value>;

  get(key: Value): Value {
    const value = this.find(key);
    return value === undefined ? new CelError(`no such key: ${printValue(key)}`) : value;
  }

  contains(key: Value): Value {
    return this.find(key) !== undefined;
  }

  override equal(other: Value): Value {
    if (!(other instanceof MapValue)) return false;
    if (this.size !== other.size) return false;
    for (const key of this.keys()) {
      const found = other.find(key);
      if (found === undefined) return false;
      if (strictEquals(this.find(key) ?? null, found) === false) return false;
    }
    return true;
  }
}

/** A text that is the same for keys that are the same key. */
function keyOf(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'bigint':
      return `i${key}`;
    case 'boolean':
      return `b${key}`;
    case 'number':
      return `d${key}`;
    default:
      return key instanceof Uint ? `u${key.value}` : undefined;
  }
}

/** The keys to look up for a value: numbers of equal value but other types find each other. */
function lookups(key: Value): string[] {
  const own = keyOf(key);
  if (own === undefined) return [];
  if (typeof key === 'bigint') return key >= 0n ? [own, `u${key}`] : [own];
  if (key instanceof Uint) return [own, `i${key.value}`];
  if (typeof key === 'number' && Number.isInteger(key)) {
    const whole = BigInt(key);
    return [own, `i${whole}`, `u${whole}`];
  }
  return [own];
}

/** A map of values, in the order of insertion. */
export class EntriesMap extends MapValue {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  override get size(): number {
    return this.#entries.size;
  }

  set(key: Value, value: Value): void {
    const name = keyOf(key);
    if (name !== undefined) this.#entries.set(name, [key, value]);
  }

  delete(key: Value): void {
    const name = keyOf(key);
    if (name !== undefined) this.#entries.delete(name);
  }

  override isZero(): boolean {
    return this.size === 0;
  }

  override find(key: Value): Value | undefined {
    for (const name of lookups(key)) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) return entry[1];
    }
    return undefined;
  }

  override *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

/** The map that a macro fills: inserting changes it. */
export class GrowingMap extends EntriesMap {
  insert(key: Value, value: Value): Value {
    if (this.find(key) !== undefined) return new CelError(`insert failed: key ${printValue(key)} already exists`);
    this.set(key, value);
    return this;
  }
}

/** A map with one more entry; an error when the key is there. */
export function insertEntry(map: Value, key: Value, value: Value): Value {
  if (map instanceof GrowingMap) return map.insert(key, value);
  if (!(map instanceof MapValue)) return noSuchOverload(map);
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${printValue(key)} already exists`);
  const copy = new EntriesMap([[key, value]]);
  for (const existing of map.keys()) copy.set(existing, map.get(existing));
  return copy;
}
