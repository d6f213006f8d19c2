import { isAlreadyExists, isConflict } from '../client/errors.ts';
import { childSignal, sleep } from '../environment/child-signal.ts';
import type { Environment } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { LeadershipLostError } from './errors.ts';
import { Fence } from './fence.ts';
import type { FenceState, Moment } from './fence.ts';
import type { LeaseLock } from './lease-lock.ts';
import { decide, heldSpec, observe, releasedSpec } from './lease.ts';
import type { Lease, LeaseSpec, Observation } from './lease.ts';
import { electionTimes, jitterFactor, releaseTimeout } from './times.ts';
import type { ElectionTimes } from './times.ts';

export interface LeaderElectorOptions extends ElectionTimes {
  readonly lock: LeaseLock;
  /** Tells the candidates apart; different in each process. */
  readonly identity: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** Where it keeps what its fence stands on. Default: in memory of its own. */
  readonly state?: FenceState;
  /** Called before each try: what it rejects with makes the try fail. The signal is aborted when the time of the try is up. */
  readonly beforeTry?: (signal: AbortSignal) => Promise<void>;
}

/** A candidate for one lease, wherever the work of it is done. */
export interface Elector {
  readonly identity: string;
  /** Whether this process leads and its lease is young enough for writes. */
  isLeader(): boolean;
  /** The fence: throws a `NotLeaderError` unless `isLeader`. To be called right before each write is sent. */
  assertLeading(): void;
  /** Resolves when this process has become the leader: a write of its own name was confirmed. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Renews the lease until the signal is aborted (then resolves, the lease still held), or until it is lost: then rejects with a
   * `LeadershipLostError`.
   */
  hold(signal: AbortSignal): Promise<void>;
  /**
   * Gives the lease back, so that another takes over at once. To be called when nothing that needs leadership runs any more; the fence
   * closes first. Resolves, with whether it was given back, within 5 seconds: the lease runs out by itself if need be.
   */
  release(): Promise<boolean>;
}

/**
 * Leader election on a Lease, with client-go's algorithm and numbers. Times written by others are never compared with the local
 * clock: a lease has run out when it was seen unchanged for its duration.
 *
 * Stricter than client-go: the renew deadline counts from when the last successful renewal was *sent*, not from when a round of
 * renewals began; and `assertLeading`, the fence, is closed by then whatever else this process is busy with, so that a leader whose
 * event loop was blocked, or whose process was stopped, does not write before it has noticed.
 *
 * It renews on the thread that it is made on; a manager makes it on a thread of its own (`ThreadedElector`).
 */
export class LeaderElector implements Elector {
  readonly identity: string;
  readonly #lock: LeaseLock;
  readonly #environment: Environment;
  readonly #log: Logger;
  readonly #leaseDuration: number;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  #observation: Observation | undefined;
  readonly #state: FenceState;
  readonly #fence: Fence;
  readonly #beforeTry: LeaderElectorOptions['beforeTry'];
  #reportedHolder: string | undefined;

  /** Throws a RangeError for times that do not fit each other; see `electionTimes`. */
  constructor(options: LeaderElectorOptions) {
    this.#lock = options.lock;
    this.identity = options.identity;
    this.#environment = options.environment;
    this.#log = options.log.child({ lease: options.lock.name, identity: options.identity });
    const { leaseDuration, renewDeadline, retryPeriod } = electionTimes(options);
    this.#leaseDuration = leaseDuration;
    this.#renewDeadline = renewDeadline;
    this.#retryPeriod = retryPeriod;
    if (options.identity === '') {
      throw new RangeError('leader election: the identity must not be empty');
    }
    this.#state = options.state ?? { held: false, renewed: undefined };
    this.#fence = new Fence(this.#lock.name, renewDeadline, this.#environment.clock, this.#state);
    this.#beforeTry = options.beforeTry;
  }

  isLeader(): boolean {
    return this.#fence.open;
  }

  assertLeading(): void {
    this.#fence.assertOpen();
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#environment;
    this.#log.info('Attempting to acquire leader lease');
    for (;;) {
      signal.throwIfAborted();
      if (await this.#try(signal, this.#renewDeadline / 2)) {
        this.#state.held = true;
        this.#log.info('Successfully acquired lease');
        return;
      }
      await sleep(clock, this.#retryPeriod * (1 + jitterFactor * random.next()), signal);
    }
  }

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
        const remaining = this.#fence.untilDeadline();
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
        const pause = renewed
          ? this.#retryPeriod
          : Math.min(this.#retryPeriod, Math.max(0, this.#fence.untilDeadline()));
        expected = clock.monotonic() + pause;
        await sleep(clock, pause, signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    }
  }

  async release(): Promise<boolean> {
    if (!this.#state.held) {
      return false;
    }
    this.#state.held = false;
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

  #lost(why: string): LeadershipLostError {
    this.#state.held = false;
    return new LeadershipLostError(`leadership lost: the lease ${this.#lock.name}: ${why}`);
  }

  /** One try to get or to renew the lease. Never rejects: what failed is logged, and tried again by the caller. */
  async #try(signal: AbortSignal, timeout: number): Promise<boolean> {
    using deadline = childSignal(signal, this.#environment.clock, timeout);
    try {
      await this.#beforeTry?.(deadline.signal);
      return (await this.#renewAsSeen(deadline.signal)) || (await this.#lookAndWrite(deadline.signal));
    } catch (error) {
      if (!signal.aborted) {
        this.#log.error(this.#state.held ? 'Failed to renew the lease' : 'Failed to acquire the lease', {
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
    if (!this.#state.held || lease?.spec?.holderIdentity !== this.identity) {
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
    if (action === 'wait' || (action === 'take' && this.#state.held)) {
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
    this.#state.renewed = sent;
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
