import type { ClusterConfiguration } from '../config/types.ts';
import { LeaderElector } from '../election/elector.ts';
import type { Elector } from '../election/elector.ts';
import { createLeaseLock } from '../election/lease-lock.ts';
import { ThreadedElector } from '../election/thread/threaded-elector.ts';
import type { ThreadedElectorOptions } from '../election/thread/threaded-elector.ts';
import { electionTimes } from '../election/times.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import { createShardLeases, longestId } from '../election/sharding/shard-leases.ts';
import { Sharder, slotCount } from '../election/sharding/sharder.ts';
import type { SlotElector } from '../election/sharding/sharder.ts';
import { ThreadedSharder } from '../election/thread/threaded-sharder.ts';
import type { LeaderElectionOptions, LeaseOptions, ShardingOptions } from './options.ts';

/** A candidate for a lease, or a member of a group that shares slots, and what goes with it. */
export interface Election<E extends Elector | SlotElector = Elector> {
  readonly elector: E;
  /** Ends thread and connections. Gives nothing back. */
  close(): Promise<void>;
}

/** Who competes. */
export interface Candidate {
  readonly namespace: string;
  readonly identity: string;
  readonly userAgent: string | undefined;
  readonly environment: Environment;
  readonly log: Logger;
}

/** Where its work is done: on the thread of its caller, or on one of its own. */
export type ElectionPlace =
  /** With connections of its own, where they are closed at the end: renewals must not queue behind the requests of reconcilers. */
  | { readonly transport: Transport }
  /** `onRequest` is called for each of its requests. */
  | { readonly configuration: ClusterConfiguration; readonly onRequest: (method: string, code: string) => void };

/** How long an id may be: it is the name of a Lease, or what the names of several begin with. */
const longest = { leaderElection: 253, sharding: longestId } as const;

/**
 * Throws a RangeError for options with which no Lease could be written, or held. An API server would refuse each request instead, and
 * no replica would ever work.
 */
export function checkLeaseOptions(
  what: 'leaderElection' | 'sharding',
  options: LeaseOptions & { readonly id: string },
): void {
  const { id, identity } = options;
  // Programs without types may leave it out.
  if (
    typeof id !== 'string' ||
    id.length > longest[what] ||
    !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(id)
  ) {
    throw new RangeError(
      `${what}.id is the name of a Lease: lower case letters, digits, '-' and '.', such as 'widgets.example.com', and at most ${longest[what]} characters; not ${JSON.stringify(id)}`,
    );
  }
  if (identity === '') {
    throw new RangeError(`${what}.identity must not be empty`);
  }
  electionTimes(options);
}

export function electLeader(options: LeaderElectionOptions, candidate: Candidate, place: ElectionPlace): Election {
  const { namespace, identity, environment, log } = candidate;
  const { id: name } = options;
  if ('transport' in place) {
    const { transport } = place;
    const lock = createLeaseLock({ transport, namespace, name, ...leaseClient(candidate) });
    const elector = new LeaderElector({ ...options, lock, identity, environment, log });
    return { elector, close: () => transport.close() };
  }
  const elector = new ThreadedElector({ ...place, namespace, name, ...thread(options, candidate) });
  return { elector, close: () => elector.close() };
}

export function shareSlots(
  options: ShardingOptions,
  candidate: Candidate,
  place: ElectionPlace,
): Election<SlotElector> {
  const { namespace, identity, environment, log } = candidate;
  const { id } = options;
  const slots = slotCount(options.slots);
  if ('transport' in place) {
    const { transport } = place;
    const leases = createShardLeases({ transport, namespace, id, slots, ...leaseClient(candidate) });
    const elector = new Sharder({ ...options, leases, slots, identity, environment, log });
    return { elector, close: () => transport.close() };
  }
  const elector = new ThreadedSharder({ ...place, namespace, id, slots, ...thread(options, candidate) });
  return { elector, close: () => elector.close() };
}

type LeaseClient = Pick<Candidate, 'environment'> & {
  readonly logger: Logger;
  readonly userAgent?: string;
};

function leaseClient({ environment, log, userAgent }: Candidate): LeaseClient {
  return { environment, logger: log, ...(userAgent === undefined ? {} : { userAgent }) };
}

type ThreadSettings = Pick<ThreadedElectorOptions, 'identity' | 'times' | 'clock' | 'log' | 'userAgent'>;

function thread(options: LeaseOptions, { identity, environment, log, userAgent }: Candidate): ThreadSettings {
  const common = { identity, times: electionTimes(options), clock: environment.clock, log };
  return { ...common, ...(userAgent === undefined ? {} : { userAgent }) };
}
