import type { TurnBudget } from '../environment/turn-budget.ts';

/** So many small steps are done between two looks at the clock. */
const stepsPerLook = 32;

/** Does a small step for each item, with turns of the event loop between. */
export async function inSlices<I>(items: Iterable<I>, budget: TurnBudget, step: (item: I) => void): Promise<void> {
  let steps = 0;
  for (const item of items) {
    step(item);
    if (++steps % stepsPerLook === 0 && budget.exhausted()) await budget.turn();
  }
}
