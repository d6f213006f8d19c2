import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { isPods, measure } from './measure.ts';

const widgets = { group: 'example.com', version: 'v1', plural: 'widgets' };
const namespace = 'namespace-0';
let get: () => Promise<unknown> = () => Promise.reject(new Error('it has not begun'));
let changes = 0;

// As its documentation does it: the list is a call of the typed client.
await measure({
  async sync(address) {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: address, skipTLSVerify: true }, { name: 'u' });
    const core = config.makeApiClient(CoreV1Api);
    const custom = config.makeApiClient(CustomObjectsApi);
    get = isPods
      ? () => core.readNamespacedPod({ namespace, name: 'pod-0' })
      : () => custom.getNamespacedCustomObject({ ...widgets, namespace, name: 'widget-0' });
    const list = async (): Promise<KubernetesListObject<KubernetesObject>> =>
      isPods
        ? core.listPodForAllNamespaces()
        : ((await custom.listClusterCustomObject(widgets)) as KubernetesListObject<KubernetesObject>);
    const informer = makeInformer(config, isPods ? '/api/v1/pods' : '/apis/example.com/v1/widgets', list);
    informer.on('add', () => undefined);
    informer.on('update', () => changes++);
    informer.on('error', () => void informer.start());
    await informer.start();
  },
  changes: () => changes,
  get: () => get(),
});
