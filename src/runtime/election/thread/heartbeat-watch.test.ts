import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../../environment/virtual.ts';
import type { VirtualEnvironment } from '../../environment/virtual.ts';
import { HeartbeatWatch, heartbeatPeriod } from './heartbeat-watch.ts';
import { SharedState } from './shared-state.ts';

const limit = 10_000;
const period = heartbeatPeriod(limit);

function setUp(): { world: VirtualEnvironment; state: SharedState; watch: HeartbeatWatch; beat: () => void } {
  const world = createVirtualEnvironment();
  const state = SharedState.forLeases(1);
  const watch = new HeartbeatWatch(state, world.clock, limit);
  return { world, state, watch, beat: () => (state.heartbeat = world.clock.monotonic()) };
}

describe('the silence of the main thread', () => {
  it('is how long its heartbeat was seen not to change', async () => {
    const { world, watch, beat } = setUp();
    for (let count = 0; count < 10; count++) {
      await world.advance(period);
      beat();
      expect(watch.silence()).toBe(0);
    }
    for (let count = 1; count <= limit / period; count++) {
      await world.advance(period);
      expect(watch.silence()).toBe(count * period);
    }
    beat();
    expect(watch.silence()).toBe(0);
  });

  it('does not count a pause of the whole process', async () => {
    const { world, watch, beat } = setUp();
    beat();
    watch.silence();
    await world.advance(10 * limit);
    // The first thing after SIGCONT, before the main thread has had a turn.
    expect(watch.silence()).toBeLessThanOrEqual(2 * period);
    expect(watch.fresh).toBe(false);
  });
});

describe('a renewal', () => {
  it('waits for the next heartbeat when the last is too old', async () => {
    const { world, watch, beat } = setUp();
    beat();
    const { signal } = new AbortController();
    await watch.untilFresh(signal);
    await world.advance(limit);
    let fresh = false;
    const waiting = watch.untilFresh(signal).then(() => (fresh = true));
    await world.advance(1_000);
    expect(fresh).toBe(false);
    beat();
    await world.advance(100);
    expect(fresh).toBe(true);
    await waiting;
  });

  it('fails when none comes in time, and says why', async () => {
    const { world, watch } = setUp();
    await world.advance(limit + 500);
    const abort = new AbortController();
    const waiting = expect(watch.untilFresh(abort.signal)).rejects.toThrow('has not had a turn for 10500 ms');
    await world.settle();
    abort.abort(new Error('time is up'));
    await waiting;
  });
});

describe('what both threads see', () => {
  it('is the same, and never younger than it was', () => {
    const one = SharedState.forLeases(3);
    const other = new SharedState(one.buffer);
    one.heartbeat = 1234.567891;
    expect(other.heartbeat).toBe(1234.567);
    const [mine, theirs] = [one.lease(2), other.lease(2)];
    expect(theirs).toMatchObject({ held: false, renewed: undefined });
    mine.held = true;
    mine.renewed = { monotonic: 99.9999, wall: 1_700_000_000_123.25 };
    expect(theirs).toMatchObject({ held: true, renewed: { monotonic: 99.999, wall: 1_700_000_000_123.25 } });
    expect(other.lease(1)).toMatchObject({ held: false, renewed: undefined });
    mine.renewed = undefined;
    expect(theirs.renewed).toBeUndefined();
  });
});
