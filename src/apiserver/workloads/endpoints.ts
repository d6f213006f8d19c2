import {
  equal,
  fromPlain,
  list,
  member,
  numeric,
  object,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { labelsOf } from '../selectors/label-selector.ts';
import {
  isFinished,
  isReady,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  ownerReference,
  uidOf,
  type Cluster,
} from './cluster.ts';

const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
const managed = { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' };

/** Keeps the EndpointSlice and the Endpoints of a service that selects pods. */
export async function reconcileService(cluster: Cluster, service: JsonObject): Promise<void> {
  const selector = object(service, 'spec', 'selector');
  if (isTerminating(service) || Object.keys(selector).length === 0) return;
  if (text(service, 'spec', 'type') === 'ExternalName') return;
  const all = object(service, 'spec')['publishNotReadyAddresses'] === true;
  const pods = cluster
    .list(kinds.pods, namespaceOf(service))
    .filter(
      (pod) =>
        text(pod, 'status', 'podIP') !== '' &&
        !isFinished(pod) &&
        Object.entries(selector).every(([name, value]) => labelsOf(pod)[name] === value),
    );
  await writeSlice(cluster, service, pods, all);
  await writeEndpoints(cluster, service, pods, all);
}

/** The ports of a service as a pod has them; a named port that the pod lacks is left out. */
function portsOf(service: JsonObject, pod: JsonObject | undefined): readonly Record<string, unknown>[] {
  return list(service, 'spec', 'ports').flatMap((port) => {
    const target = member(port, 'targetPort');
    const number = typeof target === 'string' ? namedPort(pod, target, text(port, 'protocol')) : numeric(target);
    if (number === undefined) return [];
    return [{ name: text(port, 'name'), port: number, protocol: text(port, 'protocol') || 'TCP' }];
  });
}

function namedPort(pod: JsonObject | undefined, name: string, protocol: string): number | undefined {
  for (const container of list(pod, 'spec', 'containers'))
    for (const port of list(container, 'ports'))
      if (text(port, 'name') === name && (text(port, 'protocol') || 'TCP') === (protocol || 'TCP'))
        return numeric(member(port, 'containerPort'));
  return undefined;
}

function targetOf(pod: JsonObject): Readonly<Record<string, unknown>> {
  return { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) };
}

async function writeSlice(
  cluster: Cluster,
  service: JsonObject,
  pods: readonly JsonObject[],
  all: boolean,
): Promise<void> {
  const headless = text(service, 'spec', 'clusterIP') === 'None';
  const labels = {
    ...labelsOf(service),
    'kubernetes.io/service-name': nameOf(service),
    ...managed,
    ...(headless && { 'service.kubernetes.io/headless': '' }),
  };
  const endpoints = pods.map((pod) => ({
    addresses: [text(pod, 'status', 'podIP')],
    conditions: {
      ready: all || (isReady(pod) && !isTerminating(pod)),
      serving: all || isReady(pod),
      terminating: isTerminating(pod),
    },
    ...(text(pod, 'spec', 'hostname') !== '' &&
      text(pod, 'spec', 'subdomain') === nameOf(service) && { hostname: text(pod, 'spec', 'hostname') }),
    nodeName: text(pod, 'spec', 'nodeName'),
    targetRef: targetOf(pod),
  }));
  const ports = pods.length === 0 ? [] : portsOf(service, pods[0]);
  const known = cluster
    .list(kinds.endpointSlices, namespaceOf(service))
    .find(
      (slice) =>
        text(slice, 'metadata', 'labels', 'kubernetes.io/service-name') === nameOf(service) &&
        text(slice, 'metadata', 'labels', 'endpointslice.kubernetes.io/managed-by') ===
          managed['endpointslice.kubernetes.io/managed-by'],
    );
  if (known === undefined) {
    await cluster.create(kinds.endpointSlices, namespaceOf(service), {
      metadata: {
        generateName: `${nameOf(service)}-`,
        labels,
        annotations: { [triggerAnnotation]: cluster.timestamp },
        ownerReferences: [ownerReference(service)],
      },
      addressType: 'IPv4',
      endpoints: orNull(endpoints),
      ports: orNull(ports),
    });
    return;
  }
  const wanted = { endpoints: fromPlain(orNull(endpoints)), ports: fromPlain(orNull(ports)) };
  if (same(known, wanted) && equal(labelsOf(known), fromPlain(labels))) return;
  await cluster.update(kinds.endpointSlices, known, (draft) => {
    Object.assign(draft, wanted);
    relabel(draft, labels);
  });
}

function same(known: JsonObject, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(([name, value]) => equal(known[name] ?? null, value));
}

/** A list that Go prints as null when nothing is in it. */
function orNull<T>(values: readonly T[]): readonly T[] | null {
  return values.length === 0 ? null : values;
}

/** Sets the labels; of a change that no pod triggered there is no time to tell. */
function relabel(draft: MutableObject, labels: Readonly<Record<string, unknown>>): void {
  const { annotations: _, ...metadata } = object(draft, 'metadata');
  const { [triggerAnnotation]: __, ...annotations } = object(draft, 'metadata', 'annotations');
  draft['metadata'] = {
    ...metadata,
    labels: fromPlain(labels),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

async function writeEndpoints(
  cluster: Cluster,
  service: JsonObject,
  pods: readonly JsonObject[],
  all: boolean,
): Promise<void> {
  const address = (pod: JsonObject) => ({
    ip: text(pod, 'status', 'podIP'),
    nodeName: text(pod, 'spec', 'nodeName'),
    targetRef: targetOf(pod),
  });
  const listed = pods.filter((pod) => !isTerminating(pod) || all);
  const ready = listed.filter((pod) => all || isReady(pod)).map(address);
  const others = listed.filter((pod) => !all && !isReady(pod)).map(address);
  const ports = portsOf(service, pods[0]).map(({ name, ...port }) => (name === '' ? port : { name, ...port }));
  const subsets =
    listed.length === 0
      ? []
      : [
          {
            ...(ready.length > 0 && { addresses: ready }),
            ...(others.length > 0 && { notReadyAddresses: others }),
            ...(ports.length > 0 && { ports }),
          },
        ];
  const labels = {
    ...labelsOf(service),
    'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    ...(text(service, 'spec', 'clusterIP') === 'None' && { 'service.kubernetes.io/headless': '' }),
  };
  const key = { namespace: namespaceOf(service), name: nameOf(service) };
  const known = cluster.get(kinds.endpoints, key);
  if (known === undefined) {
    await cluster.create(kinds.endpoints, key.namespace, {
      metadata: { name: key.name, labels, annotations: { [triggerAnnotation]: cluster.timestamp } },
      ...(subsets.length > 0 && { subsets }),
    });
    return;
  }
  if (equal(known['subsets'] ?? [], fromPlain(subsets)) && equal(labelsOf(known), fromPlain(labels))) return;
  await cluster.update(kinds.endpoints, known, (draft) => {
    if (subsets.length === 0) delete draft['subsets'];
    else draft['subsets'] = fromPlain(subsets);
    relabel(draft, labels);
  });
}

/** Endpoints go with their service; slices belong to it and are collected. */
export async function removeEndpoints(cluster: Cluster, namespace: string, name: string): Promise<void> {
  const known = cluster.get(kinds.endpoints, { namespace, name });
  if (known !== undefined && text(known, 'metadata', 'labels', 'endpoints.kubernetes.io/managed-by') !== '')
    await cluster.delete(kinds.endpoints, known);
}
