import type { Clock, Timer } from '../environment/environment.ts';

/** Barks, once, when it was not fed for too long. Feeding is cheap: the timer stays and looks when it fires. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #bark: (limit: number) => void;
  #limit: number;
  #fed: number;
  #timer: Timer;

  /** Waits from now on; `limit` in milliseconds. */
  constructor(clock: Clock, limit: number, bark: (limit: number) => void) {
    this.#clock = clock;
    this.#bark = bark;
    this.#limit = limit;
    this.#fed = clock.monotonic();
    this.#timer = this.#arm();
  }

  feed(): void {
    this.#fed = this.#clock.monotonic();
  }

  /** Sets a shorter limit; a longer one changes nothing. */
  tighten(limit: number): void {
    if (limit < this.#limit) this.setLimit(limit);
  }

  /** Sets another limit, from the last feeding on. */
  setLimit(limit: number): void {
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #arm(): Timer {
    return this.#clock.setTimer(
      () => {
        if (this.#clock.monotonic() - this.#fed >= this.#limit) this.#bark(this.#limit);
        else this.#timer = this.#arm();
      },
      this.#fed + this.#limit - this.#clock.monotonic(),
    );
  }
}
