const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

const managedFieldsKey = Buffer.from('"managedFields"');
const metadataKey = Buffer.from('"metadata"');

/** Where the metadata of an object, or of a watch event around one, end, and where their `managedFields` stand. */
export interface HeadExtent {
  /** The index after the metadata's closing brace. */
  readonly end: number;
  /** The member with one of the commas around it; both are 0 when there is none. Cuts are between tokens, never within a character. */
  readonly cutStart: number;
  readonly cutEnd: number;
}

/**
 * The text of an object, or of a watch event around one, without `metadata.managedFields`: often a third of it, which need neither be
 * decoded nor parsed in order to be dropped. A field of the same name elsewhere is left alone, and so is everything that is not written
 * as the API server writes it (without spaces): the text need not be valid.
 *
 * `parents` is how many objects stand around the metadata: 1 for an object, 2 for a watch event.
 */
export function decodeWithoutManagedFields(bytes: Uint8Array, parents: 1 | 2): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = findHead(buffer, parents);
  if (head === undefined || head.cutEnd === 0) return buffer.toString('utf8');
  return buffer.toString('utf8', 0, head.cutStart) + buffer.toString('utf8', head.cutEnd);
}

/**
 * Finds the object's own metadata, written without spaces; undefined when there are none. Looks no further than to their end: they come
 * before the spec.
 */
export function findHead(buffer: Buffer, parents: 1 | 2): HeadExtent | undefined {
  let depth = 0;
  let inMetadata = false;
  let cutStart = 0;
  let cutEnd = 0;
  let at = 0;
  while (at < buffer.length) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = endOfString(buffer, at);
      if (end < 0) return undefined;
      if (buffer[end] === colon) {
        if (inMetadata) {
          const isWanted = depth === parents + 1 && buffer[end + 1] === openBracket && cutEnd === 0;
          if (isWanted && equals(buffer, at, end, managedFieldsKey)) {
            const last = endOfArray(buffer, end + 1);
            if (last < 0) return undefined;
            cutStart = buffer[last] !== comma && buffer[at - 1] === comma ? at - 1 : at;
            cutEnd = buffer[last] === comma ? last + 1 : last;
            at = cutEnd;
            continue;
          }
        } else if (depth === parents && buffer[end + 1] === openBrace && equals(buffer, at, end, metadataKey)) {
          inMetadata = true;
        }
      }
      at = end;
      continue;
    }
    at++;
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (inMetadata && depth === parents) return { end: at, cutStart, cutEnd };
    }
  }
  return undefined;
}

function equals(buffer: Buffer, start: number, end: number, expected: Buffer): boolean {
  if (end - start !== expected.length) return false;
  for (let index = 0; index < expected.length; index++) if (buffer[start + index] !== expected[index]) return false;
  return true;
}

/** The index after a string's closing quote, or -1. */
function endOfString(buffer: Buffer, start: number): number {
  for (let at = start + 1; at < buffer.length; at++) {
    const byte = buffer[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at++;
  }
  return -1;
}

/** The index after an array's closing bracket, or -1. */
function endOfArray(buffer: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < buffer.length) {
    const byte = buffer[at];
    if (byte === quote) {
      at = endOfString(buffer, at);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (byte === openBracket || byte === openBrace) depth++;
    else if ((byte === closeBracket || byte === closeBrace) && --depth === 0) return at;
  }
  return -1;
}
