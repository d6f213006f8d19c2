import {
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { measure } from './measure.ts';

const group = { group: 'example.com', version: 'v1', plural: 'widgets' };
let api: CustomObjectsApi | undefined;
let changes = 0;

await measure({
  async sync(address) {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: address, skipTLSVerify: true }, { name: 'u' });
    const custom = config.makeApiClient(CustomObjectsApi);
    api = custom;
    const list = async (): Promise<KubernetesListObject<KubernetesObject>> =>
      (await custom.listClusterCustomObject(group)) as KubernetesListObject<KubernetesObject>;
    const informer = makeInformer(config, '/apis/example.com/v1/widgets', list);
    informer.on('add', () => undefined);
    informer.on('update', () => changes++);
    informer.on('error', () => void informer.start());
    await informer.start();
  },
  changes: () => changes,
  get: async () => api?.getNamespacedCustomObject({ ...group, namespace: 'namespace-0', name: 'widget-0' }),
});
