/** What a heap entry needs: when it is due, and a place for the heap to remember where it stands. */
export interface Delayed {
  /** Milliseconds of the monotonic clock. */
  readyAt: number;
  /** Order among entries that are due at the same moment. */
  sequence: number;
  /** Position in the heap; -1 when the entry is not in it. Written by the heap only. */
  heapIndex: number;
}

/** A binary heap of delayed entries, the earliest first; entries know their position, so that moving one costs O(log n). */
export class DelayHeap<E extends Delayed> {
  readonly #entries: E[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): E | undefined {
    return this.#entries[0];
  }

  push(entry: E): void {
    entry.heapIndex = this.#entries.length;
    this.#entries.push(entry);
    this.#up(entry);
  }

  /** Call it after `readyAt` of an entry in the heap was made earlier. */
  advanced(entry: E): void {
    this.#up(entry);
  }

  pop(): E | undefined {
    const first = this.#entries[0];
    const last = this.#entries.pop();
    if (first === undefined || last === undefined) {
      return undefined;
    }
    first.heapIndex = -1;
    if (first !== last) {
      last.heapIndex = 0;
      this.#entries[0] = last;
      this.#down(last);
    }
    return first;
  }

  /** Empties the heap and returns what was in it, in no particular order. */
  clear(): E[] {
    const all = this.#entries.splice(0);
    for (const entry of all) {
      entry.heapIndex = -1;
    }
    return all;
  }

  #up(entry: E): void {
    let index = entry.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#entries[parentIndex];
      if (parent === undefined || !before(entry, parent)) {
        break;
      }
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(entry, index);
  }

  #down(entry: E): void {
    let index = entry.heapIndex;
    for (;;) {
      const left = this.#entries[2 * index + 1];
      if (left === undefined) {
        break;
      }
      const right = this.#entries[2 * index + 2];
      const child = right !== undefined && before(right, left) ? right : left;
      if (!before(child, entry)) {
        break;
      }
      const childIndex = child.heapIndex;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(entry, index);
  }

  #place(entry: E, index: number): void {
    this.#entries[index] = entry;
    entry.heapIndex = index;
  }
}

function before(a: Delayed, b: Delayed): boolean {
  return a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.sequence < b.sequence);
}
