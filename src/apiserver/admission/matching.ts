import { list, member, object, text, texts, type Json, type JsonObject } from '../json.ts';
import type { AdmissionRequest } from '../objects/admission.ts';
import type { Resource } from '../resources/resource.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import type { Store } from '../storage/store.ts';

/** Whether one rule of a webhook or policy is about a resource in one version. */
function ruleFits(rule: Json, request: AdmissionRequest, resource: Resource): boolean {
  const has = (name: string, value: string): boolean =>
    texts(rule, name).some((wanted) => wanted === '*' || wanted === value);
  if (!has('operations', request.operation) || !has('apiGroups', resource.group)) return false;
  if (!has('apiVersions', resource.version)) return false;
  const scope = text(rule, 'scope');
  // Namespaces themselves count as cluster-scoped.
  if (scope === 'Namespaced' && !resource.namespaced) return false;
  if (scope === 'Cluster' && resource.namespaced) return false;
  const fits = texts(rule, 'resources').some((wanted) => {
    const [main = '', subresource = ''] = wanted.split('/', 2);
    return (main === '*' || main === resource.resource) && (subresource === '*' || subresource === request.subresource);
  });
  if (!fits) return false;
  const names = texts(rule, 'resourceNames');
  return names.length === 0 || names.includes(request.name);
}

/**
 * The resource as which a webhook or policy sees a request by its rules; nothing when it does not. With the match policy
 * `Equivalent` another version of the same resource will do.
 *
 * @param versions all served versions of the resource
 */
export function matchRules(
  rules: readonly Json[],
  matchPolicy: string,
  request: AdmissionRequest,
  versions: readonly Resource[],
): Resource | undefined {
  const { resource } = request;
  if (rules.some((rule) => ruleFits(rule, request, resource))) return resource;
  if (matchPolicy !== 'Equivalent') return undefined;
  for (const rule of rules) {
    const other = versions.find((version) => version !== resource && ruleFits(rule, request, version));
    if (other !== undefined) return other;
  }
  return undefined;
}

/** Whether the selectors of a webhook or policy take a request in. */
export function matchSelectors(criteria: Json | undefined, request: AdmissionRequest, store: Store): boolean {
  const namespaceSelector = labelSelectorOf(object(criteria, 'namespaceSelector'));
  const isNamespace = request.resource.storage === 'namespaces';
  // Cluster-scoped objects are in no namespace: they are always taken in.
  if (!namespaceSelector.empty && (isNamespace || request.namespace !== '')) {
    const namespace =
      isNamespace && request.object !== undefined && request.subresource === ''
        ? request.object
        : store.collection('namespaces').get({ namespace: '', name: request.namespace });
    if (!namespaceSelector.matches(namespace === undefined ? object(undefined) : labelsOf(namespace))) return false;
  }
  const objectSelector = labelSelectorOf(object(criteria, 'objectSelector'));
  if (objectSelector.empty) return true;
  return [request.object, request.oldObject].some(
    (value: JsonObject | undefined) => value !== undefined && objectSelector.matches(labelsOf(value)),
  );
}

/** The resource as which a policy (`matchConstraints`) or a binding (`matchResources`) sees a request, if at all. */
export function matchResources(
  criteria: Json | undefined,
  request: AdmissionRequest,
  versions: readonly Resource[],
  store: Store,
): Resource | undefined {
  if (!matchSelectors(criteria, request, store)) return undefined;
  const policy = text(criteria, 'matchPolicy');
  if (matchRules(list(criteria, 'excludeResourceRules'), policy, request, versions) !== undefined) return undefined;
  const rules = member(criteria, 'resourceRules');
  return Array.isArray(rules) && rules.length > 0 ? matchRules(rules, policy, request, versions) : request.resource;
}

/** Resources that no webhook and no policy may stop. */
const exempt = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Webhook configurations, and policies with their bindings: what could lock itself in. */
export function isAdmissionConfiguration({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exempt.has(resource.resource);
}

/** Policies are not asked about policies, but about webhook configurations. */
export function isPolicyObject(request: AdmissionRequest): boolean {
  return isAdmissionConfiguration(request) && !request.resource.resource.endsWith('webhookconfigurations');
}
