import { protection } from '../builtin/storage-protection.ts';
import { at, child, isObject, list, text, texts, type JsonObject } from '../json.ts';
import { isTerminating } from '../objects/metadata.ts';
import { copyOf, type Operations } from '../objects/operations.ts';
import { controllerOptions } from '../objects/write-options.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { ApiError } from '../status.ts';
import { keyOf, type StoreEvent } from '../storage/store.ts';

/** Whether a write may free storage that is to be deleted. */
export function mayFreeStorage(storage: string, event: StoreEvent): boolean {
  return storage === 'pods'
    ? event.type === 'DELETED'
    : protection[storage] !== undefined && isTerminating(event.object);
}

/** Takes their protection off claims that are to be deleted and no pod on a node uses, and off volumes that are not bound. */
export async function releaseStorage(operations: Operations, registry: ResourceRegistry): Promise<void> {
  for (const [storage, finalizer] of Object.entries(protection)) {
    const resource = registry.byStorage(storage);
    if (resource === undefined) continue;
    for (const found of operations.store.collection(storage).list()) {
      const waits = isTerminating(found) && texts(found, 'metadata', 'finalizers').includes(finalizer);
      if (!waits || isUsed(operations, storage, found)) continue;
      try {
        await operations.update(
          resource,
          keyOf(found),
          '',
          (old) => {
            const next = copyOf(old);
            const metadata = child(next, 'metadata');
            const kept = texts(metadata, 'finalizers').filter((other) => other !== finalizer);
            if (kept.length === 0) delete metadata['finalizers'];
            else metadata['finalizers'] = kept;
            return next;
          },
          { ...controllerOptions, retry: true },
        );
      } catch (error) {
        // Somebody else was quicker.
        if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error;
      }
    }
  }
}

function isUsed({ store }: Operations, storage: string, found: JsonObject): boolean {
  if (storage !== 'persistentvolumeclaims') return text(found, 'status', 'phase') === 'Bound';
  const { namespace, name } = keyOf(found);
  return store
    .collection('pods')
    .list()
    .some((pod) => {
      if (text(pod, 'metadata', 'namespace') !== namespace || text(pod, 'spec', 'nodeName') === '') return false;
      const owned = `${text(pod, 'metadata', 'name')}-`;
      return list(pod, 'spec', 'volumes').some(
        (volume) =>
          text(volume, 'persistentVolumeClaim', 'claimName') === name ||
          (isObject(at(volume, 'ephemeral')) && `${owned}${text(volume, 'name')}` === name),
      );
    });
}
