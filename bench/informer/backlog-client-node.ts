import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, type V1Pod, type V1ReplicaSet } from '@kubernetes/client-node';
import { isHot, measureBacklog, Reconciled, write } from './backlog.ts';
import { owners } from './pod.ts';

const reconciled = new Reconciled();
/** What a controller on client-node has to do by itself: an index, a queue without duplicates, and a worker. */
const byOwner = new Map<string, Map<string, V1Pod>>();
const sets = new Map<string, V1ReplicaSet>();
const queue = new Set<string>();
let working = false;

function enqueue(key: string): void {
  queue.add(key);
  if (working) return;
  working = true;
  setImmediate(() => void work());
}

async function reconcile(key: string): Promise<void> {
  const set = sets.get(key);
  if (set === undefined) return;
  const owned = [...(byOwner.get(set.metadata?.uid ?? '')?.values() ?? [])];
  const generations = owned.flatMap(({ metadata }) => (isHot(metadata?.name ?? '') ? [metadata?.generation ?? 0] : []));
  await write();
  reconciled.saw(set.metadata?.name ?? '', generations);
}

async function work(): Promise<void> {
  for (const key of queue) {
    queue.delete(key);
    await reconcile(key);
  }
  working = false;
}

function indexed(pod: V1Pod): void {
  for (const { uid } of pod.metadata?.ownerReferences ?? []) {
    const pods = byOwner.get(uid) ?? new Map<string, V1Pod>();
    byOwner.set(uid, pods.set(`${pod.metadata?.namespace}/${pod.metadata?.name}`, pod));
  }
}

await measureBacklog(
  async (address) => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: address, skipTLSVerify: true }, { name: 'u' });
    const core = config.makeApiClient(CoreV1Api);
    const apps = config.makeApiClient(AppsV1Api);
    const setInformer = makeInformer(config, '/apis/apps/v1/replicasets', () => apps.listReplicaSetForAllNamespaces());
    setInformer.on('add', (set) => {
      const key = `${set.metadata?.namespace}/${set.metadata?.name}`;
      sets.set(key, set);
      enqueue(key);
    });
    const podInformer = makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
    const generations = new Map<string, number | undefined>();
    const handle = (pod: V1Pod): void => {
      const { uid = '', generation, namespace, ownerReferences } = pod.metadata ?? {};
      indexed(pod);
      if (generations.get(uid) === generation) return;
      generations.set(uid, generation);
      const owner = ownerReferences?.find(({ controller }) => controller === true);
      if (owner !== undefined) enqueue(`${namespace}/${owner.name}`);
    };
    podInformer.on('add', handle);
    podInformer.on('update', handle);
    await setInformer.start();
    await podInformer.start();
    while (reconciled.runs < owners) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  reconciled,
  owners,
);
