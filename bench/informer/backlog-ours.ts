import { createManager, defaultEnvironment, done, fixedCredentials, generationChanged } from 'operator-runtime';
import { ReplicaSet } from 'operator-runtime/apis/apps/v1';
import { Pod } from 'operator-runtime/apis/core/v1';
import { ownerIndex, stripManagedFields } from 'operator-runtime/cache';
import { createTransport } from 'operator-runtime/client';
import { isHot, measureBacklog, Reconciled, write } from './backlog.ts';
import { owners } from './pod.ts';

const reconciled = new Reconciled();

await measureBacklog(
  async (address) => {
    const manager = createManager({
      environment: defaultEnvironment(),
      transport: createTransport({ server: address, credentials: fixedCredentials({}) }),
      cache: { transform: stripManagedFields },
    });
    const pods = manager.cache.informerFor(Pod);
    pods.indexer.addIndex('owner', ownerIndex);
    manager
      .controller('replicaset')
      .for(ReplicaSet, { predicates: [generationChanged] })
      .owns(Pod, { predicates: [generationChanged] })
      .reconcile(async (key, { client }) => {
        const owner = await client.get(ReplicaSet, key);
        if (owner === undefined) return done;
        const owned = await client.list(Pod, { index: { name: 'owner', value: owner.metadata.uid ?? '' } });
        const generations = owned.flatMap(({ metadata: { name = '', generation = 0 } }) =>
          isHot(name) ? [generation] : [],
        );
        await write();
        reconciled.saw(key.name, generations);
        return done;
      });
    void manager.start({ signal: new AbortController().signal });
    await pods.waitForSync();
    while (reconciled.runs < owners) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  reconciled,
  owners,
);
