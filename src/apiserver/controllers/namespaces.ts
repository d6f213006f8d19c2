import { deleteAll } from '../objects/deletion.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import { controllerOptions } from '../objects/write-options.ts';
import { isTerminating } from '../objects/metadata.ts';
import { jsonObject, list, object, shallow, text, texts, type Json, type JsonObject } from '../json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ClusterWrites } from '../workloads/cluster.ts';

/** Empties namespaces that are being deleted and lets them go when nothing is left. */
export async function cleanUpNamespaces(
  operations: Operations,
  registry: ResourceRegistry,
  record: ClusterWrites['record'],
): Promise<void> {
  for (const namespace of operations.store.collection('namespaces').list()) {
    if (isTerminating(namespace)) await cleanUp(operations, registry, namespace, record);
  }
}

async function cleanUp(
  operations: Operations,
  registry: ResourceRegistry,
  namespace: JsonObject,
  record: ClusterWrites['record'],
): Promise<void> {
  const name = text(namespace, 'metadata', 'name');
  const collection = operations.store.collection('namespaces');
  const remaining: string[] = [];
  const finalizers = new Map<string, number>();
  if (list(namespace, 'spec', 'finalizers').length > 0) {
    for (const resource of registry.storages()) {
      if (!resource.namespaced) continue;
      const objects = operations.collection(resource).list(name);
      await deleteAll(
        operations,
        resource,
        objects.filter((found) => !isTerminating(found)),
        { propagationPolicy: 'Background' },
        controllerOptions,
      );
      const left = operations.collection(resource).list(name);
      if (left.length === 0) continue;
      remaining.push(`${resource.resource}.${resource.group} has ${left.length} resource instances`);
      for (const found of left)
        for (const finalizer of texts(found, 'metadata', 'finalizers'))
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  const current = collection.get({ namespace: '', name });
  if (current === undefined) return;
  const next = copyOf(current);
  if (remaining.length === 0) {
    const spec = shallow(next['spec']);
    delete spec['finalizers'];
    next['spec'] = spec;
    if (list(current, 'metadata', 'finalizers').length === 0) {
      collection.delete({ namespace: '', name });
      return;
    }
    if (list(current, 'spec', 'finalizers').length === 0) return;
    collection.update({ namespace: '', name }, next);
    return;
  }
  const status = shallow(next['status']);
  const before = list(status, 'conditions');
  const now = timestamp(operations.sources.now());
  const condition = (type: string, is: boolean, reason: string, message: string): Json => {
    const known = before.find((found) => text(found, 'type') === type);
    const state = is ? 'True' : 'False';
    return jsonObject([
      ['type', type],
      ['status', state],
      [
        'lastTransitionTime',
        known !== undefined && text(known, 'status') === state ? (object(known)['lastTransitionTime'] ?? now) : now,
      ],
      ['reason', reason],
      ['message', message],
    ]);
  };
  const waiting = [...finalizers]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  status['conditions'] = [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    condition(
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    condition(
      'NamespaceContentRemaining',
      true,
      'SomeResourcesRemain',
      `Some resources are remaining: ${remaining.sort().join(', ')}`,
    ),
    waiting.length === 0
      ? condition(
          'NamespaceFinalizersRemaining',
          false,
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${waiting.join(', ')}`,
        ),
  ];
  next['status'] = status;
  if (JSON.stringify(object(current, 'status')) === JSON.stringify(status)) return;
  const resource = registry.byStorage('namespaces');
  if (resource === undefined) return;
  const change = { ...controllerOptions, ...record(resource, 'status'), retry: true };
  await operations.update(resource, { namespace: '', name }, 'status', () => copyOf(next), change);
}
