import { numeric, object, text, type JsonObject } from '../json.ts';
import { kinds, nameOf, namespaceOf, type Cluster } from './cluster.ts';

export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Who tells it: `cronjob-controller`. */
  readonly component: string;
}

/** Tells of an object what happened to it. What has been told before is counted. */
export async function recordEvent(cluster: Cluster, about: JsonObject, told: Told): Promise<void> {
  const namespace = namespaceOf(about);
  const involvedObject = {
    kind: about['kind'],
    namespace,
    name: nameOf(about),
    uid: object(about, 'metadata')['uid'],
    apiVersion: about['apiVersion'],
    resourceVersion: object(about, 'metadata')['resourceVersion'],
  };
  const known = cluster
    .list(kinds.events, namespace)
    .find(
      (event) =>
        text(event, 'involvedObject', 'uid') === involvedObject.uid &&
        text(event, 'source', 'component') === told.component &&
        (['type', 'reason', 'message'] as const).every((name) => text(event, name) === told[name]),
    );
  const now = cluster.timestamp;
  if (known !== undefined) {
    await cluster.update(kinds.events, known, (draft) => {
      draft['count'] = (numeric(draft['count']) ?? 1) + 1;
      draft['lastTimestamp'] = now;
    });
    return;
  }
  const { component, ...what } = told;
  await cluster.create(kinds.events, namespace, {
    metadata: { name: cluster.eventName(nameOf(about)) },
    involvedObject,
    ...what,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    reportingComponent: component,
  });
}
