import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { Expectations } from './expectations.ts';

const key = { namespace: 'ns', name: 'set' };

describe('expectations', () => {
  it('are met when each creation and deletion was observed', () => {
    const expectations = new Expectations(createVirtualEnvironment().clock);
    expect(expectations.satisfied(key)).toBe(true);
    expectations.expectCreations(key, 2);
    expectations.expectDeletions(key, ['a']);
    expect(expectations.satisfied({ namespace: 'ns', name: 'other' })).toBe(true);
    expectations.creationObserved(key);
    expectations.deletionObserved(key, 'a');
    expectations.deletionObserved(key, 'unknown');
    expect(expectations.satisfied(key)).toBe(false);
    expectations.creationObserved(key);
    expect(expectations.satisfied(key)).toBe(true);
    // What nobody expected does not count for what comes later.
    expectations.creationObserved(key);
    expectations.expectCreations(key, 1);
    expect(expectations.satisfied(key)).toBe(false);
  });

  it('add up, and end with the object', () => {
    const expectations = new Expectations(createVirtualEnvironment().clock);
    expectations.expectCreations(key, 1);
    expectations.expectCreations(key, 1);
    expectations.creationObserved(key);
    expect(expectations.satisfied(key)).toBe(false);
    expectations.forget(key);
    expect(expectations.satisfied(key)).toBe(true);
  });

  it('add up for deletions, too, and are not met by what comes beside them', () => {
    const expectations = new Expectations(createVirtualEnvironment().clock);
    expectations.expectDeletions(key, ['a']);
    expectations.expectDeletions(key, ['b']);
    expectations.deletionObserved(key, 'b');
    expect(expectations.satisfied(key)).toBe(false);
    expectations.expectCreations(key, 1);
    // One more than was expected.
    expectations.creationObserved(key);
    expectations.creationObserved(key);
    expectations.expectCreations(key, 1);
    expectations.deletionObserved(key, 'a');
    expect(expectations.satisfied(key)).toBe(false);
    expectations.creationObserved(key);
    expect(expectations.satisfied(key)).toBe(true);
  });

  it('are given up after five minutes', async () => {
    const world = createVirtualEnvironment();
    const expectations = new Expectations(world.clock);
    expectations.expectDeletions(key, ['a']);
    await world.advance(299_999);
    expect(expectations.satisfied(key)).toBe(false);
    await world.advance(1);
    expect(expectations.satisfied(key)).toBe(true);
  });
});
