import { fromPlain, isObject, list, type Json, type JsonObject } from '../json.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import { controllerOf, isTerminating, namespaceOf, ownerReference, uidOf, type Cluster, type Kind } from './cluster.ts';

/**
 * The objects that belong to a controller: those that carry its reference. Orphans that its selector takes in are adopted; those
 * whose labels do not fit any more are let go.
 */
export async function claim(
  cluster: Cluster,
  kind: Kind,
  owner: JsonObject,
  selector: Json | undefined,
): Promise<readonly JsonObject[]> {
  const parsed = labelSelectorOf(selector);
  const claimed: JsonObject[] = [];
  if (!isObject(selector) || parsed.empty) return claimed;
  for (const found of cluster.list(kind, namespaceOf(owner))) {
    const controller = controllerOf(found);
    const fits = parsed.matches(labelsOf(found));
    if (controller === undefined) {
      if (!fits || isTerminating(found) || isTerminating(owner)) continue;
      await cluster.update(kind, found, (draft) => {
        const metadata = draft['metadata'];
        if (!isObject(metadata)) return;
        draft['metadata'] = {
          ...metadata,
          ownerReferences: [...list(draft, 'metadata', 'ownerReferences'), fromPlain(ownerReference(owner))],
        };
      });
      const adopted = cluster.list(kind, namespaceOf(owner)).find((candidate) => uidOf(candidate) === uidOf(found));
      if (adopted !== undefined) claimed.push(adopted);
    } else if (isObject(controller) && controller['uid'] === uidOf(owner)) {
      if (fits) claimed.push(found);
      else if (!isTerminating(found)) await release(cluster, kind, found, uidOf(owner));
    }
  }
  return claimed;
}

async function release(cluster: Cluster, kind: Kind, found: JsonObject, uid: string): Promise<void> {
  await cluster.update(kind, found, (draft) => {
    const metadata = draft['metadata'];
    if (!isObject(metadata)) return;
    const rest = list(draft, 'metadata', 'ownerReferences').filter((owner) => !isObject(owner) || owner['uid'] !== uid);
    const { ownerReferences: _, ...others } = metadata;
    draft['metadata'] = rest.length === 0 ? others : { ...others, ownerReferences: rest };
  });
}
