import type { Client } from '../client/types.ts';
import type { Partition, Share } from '../controller/partition.ts';
import type { Request } from '../controller/reconcile.ts';
import { LeadershipLostError, NotLeaderError } from '../election/errors.ts';
import { slotOf } from '../election/sharding/hashing.ts';
import type { SlotElector, SlotHandler } from '../election/sharding/sharder.ts';
import { childSignal } from '../environment/child-signal.ts';
import type { Clock, Timer } from '../environment/environment.ts';

export interface ShardedWorkOptions {
  readonly slots: number;
  readonly clock: Clock;
  /** Makes a client that calls `beforeWrite` right before each write is sent. */
  readonly clientWith: (beforeWrite: () => void) => Client;
  /** Writes the events that were recorded with the client and are not written yet; bounded. */
  readonly flushEvents: (client: Client) => Promise<void>;
  /** How long after the loss of a slot another member may begin at the earliest, in milliseconds: by then what ran must have ended. */
  readonly leaseLeft: number;
  /** Called when it has not. */
  readonly onOverstay: (error: LeadershipLostError) => void;
}

/** Something that is told which keys it has to look at anew. */
interface Replayed {
  replay(accepts: (request: Request) => boolean): void;
}

interface Work {
  readonly slot: number;
  readonly abort: AbortController;
  /** What runs. */
  readonly running: Map<symbol, string>;
  readonly idle: PromiseWithResolvers<void>;
  readonly client: () => Client;
  lost: boolean;
  overstay: Timer | undefined;
}

/**
 * The work of this process where several share it by slots: which keys are its own, what runs for them, and with which client. A slot
 * that is gained has its keys looked at as at a start; one that shall be handed over, or is lost, has what runs for it aborted.
 */
export class ShardedWork implements Partition, SlotHandler {
  readonly #options: ShardedWorkOptions;
  readonly #work = new Map<number, Work>();
  /** What was ended last of each slot: what is handed over may be lost before it has ended. */
  readonly #ending = new Map<number, Work>();
  readonly #controllers: Replayed[] = [];
  readonly #runnables: { readonly name: string; readonly begin: () => void }[] = [];
  #elector: SlotElector | undefined;

  constructor(options: ShardedWorkOptions) {
    this.#options = options;
  }

  /** From whom the slots come. */
  attach(elector: SlotElector): void {
    this.#elector = elector;
  }

  /** The slots that are worked on, in order. */
  get slots(): readonly number[] {
    return [...this.#work.keys()].sort((one, other) => one - other);
  }

  addController(controller: Replayed): void {
    this.#controllers.push(controller);
  }

  /**
   * The runnable runs whenever the slot of its name is held, anew each time that it is gained. `start` begins a task that gets a signal of
   * its own.
   */
  addRunnable(
    name: string,
    run: (share: Pick<Share, 'client' | 'signal'>) => Promise<void>,
    start: (task: (signal: AbortSignal) => Promise<void>) => void,
  ): void {
    const begin = (): void => {
      start(async (signal) => {
        using share = this.begin(runnableKey(name));
        if (share !== undefined) await this.#runShare(share, signal, run);
      });
    };
    this.#runnables.push({ name, begin });
    if (this.includes(runnableKey(name))) begin();
  }

  async #runShare(
    { client, signal: held }: Share,
    signal: AbortSignal,
    run: (share: Pick<Share, 'client' | 'signal'>) => Promise<void>,
  ): Promise<void> {
    using both = childSignal(signal, this.#options.clock);
    const takenAway = (): void => {
      both.abort(held.reason);
    };
    held.addEventListener('abort', takenAway, { once: true });
    try {
      await run({ client, signal: both.signal });
    } catch (error) {
      // To reject with the reason of the abort is the usual way to end.
      if (!(held.aborted && error === held.reason)) throw error;
    } finally {
      held.removeEventListener('abort', takenAway);
    }
  }

  includes(request: Request): boolean {
    return this.#work.has(this.#slotOf(request));
  }

  /** Whether a write for the key would pass; without a key, whether one for any would. */
  holds(key?: { readonly namespace?: string; readonly name: string }): boolean {
    const elector = this.#elector;
    if (elector === undefined) return false;
    return key === undefined
      ? this.slots.some((slot) => elector.holds(slot))
      : elector.holds(slotOf(key, this.#options.slots));
  }

  begin(request: Request): Share | undefined {
    const work = this.#work.get(this.#slotOf(request));
    if (work === undefined) return undefined;
    const run = Symbol('run');
    work.running.set(run, request.namespace === '' ? request.name : `${request.namespace}/${request.name}`);
    return {
      client: work.client(),
      signal: work.abort.signal,
      [Symbol.dispose]: () => {
        work.running.delete(run);
        if (work.abort.signal.aborted) settle(work);
      },
    };
  }

  gained(slots: readonly number[]): void {
    for (const slot of slots) this.#work.set(slot, this.#newWork(slot));
    const fresh = new Set(slots);
    for (const controller of this.#controllers) controller.replay((request) => fresh.has(this.#slotOf(request)));
    for (const { name, begin } of this.#runnables) {
      if (fresh.has(this.#slotOf(runnableKey(name)))) begin();
    }
  }

  async yield(slot: number): Promise<void> {
    const work = this.#end(slot, 'it is handed over to another member');
    if (work === undefined) return;
    await work.idle.promise;
    // From the hand-over on they would be refused.
    await this.#options.flushEvents(work.client());
  }

  lost(slots: readonly number[], why: string): void {
    for (const slot of slots) {
      const work = this.#end(slot, why);
      if (work === undefined) continue;
      work.lost = true;
      if (work.running.size === 0) continue;
      work.overstay = this.#options.clock.setTimer(() => {
        const still = [...work.running.values()].join(', ');
        this.#options.onOverstay(
          new LeadershipLostError(`leadership lost: slot ${slot}: ${why}; still at work for it: ${still}`),
        );
      }, this.#options.leaseLeft);
    }
  }

  #slotOf(request: Request): number {
    return slotOf(request, this.#options.slots);
  }

  #newWork(slot: number): Work {
    let client: Client | undefined;
    const work: Work = {
      slot,
      abort: new AbortController(),
      running: new Map(),
      idle: Promise.withResolvers(),
      // One for each time that a slot is gained: what ran before a loss does not write after the next gain.
      client: () => (client ??= this.#options.clientWith(() => this.#assertHeld(work))),
      lost: false,
      overstay: undefined,
    };
    return work;
  }

  #assertHeld(work: Work): void {
    if (work.lost || this.#elector === undefined) {
      throw new NotLeaderError(`slot ${work.slot} is not held any more`);
    }
    this.#elector.assertHeld(work.slot);
  }

  /** Ends what runs for a slot; nothing begins for it any more. */
  #end(slot: number, why: string): Work | undefined {
    const work = this.#work.get(slot) ?? this.#ending.get(slot);
    if (work === undefined) return undefined;
    this.#work.delete(slot);
    this.#ending.set(slot, work);
    work.abort.abort(new NotLeaderError(`slot ${slot}: ${why}`));
    settle(work);
    return work;
  }
}

/** Under which key a runnable is at work. */
function runnableKey(name: string): Request {
  return { namespace: '', name };
}

function settle(work: Work): void {
  if (work.running.size > 0) return;
  work.overstay?.cancel();
  work.idle.resolve();
}
