/** This process is not the leader any more: its lease was not renewed in time, or somebody else holds it. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
  readonly reason = 'LeadershipLost';
}

/** A write was stopped before it was sent, since this process is not, or not surely, the leader. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
  readonly reason = 'NotLeader';
}
