import type { KubernetesObject, MicroTime } from '../apis/meta/v1.ts';

/** `coordination.k8s.io/v1` Lease, as far as leader election needs it. Members that are not named here are kept when it is written. */
export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

/** A lease as it was last seen, and since when it has looked like that. */
export interface Observation {
  readonly lease: Lease;
  /** Milliseconds of the local monotonic clock. Times in the lease are never compared with a clock: it may be another machine's. */
  readonly since: number;
}

/** What a candidate may do about a lease that it has just seen. */
export type Decision =
  /** There is none. */
  | { readonly action: 'create' }
  /** It is ours. */
  | { readonly action: 'renew' }
  /** It is nobody's, or its holder has not renewed it for as long as it promised. */
  | { readonly action: 'take' }
  /** Somebody else holds it. */
  | { readonly action: 'wait'; readonly holder: string };

/** Takes note of a lease: the time counts from when it looked different last. */
export function observe(previous: Observation | undefined, lease: Lease, now: number): Observation {
  const unchanged = previous !== undefined && JSON.stringify(previous.lease.spec) === JSON.stringify(lease.spec);
  return { lease, since: unchanged ? previous.since : now };
}

export function decide(observation: Observation | undefined, identity: string, now: number): Decision {
  if (observation === undefined) {
    return { action: 'create' };
  }
  const { holderIdentity: holder = '', leaseDurationSeconds = 0 } = observation.lease.spec ?? {};
  if (holder === identity) {
    return { action: 'renew' };
  }
  if (holder === '' || observation.since + leaseDurationSeconds * 1000 <= now) {
    return { action: 'take' };
  }
  return { action: 'wait', holder };
}

/** The spec with which `identity` holds the lease from now on. The holder's changes are counted; a renewal keeps when it began. */
export function heldSpec(
  previous: LeaseSpec | undefined,
  identity: string,
  leaseDuration: number,
  wall: number,
): LeaseSpec {
  const now = microTime(wall);
  const renewal = previous?.holderIdentity === identity;
  return {
    ...previous,
    holderIdentity: identity,
    leaseDurationSeconds: Math.max(1, Math.ceil(leaseDuration / 1000)),
    acquireTime: renewal ? (previous.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: previous === undefined ? 0 : (previous.leaseTransitions ?? 0) + (renewal ? 0 : 1),
  };
}

/** The spec of a lease that was given back: no holder, and a duration of one second, the least that servers accept. */
export function releasedSpec(previous: LeaseSpec | undefined, wall: number): LeaseSpec {
  const now = microTime(wall);
  return { ...previous, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

/** A time stamp with the six digits that `metav1.MicroTime` has; servers refuse three. */
export function microTime(wall: number): MicroTime {
  return new Date(wall).toISOString().replace(/Z$/, '000Z');
}
