import { describe, expect, it } from 'vitest';
import { setUp, server, world } from '../../../test/support/manager-bench.ts';
import { discardLogger } from '../environment/logger.ts';
import { createManager } from './manager.ts';
import type { ManagerOptions } from './options.ts';

/** What a program without types may pass. */
const untyped = (value: unknown): ManagerOptions => value as ManagerOptions;

describe('the options of a manager', () => {
  it.each<[ManagerOptions, string]>([
    [untyped({ leaderElection: {} }), 'leaderElection.id is the name of a Lease'],
    [{ leaderElection: { id: '' } }, 'leaderElection.id is the name of a Lease'],
    [{ leaderElection: { id: 'Widgets Operator' } }, 'at most 253 characters; not "Widgets Operator"'],
    [{ leaderElection: { id: 'a..b' } }, 'leaderElection.id is the name of a Lease'],
    [{ leaderElection: { id: 'a'.repeat(254) } }, 'leaderElection.id is the name of a Lease'],
    [{ leaderElection: { id: 'a', identity: '' } }, 'leaderElection.identity must not be empty'],
    [{ leaderElection: { id: 'a', leaseDuration: 5_000 } }, 'leaseDuration (5000) must be longer than renewDeadline'],
    [{ leaderElection: { id: 'a', leaseDuration: Infinity } }, 'leaseDuration (Infinity) must be'],
    [{ sharding: { id: '-a' } }, 'sharding.id is the name of a Lease'],
    [{ sharding: { id: 'a'.repeat(221) } }, 'and at most 220 characters; not'],
    [{ sharding: { id: 'a', slots: 0 } }, 'slots must be a whole number from 1 to 1024, not 0'],
    [{ sharding: { id: 'a', retryPeriod: -1 } }, 'retryPeriod must be longer than 0'],
    [{ gracefulShutdownTimeout: 'later' }, 'gracefulShutdownTimeout: not a duration: "later"'],
  ])('%o are refused when it is made', (options, message) => {
    setUp();
    const common = { environment: world, transport: server.transport, logger: discardLogger };
    expect(() => createManager({ ...common, ...options })).toThrow(message);
  });

  it('are taken as they are in examples', () => {
    for (const id of ['widgets.example.com', 'a', '1', 'a-b.c-1', 'a'.repeat(220)]) {
      createManager({ leaderElection: { id }, logger: discardLogger });
      createManager({ sharding: { id }, logger: discardLogger });
    }
  });

  it.each([undefined, ''])('name controllers, not %j', (name) => {
    const manager = createManager({ logger: discardLogger });
    expect(() => manager.controller(name as string)).toThrow('a controller needs a name');
  });

  it('say what is wrong with a folder of certificates', async () => {
    setUp();
    const metrics = { bindAddress: '127.0.0.1:0', certificateFolder: '/no/such/folder', authorization: false };
    const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger, metrics });
    await expect(manager.start()).rejects.toThrow(
      /^metrics.certificateFolder must hold tls.crt and tls.key: ENOENT.*no.such.folder/,
    );
  });
});
