// Leader election among real processes, each started from one bundled file as the scaffold's Dockerfile ships it: no node_modules, its
// election's thread inside. They are paused, killed, blocked and cut off; the server says who wrote when.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/apiserver/index.ts';
import { seededRandom } from '../../src/runtime/environment/virtual-random.ts';
import { ElectionCluster, bundleProgram, times } from './election-cluster.ts';
import type { Bundle } from './election-cluster.ts';
import type { Replica } from './election-replica.ts';
import { eventually } from './example-process.ts';

const minute = 60_000;
/** A process that is the first of its process namespace, as in a container. */
const firstProcess = ['unshare', '--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

/** The longest time without a leader: its lease runs out, the others look again, and a try that is on its way has to end first. */
const bound = times.leaseDuration + times.retryPeriod * (1 + 1.2) + times.renewDeadline / 2;
/** What a busy machine may add to it. */
const slack = 10_000;

let bundle: Bundle;
let cluster: ElectionCluster;
let audit: AuditEvent[];

beforeAll(async () => {
  bundle = await bundleProgram();
}, 5 * minute);

afterAll(() => {
  bundle?.remove();
});

beforeEach(async () => {
  cluster = await ElectionCluster.start(bundle);
  ({ audit } = cluster);
  await cluster.createConfigMap('shared');
});

afterEach(async () => {
  await cluster.stop();
});

const start = (name: string, settings = {}, wrapper: readonly string[] = []): Replica =>
  cluster.run(name, settings, wrapper);

async function leaseSpec(): Promise<Record<string, unknown>> {
  const lease = await cluster.request('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/op');
  return lease['spec'] as Record<string, unknown>;
}

/**
 * Of each replica no write was served after another one had got the lease; of one that was paused at most one for each pause: it may have
 * been between the fence and the system call that sends it.
 */
function expectNoLateWrites(pauses: readonly Replica[] = []): void {
  let leader = '';
  let writes = 0;
  const late: string[] = [];
  for (const { user, verb, resource, code } of audit) {
    if (resource === 'leases' && verb !== 'get' && code < 300) leader = user;
    if (resource === 'configmaps' && verb === 'patch') {
      writes++;
      if (user !== leader) late.push(user);
    }
  }
  expect(writes).toBeGreaterThan(0);
  for (const { name } of pauses) {
    const one = late.indexOf(name);
    if (one >= 0) late.splice(one, 1);
  }
  expect(late).toEqual([]);
}

describe('operators of one bundled file', () => {
  it(
    'renew while the main thread is busy for less than the renew deadline, and end the process after it',
    async () => {
      const a = start('a');
      await a.tells('leading');
      const b = start('b');
      a.ask(`block ${times.renewDeadline / 2}`);
      a.ask('write');
      await a.tells('wrote');
      // It was renewed meanwhile.
      expect(await leaseSpec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
      expect(a.log.some((line) => line.includes('The event loop was blocked'))).toBe(true);
      a.ask(`block ${10 * minute}`);
      a.ask('write');
      expect(await a.ended).toBe('SIGKILL');
      expect(a.log.at(-1)).toContain('The main thread does not answer');
      await b.tells('leading');
      b.ask('write');
      await b.tells('wrote');
      expect(a.told).toEqual(['leading', 'wrote']);
      b.signal('SIGTERM');
      expect(await b.ended).toBe(0);
      expectNoLateWrites();
    },
    2 * minute,
  );

  it.skipIf(!canUnshare)(
    `end it though it is the first of a container${canUnshare ? '' : ' (needs the right to unshare)'}`,
    async () => {
      const a = start('a', {}, firstProcess);
      await a.tells('leading');
      a.ask(`block ${10 * minute}`);
      expect(await a.ended).toBe(137);
      expect(a.log.join('\n')).toContain('The main thread does not answer');
    },
    2 * minute,
  );

  it(
    'stop writing while they are paused for too long, and say so',
    async () => {
      const a = start('a', { writeEvery: 5 });
      await a.tells('wrote', 20);
      const b = start('b', { writeEvery: 5 });
      await eventually('b competes', () => audit.some(({ user, resource }) => user === 'b' && resource === 'leases'));
      const paused = performance.now();
      a.signal('SIGSTOP');
      await b.tells('leading');
      expect(performance.now() - paused).toBeLessThan(bound + slack);
      await b.tells('wrote', 20);
      a.signal('SIGCONT');
      expect(await a.ended).toBe(1);
      expect(a.told.at(-1)).toBe('LeadershipLost');
      expectNoLateWrites();
    },
    2 * minute,
  );

  it(
    'give the lease back when they are asked to stop, and leave nothing running',
    async () => {
      const a = start('a', { writeEvery: 20 });
      await a.tells('wrote');
      const b = start('b', { writeEvery: 20 });
      await eventually('b competes', () => audit.some(({ user, resource }) => user === 'b' && resource === 'leases'));
      a.signal('SIGTERM');
      expect(await a.ended).toBe(0);
      expect(a.told.at(-1)).toBe('stopped');
      expect(audit.some(({ user, resource, verb }) => user === 'a' && resource === 'leases' && verb === 'update')).toBe(
        true,
      );
      await b.tells('wrote');
      expectNoLateWrites();
    },
    2 * minute,
  );

  it(
    'read credentials anew that the server refuses',
    async () => {
      writeFileSync(cluster.tokenFile('c'), 'nonsense');
      const c = cluster.runWithToken('c', {});
      await eventually('it is refused', () => c.log.length > 1);
      cluster.giveToken('c');
      await c.tells('leading');
    },
    2 * minute,
  );

  it.each([1, 2])(
    'keep to one writer under seeded disturbances (%i)',
    async (seed) => {
      const random = seededRandom(seed);
      const names = ['a', 'b', 'c'];
      const replicas = new Map<string, Replica>(names.map((name) => [name, start(name, { writeEvery: 5 })]));
      const paused: Replica[] = [];
      const pauses: Replica[] = [];
      for (let step = 0; step < 5; step++) {
        const leader = await eventually(
          'one of those that run writes',
          () => [...replicas.values()].find((replica) => !paused.includes(replica) && isWriting(replica)),
          minute,
        );
        const dice = random.next();
        if (dice < 0.4) {
          leader.signal('SIGSTOP');
          paused.push(leader);
          pauses.push(leader);
        } else if (dice < 0.7) {
          leader.signal('SIGKILL');
          await leader.ended;
        } else {
          leader.ask(`block ${10 * minute}`);
          expect(await leader.ended).toBe('SIGKILL');
        }
        audit.push(markerOf(leader));
        if (paused.length > 1 || step === 4) {
          for (const replica of paused.splice(0)) {
            // Paused for longer than its lease, since another writes; or not, at the end.
            replica.signal('SIGCONT');
          }
        }
        for (const name of names) {
          if (replicas.get(name)?.running === false) replicas.set(name, start(name, { writeEvery: 5 }));
        }
      }
      await eventually('one writes at the end', () => [...replicas.values()].some(isWriting), minute);
      expectNoLateWrites(pauses);
    },
    4 * minute,
  );
});

/** Whether the last write that the server has served since the last disturbance is the replica's. */
function isWriting({ name }: Replica): boolean {
  const since = audit.slice(audit.findLastIndex(({ verb }) => verb === 'disturbed') + 1);
  return since.some(({ user, resource, verb, code }) => {
    return user === name && resource === 'configmaps' && verb === 'patch' && code === 200;
  });
}

/** Stands in the audit where a leader was disturbed. */
function markerOf({ name }: Replica): AuditEvent {
  const nothing = {
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    allowed: true,
    code: 0,
  };
  return { user: name, verb: 'disturbed', ...nothing };
}

it('the bundled file holds the program of the thread', () => {
  expect(readFileSync(bundle.file, 'utf8')).toContain('The main thread does not answer');
});
