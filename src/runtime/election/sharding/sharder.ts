import { isAlreadyExists, isConflict, isNotFound } from '../../client/errors.ts';
import { childSignal, sleep } from '../../environment/child-signal.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Logger } from '../../environment/logger.ts';
import { Fence } from '../fence.ts';
import type { FenceState, Moment } from '../fence.ts';
import { decide, heldSpec, releasedSpec } from '../lease.ts';
import type { Lease, LeaseSpec } from '../lease.ts';
import { electionTimes, releaseTimeout } from '../times.ts';
import type { ElectionTimes } from '../times.ts';
import { ownerOf } from './hashing.ts';
import type { ShardLeases } from './shard-leases.ts';
import { ShardView } from './view.ts';

/** Slots unless said otherwise. */
export const defaultSlots = 64;
/** What fits a list of Leases in one answer, and renewals in one period. */
const mostSlots = 1024;
/** How often it is tried to give back what somebody changes at the same time. */
const maxReleases = 3;

/** What is told of slots. None of it may throw. */
export interface SlotHandler {
  /** They are held from now on. */
  gained(slots: readonly number[]): void;
  /** Another member shall have it: to resolve when nothing is at work for it any more. Held until then. */
  yield(slot: number): Promise<void>;
  /** They are not held any more, without having been yielded. */
  lost(slots: readonly number[], why: string): void;
}

/** A member of a group that shares a fixed number of slots, wherever the work of it is done. */
export interface SlotElector {
  readonly identity: string;
  readonly slots: number;
  /** The live members of the group, as they were seen last. */
  readonly members: readonly string[];
  /** Whether the slot is held and its lease young enough for writes. */
  holds(slot: number): boolean;
  /** The fence of a slot: throws a `NotLeaderError` unless `holds`. To be called right before each write is sent. */
  assertHeld(slot: number): void;
  /** Takes, renews and yields slots until the signal is aborted; what is held stays so. */
  run(handler: SlotHandler, signal: AbortSignal): Promise<void>;
  /** Takes no more slots from now on; those that are held are renewed. */
  retire(): void;
  /** Gives back what is held, and ends the membership, within 5 seconds. Only after `run` has ended. */
  release(): Promise<void>;
}

export interface SharderOptions extends ElectionTimes {
  readonly leases: ShardLeases;
  /** Default 64. The same in all members. */
  readonly slots?: number;
  readonly identity: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** Where it keeps what the fence of a slot stands on. Default: in memory of its own. */
  readonly stateOf?: (slot: number) => FenceState;
  /** Called before each round: what it rejects with makes the round fail. */
  readonly beforeTry?: (signal: AbortSignal) => Promise<void>;
  /** Called when the live members have changed. */
  readonly onMembers?: (members: readonly string[]) => void;
}

interface Slot {
  readonly number: number;
  readonly state: FenceState;
  readonly fence: Fence;
  /** While it is held: the Lease as this process wrote it last. */
  lease: Lease | undefined;
  /** While it is asked for: whether the work on it has ended. */
  yielding: { done: boolean } | undefined;
}

/** The number of slots, checked. Throws a RangeError. */
export function slotCount(slots: number = defaultSlots): number {
  if (!Number.isInteger(slots) || slots < 1 || slots > mostSlots) {
    throw new RangeError(`sharding: slots must be a whole number from 1 to ${mostSlots}, not ${slots}`);
  }
  return slots;
}

/**
 * Shares slots among the members of a group. Each member has a Lease that says that it lives, and each slot one that says who holds it,
 * all with client-go's numbers. Rendezvous hashing over the live members says who *should* hold a slot, and nothing more: a member takes
 * one that is its due only when the slot was given back, or its Lease was seen unchanged for its duration; one that is due to another
 * it gives back when its work has ended. So members may differ for a while about who lives, and still no slot has two holders.
 *
 * Every period it renews what it holds, then its membership, and only then looks at the group: a slot is taken only by one whom all
 * that look later can see. The fence of a slot closes when its Lease is older than the renew deadline, as a leader's.
 */
