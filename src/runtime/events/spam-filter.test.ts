import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { SimilarEvents, SpamFilter } from './spam-filter.ts';

const minute = 60_000;

describe('the spam filter', () => {
  const burst = (filter: SpamFilter, id = 'a'): number =>
    Array.from({ length: 100 }, () => filter.passes(id)).filter(Boolean).length;

  it('lets 25 through at once, then one in five minutes, and never saves up more than 25', async () => {
    const world = createVirtualEnvironment();
    const filter = new SpamFilter(world.clock);
    expect([burst(filter), burst(filter, 'b')]).toEqual([25, 25]);
    await world.advance(5 * minute - 1);
    expect(burst(filter)).toBe(0);
    await world.advance(1);
    expect(burst(filter)).toBe(1);
    await world.advance(24 * 60 * minute);
    expect(burst(filter)).toBe(25);
  });

  it('remembers what was used lately of 4096 things', () => {
    const filter = new SpamFilter(createVirtualEnvironment().clock);
    expect([burst(filter, 'old'), burst(filter, 'new')]).toEqual([25, 25]);
    for (let index = 0; index < 4_095; index++) {
      filter.passes(`other-${index}`);
      filter.passes('new');
    }
    expect([burst(filter, 'new'), burst(filter, 'old')]).toEqual([0, 25]);
  });
});

describe('events that differ in their notes alone', () => {
  it('are too many from the eleventh within ten minutes on, and again fine after ten minutes of silence', async () => {
    const world = createVirtualEnvironment();
    const similar = new SimilarEvents(world.clock);
    const say = (from: number): boolean[] =>
      Array.from({ length: 12 }, (_, index) => similar.tooMany('a', `note ${from + index}`));
    const allowed = [...Array.from({ length: 10 }, () => false), true, true];
    expect(say(0)).toEqual(allowed);
    expect(similar.tooMany('b', 'note 0')).toBe(false);
    await world.advance(10 * minute);
    expect(similar.tooMany('a', 'still')).toBe(true);
    await world.advance(10 * minute + 1);
    expect(say(100)).toEqual(allowed);
  });

  it('are not counted twice when they are the same', () => {
    const similar = new SimilarEvents(createVirtualEnvironment().clock);
    expect(Array.from({ length: 50 }, () => similar.tooMany('a', 'the same'))).not.toContain(true);
  });
});
