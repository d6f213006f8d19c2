/**
 * A path whose extensions share memory as Go's slices do: extending the same path twice may overwrite the first extension.
 * The server's cost estimates depend on that, so it is kept.
 */
export class GrowingPath {
  readonly #memory: string[];
  readonly #capacity: number;
  readonly length: number;

  private constructor(memory: string[], capacity: number, length: number) {
    this.#memory = memory;
    this.#capacity = capacity;
    this.length = length;
  }

  static readonly empty = new GrowingPath([], 0, 0);

  static of(name: string): GrowingPath {
    return new GrowingPath([name], 1, 1);
  }

  append(name: string): GrowingPath {
    if (this.length < this.#capacity) {
      this.#memory[this.length] = name;
      return new GrowingPath(this.#memory, this.#capacity, this.length + 1);
    }
    const memory = this.#memory.slice(0, this.length);
    memory.push(name);
    return new GrowingPath(memory, Math.max(1, this.#capacity * 2), this.length + 1);
  }

  /** The names as they are now. */
  names(): readonly string[] {
    return this.#memory.slice(0, this.length);
  }
}
