import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { widgets } from './definitions.ts';

describe('@kubernetes/client-node', () => {
  let environment: TestEnvironment;
  let config: KubeConfig;

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', manifests: [widgets] });
    config = new KubeConfig();
    config.loadFromString(environment.kubeconfig());
  });
  afterAll(async () => {
    await environment.stop();
  });

  it('creates, reads, patches and deletes', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const created = await core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'a' }, data: { x: '1' } },
    });
    expect(created.metadata?.resourceVersion).toMatch(/^\d+$/);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace: 'default',
      name: 'a',
      body: Object.assign(created, { data: { x: '2' } }),
    });
    expect(replaced.data).toEqual({ x: '2' });
    await expect(
      core.replaceNamespacedConfigMap({
        namespace: 'default',
        name: 'a',
        body: Object.assign(created, { data: { x: '3' } }),
      }),
    ).rejects.toMatchObject({ code: 409 });
    const { items } = await core.listNamespacedConfigMap({ namespace: 'default' });
    expect(items.map((item) => item.metadata?.name)).toEqual(['a']);
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'a' });
    await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'a' })).rejects.toMatchObject({
      code: 404,
    });
  });

  it('works with custom resources', async () => {
    const objects = config.makeApiClient(CustomObjectsApi);
    const kind = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } };
    expect(await objects.createNamespacedCustomObject({ ...kind, body })).toMatchObject({
      spec: { size: 1, color: 'red' },
    });
    await expect(
      objects.createNamespacedCustomObject({ ...kind, body: { ...body, metadata: { name: 'v' }, spec: { size: 99 } } }),
    ).rejects.toMatchObject({ code: 422 });
    await objects.deleteNamespacedCustomObject({ ...kind, name: 'w' });
  });

  it('watches, and its informers follow', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const seen: string[] = [];
    const informer = makeInformer(config, '/api/v1/namespaces/default/secrets', () =>
      core.listNamespacedSecret({ namespace: 'default' }),
    );
    informer.on('add', (secret) => seen.push(`add ${secret.metadata?.name}`));
    informer.on('update', (secret) => seen.push(`update ${secret.metadata?.name}`));
    informer.on('delete', (secret) => seen.push(`delete ${secret.metadata?.name}`));
    await core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'before' } } });
    await informer.start();
    await core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'after' } } });
    await core.deleteNamespacedSecret({ namespace: 'default', name: 'before' });
    await expect.poll(() => seen).toEqual(['add before', 'add after', 'delete before']);
    await informer.stop();
    const events: string[] = [];
    const controller = await new Watch(config).watch(
      '/api/v1/namespaces/default/secrets',
      { allowWatchBookmarks: true },
      (type) => events.push(type),
      () => undefined,
    );
    await expect.poll(() => events).toEqual(['ADDED', 'BOOKMARK']);
    controller.abort();
  });
});
