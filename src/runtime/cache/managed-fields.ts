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

/**
 * The text of an object, or of a watch event around one, without `metadata.managedFields`: often a third of it, which need neither be
 * decoded nor parsed in order to be dropped. A field of the same name elsewhere is left alone, and so is everything that is not written
 * as the API server writes it (without spaces): the text need not be valid.
 *
 * `parents` is how many objects stand around the metadata: 1 for an object, 2 for a watch event.
 */
export function decodeWithoutManagedFields(bytes: Uint8Array, parents: 1 | 2): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = findManagedFields(buffer, parents);
  const end = start < 0 ? -1 : endOfArray(buffer, start + managedFieldsKey.length + 1);
  if (end < 0) return buffer.toString('utf8');
  // With the member goes one of the commas around it. Cuts between tokens are never within a character.
  if (buffer[end] === comma) return buffer.toString('utf8', 0, start) + buffer.toString('utf8', end + 1);
  return buffer.toString('utf8', 0, buffer[start - 1] === comma ? start - 1 : start) + buffer.toString('utf8', end);
}

/** The index of the member's key, or -1. Looks no further than to the end of the object's metadata, which come before the spec. */
function findManagedFields(buffer: Buffer, parents: number): number {
  let depth = 0;
  let inMetadata = false;
  let at = 0;
  while (at < buffer.length) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = endOfString(buffer, at);
      if (end < 0) return -1;
      if (buffer[end] === colon) {
        if (inMetadata) {
          const isWanted = depth === parents + 1 && buffer[end + 1] === openBracket;
          if (isWanted && equals(buffer, at, end, managedFieldsKey)) return at;
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
      if (inMetadata && depth === parents) return -1;
    }
  }
  return -1;
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
