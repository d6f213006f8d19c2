import { bootstrap } from '../data/index.ts';
import { fromPlain, list, object, shallow, text, type JsonObject, type MutableObject } from '../json.ts';
import { parseJsonText } from '../json-text.ts';
import { timestamp, type Sources } from '../objects/operations.ts';
import { clusterRoles } from '../access/rbac.ts';
import type { Store } from '../storage/store.ts';
import { aggregateRoles } from './aggregation.ts';
import { managedFromStart } from './managers.ts';

const storages: Readonly<Record<string, string>> = {
  NamespaceList: 'namespaces',
  PriorityClassList: 'priorityclasses.scheduling.k8s.io',
  ClusterRoleList: clusterRoles,
  ClusterRoleBindingList: 'clusterrolebindings.rbac.authorization.k8s.io',
  RoleList: 'roles.rbac.authorization.k8s.io',
  RoleBindingList: 'rolebindings.rbac.authorization.k8s.io',
};

/** Puts in what every cluster has from its start, where it is missing: namespaces, RBAC roles and bindings, priority classes, the service `kubernetes`. */
export async function bootstrapObjects(store: Store, sources: Sources): Promise<void> {
  const lists = parseJsonText(await bootstrap());
  const created = timestamp(sources.now());
  for (const bundle of Array.isArray(lists) ? lists : []) {
    const kind = text(bundle, 'kind');
    const storage = storages[kind];
    if (storage === undefined) continue;
    const collection = store.collection(storage);
    for (const item of list(bundle, 'items')) {
      const value: MutableObject = fromPlain({
        kind: kind.replace(/List$/, ''),
        apiVersion: text(bundle, 'apiVersion'),
      }) as MutableObject;
      for (const [name, inner] of Object.entries(object(item))) value[name] = inner;
      const metadata = shallow(value['metadata']);
      metadata['uid'] = sources.uuid();
      metadata['creationTimestamp'] = created;
      metadata['managedFields'] = managedFromStart(value, created);
      value['metadata'] = metadata;
      const key = { namespace: text(metadata, 'namespace'), name: text(metadata, 'name') };
      if (collection.get(key) === undefined) collection.create(key, value);
    }
  }
  const services = store.collection('services');
  const key = { namespace: 'default', name: 'kubernetes' };
  if (services.get(key) === undefined) services.create(key, ownService(sources.uuid(), created));
  aggregateRoles(store, created);
}

/** The service by which pods would reach the server. */
function ownService(uid: string, created: string): JsonObject {
  const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  const port = { '.': {}, ...named('name', 'port', 'protocol', 'targetPort') };
  return fromPlain({
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      uid,
      creationTimestamp: created,
      labels: { component: 'apiserver', provider: 'kubernetes' },
      managedFields: [
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          apiVersion: 'v1',
          time: created,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, ...named('component', 'provider') } },
            'f:spec': {
              ...named('clusterIP', 'internalTrafficPolicy', 'ipFamilyPolicy'),
              'f:ports': { '.': {}, 'k:{"port":443,"protocol":"TCP"}': port },
              ...named('sessionAffinity', 'type'),
            },
          },
        },
      ],
    },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  }) as JsonObject;
}

/** What a controller gives to each namespace: its default account. */
export function populateNamespace(store: Store, sources: Sources, namespace: string): void {
  const accounts = store.collection('serviceaccounts');
  const name = 'default';
  if (accounts.get({ namespace, name }) !== undefined) return;
  const metadata = { name, namespace, uid: sources.uuid(), creationTimestamp: timestamp(sources.now()) };
  accounts.create({ namespace, name }, fromPlain({ kind: 'ServiceAccount', apiVersion: 'v1', metadata }) as JsonObject);
}
