import { childSignal, raceSignal } from '../../environment/child-signal.ts';
import type { Clock, Timer } from '../../environment/environment.ts';
import { LeadershipLostError } from '../errors.ts';
import { Fence } from '../fence.ts';
import type { FenceState } from '../fence.ts';
import type { SlotElector, SlotHandler } from '../sharding/sharder.ts';
import { releaseTimeout } from '../times.ts';
import { ElectionThread } from './election-thread.ts';
import type { ElectionThreadOptions } from './election-thread.ts';
import type { FromThread } from './messages.ts';

export interface ThreadedSharderOptions extends Omit<
  ElectionThreadOptions,
  'task' | 'leases' | 'onMessage' | 'onEnd' | 'onBeat'
> {
  readonly namespace: string;
  readonly id: string;
  readonly slots: number;
}

/** How long after the deadline the thread may be silent about a loss, in milliseconds. */
const grace = 1_000;

interface Slot {
  readonly number: number;
  readonly state: FenceState;
  readonly fence: Fence;
  /** Whether the handler was told that it is held. */
  told: boolean;
}

/** A member of a group that shares slots, on a thread of its own, as `ThreadedElector` is a candidate. To be closed at the end. */
export class ThreadedSharder implements SlotElector {
  readonly identity: string;
  readonly slots: number;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #renewDeadline: number;
  readonly #slots: readonly Slot[];
  readonly #thread: ElectionThread;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  #members: readonly string[] = [];
  #handler: SlotHandler | undefined;
  /** What came before there was a handler. */
  #early: FromThread[] = [];

  constructor(options: ThreadedSharderOptions) {
    const { namespace, id, slots, ...others } = options;
    this.identity = options.identity;
    this.slots = slots;
    this.#name = `${namespace}/${id}`;
    this.#clock = options.clock;
    this.#renewDeadline = options.times.renewDeadline;
    this.#stopped.promise.catch(() => undefined);
    this.#thread = new ElectionThread({
      ...others,
      task: { type: 'slots', namespace, id, slots },
      leases: slots,
      onMessage: (message) => {
        this.#receive(message);
      },
      onEnd: (error) => {
        this.#end(error);
      },
      onBeat: () => {
        this.#checkAges();
      },
    });
    this.#slots = Array.from({ length: slots }, (_, number): Slot => {
      const state = this.#thread.state.lease(number);
      const fence = new Fence(`${this.#name} slot ${number}`, this.#renewDeadline, this.#clock, state);
      return { number, state, fence, told: false };
    });
  }

  get members(): readonly string[] {
    return this.#members;
  }

  holds(slot: number): boolean {
    return this.#slots[slot]?.fence.open ?? false;
  }

  assertHeld(slot: number): void {
    this.#slots[slot]?.fence.assertOpen();
  }

  async run(handler: SlotHandler, signal: AbortSignal): Promise<void> {
    this.#handler = handler;
    for (const message of this.#early.splice(0)) this.#receive(message);
    let giveUp: Timer | undefined;
    const stop = (): void => {
      this.#thread.post({ type: 'stop' });
      // A thread that does not answer is ended, and the leases run out.
      giveUp = this.#clock.setTimer(() => this.#stopped.resolve(), releaseTimeout + grace);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#stopped.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      giveUp?.cancel();
    }
  }

  retire(): void {
    this.#thread.post({ type: 'retire' });
  }

  async release(): Promise<void> {
    this.#thread.post({ type: 'release' });
    using deadline = childSignal(undefined, this.#clock, releaseTimeout + grace);
    try {
      await raceSignal(this.#released.promise, deadline.signal);
    } catch {
      // The thread does not answer: it is ended, and the leases run out.
    }
  }

  /** Ends the thread. Without `release` before it the leases stay as they are, and run out. */
  async close(): Promise<void> {
    for (const { state } of this.#slots) state.held = false;
    this.#stopped.resolve();
    this.#released.resolve();
    await this.#thread.close();
  }

  #receive(message: FromThread): void {
    if (this.#handler === undefined) {
      this.#early.push(message);
      return;
    }
    switch (message.type) {
      case 'gained':
        for (const slot of this.#of(message.slots)) slot.told = true;
        this.#handler.gained(message.slots);
        break;
      case 'slots lost':
        this.#lose(this.#of(message.slots), message.why);
        break;
      case 'yield':
        void this.#yield(message, this.#handler);
        break;
      case 'members':
        this.#members = message.members;
        break;
      case 'stopped':
        this.#stopped.resolve();
        break;
      case 'released':
        this.#released.resolve();
        break;
      default:
    }
  }

  async #yield({ slot, turn }: Extract<FromThread, { type: 'yield' }>, handler: SlotHandler): Promise<void> {
    await handler.yield(slot);
    this.#thread.post({ type: 'yielded', turn });
  }

  #of(numbers: readonly number[]): Slot[] {
    return this.#slots.filter(({ number }) => numbers.includes(number));
  }

  /** The thread tells of losses by itself; this is for one that cannot. */
  #checkAges(): void {
    const late = this.#slots.filter(({ told, fence }) => told && fence.untilDeadline() < -grace);
    this.#lose(late, `they were not renewed within ${this.#renewDeadline} ms`);
  }

  #lose(slots: readonly Slot[], why: string): void {
    const told = slots.filter((slot) => slot.told);
    for (const slot of told) slot.told = false;
    if (told.length > 0)
      this.#handler?.lost(
        told.map(({ number }) => number),
        why,
      );
  }

  #end(error: Error): void {
    for (const { state } of this.#slots) state.held = false;
    const lost = `leadership lost: the slots of ${this.#name}: the thread that renews them has ended`;
    this.#lose(this.#slots, 'the thread that renews them has ended');
    this.#stopped.reject(new LeadershipLostError(lost, { cause: error }));
    this.#released.resolve();
  }
}
