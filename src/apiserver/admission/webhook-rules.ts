import { list, object, text, texts, type Json, type JsonObject } from '../json.ts';
import type { AdmissionRequest } from '../objects/admission.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import type { Store } from '../storage/store.ts';

/** The version of a resource in which a webhook wants to see it. */
export interface MatchedResource {
  readonly version: string;
}

/** Whether one rule of a webhook is about a resource in one version. */
function ruleFits(
  rule: Json,
  operation: string,
  group: string,
  version: string,
  resource: string,
  namespaced: boolean,
): boolean {
  const has = (name: string, value: string): boolean =>
    texts(rule, name).some((wanted) => wanted === '*' || wanted === value);
  if (!has('operations', operation) || !has('apiGroups', group) || !has('apiVersions', version)) return false;
  const scope = text(rule, 'scope');
  if (scope === 'Namespaced' && !namespaced) return false;
  if (scope === 'Cluster' && namespaced) return false;
  const [main = '', subresource = ''] = resource.split('/');
  return texts(rule, 'resources').some((wanted) => {
    const [wantedMain = '', wantedSubresource] = wanted.split('/');
    const mainFits = wantedMain === '*' || wantedMain === main;
    return (
      mainFits &&
      (wantedSubresource === undefined
        ? subresource === ''
        : wantedSubresource === '*' || wantedSubresource === subresource)
    );
  });
}

/**
 * The version in which a webhook is asked about a request; nothing when it is not. With the match policy `Equivalent` another
 * version of the same resource will do.
 *
 * @param versions all served versions of the resource
 */
export function matchRules(
  webhook: Json,
  request: AdmissionRequest,
  versions: readonly string[],
): MatchedResource | undefined {
  const { resource, subresource, operation } = request;
  const name = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`;
  // Namespaces themselves count as cluster-scoped.
  const namespaced = resource.namespaced;
  const fits = (version: string): boolean =>
    list(webhook, 'rules').some((rule) => ruleFits(rule, operation, resource.group, version, name, namespaced));
  if (fits(resource.version)) return { version: resource.version };
  if (text(webhook, 'matchPolicy') === 'Exact') return undefined;
  const other = versions.find((version) => version !== resource.version && fits(version));
  return other === undefined ? undefined : { version: other };
}

/** Whether the selectors of a webhook take a request in. */
export function matchSelectors(webhook: Json, request: AdmissionRequest, store: Store): boolean {
  const namespaceSelector = labelSelectorOf(object(webhook, 'namespaceSelector'));
  if (!namespaceSelector.empty) {
    const isNamespace = request.resource.storage === 'namespaces';
    const namespace = isNamespace
      ? (request.object ?? request.oldObject)
      : request.namespace === ''
        ? undefined
        : store.collection('namespaces').get({ namespace: '', name: request.namespace });
    // Other cluster-scoped objects are in no namespace: they are always taken in.
    if (
      (isNamespace || request.namespace !== '') &&
      !namespaceSelector.matches(namespace === undefined ? object(undefined) : labelsOf(namespace))
    )
      return false;
  }
  const objectSelector = labelSelectorOf(object(webhook, 'objectSelector'));
  if (objectSelector.empty) return true;
  return [request.object, request.oldObject].some(
    (value: JsonObject | undefined) => value !== undefined && objectSelector.matches(labelsOf(value)),
  );
}

/** Resources that no webhook may stop. */
const exempt = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io' && exempt.has(resource.resource);
}
