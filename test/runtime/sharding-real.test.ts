// Sharding on a real kube-apiserver: that its Leases are such as the server takes, lists by their label and lets go.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransport, defaultEnvironment, loadConfiguration } from 'operator-runtime';
import { ownerOf } from '../../src/runtime/election/sharding/hashing.ts';
import { createShardLeases } from '../../src/runtime/election/sharding/shard-leases.ts';
import { Sharder } from '../../src/runtime/election/sharding/sharder.ts';
import type { Transport } from '../../src/runtime/environment/environment.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import type { ApiClient } from '../conformance/kubernetes/client.ts';
import { findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { startKubernetes } from '../conformance/kubernetes/server.ts';
import type { Kubernetes } from '../conformance/kubernetes/server.ts';
import { eventually } from './example-process.ts';

const minute = 60_000;
const slots = 8;
const all = Array.from({ length: slots }, (_, slot) => slot);
/** Longer than a label's value may be. */
const id = `${'widgets.'.repeat(9)}example.com`;
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describe.skipIf(findPrograms() === undefined)(`sharding on a real kube-apiserver${withoutPrograms}`, () => {
  let kubernetes: Kubernetes;
  let client: ApiClient;
  let transport: Transport;

  beforeAll(async () => {
    kubernetes = await startKubernetes();
    client = kubernetes.client();
    transport = createTransport(await loadConfiguration({ kubeconfig: kubernetes.kubeconfig() }));
  }, 2 * minute);
  afterAll(async () => {
    await transport?.close();
    await kubernetes?.stop();
  });

  const start = (identity: string): { sharder: Sharder; held: () => number[]; stop: () => Promise<void> } => {
    const environment = defaultEnvironment();
    const common = { transport, environment, logger: discardLogger, namespace: 'default', id, slots };
    const times = { leaseDuration: 40_000, renewDeadline: 30_000, retryPeriod: 100 };
    const leases = createShardLeases(common);
    const sharder = new Sharder({ leases, slots, identity, environment, log: discardLogger, ...times });
    const end = new AbortController();
    const handler = { gained: () => undefined, lost: () => undefined, yield: () => Promise.resolve() };
    const running = sharder.run(handler, end.signal);
    return {
      sharder,
      held: () => all.filter((slot) => sharder.holds(slot)),
      async stop() {
        sharder.retire();
        end.abort();
        await running;
        await sharder.release();
      },
    };
  };

  it(
    'members take, hand over and give back slots',
    async () => {
      const a = start('host-a_1');
      await eventually('a holds all', () => a.held().length === slots);
      const b = start('host-b_2');
      const due = all.filter((slot) => ownerOf(slot, ['host-a_1', 'host-b_2']) === 'host-b_2');
      await eventually('b holds its share', () => b.held().length === due.length);
      expect([a.held(), b.held()]).toEqual([all.filter((slot) => !due.includes(slot)), due]);
      await a.stop();
      await eventually('b holds all', () => b.held().length === slots);
      expect(b.sharder.members).toEqual(['host-b_2']);
      await b.stop();
      const { items } = (await client.expect('GET', leases)) as { items: { spec: { holderIdentity?: string } }[] };
      expect(items).toHaveLength(slots);
      expect(items.filter(({ spec }) => spec.holderIdentity)).toEqual([]);
    },
    minute,
  );
});
