import { defaultEnvironment, defineKind, fixedCredentials, type Kind, type KubernetesObject } from 'operator-runtime';
import { createCache, stripManagedFields, type SharedInformer } from 'operator-runtime/cache';
import { createClient, createTransport, type Client } from 'operator-runtime/client';
import { changes, isPods, measure } from './measure.ts';

const kind: Kind<KubernetesObject, 'Namespaced'> = defineKind({
  ...(isPods
    ? { group: '', version: 'v1', kind: 'Pod', plural: 'pods' }
    : { group: 'compute.cloud.com', version: 'v1', kind: 'Ec2Instance', plural: 'ec2instances' }),
  scope: 'Namespaced',
  subresources: [],
});
const environment = defaultEnvironment();
let informer: SharedInformer<KubernetesObject> | undefined;
let client: Client | undefined;

await measure({
  async sync(address) {
    const transport = createTransport({ server: address, credentials: fixedCredentials({}) });
    client = createClient({ transport, environment });
    const cache = createCache({ transport, environment, streamingList: process.env['LIST_IN_PAGES'] === undefined });
    informer = cache.informerFor(kind, { transform: stripManagedFields });
    let added = 0;
    const handler = { add: () => added++, update: () => changes.note() };
    // Handlers of controllers only compute keys; the other kind is handed every object whole.
    if (process.env['READ_BODIES'] === undefined) informer.addLazyEventHandler(handler);
    else informer.addEventHandler(handler);
    void cache.start(new AbortController().signal);
    await cache.waitForSync();
    if (added !== informer.indexer.size) throw new Error('not all objects were told of');
  },
  watches: true,
  lists: () => informer?.statistics().lists ?? 0,
  listTime: () => informer?.statistics().lastListMilliseconds ?? 0,
  get: async () => client?.live.get(kind, { namespace: 'namespace-0', name: `${isPods ? 'pod' : 'instance'}-0` }),
});
