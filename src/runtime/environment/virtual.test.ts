import { describe, expect, it } from 'vitest';
import { childSignal, DeadlineExceededError, raceSignal, sleep } from './child-signal.ts';
import { createVirtualEnvironment } from './virtual.ts';

describe('the virtual environment', () => {
  it('fires timers in the order of their moments, then of their setting', async () => {
    const environment = createVirtualEnvironment();
    const { clock } = environment;
    const fired: string[] = [];
    clock.setTimer(() => fired.push(`b ${clock.monotonic()}`), 20);
    clock.setTimer(() => fired.push(`a ${clock.monotonic()}`), 10);
    clock.setTimer(() => fired.push(`c ${clock.monotonic()}`), 20);
    const cancelled = clock.setTimer(() => fired.push('cancelled'), 15);
    cancelled.cancel();
    await environment.advance(19);
    expect(fired).toEqual(['a 10']);
    await environment.advance(1);
    expect(fired).toEqual(['a 10', 'b 20', 'c 20']);
    expect(clock.monotonic()).toBe(20);
  });

  it('runs chains of promises and turns between timers', async () => {
    const environment = createVirtualEnvironment();
    const log: string[] = [];
    const work = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        await sleep(environment.clock, 1000, new AbortController().signal);
        await environment.scheduler.yield();
        log.push(`${round} at ${environment.clock.monotonic()}`);
      }
    };
    void work();
    await environment.runUntilIdle();
    expect(log).toEqual(['0 at 1000', '1 at 2000', '2 at 3000']);
  });

  it('gives equal runs for equal seeds, and ids of the right form', () => {
    const draw = (seed: number): unknown[] => {
      const { random } = createVirtualEnvironment({ seed });
      return [random.next(), random.next(), random.uuid()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7)[2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('says so when something never ends', async () => {
    const environment = createVirtualEnvironment();
    const again = (): void => {
      environment.clock.setTimer(again, 1000);
    };
    again();
    await expect(environment.runUntilIdle(10_000)).rejects.toThrow('1 timers are left');
    await expect(environment.runUntil(() => false, 10_000)).rejects.toThrow('does not hold');
  });

  it('moves the wall clock apart from the monotonic one', async () => {
    const environment = createVirtualEnvironment({ wall: 1_000_000 });
    await environment.advance(500);
    expect(environment.clock.wall()).toBe(1_000_500);
    environment.setWall(0);
    expect(environment.clock.wall()).toBe(0);
    expect(environment.clock.monotonic()).toBe(500);
  });
});

describe('childSignal', () => {
  it('follows its parent, with the reason', () => {
    const { clock } = createVirtualEnvironment();
    const parent = new AbortController();
    using child = childSignal(parent.signal, clock);
    parent.abort(new Error('why'));
    expect(child.signal.reason).toEqual(new Error('why'));
    using late = childSignal(parent.signal, clock, 1000);
    expect(late.signal.aborted).toBe(true);
  });

  it('has a deadline', async () => {
    const environment = createVirtualEnvironment();
    const { clock } = environment;
    using child = childSignal(undefined, clock, 1000);
    await environment.advance(999);
    expect(child.signal.aborted).toBe(false);
    await environment.advance(1);
    expect(child.signal.reason).toBeInstanceOf(DeadlineExceededError);
  });

  it('leaves neither timer nor listener when it is disposed of', () => {
    const environment = createVirtualEnvironment();
    const parent = new AbortController();
    for (let round = 0; round < 1000; round++) {
      using child = childSignal(parent.signal, environment.clock, 1000);
      expect(child.signal.aborted).toBe(false);
    }
    expect(environment.pendingTimers).toBe(0);
    const child = childSignal(parent.signal, environment.clock);
    child[Symbol.dispose]();
    parent.abort();
    expect(child.signal.aborted).toBe(false);
  });
});

describe('sleep and raceSignal', () => {
  it('sleep ends with the signal and clears its timer', async () => {
    const environment = createVirtualEnvironment();
    const controller = new AbortController();
    const sleeping = sleep(environment.clock, 1000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleeping).rejects.toThrow('stop');
    expect(environment.pendingTimers).toBe(0);
    await expect(sleep(environment.clock, 1000, controller.signal)).rejects.toThrow('stop');
  });

  it('raceSignal takes the first of both and swallows a late rejection', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<number>();
    const raced = raceSignal(promise, controller.signal);
    controller.abort(new Error('stop'));
    await expect(raced).rejects.toThrow('stop');
    reject(new Error('late'));
    await expect(raceSignal(Promise.reject(new Error('late')), controller.signal)).rejects.toThrow('stop');
    await expect(raceSignal(Promise.resolve(4), new AbortController().signal)).resolves.toBe(4);
  });
});
