import { defineKind, type KubernetesObject } from 'operator-runtime';
import { createCache } from 'operator-runtime/cache';
import { WorkQueue } from 'operator-runtime/queue';
import { expect, it } from 'vitest';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { VirtualApiServer } from '../support/virtual-api-server.ts';

const ConfigMap = defineKind<KubernetesObject & { data?: Record<string, string> }, 'Namespaced'>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});

it('an informer, an indexer and a queue make a controller by hand, without a manager', async () => {
  const environment = createVirtualEnvironment();
  const server = new VirtualApiServer({ configmaps: 'ConfigMap' });
  const seen: string[] = [];

  // The twenty lines.
  const { transport } = server;
  const stop = new AbortController();
  const queue = new WorkQueue<string>(environment);
  const informer = createCache({ transport, environment }).informerFor(ConfigMap);
  informer.indexer.addIndex('color', ({ data }) => (data?.['color'] === undefined ? [] : [data['color']]));
  informer.addEventHandler({
    add: ({ metadata }) => queue.add(metadata.name ?? ''),
    update: (_, { metadata }) => queue.add(metadata.name ?? ''),
    delete: ({ metadata }) => queue.add(metadata.name ?? ''),
  });
  const watching = informer.start(stop.signal);
  const working = (async () => {
    await informer.waitForSync();
    for (let name = await queue.get(); name !== undefined; name = await queue.get()) {
      const object = informer.indexer.get({ namespace: 'ns', name });
      seen.push(
        `${name}: ${object?.data?.['color'] ?? 'gone'} (${informer.indexer.byIndex('color', 'red').length} red)`,
      );
      queue.forget(name);
      queue.done(name);
    }
  })();

  const put = (name: string, color: string): void => {
    server.put('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'ns' },
      data: { color },
    });
  };
  put('a', 'red');
  await environment.settle();
  put('b', 'blue');
  await environment.settle();
  put('b', 'red');
  await environment.settle();
  server.delete('api/v1/namespaces/ns/configmaps/a');
  await environment.settle();
  expect(seen).toEqual(['a: red (1 red)', 'b: blue (1 red)', 'b: red (2 red)', 'a: gone (1 red)']);

  queue.shutDown();
  stop.abort();
  await Promise.all([watching, working]);
  expect(environment.pendingTimers).toBe(0);
});
