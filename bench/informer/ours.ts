import { defaultEnvironment, defineKind, fixedCredentials, type Kind, type KubernetesObject } from 'operator-runtime';
import { createCache, stripManagedFields, type SharedInformer } from 'operator-runtime/cache';
import { createClient, createTransport, type Client } from 'operator-runtime/client';
import { isPods, measure } from './measure.ts';

const kind: Kind<KubernetesObject, 'Namespaced'> = defineKind({
  ...(isPods
    ? { group: '', version: 'v1', kind: 'Pod', plural: 'pods' }
    : { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets' }),
  scope: 'Namespaced',
  subresources: [],
});
const environment = defaultEnvironment();
let informer: SharedInformer<KubernetesObject> | undefined;
let client: Client | undefined;
let changes = 0;

await measure({
  async sync(address) {
    const transport = createTransport({ server: address, credentials: fixedCredentials({}) });
    client = createClient({ transport, environment });
    const cache = createCache({ transport, environment, streamingList: process.env['LIST_IN_PAGES'] === undefined });
    informer = cache.informerFor(kind, { transform: stripManagedFields });
    let added = 0;
    const handler = { add: () => added++, update: () => changes++ };
    // Handlers of controllers only compute keys; the other kind is handed every object whole.
    if (process.env['READ_BODIES'] === undefined) informer.addLazyEventHandler(handler);
    else informer.addEventHandler(handler);
    void cache.start(new AbortController().signal);
    await cache.waitForSync();
    if (added !== informer.indexer.size) throw new Error('not all objects were told of');
  },
  changes: () => changes,
  lists: () => informer?.statistics().lists ?? 0,
  get: async () => client?.live.get(kind, { namespace: 'namespace-0', name: `${isPods ? 'pod' : 'widget'}-0` }),
});
