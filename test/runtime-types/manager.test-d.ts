// Types of the manager's options: leader election and sharding exclude each other.
import { createManager } from 'operator-runtime';
import type { ManagerOptions } from 'operator-runtime';

declare const elects: boolean;
declare const namespace: string | undefined;

createManager();
createManager({
  userAgent: 'a',
  ...(elects ? { leaderElection: { id: 'a', ...(namespace === undefined ? {} : { namespace }) } } : {}),
});
createManager({ userAgent: 'a', ...(elects ? { leaderElection: { id: 'a' } } : { sharding: { id: 'a', slots: 8 } }) });

const options: ManagerOptions = { sharding: { id: 'a', renewDeadline: 8_000 }, userAgent: 'a' };
createManager({ ...options, healthProbeBindAddress: ':8081' });

// @ts-expect-error one replica works, or all share the work
createManager({ leaderElection: { id: 'a' }, sharding: { id: 'a' } });
// @ts-expect-error a Lease needs a name
createManager({ sharding: { slots: 8 } });
// @ts-expect-error one leader has one Lease
createManager({ leaderElection: { id: 'a', slots: 8 } });
