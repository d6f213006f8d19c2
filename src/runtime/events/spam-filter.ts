import type { Clock } from '../environment/environment.ts';

/** client-go's numbers: so many events about one object at once, then one in five minutes. */
const burst = 25;
const refill = 300_000;
const maxTracked = 4096;

/** Lets only so many events about one thing through. */
export class SpamFilter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more passes. */
  passes(id: string): boolean {
    const now = this.#clock.monotonic();
    const { tokens, at } = this.#buckets.get(id) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refill);
    const passes = filled >= 1;
    // Set anew, so that what is used most lately is forgotten last.
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: passes ? filled - 1 : filled, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxTracked && oldest !== undefined) {
      this.#buckets.delete(oldest);
    }
    return passes;
  }
}

/** client-go's numbers: from so many different notes within ten minutes on, similar events are told as one. */
const maxSimilar = 10;
const similarFor = 600_000;

/** Finds events that differ in their notes alone, such as those that carry a time or a counter. */
export class SimilarEvents {
  readonly #clock: Clock;
  readonly #groups = new Map<string, { readonly notes: Set<string>; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there were too many different notes of this group lately, this one included. */
  tooMany(id: string, note: string): boolean {
    const now = this.#clock.monotonic();
    let group = this.#groups.get(id);
    if (group === undefined || now - group.at > similarFor) {
      group = { notes: new Set(), at: now };
    }
    group.at = now;
    if (group.notes.size <= maxSimilar) {
      group.notes.add(note);
    }
    this.#groups.delete(id);
    this.#groups.set(id, group);
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > maxTracked && oldest !== undefined) {
      this.#groups.delete(oldest);
    }
    return group.notes.size > maxSimilar;
  }
}
