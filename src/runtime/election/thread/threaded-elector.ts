import { childSignal, raceSignal } from '../../environment/child-signal.ts';
import type { Clock } from '../../environment/environment.ts';
import type { Elector } from '../elector.ts';
import { LeadershipLostError } from '../errors.ts';
import { Fence } from '../fence.ts';
import type { FenceState } from '../fence.ts';
import { ElectionThread } from './election-thread.ts';
import type { ElectionThreadOptions } from './election-thread.ts';
import { releaseTimeout } from '../times.ts';
import type { FromThread } from './messages.ts';

export interface ThreadedElectorOptions extends Omit<
  ElectionThreadOptions,
  'task' | 'leases' | 'onMessage' | 'onEnd' | 'onBeat'
> {
  readonly namespace: string;
  readonly name: string;
}

/** How long after the renew deadline the thread may be silent about the loss, in milliseconds. */
const grace = 1_000;

/**
 * Leader election on a thread of its own: a busy event loop of the main thread does not delay a renewal. The fence is the main thread's;
 * it stands on memory that both share. The thread renews only while the main thread has had a turn within the renew deadline, and ends
 * the process when there is none for that long while it leads. To be closed at the end, whatever became of it.
 */
export class ThreadedElector implements Elector {
  readonly identity: string;
  readonly #lease: string;
  readonly #clock: Clock;
  readonly #renewDeadline: number;
  readonly #state: FenceState;
  readonly #fence: Fence;
  readonly #thread: ElectionThread;
  readonly #acquired = Promise.withResolvers<void>();
  /** Resolves when it was told to stop and has; rejects when leadership is lost, or the thread. */
  readonly #stopped = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<boolean>();

  constructor(options: ThreadedElectorOptions) {
    const { namespace, name, ...others } = options;
    this.identity = options.identity;
    this.#lease = `${namespace}/${name}`;
    this.#clock = options.clock;
    this.#renewDeadline = options.times.renewDeadline;
    // Not all of them are waited for in each run.
    for (const { promise } of [this.#acquired, this.#stopped]) {
      promise.catch(() => undefined);
    }
    this.#thread = new ElectionThread({
      ...others,
      task: { type: 'leader', namespace, name },
      leases: 1,
      onMessage: (message) => {
        this.#receive(message);
      },
      onEnd: (error) => {
        this.#lose(new LeadershipLostError(`${this.#lost}: the thread that renews it has ended`, { cause: error }));
      },
      onBeat: () => {
        this.#checkAge();
      },
    });
    this.#state = this.#thread.state.lease(0);
    this.#fence = new Fence(this.#lease, this.#renewDeadline, this.#clock, this.#state);
  }

  isLeader(): boolean {
    return this.#fence.open;
  }

  assertLeading(): void {
    this.#fence.assertOpen();
  }

  async acquire(signal: AbortSignal): Promise<void> {
    await raceSignal(this.#acquired.promise, signal);
  }

  async hold(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#thread.post({ type: 'stop' });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#stopped.promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async release(): Promise<boolean> {
    this.#thread.post({ type: 'release' });
    using deadline = childSignal(undefined, this.#clock, releaseTimeout + grace);
    try {
      return await raceSignal(this.#released.promise, deadline.signal);
    } catch {
      return false; // The thread does not answer: it is ended, and the lease runs out.
    }
  }

  /** Ends the thread. Without `release` before it the lease stays as it is, and runs out. */
  async close(): Promise<void> {
    this.#state.held = false;
    this.#released.resolve(false);
    await this.#thread.close();
  }

  get #lost(): string {
    return `leadership lost: the lease ${this.#lease}`;
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case 'acquired':
        this.#acquired.resolve();
        break;
      case 'lost':
        this.#lose(new LeadershipLostError(message.message));
        break;
      case 'stopped':
        this.#stopped.resolve();
        break;
      case 'released':
        this.#released.resolve(message.done);
        break;
      default:
    }
  }

  /** The thread tells of a loss by itself; this is for one that cannot. */
  #checkAge(): void {
    if (this.#state.held && this.#fence.untilDeadline() < -grace) {
      this.#lose(new LeadershipLostError(`${this.#lost}: it was not renewed within ${this.#renewDeadline} ms`));
    }
  }

  #lose(error: LeadershipLostError): void {
    this.#state.held = false;
    this.#acquired.reject(error);
    this.#stopped.reject(error);
    this.#released.resolve(false);
  }
}
