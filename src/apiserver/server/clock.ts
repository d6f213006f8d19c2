/** The time of a server: that of the system until it is set. */
export class ServerClock {
  readonly #system: () => number;
  readonly #listeners = new Set<() => void>();
  /** The time at which the clock stands still. */
  #fixed: number | undefined;
  #offset = 0;

  /** @param system milliseconds since 1970 */
  constructor(system: () => number) {
    this.#system = system;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#fixed ?? this.#system() + this.#offset;
  }

  /** Whether the time goes on by itself. */
  get isRunning(): boolean {
    return this.#fixed === undefined;
  }

  /** Sets the clock to a time (a Date, milliseconds since 1970, or RFC 3339) and stops it there. */
  set(time: Date | number | string): void {
    const value = typeof time === 'number' ? time : new Date(time).getTime();
    if (!Number.isFinite(value)) throw new TypeError(`${String(time)} is no time`);
    this.#fixed = value;
    this.#changed();
  }

  /** Puts the clock forward by milliseconds, or back by a negative number; it goes on or stands as before. */
  advance(milliseconds: number): void {
    if (!Number.isFinite(milliseconds)) throw new TypeError(`${milliseconds} is no number of milliseconds`);
    if (this.#fixed === undefined) this.#offset += milliseconds;
    else this.#fixed += milliseconds;
    this.#changed();
  }

  /** Lets a clock that was set go on from where it stands. */
  resume(): void {
    if (this.#fixed === undefined) return;
    this.#offset = this.#fixed - this.#system();
    this.#fixed = undefined;
  }

  /** Goes back to the time of the system. */
  reset(): void {
    this.#fixed = undefined;
    this.#offset = 0;
    this.#changed();
  }

  /** Calls `listener` when the time jumps, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