export class Sharder implements SlotElector {
  readonly identity: string;
  readonly slots: number;
  readonly #leases: ShardLeases;
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #times: Required<ElectionTimes>;
  readonly #beforeTry: SharderOptions['beforeTry'];
  readonly #onMembers: SharderOptions['onMembers'];
  readonly #slots: readonly Slot[];
  readonly #view: ShardView;
  #members: readonly string[] = [];
  #reportedStrangers = '';
  #retired = false;
  /** Ends the pause between two rounds. */
  #wake = new AbortController();

  /** Throws a RangeError for times that do not fit each other, and for a number of slots that cannot be. */
  constructor(options: SharderOptions) {
    this.#leases = options.leases;
    this.identity = options.identity;
    this.slots = slotCount(options.slots);
    this.#environment = options.environment;
    this.#log = options.log.child({ sharding: options.leases.name, identity: options.identity });
    this.#times = electionTimes(options);
    if (options.identity === '') {
      throw new RangeError('sharding: the identity must not be empty');
    }
    this.#beforeTry = options.beforeTry;
    this.#onMembers = options.onMembers;
    this.#slots = Array.from({ length: this.slots }, (_, number): Slot => {
      const state = options.stateOf?.(number) ?? { held: false, renewed: undefined };
      return { number, state, fence: this.#fenceOf(number, state), lease: undefined, yielding: undefined };
    });
    this.#view = new ShardView(this.#leases, this.slots);
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

  retire(): void {
    this.#retired = true;
  }

