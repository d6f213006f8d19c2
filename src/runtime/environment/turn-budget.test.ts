import { describe, expect, it } from 'vitest';
import { TurnBudget } from './turn-budget.ts';
import { createVirtualEnvironment } from './virtual.ts';

describe('TurnBudget', () => {
  it('is one for all who share an event loop', () => {
    const environment = createVirtualEnvironment();
    expect(TurnBudget.of(environment)).toBe(TurnBudget.of({ ...environment }));
    expect(TurnBudget.of(createVirtualEnvironment())).not.toBe(TurnBudget.of(environment));
  });

  it('lets those who wait go on one after the other, each for ten milliseconds with a turn between', async () => {
    const environment = createVirtualEnvironment();
    let now = 0;
    const turns: number[] = [];
    const budget = new TurnBudget({
      clock: { ...environment.clock, monotonic: () => now },
      scheduler: {
        yield: async () => {
          await environment.scheduler.yield();
          turns.push(now);
        },
      },
    });
    const done: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 10; piece++) {
        now += 3;
        done.push(`${name} ${now}`);
        if (budget.exhausted()) await budget.turn();
      }
    };
    const all = Promise.all(['a', 'b', 'c'].map(work));
    await environment.settle();
    await all;
    expect(done).toHaveLength(30);
    expect(now).toBe(90);
    // Nobody goes on for longer than ten milliseconds and one piece, nor is anybody left behind.
    for (const [index, at] of turns.entries()) expect(at - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(18);
    expect(
      done
        .slice(0, 16)
        .map((piece) => piece[0])
        .join(''),
    ).toBe('aaaabcaaaabbbbcc');
  });
});
