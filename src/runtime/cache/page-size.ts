/** A page whose body is larger makes the next one smaller: 500 objects of 1.5 MB would be 750 MB on the server. */
const largestPage = 8 * 1024 * 1024;

/** How many objects to ask for on a page: as many as make 8 MB, up to a limit. */
export class PageSize {
  readonly #largest: number;
  #limit: number;

  constructor(largest: number) {
    this.#largest = largest;
    this.#limit = largest;
  }

  get limit(): number {
    return this.#limit;
  }

  /** After a page of so many objects and bytes. */
  learn(objects: number, bytes: number): void {
    if (objects === 0) return;
    const fitting = Math.floor(largestPage / (bytes / objects));
    if (bytes > largestPage) this.#limit = Math.max(1, Math.min(this.#limit, fitting));
    // Grows slowly: objects of one size often come together.
    else if (this.#limit < this.#largest) {
      this.#limit = Math.min(this.#largest, this.#limit * 2, Math.max(this.#limit, fitting));
    }
  }
}
