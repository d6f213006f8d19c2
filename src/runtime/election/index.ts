export { LeaderElector } from './elector.ts';
export type { Elector, LeaderElectorOptions } from './elector.ts';
export type { ElectionTimes } from './times.ts';
export { LeadershipLostError, NotLeaderError } from './errors.ts';
export { createLeaseLock } from './lease-lock.ts';
export type { LeaseLock, LeaseLockOptions } from './lease-lock.ts';
export type { Lease, LeaseSpec } from './lease.ts';
