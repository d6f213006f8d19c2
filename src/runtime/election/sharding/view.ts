import type { Lease, Observation } from '../lease.ts';
import { observe } from '../lease.ts';
import { roleAnnotation, slotsAnnotation } from './shard-leases.ts';
import type { ShardLeases } from './shard-leases.ts';

/** A Lease counts as forgotten after so many times its duration without a change. */
const forgottenAfter = 10;

/** What one process knows of the Leases of its group. Times of others are never compared with a clock: only for how long a Lease was seen unchanged. */
export class ShardView {
  readonly #leases: ShardLeases;
  readonly #slots: number;
  #observations = new Map<string, Observation>();

  constructor(leases: ShardLeases, slots: number) {
    this.#leases = leases;
    this.#slots = slots;
  }

  /** Takes note of a list: what is not in it is gone. */
  saw(list: readonly Lease[], now: number): void {
    this.#observations = new Map(
      list.map((lease) => {
        const name = lease.metadata.name ?? '';
        return [name, observe(this.#observations.get(name), lease, now)];
      }),
    );
  }

  /** Takes note of one Lease as it was written. */
  wrote(lease: Lease, now: number): void {
    const name = lease.metadata.name ?? '';
    this.#observations.set(name, observe(this.#observations.get(name), lease, now));
  }

  slot(slot: number): Observation | undefined {
    return this.#observations.get(this.#leases.slotName(slot));
  }

  member(identity: string): Lease | undefined {
    return this.#observations.get(this.#leases.memberName(identity))?.lease;
  }

  /** Who has renewed its membership within the time that it promised, in order. */
  members(now: number): string[] {
    return [...this.#observations.values()]
      .filter((observation) => isMember(observation) && isAlive(observation, now))
      .map(({ lease }) => lease.spec?.holderIdentity ?? '')
      .sort();
  }

  /** Who is at work on this group with another number of slots: keys stand in other slots there. */
  strangers(now: number): string[] {
    const found = [...this.#observations.values()]
      .filter((observation) => !this.#hasOurSlots(observation) && isAlive(observation, now))
      .map(({ lease }) => lease.spec?.holderIdentity ?? '');
    return [...new Set(found)].sort();
  }

  /** Leases that nobody will need again: of members that are long gone, and of slots of another number. */
  forgotten(now: number): Lease[] {
    return [...this.#observations.values()]
      .filter((observation) => isMember(observation) || !this.#hasOurSlots(observation))
      .filter(({ since, lease }) => since + durationOf(lease) * forgottenAfter <= now)
      .map(({ lease }) => lease);
  }

  #hasOurSlots({ lease }: Observation): boolean {
    return lease.metadata.annotations?.[slotsAnnotation] === String(this.#slots);
  }
}

function isMember({ lease }: Observation): boolean {
  return lease.metadata.annotations?.[roleAnnotation] === 'member';
}

function isAlive({ since, lease }: Observation, now: number): boolean {
  return (lease.spec?.holderIdentity ?? '') !== '' && now < since + durationOf(lease);
}

function durationOf(lease: Lease): number {
  return (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
}
