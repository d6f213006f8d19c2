import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { changes, isPods, measure } from './measure.ts';

const instances = { group: 'compute.cloud.com', version: 'v1', plural: 'ec2instances' };
const namespace = 'namespace-0';
let get: () => Promise<unknown> = () => Promise.reject(new Error('it has not begun'));

// As its documentation does it: the list is a call of the typed client.
await measure({
  async sync(address) {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: address, skipTLSVerify: true }, { name: 'u' });
    const core = config.makeApiClient(CoreV1Api);
    const custom = config.makeApiClient(CustomObjectsApi);
    get = isPods
      ? () => core.readNamespacedPod({ namespace, name: 'pod-0' })
      : () => custom.getNamespacedCustomObject({ ...instances, namespace, name: 'instance-0' });
    const list = async (): Promise<KubernetesListObject<KubernetesObject>> =>
      isPods
        ? core.listPodForAllNamespaces()
        : ((await custom.listClusterCustomObject(instances)) as KubernetesListObject<KubernetesObject>);
    const informer = makeInformer(config, isPods ? '/api/v1/pods' : '/apis/compute.cloud.com/v1/ec2instances', list);
    informer.on('add', () => undefined);
    informer.on('update', () => changes.note());
    informer.on('error', () => void informer.start());
    await informer.start();
  },
  watches: true,
  get: () => get(),
});
