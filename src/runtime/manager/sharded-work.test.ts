import { describe, expect, it } from 'vitest';
import type { Client } from '../client/types.ts';
import type { Request } from '../controller/reconcile.ts';
import { NotLeaderError } from '../election/errors.ts';
import { slotOf } from '../election/sharding/hashing.ts';
import type { SlotElector } from '../election/sharding/sharder.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { ShardedWork } from './sharded-work.ts';

const key: Request = { namespace: 'ns', name: 'w' };
const slots = 4;
const slot = slotOf(key, slots);

/** Work whose slots are held as far as the election knows; `write` does what a write does right before it is sent. */
function setUp() {
  const world = createVirtualEnvironment();
  const { clock } = world;
  const fences = new Map<Client, () => void>();
  const overstayed: string[] = [];
  const flushed: Client[] = [];
  const work = new ShardedWork({
    slots,
    clock,
    clientWith(beforeWrite) {
      const client = {} as Client;
      fences.set(client, beforeWrite);
      return client;
    },
    flushEvents: async (client) => void flushed.push(client),
    leaseLeft: 5_000,
    onOverstay: (error) => void overstayed.push(error.message),
  });
  work.attach({ holds: () => true, assertHeld: () => undefined } as unknown as SlotElector);
  const write = (client: Client | undefined): void => {
    if (client !== undefined) fences.get(client)?.();
  };
  return { work, world, overstayed, flushed, write };
}

describe('the work on a slot', () => {
  it('writes with the client of the time that the slot was gained, not with one of before', () => {
    const { work, write } = setUp();
    work.gained([slot]);
    const before = work.begin(key);
    write(before?.client);
    work.lost([slot], 'cut off');
    expect(before?.signal.reason).toBeInstanceOf(NotLeaderError);
    expect(work.begin(key)).toBeUndefined();
    work.gained([slot]);
    const after = work.begin(key);
    write(after?.client);
    expect(() => {
      write(before?.client);
    }).toThrow(`slot ${slot} is not held any more`);
  });

  it('may be lost while it ends for a hand-over: it writes no more, and must have ended in time', async () => {
    const { work, world, overstayed, flushed, write } = setUp();
    work.gained([slot]);
    const share = work.begin(key);
    let handedOver = false;
    void work.yield(slot).then(() => (handedOver = true));
    // Its last writes pass.
    write(share?.client);
    work.lost([slot], 'cut off');
    expect(() => {
      write(share?.client);
    }).toThrow(NotLeaderError);
    await world.advance(4_999);
    expect([overstayed, handedOver, flushed]).toEqual([[], false, []]);
    await world.advance(1);
    expect(overstayed).toEqual([`leadership lost: slot ${slot}: cut off; still at work for it: ns/w`]);
    share?.[Symbol.dispose]();
    await world.settle();
    expect([handedOver, flushed]).toEqual([true, [share?.client]]);
    expect(world.pendingTimers).toBe(0);
  });

  it('that ends in time after a loss is no overstay', async () => {
    const { work, world, overstayed } = setUp();
    work.gained([slot]);
    const share = work.begin(key);
    work.lost([slot], 'cut off');
    share?.[Symbol.dispose]();
    await world.runUntilIdle();
    expect(overstayed).toEqual([]);
  });
});

describe('a runnable', () => {
  const runnableSlot = slotOf({ namespace: '', name: 'poller' }, slots);

  it.each([
    ['ends well with the reason of the loss', (reason: unknown) => reason, 'ended'],
    ['fails with any other error', () => new Error('boom'), 'boom'],
  ])('whose slot is lost %s', async (_, errorOf, outcome) => {
    const { work } = setUp();
    const tasks: Promise<void>[] = [];
    work.addRunnable(
      'poller',
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(errorOf(signal.reason));
          });
        }),
      (task) => void tasks.push(task(new AbortController().signal)),
    );
    expect(tasks).toEqual([]);
    work.gained([runnableSlot]);
    work.lost([runnableSlot], 'cut off');
    const ended = await tasks[0]?.then(
      () => 'ended',
      (error: unknown) => (error as Error).message,
    );
    expect(ended).toBe(outcome);
  });
});
