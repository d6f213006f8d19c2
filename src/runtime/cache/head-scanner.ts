const quote = 34;
const comma = 44;
const zero = 48;
const nine = 57;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

const keys = {
  apiVersion: Buffer.from('"apiVersion"'),
  deletionTimestamp: Buffer.from('"deletionTimestamp"'),
  generation: Buffer.from('"generation"'),
  kind: Buffer.from('"kind"'),
  labels: Buffer.from('"labels"'),
  managedFields: Buffer.from('"managedFields"'),
  metadata: Buffer.from('"metadata"'),
  name: Buffer.from('"name"'),
  namespace: Buffer.from('"namespace"'),
  ownerReferences: Buffer.from('"ownerReferences"'),
  resourceVersion: Buffer.from('"resourceVersion"'),
  uid: Buffer.from('"uid"'),
} as const;

/** More digits than this may be more than a number holds. */
const maxDigits = 15;

/** The text of a string's value, without its quotes and without escapes in it. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Finds out of the bytes of an object, or of a watch event around one, where its metadata end, where their `managedFields` stand, and what
 * a cache has to know of each version. Nothing is copied or parsed for that. Knows what is written as API servers write it: without
 * spaces, the metadata before the spec, no escapes in names. The text need not be valid.
 *
 * One scanner reads one object after the other: its members are those of the latest.
 */
export class HeadScanner {
  /** The index after the metadata's closing brace. */
  end = 0;
  /** `managedFields` with one of the commas around it; both are 0 when there are none. Cuts are between tokens, never within a character. */
  cutStart = 0;
  cutEnd = 0;
  /** Whether one of the members below is written in a way that only a parser understands: what it has is of no use then. */
  isUnusual = false;
  /** Of what is absent, start and end are 0. Type and version count only where they stand before the metadata's end. */
  readonly apiVersion: Range = { start: 0, end: 0 };
  readonly kind: Range = { start: 0, end: 0 };
  readonly name: Range = { start: 0, end: 0 };
  readonly namespace: Range = { start: 0, end: 0 };
  readonly uid: Range = { start: 0, end: 0 };
  readonly resourceVersion: Range = { start: 0, end: 0 };
  readonly deletionTimestamp: Range = { start: 0, end: 0 };
  generation: number | undefined;
  /** With their brackets. */
  readonly labels: Range = { start: 0, end: 0 };
  readonly ownerReferences: Range = { start: 0, end: 0 };

