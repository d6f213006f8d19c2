import type { ObjectKey } from '../client/types.ts';
import type { Elector } from '../election/elector.ts';
import { NotLeaderError } from '../election/errors.ts';
import type { SlotElector } from '../election/sharding/sharder.ts';
import { aborted } from '../environment/child-signal.ts';
import type { MetricsRegistry } from '../metrics/registry.ts';
import { checkLeaseOptions, electLeader, shareSlots } from './election.ts';
import type { Candidate, Election, ElectionPlace } from './election.ts';
import { addLeaderMetrics, addShardingMetrics } from './leadership-metrics.ts';
import type { LeaderElectionOptions, ShardingOptions } from './options.ts';
import type { ShardedWork } from './sharded-work.ts';

/** The manager's side of what only some replicas may do. */
export interface WorkHooks {
  /** Aborted when the manager stops, for whatever reason. */
  readonly stopping: AbortSignal;
  /** Begins what needs leadership. */
  startWork(): void;
  /** Ends it; whether it ended in time. */
  stopWork(): Promise<boolean>;
  /** Takes the promise's rejection as a failure of the manager. */
  watch(name: string, promise: Promise<void>): Promise<void>;
}

/** Who of several replicas does the work. */
export interface Leadership {
  /** Whether this one does; with a key, whether it does for that. */
  isLeader(key?: ObjectKey): boolean;
  /** The fence of the manager's own client: throws a `NotLeaderError`. */
  assertMayWrite(): void;
  /** For `/debug/controllers`. */
  inspect(): object;
  addMetrics(registry: MetricsRegistry): void;
  /** Makes what competes; nothing runs before it. */
  prepare(candidate: Candidate, place: ElectionPlace): void;
  /** Competes, has the work done, and gives back what it held when all that needed it has ended. Never rejects. */
  run(hooks: WorkHooks): Promise<void>;
  /** Ends threads and connections. Idempotent. */
  close(): Promise<void>;
}

/** One replica works, the others wait. */
export class SingleLeader implements Leadership {
  readonly #options: LeaderElectionOptions;
  #election: Election | undefined;

  constructor(options: LeaderElectionOptions) {
    checkLeaseOptions('leaderElection', options);
    this.#options = options;
  }

  isLeader(): boolean {
    return this.#election?.elector.isLeader() ?? false;
  }

  assertMayWrite(): void {
    if (this.#election === undefined) throw notStarted();
    this.#election.elector.assertLeading();
  }

  inspect(): object {
    return { lease: this.#options.id, identity: this.#election?.elector.identity };
  }

  addMetrics(registry: MetricsRegistry): void {
    addLeaderMetrics(registry, this.#options.id, () => this.isLeader());
  }

  prepare(candidate: Candidate, place: ElectionPlace): void {
    this.#election = electLeader(this.#options, candidate, place);
  }

  async run(hooks: WorkHooks): Promise<void> {
    if (this.#election === undefined) throw notStarted();
    const { elector } = this.#election;
    const holdEnd = new AbortController();
    const leading = hooks.watch('leader election', lead(elector, holdEnd.signal, hooks));
    await aborted(hooks.stopping);
    const inTime = await hooks.stopWork();
    // Renewed until here: nobody else began while something of ours was still at work.
    holdEnd.abort();
    await leading;
    if (inTime && this.#options.releaseOnStop !== false) await elector.release();
  }

  async close(): Promise<void> {
    await this.#election?.close();
  }
}

async function lead(elector: Elector, holdEnd: AbortSignal, hooks: WorkHooks): Promise<void> {
  const { stopping } = hooks;
  try {
    await elector.acquire(stopping);
  } catch (error) {
    if (stopping.aborted) return;
    throw error;
  }
  if (!stopping.aborted) hooks.startWork();
  await elector.hold(holdEnd);
}

/** All replicas work, each for the slots that it holds. */
export class SharedSlots implements Leadership {
  readonly work: ShardedWork;
  readonly #options: ShardingOptions;
  #election: Election<SlotElector> | undefined;

  constructor(options: ShardingOptions, work: ShardedWork) {
    checkLeaseOptions('sharding', options);
    this.#options = options;
    this.work = work;
  }

  isLeader(key?: ObjectKey): boolean {
    return this.work.holds(key);
  }

  assertMayWrite(): void {
    throw new NotLeaderError('with sharding a write belongs to a key: use the client of the context');
  }

  inspect(): object {
    const elector = this.#election?.elector;
    const { slots } = this.work;
    return {
      group: this.#options.id,
      identity: elector?.identity,
      slots,
      ofSlots: elector?.slots,
      members: elector?.members,
    };
  }

  addMetrics(registry: MetricsRegistry): void {
    addShardingMetrics(registry, this.#options.id, () => ({
      slots: this.work.slots.length,
      members: this.#election?.elector.members.length ?? 0,
    }));
  }

  prepare(candidate: Candidate, place: ElectionPlace): void {
    this.#election = shareSlots(this.#options, candidate, place);
    this.work.attach(this.#election.elector);
  }

  async run(hooks: WorkHooks): Promise<void> {
    if (this.#election === undefined) throw notStarted();
    const { elector } = this.#election;
    hooks.startWork();
    const sharingEnd = new AbortController();
    const sharing = hooks.watch('sharding', elector.run(this.work, sharingEnd.signal));
    await aborted(hooks.stopping);
    elector.retire();
    const inTime = await hooks.stopWork();
    // Renewed until here: nobody else began while something of ours was still at work.
    sharingEnd.abort();
    await sharing;
    if (inTime && this.#options.releaseOnStop !== false) await elector.release();
  }

  async close(): Promise<void> {
    await this.#election?.close();
  }
}

function notStarted(): NotLeaderError {
  return new NotLeaderError('not the leader: the manager has not started');
}
