const newline = 10;

/** A line that is longer than the framer takes: what comes is no watch. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';

  constructor(limit: number) {
    super(`a line of the watch is longer than ${limit} bytes`);
  }
}

/**
 * Cuts a stream of bytes into lines, as bytes. Chunks may end anywhere, also within a character. Each byte is looked at once and copied
 * at most once, however many chunks make a line.
 */
export class LineFramer {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #size = 0;

  /** `limit`: the longest line, in bytes. etcd takes no object above 1.5 MB by default, so that 64 MiB is no limit in practice. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /**
   * The lines that this chunk completes, without their newline; blank lines are left out. The bytes may belong to the chunk: use them
   * before the next.
   */
  *push(chunk: Uint8Array): Generator<Buffer, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (!isBlank(line)) yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What stands after the last newline; empty when that is blank. */
  rest(): Buffer {
    const line = this.#take(new Uint8Array());
    return isBlank(line) ? Buffer.alloc(0) : line;
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > this.#limit) throw new LineTooLongError(this.#limit);
    this.#parts.push(part);
  }

  #take(last: Uint8Array): Buffer {
    if (this.#parts.length === 0) return Buffer.from(last.buffer, last.byteOffset, last.byteLength);
    // Not from Node's pool, which a line that is kept would keep alive.
    const line = Buffer.allocUnsafeSlow(this.#size + last.length);
    let length = 0;
    for (const part of this.#parts) {
      line.set(part, length);
      length += part.length;
    }
    line.set(last, length);
    this.#parts = [];
    this.#size = 0;
    return line;
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 32 || byte === 13 || byte === 9);
}
