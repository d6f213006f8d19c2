import type { CostTracker } from './tracker.ts';
import type { Value } from './values.ts';

/** Where names are looked up during an evaluation: a loop's variables, then what is around it. */
export abstract class Frame {
  readonly tracker: CostTracker;

  constructor(tracker: CostTracker) {
    this.tracker = tracker;
  }

  abstract resolve(name: string): Value | undefined;

  /** The frame outside of all loops. */
  abstract get outermost(): Frame;
}

/** The variables that the caller gives. */
export class RootFrame extends Frame {
  readonly #variables: ReadonlyMap<string, Value>;

  constructor(tracker: CostTracker, variables: ReadonlyMap<string, Value>) {
    super(tracker);
    this.#variables = variables;
  }

  override resolve(name: string): Value | undefined {
    return this.#variables.get(name);
  }

  override get outermost(): Frame {
    return this;
  }
}