  /**
   * Scans from `start` to the end of the metadata, whose place is decided by `parents`: how many objects stand around them, 1 for an
   * object, 2 for a watch event. False when there are none.
   */
  scan(buffer: Buffer, start: number, limit: number, parents: 1 | 2): boolean {
    this.#reset();
    let depth = 0;
    let inMetadata = false;
    let at = start;
    while (at < limit) {
      const byte = buffer[at];
      if (byte === quote) {
        const end = endOfString(buffer, at, limit);
        if (end < 0) return false;
        if (buffer[end] !== colon) {
          at = end;
        } else if (inMetadata && depth === parents + 1) {
          at = this.#metadataMember(buffer, at, end, limit);
          if (at < 0) return false;
        } else if (depth === parents && !inMetadata) {
          if (buffer[end + 1] === openBrace) inMetadata = equals(buffer, at, end, keys.metadata);
          else this.#topMember(buffer, at, end, limit);
          at = end;
        } else {
          at = end;
        }
        continue;
      }
      at++;
      if (byte === openBrace || byte === openBracket) depth++;
      else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (inMetadata && depth === parents) {
          this.end = at;
          return true;
        }
      }
    }
    return false;
  }

  #reset(): void {
    this.end = 0;
    this.cutStart = 0;
    this.cutEnd = 0;
    this.isUnusual = false;
    this.generation = undefined;
    clear(this.apiVersion);
    clear(this.kind);
    clear(this.name);
    clear(this.namespace);
    clear(this.uid);
    clear(this.resourceVersion);
    clear(this.deletionTimestamp);
    clear(this.labels);
    clear(this.ownerReferences);
  }

  #topMember(buffer: Buffer, key: number, keyEnd: number, limit: number): void {
    if (equals(buffer, key, keyEnd, keys.kind)) this.#text(buffer, keyEnd + 1, limit, this.kind);
    else if (equals(buffer, key, keyEnd, keys.apiVersion)) this.#text(buffer, keyEnd + 1, limit, this.apiVersion);
  }

  /** The index from which to go on; -1 where the text ends within the member. */
  #metadataMember(buffer: Buffer, key: number, keyEnd: number, limit: number): number {
    const value = keyEnd + 1;
    switch (keyEnd - key) {
      case keys.uid.length:
        if (equals(buffer, key, keyEnd, keys.uid)) return this.#text(buffer, value, limit, this.uid);
        break;
      case keys.name.length:
        if (equals(buffer, key, keyEnd, keys.name)) return this.#text(buffer, value, limit, this.name);
        break;
      case keys.namespace.length:
        if (equals(buffer, key, keyEnd, keys.namespace)) return this.#text(buffer, value, limit, this.namespace);
        break;
      case keys.labels.length:
        if (equals(buffer, key, keyEnd, keys.labels)) return this.#nested(buffer, value, limit, this.labels);
        break;
      case keys.generation.length:
        if (equals(buffer, key, keyEnd, keys.generation)) return this.#number(buffer, value, limit);
        break;
      case keys.managedFields.length:
        if (this.cutEnd === 0 && buffer[value] === openBracket && equals(buffer, key, keyEnd, keys.managedFields)) {
          return this.#managedFields(buffer, key, value, limit);
        }
        break;
      case keys.resourceVersion.length:
        if (equals(buffer, key, keyEnd, keys.resourceVersion)) {
          return this.#text(buffer, value, limit, this.resourceVersion);
        }
        if (equals(buffer, key, keyEnd, keys.ownerReferences)) {
          return this.#nested(buffer, value, limit, this.ownerReferences);
        }
        break;
      case keys.deletionTimestamp.length:
        if (equals(buffer, key, keyEnd, keys.deletionTimestamp)) {
          return this.#text(buffer, value, limit, this.deletionTimestamp);
        }
        break;
    }
    return keyEnd;
  }

  #managedFields(buffer: Buffer, key: number, value: number, limit: number): number {
    const last = endOfNested(buffer, value, limit);
    if (last < 0) return -1;
    const isFollowed = buffer[last] === comma;
    this.cutStart = !isFollowed && buffer[key - 1] === comma ? key - 1 : key;
    this.cutEnd = isFollowed ? last + 1 : last;
    return this.cutEnd;
  }

  #nested(buffer: Buffer, value: number, limit: number, range: Range): number {
    const first = buffer[value];
    if (first !== openBracket && first !== openBrace) {
      this.isUnusual = true;
      return value;
    }
    const end = endOfNested(buffer, value, limit);
    range.start = value;
    range.end = end;
    return end;
  }

  #text(buffer: Buffer, value: number, limit: number, range: Range): number {
    if (buffer[value] === quote) {
      for (let at = value + 1; at < limit; at++) {
        const byte = buffer[at];
        if (byte === backslash) break;
        if (byte === quote) {
          range.start = value + 1;
          range.end = at;
          return at + 1;
        }
      }
    }
    this.isUnusual = true;
    return value;
  }

  #number(buffer: Buffer, value: number, limit: number): number {
    let number = 0;
    let at = value;
    for (; at < limit; at++) {
      const byte = buffer[at] ?? 0;
      if (byte < zero || byte > nine) break;
      number = number * 10 + byte - zero;
    }
    const digits = at - value;
    const isLast = buffer[at] === comma || buffer[at] === closeBrace;
    if (digits === 0 || digits > maxDigits || !isLast || (digits > 1 && buffer[value] === zero)) this.isUnusual = true;
    else this.generation = number;
    return at;
  }
}

function clear(range: Range): void {
  range.start = 0;
  range.end = 0;
}

/** Whether the bytes are exactly the expected ones. */
export function equals(buffer: Buffer, start: number, end: number, expected: Buffer): boolean {
  if (end - start !== expected.length) return false;
  for (let index = 0; index < expected.length; index++) if (buffer[start + index] !== expected[index]) return false;
  return true;
}

/** The index after a string's closing quote, or -1. */
function endOfString(buffer: Buffer, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at++) {
    const byte = buffer[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at++;
  }
  return -1;
}

/** The index after the closing bracket of an array, or brace of an object; or -1. */
function endOfNested(buffer: Buffer, start: number, limit: number): number {
  let depth = 0;
  let at = start;
  while (at < limit) {
    const byte = buffer[at];
    if (byte === quote) {
      at = endOfString(buffer, at, limit);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (byte === openBracket || byte === openBrace) depth++;
    else if ((byte === closeBracket || byte === closeBrace) && --depth === 0) return at;
  }
  return -1;
}
