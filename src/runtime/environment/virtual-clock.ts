import type { Clock, Timer } from './environment.ts';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that only the test moves. Timers that fall due together fire in the order in which they were set. */
export class VirtualClock implements Clock {
  #now = 0;
  #wallOffset: number;
  #order = 0;
  readonly #entries = new Set<Entry>();

  constructor(wall: number) {
    this.#wallOffset = wall;
  }

  monotonic(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.#wallOffset;
  }

  setTimer(callback: () => void, milliseconds: number): Timer {
    if (Number.isNaN(milliseconds)) throw new RangeError('a timer needs a number of milliseconds');
    const entry: Entry = { due: this.#now + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#entries.add(entry);
    return {
      cancel: () => {
        this.#entries.delete(entry);
      },
    };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#entries.size;
  }

  setWall(milliseconds: number): void {
    this.#wallOffset = milliseconds - this.#now;
  }

  /** Moves to the next timer and fires it; false, and no move, when none falls due by the deadline. */
  fireNext(deadline: number): boolean {
    let next: Entry | undefined;
    for (const entry of this.#entries) {
      if (next === undefined || entry.due < next.due || (entry.due === next.due && entry.order < next.order))
        next = entry;
    }
    if (next === undefined || next.due > deadline) return false;
    this.#entries.delete(next);
    this.moveTo(next.due);
    next.callback();
    return true;
  }

  moveTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }
}
