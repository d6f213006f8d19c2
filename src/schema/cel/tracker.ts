import { actualCallCost } from './runtime-costs.ts';
import type { Overload } from './declarations.ts';
import type { Value } from './values.ts';

/** The evaluation of one expression cost more than it may. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * Counts what an evaluation costs.
 *
 * The server keeps the values of all nodes on a stack and looks for the arguments of a call there by node id; what it does not
 * find costs nothing. The stack is kept here in the same way, with an index by id so that no search is needed.
 */
export class CostTracker {
  cost = 0;
  readonly #limit: number;
  readonly #ids: number[] = [];
  readonly #values: Value[] = [];
  /** For each entry the place of the entry below it with the same id. */
  readonly #below: number[] = [];
  /** The place of the topmost entry of each id; -1 for none. */
  readonly #top: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Records the value of a node. Throws {@link CostLimitExceeded}. */
  push(id: number, value: Value): void {
    while (this.#top.length <= id) this.#top.push(-1);
    this.#below.push(this.#top[id] ?? -1);
    this.#top[id] = this.#ids.length;
    this.#ids.push(id);
    this.#values.push(value);
    if (this.cost > this.#limit) throw new CostLimitExceeded();
  }

  /** Takes the topmost entry of a node off, with everything above it. */
  drop(id: number): void {
    const place = this.#top[id] ?? -1;
    if (place >= 0) this.#cut(place);
  }

  /** Takes the values of nodes off, the last first; undefined when one of them is not there. */
  takeAll(ids: readonly number[]): Value[] | undefined {
    const values: Value[] = [];
    for (let index = ids.length - 1; index >= 0; index -= 1) {
      const place = this.#top[ids[index] ?? -1] ?? -1;
      if (place < 0) return undefined;
      values.push(this.#values[place] ?? null);
      this.#cut(place);
    }
    return values.length > 1 ? values.reverse() : values;
  }

  #cut(place: number): void {
    while (this.#ids.length > place) {
      this.#top[this.#ids.pop() ?? -1] = this.#below.pop() ?? -1;
      this.#values.pop();
    }
  }

  /** Records a call with what it cost. */
  call(id: number, name: string, overload: Overload | undefined, args: readonly number[], result: Value): void {
    const values = this.takeAll(args);
    if (values !== undefined) this.cost += actualCallCost(name, overload, values, result);
    this.push(id, result);
  }
}