  async run(handler: SlotHandler, signal: AbortSignal): Promise<void> {
    this.#log.info('Joining the group', { slots: this.slots });
    try {
      await Promise.all([this.#rounds(handler, signal), this.#watchDeadlines(handler, signal)]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async release(): Promise<void> {
    using deadline = childSignal(undefined, this.#environment.clock, releaseTimeout);
    const { signal } = deadline;
    try {
      for (let left = maxReleases; !(await this.#leave(signal)); left--) {
        if (left === 1) throw new Error('somebody changes them at the same time');
      }
      this.#log.info('Left the group');
    } catch (error) {
      this.#log.warn('The slots could not be given back; their leases run out by themselves', { error });
    } finally {
      for (const { state } of this.#slots) state.held = false;
    }
  }

  /**
   * Gives back all that stands under this name, as the server has it: a write that was on its way when the rounds ended has arrived, or
   * not. False when something changed meanwhile.
   */
  async #leave(signal: AbortSignal): Promise<boolean> {
    this.#view.saw(await this.#leases.list(signal), this.#environment.clock.monotonic());
    const member = this.#view.member(this.identity);
    // First, so that the others see whose turn it is when they find the slots free.
    const isOut = member?.spec?.holderIdentity !== this.identity || (await this.#leases.delete(member, signal));
    for (const slot of this.#slots) {
      const lease = this.#view.slot(slot.number)?.lease;
      slot.lease = lease?.spec?.holderIdentity === this.identity ? lease : undefined;
    }
    const given = await Promise.allSettled(this.#held.map((slot) => this.#giveBack(slot, signal)));
    const failures = given.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    for (const error of failures) if (!isConflict(error)) throw error;
    return isOut && failures.length === 0;
  }

  get #held(): Slot[] {
    return this.#slots.filter(({ lease }) => lease !== undefined);
  }

  #fenceOf(slot: number, state: FenceState): Fence {
    return new Fence(`${this.#leases.name} slot ${slot}`, this.#times.renewDeadline, this.#environment.clock, state);
  }

  async #rounds(handler: SlotHandler, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#environment;
    for (;;) {
      signal.throwIfAborted();
      {
        using deadline = childSignal(signal, clock, this.#times.renewDeadline / 2);
        try {
          await this.#round(handler, deadline.signal);
        } catch (error) {
          if (!signal.aborted) {
            this.#log.error('A round of sharding failed', { error, retryInMilliseconds: this.#times.retryPeriod });
          }
        }
      }
      await this.#pause(this.#times.retryPeriod * (1 + 0.1 * random.next()), signal);
    }
  }

  /** Until the next round is due, or something is to be done at once. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const wake = this.#wake;
    using pause = childSignal(signal, this.#environment.clock);
    const end = (): void => pause.abort(wake.signal.reason);
    if (wake.signal.aborted) end();
    wake.signal.addEventListener('abort', end);
    try {
      await sleep(this.#environment.clock, milliseconds, pause.signal);
    } catch (error) {
      if (!wake.signal.aborted) throw error;
    } finally {
      wake.signal.removeEventListener('abort', end);
      if (wake.signal.aborted) this.#wake = new AbortController();
    }
  }

  async #round(handler: SlotHandler, signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    await this.#beforeTry?.(signal);
    // What failed is tried again in the next round, or runs out.
    const renewals = await Promise.allSettled(this.#held.map((slot) => this.#renew(slot, signal)));
    const failed = renewals.filter((renewal) => renewal.status === 'rejected');
    if (failed[0] !== undefined) {
      this.#log.error('Failed to renew slots', { failed: failed.length, error: failed[0].reason as unknown });
    }
    if (!this.#retired) await this.#renewMembership(signal);
    this.#view.saw(await this.#leases.list(signal), clock.monotonic());
    this.#noticeLosses(handler);
    if (this.#retired) return;
    const now = clock.monotonic();
    const members = this.#view.members(now);
    this.#noteMembers(members);
    if (!members.includes(this.identity) || !this.#isUniform(now)) return;
    await this.#distribute(members, handler, signal);
    await this.#forget(members, signal);
  }

  /** Takes what is due to this member and free, and asks for the end of the work on what is due to others. */
  async #distribute(members: readonly string[], handler: SlotHandler, signal: AbortSignal): Promise<void> {
    const due: Slot[] = [];
    for (const slot of this.#slots) {
      const mine = ownerOf(slot.number, members) === this.identity;
      if (mine && slot.lease === undefined) due.push(slot);
      if (!mine && slot.lease !== undefined && slot.yielding === undefined) void this.#yield(slot, handler);
    }
    const taken = await Promise.allSettled(due.map((slot) => this.#take(slot, signal)));
    const gained = taken.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (gained.length > 0) {
      this.#log.info('Gained slots', { slots: gained });
      handler.gained(gained);
    }
    for (const result of taken) if (result.status === 'rejected') throw result.reason;
  }

  /** The slot's number when it was taken. */
  async #take(slot: Slot, signal: AbortSignal): Promise<number[]> {
    const { clock } = this.#environment;
    const observation = this.#view.slot(slot.number);
    const { action } = decide(observation, this.identity, clock.monotonic());
    if (action === 'wait') return [];
    try {
      await this.#write(slot, observation?.lease.spec, (spec) =>
        observation === undefined
          ? this.#leases.create(this.#leases.slotName(slot.number), 'slot', spec, signal)
          : this.#leases.update(observation.lease, spec, signal),
      );
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return []; // Another one was faster.
      throw error;
    }
    slot.yielding = undefined;
    slot.state.held = true;
    return [slot.number];
  }

  async #renew(slot: Slot, signal: AbortSignal): Promise<void> {
    const { lease } = slot;
    if (lease === undefined) return;
    if (slot.yielding?.done === true) {
      await this.#giveBack(slot, signal);
      return;
    }
    try {
      await this.#write(slot, lease.spec, (spec) => this.#leases.update(lease, spec, signal));
    } catch (error) {
      // Somebody wrote it: the list says who.
      if (!isConflict(error)) throw error;
    }
  }

  async #write(slot: Slot, previous: LeaseSpec | undefined, send: (spec: LeaseSpec) => Promise<Lease>): Promise<void> {
    const { clock } = this.#environment;
    const sent: Moment = { monotonic: clock.monotonic(), wall: clock.wall() };
    const wasHeld = slot.lease !== undefined;
    const written = await send(heldSpec(previous, this.identity, this.#times.leaseDuration, sent.wall));
    this.#view.wrote(written, clock.monotonic());
    // Lost while the answer was on its way: it is taken anew, if at all.
    if (wasHeld && slot.lease === undefined) return;
    slot.lease = written;
    slot.state.renewed = sent;
  }

  async #giveBack(slot: Slot, signal: AbortSignal): Promise<void> {
    const { lease } = slot;
    slot.state.held = false;
    slot.lease = undefined;
    slot.yielding = undefined;
    if (lease === undefined) return;
    const spec = releasedSpec(lease.spec, this.#environment.clock.wall());
    this.#view.wrote(await this.#leases.update(lease, spec, signal), this.#environment.clock.monotonic());
  }

  async #yield(slot: Slot, handler: SlotHandler): Promise<void> {
    const yielding = { done: false };
    slot.yielding = yielding;
    await handler.yield(slot.number);
    // Unless it was lost meanwhile, and perhaps taken and asked for again.
    if (slot.yielding === yielding) {
      yielding.done = true;
      this.#wake.abort();
    }
  }

  async #renewMembership(signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    const known = this.#view.member(this.identity);
    const spec = heldSpec(known?.spec, this.identity, this.#times.leaseDuration, clock.wall());
    try {
      const written =
        known === undefined
          ? await this.#leases.create(this.#leases.memberName(this.identity), 'member', spec, signal)
          : await this.#leases.update(known, spec, signal);
      this.#view.wrote(written, clock.monotonic());
    } catch (error) {
      // From an earlier life, or somebody took it for forgotten: the list that follows says how it is, the next round writes it.
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      this.#log.debug('The Lease of the membership is not as it was written last', { error });
    }
  }

  /** What the list says of slots that this process takes for its own. */
  #noticeLosses(handler: SlotHandler): void {
    const lost: Slot[] = [];
    for (const slot of this.#held) {
      const seen = this.#view.slot(slot.number)?.lease;
      // Whatever somebody else wrote into it: the next renewal is made on top of that.
      if (seen?.spec?.holderIdentity === this.identity) slot.lease = seen;
      else lost.push(slot);
    }
    this.#lose(lost, 'another member holds them, or nobody', handler);
  }

  async #watchDeadlines(handler: SlotHandler, signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    const { renewDeadline, retryPeriod } = this.#times;
    for (;;) {
      const late = this.#held.filter(({ fence }) => fence.untilDeadline() <= 0);
      this.#lose(late, `they were not renewed within ${renewDeadline} ms`, handler);
      const next = Math.min(retryPeriod, ...this.#held.map(({ fence }) => fence.untilDeadline()));
      await sleep(clock, Math.max(1, next), signal);
    }
  }

  #lose(slots: readonly Slot[], why: string, handler: SlotHandler): void {
    if (slots.length === 0) return;
    for (const slot of slots) {
      slot.state.held = false;
      slot.lease = undefined;
      slot.yielding = undefined;
    }
    const numbers = slots.map(({ number }) => number);
    this.#log.warn('Lost slots', { slots: numbers, why });
    handler.lost(numbers, why);
  }

  /** False, and an error in the log, while members are at work that count other slots. */
  #isUniform(now: number): boolean {
    const strangers = this.#view.strangers(now).join(', ');
    if (strangers !== '' && strangers !== this.#reportedStrangers) {
      this.#log.error('Members have another number of slots: this one takes none before they are gone', {
        slots: this.slots,
        members: strangers,
      });
    }
    this.#reportedStrangers = strangers;
    return strangers === '';
  }

  #noteMembers(members: readonly string[]): void {
    if (members.join('\n') !== this.#members.join('\n')) {
      this.#members = members;
      this.#log.info('The members of the group have changed', { members });
      this.#onMembers?.(members);
    }
  }

  /** The first of the members removes what nobody needs any more. */
  async #forget(members: readonly string[], signal: AbortSignal): Promise<void> {
    if (members[0] !== this.identity) return;
    for (const lease of this.#view.forgotten(this.#environment.clock.monotonic())) {
      await this.#leases.delete(lease, signal);
    }
  }
}
