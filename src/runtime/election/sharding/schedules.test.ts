import { describe, it } from 'vitest';
import { runShardingSchedules } from '../../../../test/support/sharding-schedules.ts';
import { createShardLeases } from './shard-leases.ts';
import { Sharder } from './sharder.ts';

const schedules = 1000;

describe(`three members under ${schedules} seeded schedules of pauses, partitions, clock jumps and errors`, () => {
  it('write only for slots that the server knows as theirs, and share all of them again within the bound', async () => {
    await runShardingSchedules({ Sharder, createShardLeases }, schedules);
  }, 300_000);
});
