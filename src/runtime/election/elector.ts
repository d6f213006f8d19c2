import { isAlreadyExists, isConflict } from '../client/errors.ts';
import { childSignal, sleep } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { LeadershipLostError, NotLeaderError } from './errors.ts';
import type { LeaseLock } from './lease-lock.ts';
import { decide, heldSpec, observe, releasedSpec } from './lease.ts';
import type { Lease, LeaseSpec, Observation } from './lease.ts';

/** The times of leader election, in milliseconds. */
export interface ElectionTimes {
  /** How long others wait without a renewal before they take over. Default 15,000. */
  readonly leaseDuration?: number;
  /** How long the leader goes on without a renewal: after it, it stops writing and gives up. Default 10,000. */
  readonly renewDeadline?: number;
  /** The time between two tries. Default 2,000. */
  readonly retryPeriod?: number;
}

export interface LeaderElectorOptions extends ElectionTimes {
  readonly lock: LeaseLock;
  /** Tells the candidates apart; different in each process. */
  readonly identity: string;
  readonly environment: Environment;
  readonly log: Logger;
}

/** client-go's numbers. */
export const electionDefaults = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 } as const;

/** A candidate that waits is late by up to this share of the retry period, so that not all come at once (client-go's JitterFactor). */
const jitterFactor = 1.2;
/** How long giving the lease back may take at most. */
const releaseTimeout = 5_000;

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Leader election on a Lease, with client-go's algorithm and numbers. Times written by others are never compared with the local
 * clock: a lease has run out when it was seen unchanged for its duration.
 *
 * Stricter than client-go: the renew deadline counts from when the last successful renewal was *sent*, not from when a round of
 * renewals began; and `assertLeading`, the fence, is closed by then whatever else this process is busy with, so that a leader whose
 * event loop was blocked, or whose process was stopped, does not write before it has noticed.
 *
 * Renewals run on the thread that also runs the reconcilers.
 */
export class LeaderElector {
  readonly identity: string;
  readonly #lock: LeaseLock;
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #leaseDuration: number;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  #observation: Observation | undefined;
  #leading = false;
  /** When the last renewal that succeeded was sent. */
  #renewed: Moment | undefined;
  #reportedHolder: string | undefined;

