/**
 * An object as the cache hands it out: the same JSON for every reader, deeply read-only, so that a change that would reach the others
 * is a compile error (and a TypeError at run time, since it is frozen at its first read).
 */
export type Cached<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | symbol | null | undefined
    ? T
    : T extends (...parameters: never[]) => unknown
      ? T
      : { readonly [K in keyof T]: Cached<T[K]> };

/** The opposite of `Cached`: nothing is read-only, at any depth. */
export type Mutable<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | symbol | null | undefined
    ? T
    : T extends (...parameters: never[]) => unknown
      ? T
      : { -readonly [K in keyof T]: Mutable<T[K]> };

/** A deep copy that belongs to the caller. The argument is plain JSON, as everything that the cache holds. */
export function mutable<T>(cached: T): Mutable<T> {
  return copy(cached) as Mutable<T>;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // A key of this name must become a member, not the object's prototype.
    if (key === '__proto__')
      Object.defineProperty(result, key, { value: copy(member), enumerable: true, configurable: true, writable: true });
    else result[key] = copy(member);
  }
  return result;
}

/** Freezes plain JSON in place, at all depths. Returns at once for what is frozen already. */
export function freeze<T>(value: T): Cached<T> {
  freezeDeep(value);
  return value as Cached<T>;
}

function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  // The parts before the whole, and arrays by index: V8 is slower at everything else.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const member: unknown = value[index];
      if (typeof member === 'object' && member !== null) freezeDeep(member);
    }
  } else {
    for (const name in value) {
      const member: unknown = (value as Record<string, unknown>)[name];
      if (typeof member === 'object' && member !== null) freezeDeep(member);
    }
  }
  Object.freeze(value);
}
