import { describe, it } from 'vitest';
import { runElectionSchedules } from '../../../test/support/election-schedules.ts';
import { LeaderElector } from './elector.ts';
import { createLeaseLock } from './lease-lock.ts';

const schedules = 1000;

describe(`three replicas under ${schedules} seeded schedules of pauses, partitions, clock jumps and errors`, () => {
  it('write only while the server knows them as the leader, and have one again within the bound', async () => {
    await runElectionSchedules({ LeaderElector, createLeaseLock }, schedules);
  }, 100_000);
});
