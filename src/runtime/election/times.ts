/** The times of leader election, in milliseconds. */
export interface ElectionTimes {
  /** How long others wait without a renewal before they take over. Default 15,000. */
  readonly leaseDuration?: number;
  /** How long the leader goes on without a renewal: after it, it stops writing and gives up. Default 10,000. */
  readonly renewDeadline?: number;
  /** The time between two tries. Default 2,000. */
  readonly retryPeriod?: number;
}

/** client-go's numbers. */
export const electionDefaults = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 } as const;

/** A candidate that waits is late by up to this share of the retry period, so that not all come at once (client-go's JitterFactor). */
export const jitterFactor = 1.2;

/** How long giving a lease back may take at most. */
export const releaseTimeout = 5_000;

/**
 * With the defaults for what is left out. Throws a RangeError for times that do not fit each other:
 * leaseDuration > renewDeadline > 1.2 x retryPeriod > 0.
 */
export function electionTimes(times: ElectionTimes): Required<ElectionTimes> {
  const {
    leaseDuration = electionDefaults.leaseDuration,
    renewDeadline = electionDefaults.renewDeadline,
    retryPeriod = electionDefaults.retryPeriod,
  } = times;
  if (!(retryPeriod > 0)) {
    throw new RangeError(`leader election: retryPeriod must be longer than 0, not ${retryPeriod}`);
  }
  if (!(renewDeadline > retryPeriod * jitterFactor)) {
    throw new RangeError(
      `leader election: renewDeadline (${renewDeadline}) must be longer than ${jitterFactor} x retryPeriod (${retryPeriod})`,
    );
  }
  if (!(leaseDuration > renewDeadline && leaseDuration >= 1000 && Number.isFinite(leaseDuration))) {
    throw new RangeError(
      `leader election: leaseDuration (${leaseDuration}) must be longer than renewDeadline (${renewDeadline}) and at least 1000`,
    );
  }
  return { leaseDuration, renewDeadline, retryPeriod };
}
