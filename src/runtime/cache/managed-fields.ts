const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

const managedFieldsKey = Buffer.from('"managedFields":[');
const metadataKey = Buffer.from('"metadata"');

/**
 * The bytes of an object, or of a watch event around one, without `metadata.managedFields`: often a third of it, which need not be
 * parsed in order to be dropped. A field of the same name elsewhere is left alone. The bytes of the argument are not changed; where
 * there is nothing to cut they come back.
 *
 * `parents` is how many objects stand around the metadata: 1 for an object, 2 for a watch event.
 */
export function cutManagedFields(bytes: Uint8Array, parents: 1 | 2): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let key = buffer.indexOf(managedFieldsKey); key >= 0; key = buffer.indexOf(managedFieldsKey, key + 1)) {
    const place = placeOf(buffer, key, parents);
    if (place === 'elsewhere') continue;
    const end = endOfArray(buffer, key + managedFieldsKey.length - 1);
    return end < 0 ? bytes : cut(buffer, key, end);
  }
  return bytes;
}

/** Whether a key at this index stands in the object's own metadata. */
function placeOf(buffer: Buffer, index: number, parents: number): 'metadata' | 'elsewhere' {
  let depth = 0;
  /** The depth of `metadata`'s members while inside it. */
  let inMetadata = false;
  let at = 0;
  while (at < index) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = endOfString(buffer, at);
      // The key was found within a string.
      if (end < 0 || end > index) return 'elsewhere';
      const isKey = buffer[end] === colon;
      if (isKey && depth === parents && !inMetadata && isMetadata(buffer, at, end)) {
        inMetadata = buffer[end + 1] === openBrace;
      }
      at = end;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === parents) inMetadata = false;
    }
    at++;
  }
  return inMetadata && depth === parents + 1 ? 'metadata' : 'elsewhere';
}

function isMetadata(buffer: Buffer, start: number, end: number): boolean {
  return end - start === metadataKey.length && buffer.compare(metadataKey, 0, metadataKey.length, start, end) === 0;
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

/** Without the member, and without one of the commas around it. */
function cut(buffer: Buffer, start: number, end: number): Uint8Array {
  if (buffer[end] === comma) return Buffer.concat([buffer.subarray(0, start), buffer.subarray(end + 1)]);
  const from = buffer[start - 1] === comma ? start - 1 : start;
  return Buffer.concat([buffer.subarray(0, from), buffer.subarray(end)]);
}
