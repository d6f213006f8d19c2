import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ShardServer } from '../../../../test/support/shard-server.ts';
import { defaultEnvironment } from '../../environment/default.ts';
import type { TransportRequest } from '../../environment/environment.ts';
import { discardLogger } from '../../environment/logger.ts';
import { createVirtualEnvironment } from '../../environment/virtual.ts';
import { NotLeaderError } from '../errors.ts';
import { ownerOf } from '../sharding/hashing.ts';
import type { SlotHandler } from '../sharding/sharder.ts';
import { electionTimes } from '../times.ts';
import { ThreadedSharder } from './threaded-sharder.ts';

const never = new AbortController().signal;
const slots = 8;
const all = Array.from({ length: slots }, (_, slot) => slot);
const times = electionTimes({ leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 20 });

let leases: ShardServer;
let server: Server;
let address: string;
const sharders: ThreadedSharder[] = [];

beforeEach(async () => {
  leases = new ShardServer(createVirtualEnvironment());
  const transport = leases.transport('all');
  server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request);
      const { method, url: path = '' } = request;
      const sent = { method, path, headers: {}, ...(body === '' ? {} : { body }) } as TransportRequest;
      const { status, body: chunks } = await transport.send(sent, never);
      response.writeHead(status);
      for await (const chunk of chunks) response.write(chunk);
      response.end();
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(sharders.splice(0).map((sharder) => sharder.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function start(identity: string, url = address): ThreadedSharder {
  const sharder = new ThreadedSharder({
    configuration: { server: url, credentials: { current: () => Promise.resolve({}), invalidate() {} } },
    namespace: 'ns',
    id: 'op',
    slots,
    identity,
    times,
    clock: defaultEnvironment().clock,
    log: discardLogger,
  });
  sharders.push(sharder);
  return sharder;
}

/** What a handler was told, and when it was told so much. */
class Notes implements SlotHandler {
  readonly slots = new Set<number>();
  readonly lostSlots: string[] = [];
  #waiting: { readonly size: number; readonly resolve: () => void } | undefined;

  gained(gained: readonly number[]): void {
    for (const slot of gained) this.slots.add(slot);
    this.#look();
  }

  yield(slot: number): Promise<void> {
    this.slots.delete(slot);
    this.#look();
    return Promise.resolve();
  }

  lost(lost: readonly number[], why: string): void {
    this.lostSlots.push(...lost.map((slot) => `${slot}: ${why}`));
  }

  /** Resolves when so many slots are held. */
  has(size: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { size, resolve };
      this.#look();
    });
  }

  #look(): void {
    if (this.slots.size === this.#waiting?.size) this.#waiting.resolve();
  }
}

describe('sharing slots on a thread of its own', () => {
  it('takes, hands over and gives back; the fences are this thread’s', async () => {
    const a = start('a');
    const [ofA, ofB] = [new Notes(), new Notes()];
    const stop = new AbortController();
    expect(() => a.assertHeld(0)).toThrow(NotLeaderError);
    const runningA = a.run(ofA, stop.signal);
    await ofA.has(slots);
    expect(all.every((slot) => a.holds(slot))).toBe(true);
    expect(a.members).toEqual(['a']);

    const b = start('b');
    const due = all.filter((slot) => ownerOf(slot, ['a', 'b']) === 'b');
    expect(due.length).toBeGreaterThan(0);
    const runningB = b.run(ofB, stop.signal);
    await ofB.has(due.length);
    expect(ofB.slots).toEqual(new Set(due));
    expect(all.filter((slot) => b.holds(slot))).toEqual(due);
    expect(all.filter((slot) => a.holds(slot))).toEqual(all.filter((slot) => !due.includes(slot)));

    a.retire();
    b.retire();
    stop.abort();
    await Promise.all([runningA, runningB]);
    await Promise.all([a.release(), b.release()]);
    expect(all.some((slot) => a.holds(slot) || b.holds(slot))).toBe(false);
    expect(all.map((slot) => leases.holder(`op-slot-${slot}-of-${slots}`))).toEqual(all.map(() => ''));
    expect(leases.leases.size).toBe(slots);
    expect([...ofA.lostSlots, ...ofB.lostSlots]).toEqual([]);
  });

  it('takes the end of the thread for the loss of all slots', async () => {
    const sharder = start('a', 'no address');
    await expect(sharder.run(new Notes(), never)).rejects.toMatchObject({
      reason: 'LeadershipLost',
      message: expect.stringContaining('the thread that renews them has ended') as string,
    });
    await sharder.release();
  });
});
