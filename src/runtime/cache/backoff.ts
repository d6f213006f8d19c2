import type { Random } from '../environment/environment.ts';

export interface BackoffOptions {
  /** The first delay before jitter, in milliseconds. Default 800 (client-go's reflector). */
  readonly initial?: number;
  /** The longest delay before jitter. Default 30 s. */
  readonly cap?: number;
}

/** Exponential delays with full jitter on top: each is in [d, 2d), d doubles from the initial delay to the cap. */
export class Backoff {
  readonly #random: Random;
  readonly #initial: number;
  readonly #cap: number;
  #delay: number;

  constructor(random: Random, options: BackoffOptions = {}) {
    this.#random = random;
    this.#initial = options.initial ?? 800;
    this.#cap = options.cap ?? 30_000;
    this.#delay = this.#initial;
  }

  /** The next delay, in milliseconds. */
  next(): number {
    const delay = this.#delay * (1 + this.#random.next());
    this.#delay = Math.min(this.#cap, this.#delay * 2);
    return delay;
  }

  reset(): void {
    this.#delay = this.#initial;
  }
}
