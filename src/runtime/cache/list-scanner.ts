const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** What is scanned is no JSON list of objects. */
export class ListSyntaxError extends Error {
  override readonly name = 'ListSyntaxError';
}

/**
 * Cuts the body of a list into its items, as bytes, so that each is parsed alone: a list is never one string, and never a graph of
 * all its objects beside the cache's. Chunks may end anywhere, also within a character. What is not in `items` (kind, metadata) is small
 * and comes as `envelope`, whatever the order: built-in kinds send their metadata first, custom resources last.
 *
 * Each byte is looked at once. Only the structure is checked here; items and envelope are checked by whoever parses them.
 */
export class ListScanner {
  readonly #limit: number;
  /** Bytes of the item that came with earlier chunks, and of the envelope. */
  #itemSize = 0;
  #envelopeSize = 0;
  #place: 'envelope' | 'between' | 'item' = 'envelope';
  /** Braces and brackets that are open: within the envelope, or within the item. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Bytes of the item that came with earlier chunks. */
  #parts: Uint8Array[] = [];
  #envelope: Uint8Array[] = [];
  /** The string that was read last at the top of the envelope, and the key that waits for its value. */
  #text: number[] = [];
  #key = '';
  #foundItems = false;

  /** `limit`: the largest item, and the largest envelope, in bytes. etcd takes no object above 1.5 MB by default. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /** The items that this chunk completes. The bytes may belong to the chunk: use them before the next. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'item') {
        const end = this.#scanItem(chunk, at);
        if (end < 0) {
          this.#parts.push(chunk.subarray(at));
          this.#itemSize += chunk.length - at;
          if (this.#itemSize > this.#limit) throw new ListSyntaxError(`an item is longer than ${this.#limit} bytes`);
          return;
        }
        const last = chunk.subarray(at, end);
        const item = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
        this.#parts = [];
        this.#itemSize = 0;
        this.#place = 'between';
        at = end;
        yield item;
      } else if (this.#place === 'between') {
        at = this.#scanBetween(chunk, at);
      } else {
        at = this.#scanEnvelope(chunk, at);
      }
    }
  }

  /** Everything but the items, as JSON in which `items` is empty (or what it was, when it was no array). */
  envelope(): string {
    if (this.#place !== 'envelope' || this.#depth !== 0) throw new ListSyntaxError('the list ends before its end');
    return Buffer.concat(this.#envelope).toString('utf8');
  }

  /** The index after the item's last byte, or -1 when the chunk ends first. */
  #scanItem(chunk: Uint8Array, start: number): number {
    const { length } = chunk;
    let at = start;
    let depth = this.#depth;
    let inString = this.#inString;
    if (this.#escaped && at < length) {
      at++;
      this.#escaped = false;
    }
    while (at < length) {
      if (inString) {
        const byte = chunk[at++];
        if (byte === quote) inString = false;
        else if (byte === backslash && ++at > length) this.#escaped = true;
        continue;
      }
      const byte = chunk[at++];
      if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) {
        this.#depth = 1;
        this.#inString = false;
        return at;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    return -1;
  }

  #scanBetween(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === openBrace) {
        this.#place = 'item';
        this.#depth = 0;
        return at;
      }
      if (byte === closeBracket) {
        this.#place = 'envelope';
        this.#depth = 1;
        this.#envelope.push(Uint8Array.of(closeBracket));
        return at + 1;
      }
      if (byte !== comma && !isSpace(byte)) throw new ListSyntaxError('an item of the list is no object');
    }
    return chunk.length;
  }

  #scanEnvelope(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        this.#scanEnvelopeString(byte);
        continue;
      }
      if (byte === quote) {
        this.#inString = true;
        this.#text = [];
      } else if (byte === openBracket && this.#depth === 1 && this.#key === 'items') {
        if (this.#foundItems) throw new ListSyntaxError('the list has items twice');
        this.#foundItems = true;
        this.#key = '';
        this.#place = 'between';
        this.#envelope.push(chunk.subarray(start, at + 1));
        return at + 1;
      } else {
        this.#scanEnvelopeStructure(byte);
      }
    }
    this.#envelope.push(chunk.subarray(start));
    this.#envelopeSize += chunk.length - start;
    if (this.#envelopeSize > this.#limit) throw new ListSyntaxError(`there are ${this.#limit} bytes beside its items`);
    return chunk.length;
  }

  #scanEnvelopeString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inString = false;
    if (this.#depth === 1 && this.#text.length < 8) this.#text.push(byte);
  }

  #scanEnvelopeStructure(byte: number): void {
    if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) this.#depth--;
    else if (this.#depth === 1 && byte === colon) this.#key = String.fromCharCode(...this.#text.slice(0, -1));
    else if (this.#depth === 1 && byte === comma) this.#key = '';
    if (this.#depth < 0) throw new ListSyntaxError('a bracket is closed that was not open');
  }
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
