import { describe, expect, it } from 'vitest';
import { discardLogger } from '../environment/logger.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { onTermination } from './signals.ts';

describe('signals that end the process', () => {
  const listeners = (): number => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');

  it('stop once, however often the first one is repeated; half a second later they have their usual effect', async () => {
    const world = createVirtualEnvironment();
    const before = listeners();
    let stops = 0;
    using _signals = onTermination(() => stops++, discardLogger, world.clock);
    expect(listeners()).toBe(before + 2);
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    await world.advance(499);
    process.emit('SIGTERM', 'SIGTERM');
    expect([stops, listeners()]).toEqual([1, before + 2]);
    await world.advance(1);
    expect(listeners()).toBe(before);
  });

  it('leave nothing behind', () => {
    const world = createVirtualEnvironment();
    const before = listeners();
    const signals = onTermination(() => undefined, discardLogger, world.clock);
    process.emit('SIGTERM', 'SIGTERM');
    signals[Symbol.dispose]();
    expect([listeners(), world.pendingTimers]).toEqual([before, 0]);
  });
});
