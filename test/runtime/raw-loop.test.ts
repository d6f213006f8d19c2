import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineKind, type Cached, type KubernetesObject } from 'operator-runtime';
import { createCache } from 'operator-runtime/cache';
import { WorkQueue } from 'operator-runtime/queue';
import { expect, it } from 'vitest';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { root } from '../../tools/repository.ts';
import { VirtualApiServer } from '../support/virtual-api-server.ts';

type ConfigMap = Cached<KubernetesObject & { data?: Record<string, string> }>;
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

  const { transport } = server;
  const stop = new AbortController();
  let failures = 1;
  const errors: unknown[] = [];
  const report = (error: unknown): void => void errors.push(error);
  const reconcile = (name: string, object: ConfigMap | undefined, red: readonly ConfigMap[]): void => {
    if (name === 'b' && failures-- > 0) throw new Error('not yet');
    seen.push(`${name}: ${object?.data?.['color'] ?? 'gone'} (${red.length} red)`);
  };

  // The twenty lines; README.md of the runtime has the same.
  const queue = new WorkQueue<string>(environment);
  const informer = createCache({ transport, environment }).informerFor(ConfigMap);
  informer.indexer.addIndex('color', ({ data }) => (data?.['color'] === undefined ? [] : [data['color']]));
  informer.addEventHandler({
    add: ({ metadata }) => queue.add(metadata.name ?? ''),
    update: (_, { metadata }) => queue.add(metadata.name ?? ''),
    delete: ({ metadata }) => queue.add(metadata.name ?? ''),
  });
  const watching = informer.start(stop.signal);
  const work = async (): Promise<void> => {
    await informer.waitForSync();
    for (let name = await queue.get(); name !== undefined; name = await queue.get()) {
      try {
        reconcile(name, informer.indexer.get({ namespace: 'ns', name }), informer.indexer.byIndex('color', 'red'));
        queue.forget(name);
      } catch (error) {
        report(error);
        queue.addRateLimited(name);
      }
      queue.done(name);
    }
  };
  const working = work();
  // Until here.

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
  // It failed, and is tried again after its backoff.
  expect(seen).toEqual(['a: red (1 red)']);
  await environment.advance(10);
  put('b', 'red');
  await environment.settle();
  server.delete('api/v1/namespaces/ns/configmaps/a');
  await environment.settle();
  expect(seen).toEqual(['a: red (1 red)', 'b: blue (1 red)', 'b: red (2 red)', 'a: gone (1 red)']);

  expect(errors).toEqual([new Error('not yet')]);
  queue.shutDown();
  stop.abort();
  await Promise.all([watching, working]);
  expect(environment.pendingTimers).toBe(0);
});

it('the README shows these lines', () => {
  const source = readFileSync(import.meta.filename, 'utf8');
  const lines = /README.md of the runtime has the same\.\n([^]*?)\n *\/\/ Until here/.exec(source)?.[1] ?? '';
  const body = lines.replaceAll(/^ {2}/gm, '');
  expect(body.split('\n').length).toBeLessThanOrEqual(24);
  expect(readFileSync(join(root, 'src', 'runtime', 'README.md'), 'utf8')).toContain(body);
});