  /** Throws a RangeError for times that do not fit each other: leaseDuration > renewDeadline > 1.2 x retryPeriod > 0. */
  constructor(options: LeaderElectorOptions) {
    this.#lock = options.lock;
    this.identity = options.identity;
    this.#environment = options.environment;
    this.#log = options.log.child({ lease: options.lock.name, identity: options.identity });
    this.#leaseDuration = options.leaseDuration ?? electionDefaults.leaseDuration;
    this.#renewDeadline = options.renewDeadline ?? electionDefaults.renewDeadline;
    this.#retryPeriod = options.retryPeriod ?? electionDefaults.retryPeriod;
    if (options.identity === '') {
      throw new RangeError('leader election: the identity must not be empty');
    }
    if (!(this.#retryPeriod > 0)) {
      throw new RangeError(`leader election: retryPeriod must be longer than 0, not ${this.#retryPeriod}`);
    }
    if (!(this.#renewDeadline > this.#retryPeriod * jitterFactor)) {
      throw new RangeError(
        `leader election: renewDeadline (${this.#renewDeadline}) must be longer than ${jitterFactor} x retryPeriod (${this.#retryPeriod})`,
      );
    }
    if (!(this.#leaseDuration > this.#renewDeadline && this.#leaseDuration >= 1000)) {
      throw new RangeError(
        `leader election: leaseDuration (${this.#leaseDuration}) must be longer than renewDeadline (${this.#renewDeadline}) and at least 1000`,
      );
    }
  }

  /** Whether this process leads and its lease is young enough for writes. */
  isLeader(): boolean {
    return this.#leading && this.#age() <= this.#renewDeadline;
  }

  /** The fence: throws a `NotLeaderError` unless `isLeader`. To be called right before each write is sent. */
  assertLeading(): void {
    if (!this.#leading) {
      throw new NotLeaderError(`not the leader of ${this.#lock.name}`);
    }
    const age = this.#age();
    if (age > this.#renewDeadline) {
      throw new NotLeaderError(
        `the lease ${this.#lock.name} was renewed ${Math.round(age)} ms ago, longer than the renew deadline of ${this.#renewDeadline} ms`,
      );
    }
  }

  /** Resolves when this process has become the leader: a write of its own name was confirmed. Rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#environment;
    this.#log.info('Attempting to acquire leader lease');
    for (;;) {
      signal.throwIfAborted();
      if (await this.#try(signal, this.#renewDeadline / 2)) {
        this.#leading = true;
        this.#log.info('Successfully acquired lease');
        return;
      }
      await sleep(clock, this.#retryPeriod * (1 + jitterFactor * random.next()), signal);
    }
  }

  /**
   * Renews the lease until the signal is aborted (then resolves, the lease still held), or until it is lost: then rejects with a
   * `LeadershipLostError`.
   */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    let expected = clock.monotonic() + this.#retryPeriod;
    try {
      await sleep(clock, this.#retryPeriod, signal);
      for (;;) {
        const late = clock.monotonic() - expected;
        if (late > this.#retryPeriod / 2) {
          this.#log.warn('The event loop was blocked: the renewal of the lease comes late', {
            lateMilliseconds: Math.round(late),
          });
        }
        const remaining = this.#untilDeadline();
        if (remaining <= 0) {
          throw this.#lost(`it was not renewed within ${this.#renewDeadline} ms`);
        }
        const renewed = await this.#try(signal, Math.min(this.#renewDeadline / 2, remaining));
        signal.throwIfAborted();
        const lease = this.#observation?.lease;
        const holder = lease?.spec?.holderIdentity ?? '';
        if (!renewed && lease !== undefined && holder !== this.identity) {
          throw this.#lost(holder === '' ? 'it has no holder any more' : `${holder} holds it`);
        }
        const pause = renewed ? this.#retryPeriod : Math.min(this.#retryPeriod, Math.max(0, this.#untilDeadline()));
        expected = clock.monotonic() + pause;
        await sleep(clock, pause, signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    }
  }

  /**
   * Gives the lease back, so that another takes over at once. To be called when nothing that needs leadership runs any more; the fence
   * closes first. Resolves, with whether it was given back, within 5 seconds: the lease runs out by itself if need be.
   */
  async release(): Promise<boolean> {
    if (!this.#leading) {
      return false;
    }
    this.#leading = false;
    using deadline = childSignal(undefined, this.#environment.clock, releaseTimeout);
    const { signal } = deadline;
    let lease = this.#observation?.lease;
    for (let tries = 0; tries < 2; tries++) {
      try {
        lease ??= await this.#lock.get(signal);
        if (lease === undefined || lease.spec?.holderIdentity !== this.identity) {
          return false;
        }
        const released = await this.#lock.update(
          lease,
          releasedSpec(lease.spec, this.#environment.clock.wall()),
          signal,
        );
        this.#see(released);
        this.#log.info('Released the lease');
        return true;
      } catch (error) {
        lease = undefined;
        if (tries > 0 || !isConflict(error)) {
          this.#log.warn('The lease could not be released; it runs out by itself', { error });
          return false;
        }
      }
    }
    return false;
  }

  /** How old the lease may be at most, by either clock: a machine that slept may find that its monotonic clock did not run. */
  #age(): number {
    if (this.#renewed === undefined) {
      return Number.POSITIVE_INFINITY;
    }
    const { clock } = this.#environment;
    return Math.max(clock.monotonic() - this.#renewed.monotonic, clock.wall() - this.#renewed.wall);
  }

  /**
   * How much longer a renewal may be tried. By the monotonic clock alone: a jump of the wall clock closes the fence until the next
   * renewal, which is safe to try, since it fails when anybody else wrote the lease meanwhile.
   */
  #untilDeadline(): number {
    return (
      (this.#renewed?.monotonic ?? Number.NEGATIVE_INFINITY) + this.#renewDeadline - this.#environment.clock.monotonic()
    );
  }

  #lost(why: string): LeadershipLostError {
    this.#leading = false;
    return new LeadershipLostError(`leadership lost: the lease ${this.#lock.name}: ${why}`);
  }

  /** One try to get or to renew the lease. Never rejects: what failed is logged, and tried again by the caller. */
  async #try(signal: AbortSignal, timeout: number): Promise<boolean> {
    using deadline = childSignal(signal, this.#environment.clock, timeout);
    try {
      return (await this.#renewAsSeen(deadline.signal)) || (await this.#lookAndWrite(deadline.signal));
    } catch (error) {
      if (!signal.aborted) {
        this.#log.error(this.#leading ? 'Failed to renew the lease' : 'Failed to acquire the lease', {
          error,
          retryInMilliseconds: this.#retryPeriod,
        });
      }
      return false;
    }
  }

  /** The fast way while leading: one write, on top of our own last one. */
  async #renewAsSeen(signal: AbortSignal): Promise<boolean> {
    const lease = this.#observation?.lease;
    if (!this.#leading || lease?.spec?.holderIdentity !== this.identity) {
      return false;
    }
    try {
      return await this.#write((spec) => this.#lock.update(lease, spec, signal), lease.spec);
    } catch (error) {
      if (isConflict(error)) {
        return false; // Somebody wrote it: look.
      }
      throw error;
    }
  }

  async #lookAndWrite(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#lock.get(signal);
    if (lease === undefined) {
      this.#observation = undefined;
    } else {
      this.#see(lease);
    }
    const { action } = decide(this.#observation, this.identity, this.#environment.clock.monotonic());
    if (action === 'wait' || (action === 'take' && this.#leading)) {
      return false;
    }
    try {
      return lease === undefined
        ? await this.#write((spec) => this.#lock.create(spec, signal), undefined)
        : await this.#write((spec) => this.#lock.update(lease, spec, signal), lease.spec);
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) {
        this.#log.debug('Another candidate was faster');
        return false;
      }
      throw error;
    }
  }

  async #write(send: (spec: LeaseSpec) => Promise<Lease>, previous: LeaseSpec | undefined): Promise<boolean> {
    const { clock } = this.#environment;
    const sent: Moment = { monotonic: clock.monotonic(), wall: clock.wall() };
    this.#see(await send(heldSpec(previous, this.identity, this.#leaseDuration, sent.wall)));
    this.#renewed = sent;
    return true;
  }

  #see(lease: Lease): void {
    this.#observation = observe(this.#observation, lease, this.#environment.clock.monotonic());
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== this.#reportedHolder) {
      this.#reportedHolder = holder;
      if (holder !== '' && holder !== this.identity) {
        this.#log.info('New leader', { leader: holder });
      }
    }
  }
}
