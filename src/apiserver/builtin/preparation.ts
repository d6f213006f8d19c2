import {
  child,
  equal,
  isObject,
  numeric,
  object,
  text,
  type Json,
  type JsonObject,
  type MutableObject,
  at,
  shallow,
} from '../json.ts';
import { dropUnservedPodFields, existing, items, preparePod, tolerateNodes } from './pod-defaults.ts';
import { normalizeDataSource, shareDataSource } from './rules/claims.ts';
import type { ServiceAllocator } from './service-allocator.ts';
import { prepareChangedService, prepareService } from './service-preparation.ts';

/** What the real server fills in when an object is made, after it noted who set what. */
export function prepareNew(qualifiedResource: string, value: MutableObject, services: ServiceAllocator): void {
  dropFromPods(qualifiedResource, value);
  dropEmptyRules(qualifiedResource, value);
  if (qualifiedResource === 'pods') preparePod(value, text(value, 'metadata', 'creationTimestamp'));
  else if (qualifiedResource === 'services') prepareService(value, services);
  else if (qualifiedResource === 'jobs.batch') prepareJob(value);
  else if (qualifiedResource === 'networkpolicies.networking.k8s.io') dropEmptySelectors(value);
  else if (qualifiedResource === 'leases.coordination.k8s.io') dropUnservedFields(value);
  else if (qualifiedResource === 'persistentvolumeclaims') normalizeDataSource(child(value, 'spec'));
  else if (qualifiedResource === 'serviceaccounts') keepNamesOfSecrets(value);
}

/** Where kinds other than pods have the spec of one. */
const templates: Readonly<Record<string, readonly string[]>> = {
  podtemplates: ['template'],
  replicationcontrollers: ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'replicasets.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Takes away what belongs to features of pods that are off by default. */
function dropFromPods(qualifiedResource: string, value: MutableObject): void {
  const path = qualifiedResource === 'pods' ? [] : templates[qualifiedResource];
  if (path === undefined) return;
  let found: MutableObject | undefined = value;
  for (const name of [...path, 'spec']) found = found === undefined ? undefined : existing(found, name);
  if (found !== undefined) dropUnservedPodFields(found);
}

/** The form in which objects are stored does not know empty lists, and what features that are off left behind. */
function dropEmptyRules(qualifiedResource: string, value: MutableObject): void {
  const holders: readonly (MutableObject | undefined)[] = qualifiedResource.endsWith('roles.rbac.authorization.k8s.io')
    ? [value]
    : qualifiedResource === 'jobs.batch'
      ? [existing(value, 'spec')]
      : qualifiedResource === 'cronjobs.batch'
        ? [existing(existing(existing(value, 'spec'), 'jobTemplate'), 'spec')]
        : [];
  for (const holder of holders) {
    if (holder === undefined) continue;
    delete holder['scheduling'];
    for (const owner of [holder, existing(holder, 'podFailurePolicy')])
      if (owner !== undefined && Array.isArray(owner['rules']) && owner['rules'].length === 0) owner['rules'] = null;
  }
}

/** Empty lists count when a policy changes, and are not kept. */
export function dropEmptySelectors(value: Json): void {
  if (Array.isArray(value)) for (const item of value) dropEmptySelectors(item as Json);
  if (!isObject(value)) return;
  const found: MutableObject = value;
  for (const [name, inner] of Object.entries(found)) {
    const empty = Array.isArray(inner) ? inner.length === 0 : isObject(inner) && Object.keys(inner).length === 0;
    if (empty && (name === 'matchExpressions' || name === 'matchLabels')) delete found[name];
    else dropEmptySelectors(inner);
  }
}

/** Secrets of an account lie in its namespace: they are known by their names. */
function keepNamesOfSecrets(value: MutableObject): void {
  for (const secret of items(value, 'secrets'))
    for (const name of Object.keys(secret)) if (name !== 'name') delete secret[name];
}

/** A job finds its pods by its own uid unless it says otherwise. */
function prepareJob(value: MutableObject): void {
  const spec = child(value, 'spec');
  if (spec['manualSelector'] === true) return;
  const uid = text(value, 'metadata', 'uid');
  const name = text(value, 'metadata', 'name');
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const template = child(child(spec, 'template'), 'metadata');
  const metadata = child(value, 'metadata');
  const shared = metadata['labels'] !== undefined && metadata['labels'] === template['labels'];
  Object.assign(child(template, 'labels'), labels);
  if (shared) metadata['labels'] = child(template, 'labels');
  // What is asked for in vain stays, so that it can be refused.
  child(child(spec, 'selector'), 'matchLabels')['batch.kubernetes.io/controller-uid'] = uid;
}

/** A job without labels has those of its template once it is stored, which nothing checks there. */
export function withJobLabels(value: JsonObject): JsonObject {
  const labels = at(value, 'spec', 'template', 'metadata', 'labels');
  if (!isObject(labels) || Object.keys(object(value, 'metadata', 'labels')).length > 0) return value;
  const result = shallow(value);
  const metadata = shallow(result['metadata']);
  metadata['labels'] = labels;
  result['metadata'] = metadata;
  return result;
}

/** What admission gave to a pod stays when an update leaves it out. */
function prepareChangedPod(spec: MutableObject, before: JsonObject): void {
  for (const name of ['priority', 'preemptionPolicy'])
    if (spec[name] === undefined && before[name] !== undefined) spec[name] = before[name];
  if (Object.keys(object(spec, 'overhead')).length === 0) delete spec['overhead'];
  if (before['nodeSelector'] === undefined && Object.keys(object(spec, 'nodeSelector')).length === 0)
    delete spec['nodeSelector'];
  if (
    (numeric(spec['terminationGracePeriodSeconds']) ?? 0) < 0 &&
    (numeric(before['terminationGracePeriodSeconds']) ?? 0) >= 0
  )
    spec['terminationGracePeriodSeconds'] = 1;
  tolerateNodes(spec);
}

/** Fields of leases whose feature is off by default. */
function dropUnservedFields(value: MutableObject): void {
  const spec = child(value, 'spec');
  for (const name of ['strategy', 'preferredHolder']) delete spec[name];
}

const templateGeneration = 'deprecated.daemonset.template.generation';

/** What stays with an object whatever an update says. */
export function prepareChanged(
  qualifiedResource: string,
  value: MutableObject,
  old: JsonObject,
  services: ServiceAllocator,
): void {
  dropFromPods(qualifiedResource, value);
  dropEmptyRules(qualifiedResource, value);
  if (qualifiedResource === 'services') prepareChangedService(value, old, services);
  else if (qualifiedResource === 'pods') prepareChangedPod(child(value, 'spec'), object(old, 'spec'));
  else if (qualifiedResource === 'leases.coordination.k8s.io') dropUnservedFields(value);
  else if (qualifiedResource === 'serviceaccounts') keepNamesOfSecrets(value);
  else if (qualifiedResource === 'persistentvolumeclaims') shareDataSource(child(value, 'spec'));
  else if (qualifiedResource === 'daemonsets.apps') {
    const before = Number(text(old, 'metadata', 'annotations', templateGeneration) || '1');
    const changed = !equal(object(value, 'spec')['template'], object(old, 'spec')['template']);
    child(child(value, 'metadata'), 'annotations')[templateGeneration] = String(changed ? before + 1 : before);
  }
}
