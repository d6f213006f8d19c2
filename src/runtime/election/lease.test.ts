import { describe, expect, it } from 'vitest';
import { decide, heldSpec, microTime, observe } from './lease.ts';
import type { Lease, LeaseSpec } from './lease.ts';

const lease = (spec: LeaseSpec, resourceVersion = '1'): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'ns', name: 'op', resourceVersion },
  spec,
});
const theirs: LeaseSpec = { holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: '2023-01-01T00:00:00.000000Z' };

describe('what a candidate does about a lease', () => {
  it.each<[string, LeaseSpec | undefined, number, string]>([
    ['there is none', undefined, 0, 'create'],
    ['it is its own, however old', { ...theirs, holderIdentity: 'a' }, 1_000_000, 'renew'],
    ['it was given back', { ...theirs, holderIdentity: '' }, 0, 'take'],
    ['it never had a holder', {}, 0, 'take'],
    ['it was seen unchanged for less than its duration', theirs, 14_999, 'wait'],
    ['it was seen unchanged for its duration', theirs, 15_000, 'take'],
  ])('when %s', (_, spec, after, action) => {
    const seen = spec === undefined ? undefined : observe(undefined, lease(spec), 500);
    expect(decide(seen, 'a', 500 + after).action).toBe(action);
  });

  it('depends on when its holder wrote it last, not on other changes', () => {
    const first = observe(undefined, lease(theirs), 0);
    expect(observe(first, lease(theirs, '2'), 9_000).since).toBe(0);
    const renewed = lease({ ...theirs, renewTime: '2023-01-01T00:00:02.000000Z' });
    expect(observe(first, renewed, 9_000).since).toBe(9_000);
  });
});

describe('the record of a holder', () => {
  const wall = 1_700_000_000_123;

  it.each([
    [15_000, 15],
    [1_500, 2],
    [1_000, 1],
  ])('promises %d ms in whole seconds, and never less', (duration, seconds) => {
    expect(heldSpec(undefined, 'a', duration, wall).leaseDurationSeconds).toBe(seconds);
  });

  it('keeps what it does not know, and when a term began; a new holder is one more transition', () => {
    const before = { ...theirs, acquireTime: microTime(1), leaseTransitions: 4, strategy: 'OldestEmulationVersion' };
    expect(heldSpec(before, 'b', 15_000, wall)).toEqual({ ...before, renewTime: microTime(wall) });
    expect(heldSpec(before, 'a', 15_000, wall)).toEqual({
      ...before,
      holderIdentity: 'a',
      acquireTime: microTime(wall),
      renewTime: microTime(wall),
      leaseTransitions: 5,
    });
  });
});
