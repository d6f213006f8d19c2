import type { Clock, Timer } from '../environment/environment.ts';
import { DelayHeap } from './delay-heap.ts';
import type { Delayed } from './delay-heap.ts';

/** Entries that wait for a time to come; one timer for all of them, set for the earliest. */
export class Delays<E extends Delayed> {
  readonly #clock: Clock;
  readonly #onDue: (entry: E) => void;
  readonly #heap = new DelayHeap<E>();
  #sequence = 0;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /** `onDue` is told of each entry when its time has come, in the order of these times. */
  constructor(clock: Clock, onDue: (entry: E) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.size;
  }

  /** Delays an entry by some milliseconds (> 0). One that is delayed already keeps the earlier time. */
  delay(entry: E, milliseconds: number): void {
    const readyAt = this.#clock.monotonic() + milliseconds;
    const isNew = entry.heapIndex === -1;
    if (!isNew && readyAt >= entry.readyAt) {
      return;
    }
    entry.readyAt = readyAt;
    entry.sequence = this.#sequence++;
    if (isNew) this.#heap.push(entry);
    else this.#heap.advanced(entry);
    this.#schedule();
  }

  /** Forgets all entries, and gives them; the timer is gone. */
  clear(): E[] {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    return this.#heap.clear();
  }

  #schedule(): void {
    const next = this.#heap.peek()?.readyAt ?? Number.POSITIVE_INFINITY;
    if (next >= this.#timerAt && this.#timer !== undefined) {
      return; // The timer rings earlier, or just right, and looks again.
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = next;
    if (next !== Number.POSITIVE_INFINITY) {
      this.#timer = this.#clock.setTimer(() => {
        this.#ring();
      }, next - this.#clock.monotonic());
    }
  }

  #ring(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (let entry = this.#heap.peek(); entry !== undefined && entry.readyAt <= now; entry = this.#heap.peek()) {
      this.#heap.pop();
      this.#onDue(entry);
    }
    this.#schedule();
  }
}
