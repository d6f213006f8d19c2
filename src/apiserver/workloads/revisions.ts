import { equal, fromPlain, object, text, type Json, type JsonObject } from '../json.ts';
import { kinds, nameOf, namespaceOf, numberAt, ownerReference, type Cluster } from './cluster.ts';
import { templateHash } from './hash.ts';
import { claim } from './ownership.ts';

/** The label that tells of which revision a pod is. */
export const revisionLabel = 'controller-revision-hash';

/**
 * The ControllerRevision of a StatefulSet's or DaemonSet's present template, made when it is missing; old ones beyond the history
 * are deleted unless pods still have them.
 */
export async function currentRevision(
  cluster: Cluster,
  found: JsonObject,
  selector: Json | undefined,
  used: ReadonlySet<string>,
  hashLabel: string,
): Promise<JsonObject> {
  const template = object(found, 'spec')['template'] ?? null;
  const revisions = await claim(cluster, kinds.revisions, found, selector);
  const data = fromPlain({ spec: { template: { $patch: 'replace', ...object(template) } } });
  const highest = Math.max(0, ...revisions.map((known) => numberAt(known, 0, 'revision')));
  const same = revisions.find((known) => equal(known['data'], data));
  if (same !== undefined) {
    if (numberAt(same, 0, 'revision') < highest)
      await cluster.update(kinds.revisions, same, (draft) => void (draft['revision'] = highest + 1));
    return same;
  }
  const hash = templateHash(template);
  // As they are now, the cause of the change among them.
  const annotations = object(found, 'metadata', 'annotations');
  const made = await cluster.create(kinds.revisions, namespaceOf(found), {
    metadata: {
      name: `${nameOf(found)}-${hash}`,
      labels: { ...object(template, 'metadata', 'labels'), [hashLabel]: hash },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [ownerReference(found)],
    },
    data,
    revision: highest + 1,
  });
  const kept = numberAt(found, 10, 'spec', 'revisionHistoryLimit');
  const unused = revisions
    .filter((known) => !used.has(text(known, 'metadata', 'labels', hashLabel)) && !used.has(nameOf(known)))
    .sort((left, right) => numberAt(left, 0, 'revision') - numberAt(right, 0, 'revision'));
  for (const known of unused.slice(0, Math.max(0, unused.length - kept))) await cluster.delete(kinds.revisions, known);
  return made;
}
