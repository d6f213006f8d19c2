const newline = 10;

/** A line that is longer than the framer takes: what comes is no watch. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';

  constructor(limit: number) {
    super(`a line of the watch is longer than ${limit} bytes`);
  }
}

/**
 * Cuts a stream of bytes into lines. Chunks may end anywhere, also within a character: only whole lines are decoded. Each byte is
 * looked at once and copied at most once, however many chunks make a line.
 */
export class LineFramer {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #size = 0;

  /** `limit`: the longest line, in bytes. etcd takes no object above 1.5 MB by default, so that 64 MiB is no limit in practice. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /** The lines that this chunk completes, without their newline; empty lines are left out. */
  *push(chunk: Uint8Array): Generator<string, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What stands after the last newline. */
  rest(): string {
    return this.#take(new Uint8Array());
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > this.#limit) throw new LineTooLongError(this.#limit);
    this.#parts.push(part);
  }

  #take(last: Uint8Array): string {
    const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#size = 0;
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8').trim();
  }
}
