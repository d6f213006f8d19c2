import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { freeze } from '../client/cached.ts';
import type { ObjectVersion } from './object-version.ts';

/** How a cache keeps the bodies of a kind. */
export interface BodyOptions {
  /** Compressed, and parsed at each read. Default false: as text until the first read, parsed from then on. */
  readonly compressed?: boolean;
  /** Whether equal strings of parsed bodies are one. Default false. */
  readonly internStrings?: boolean;
}

/** What deflate looks back for at most, in bytes. */
const window = 32 * 1024;
/** Fast, and with a dictionary nearly as small as the slower ones. */
const level = 1;
/** So many strings are remembered, and none that is longer: what is equal in many objects is short. */
const maxStrings = 100_000;
const maxStringLength = 256;
/** So many parts of metadata are remembered, and none that is longer. */
const maxParts = 1000;
const maxPartLength = 1024;

/** Keeps texts of objects as the options say, and parses them. One for each kind: its objects are like one another. */
export class Bodies {
  readonly compressed: boolean;
  /** Called once for each object whose body turns out to be no JSON. */
  readonly onUnreadable: (object: ObjectVersion) => void;
  readonly #strings: Map<string, string> | undefined;
  readonly #parts = new Map<string, unknown>();
  /** The first text. Without it each object would be packed alone, and the names of its members with it. */
  #dictionary: Buffer | undefined;

  constructor(
    { compressed = false, internStrings = false }: BodyOptions = {},
    onUnreadable: (object: ObjectVersion) => void = () => undefined,
  ) {
    this.onUnreadable = onUnreadable;
    this.compressed = compressed;
    this.#strings = internStrings ? new Map() : undefined;
  }

  pack(text: string): string | Buffer {
    if (!this.compressed) return text;
    const bytes = Buffer.from(text, 'utf8');
    this.#dictionary ??= Buffer.from(bytes.subarray(0, window));
    const packed = deflateRawSync(bytes, { level, dictionary: this.#dictionary });
    // The result may be a small part of a large buffer.
    return Buffer.from(packed);
  }

  unpack(body: string | Buffer): string {
    if (typeof body === 'string') return body;
    if (this.#dictionary === undefined) throw new Error('nothing was packed');
    return inflateRawSync(body, { dictionary: this.#dictionary }).toString('utf8');
  }

  /**
   * A part of metadata that is the same in many objects and versions: labels, owners. Frozen, since all get the same. Throws a
   * `SyntaxError`.
   */
  parsePart(text: string): unknown {
    const known = this.#parts.get(text);
    if (known !== undefined) return known;
    const part = freeze(JSON.parse(text) as unknown);
    if (text.length <= maxPartLength) {
      if (this.#parts.size >= maxParts) this.#parts.clear();
      this.#parts.set(text, part);
    }
    return part;
  }

  /** Throws a `SyntaxError`. */
  parse(text: string): unknown {
    const value: unknown = JSON.parse(text);
    if (this.#strings !== undefined) intern(value, this.#strings);
    return value;
  }
}

/** Makes equal strings one, in place. */
function intern(value: unknown, strings: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (typeof member === 'string') {
      // Assigning to a key of this name would change the prototype.
      if (member.length <= maxStringLength && name !== '__proto__') members[name] = theOne(member, strings);
    } else {
      intern(member, strings);
    }
  }
}

function theOne(text: string, strings: Map<string, string>): string {
  const known = strings.get(text);
  if (known !== undefined) return known;
  // What was remembered long ago may be in no object any more.
  if (strings.size >= maxStrings) strings.clear();
  strings.set(text, text);
  return text;
}
