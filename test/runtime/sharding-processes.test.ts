// Sharding among real processes, each started from one bundled file: they come, are paused, killed and blocked; the server says who
// wrote when.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownerOf, slotOf } from '../../src/runtime/election/sharding/hashing.ts';
import { ElectionCluster, bundleProgram } from './election-cluster.ts';
import type { Bundle } from './election-cluster.ts';
import type { Replica } from './election-replica.ts';
import { eventually } from './example-process.ts';

const minute = 60_000;
const slots = 8;
const names = Array.from({ length: 24 }, (_, index) => `map-${index}`);

let bundle: Bundle;
let cluster: ElectionCluster;

beforeAll(async () => {
  bundle = await bundleProgram();
}, 5 * minute);

afterAll(() => {
  bundle?.remove();
});

beforeEach(async () => {
  cluster = await ElectionCluster.start(bundle);
  await Promise.all(names.map((name) => cluster.createConfigMap(name)));
});

afterEach(async () => {
  await cluster.stop();
});

const start = (name: string): Replica => cluster.run(name, { slots });
const slotIn = (name: string): number => slotOf({ namespace: 'default', name }, slots);

/** Waits until each of the ConfigMaps is written by whose it is among the members, and by nobody else. */
async function shared(members: readonly string[]): Promise<void> {
  const isOwners = (name: string): boolean => {
    const last = cluster.audit.findLast(
      (event) => event.resource === 'configmaps' && event.verb === 'patch' && event.name === name,
    );
    return last !== undefined && last.user === ownerOf(slotIn(name), members);
  };
  await eventually(`the work is shared by ${members.join(', ')}`, () => names.every(isOwners), minute);
}

/**
 * A ConfigMap was written only by who held its slot then; of one that was paused one write may have been between the fence and the system
 * call that sends it.
 */
function expectNoLateWrites(paused: readonly Replica[] = []): void {
  const holders = new Map<number, string>();
  const late: string[] = [];
  let writes = 0;
  for (const { user, verb, resource, name, code } of cluster.audit) {
    const slot = /^op-slot-(\d+)-of-/.exec(name)?.[1];
    if (resource === 'leases' && slot !== undefined && code < 300 && verb !== 'get') holders.set(Number(slot), user);
    if (resource === 'configmaps' && verb === 'patch' && code === 200) {
      writes++;
      // Who made a Lease is known from its first renewal on: a create does not say its name in the path.
      const holder = holders.get(slotIn(name));
      if (holder !== undefined && user !== holder) late.push(user);
    }
  }
  expect(writes).toBeGreaterThan(names.length);
  expect(holders.size).toBe(slots);
  for (const { name } of paused) {
    const one = late.indexOf(name);
    if (one >= 0) late.splice(one, 1);
  }
  expect(late).toEqual([]);
}

describe('operators that share the work', () => {
  it(
    'come and go in order, one after the other',
    async () => {
      const a = start('a');
      await shared(['a']);
      const b = start('b');
      await shared(['a', 'b']);
      const c = start('c');
      await shared(['a', 'b', 'c']);
      b.signal('SIGTERM');
      expect(await b.ended).toBe(0);
      await shared(['a', 'c']);
      a.signal('SIGTERM');
      c.signal('SIGTERM');
      expect(await Promise.all([a.ended, c.ended])).toEqual([0, 0]);
      expectNoLateWrites();
      const { items } = (await cluster.request('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases')) as {
        items: { metadata: { name: string }; spec: { holderIdentity?: string } }[];
      };
      expect(items).toHaveLength(slots);
      expect(items.every(({ spec }) => !spec.holderIdentity)).toBe(true);
    },
    3 * minute,
  );

  it(
    'take over from those that are killed or do not answer, and let the paused come back',
    async () => {
      const [a, b, c] = [start('a'), start('b'), start('c')];
      await shared(['a', 'b', 'c']);
      a.signal('SIGKILL');
      await shared(['b', 'c']);
      b.signal('SIGSTOP');
      await shared(['c']);
      b.signal('SIGCONT');
      // It has lost its slots, not its life.
      await shared(['b', 'c']);
      expect(b.running).toBe(true);
      c.ask('block 600000');
      expect(await c.ended).toBe('SIGKILL');
      await shared(['b']);
      b.signal('SIGTERM');
      expect(await b.ended).toBe(0);
      expectNoLateWrites([b]);
    },
    4 * minute,
  );
});
