import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { at, equal, type Json, type JsonObject, list, numeric, object, text } from '../json.ts';
import { pathSegment } from '../objects/names.ts';
import { labelSelectorErrors } from './match-validation.ts';
import { autoscalerErrors, disruptionBudgetErrors } from './rules/autoscaling.ts';
import { claimErrors, claimUpdateErrors } from './rules/claims.ts';
import { configMapErrors, secretErrors, secretWarnings } from './rules/data.ts';
import { eventErrors, eventUpdateErrors, newEventErrors } from './rules/events.ts';
import { subdomain } from './rules/fields.ts';
import { cronJobErrors, jobErrors, jobUpdateErrors, newJobErrors } from './rules/jobs.ts';
import { ingressErrors, networkPolicyErrors, newIngressErrors } from './rules/networking.ts';
import { fractionWarnings, hostNameWarnings, podWarnings } from './rules/pod-warnings.ts';
import { newPodErrors, podErrors, podUpdateErrors, templateErrors } from './rules/pods.ts';
import {
  newServiceErrors,
  serviceErrors,
  serviceStatusErrors,
  serviceUpdateErrors,
  serviceWarnings,
} from './rules/services.ts';
import {
  daemonSetErrors,
  deploymentErrors,
  immutableFields,
  newStatefulSetErrors,
  replicaSetErrors,
  statefulSetErrors,
  statefulSetUpdateErrors,
} from './rules/workloads.ts';

/**
 * The rules of the kinds that operators own, as far as a real server's answers to the same requests show them; the rules of pods,
 * workloads, services and the like stand in `rules`.
 */
export function validateBuiltin(qualifiedResource: string, value: JsonObject): FieldError[] {
  return rules[qualifiedResource]?.(value) ?? [];
}

/** What only new objects must keep to. */
export function validateNewBuiltin(qualifiedResource: string, value: JsonObject): FieldError[] {
  return newRules[qualifiedResource]?.(value) ?? [];
}

export function validateBuiltinUpdate(
  qualifiedResource: string,
  value: JsonObject,
  old: JsonObject,
  subresource: string,
): FieldError[] {
  if (subresource === 'status') return statusRules[qualifiedResource]?.(value) ?? [];
  return subresource === '' ? (updateRules[qualifiedResource]?.(value, old) ?? []) : [];
}

/** What goes along with the answer to a write that is let through. */
export function builtinWarnings(qualifiedResource: string, value: JsonObject, old?: JsonObject): readonly string[] {
  // Whoever changes pods is seldom a person, and what is made of templates stays as it is until they change.
  if (old !== undefined && qualifiedResource === 'pods') return [];
  const generation = (found: JsonObject | undefined) => object(found, 'metadata')['generation'];
  if (old !== undefined && ownersOfPods.has(qualifiedResource) && equal(generation(value), generation(old))) return [];
  const named = old === undefined ? namesInHosts[qualifiedResource] : undefined;
  return [
    ...(named === undefined ? [] : hostNameWarnings(value, named)),
    ...(warnings[qualifiedResource]?.(value) ?? []),
  ];
}

type Rule = (value: JsonObject) => FieldError[];

function policyRules(value: JsonObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const late: FieldError[] = [];
  list(value, 'rules').forEach((rule, index) => {
    const path = `rules[${index}]`;
    if (list(rule, 'verbs').length === 0) late.push(required(`${path}.verbs`));
    const urls = list(rule, 'nonResourceURLs');
    if (urls.length > 0) {
      if (namespaced) {
        errors.push(
          invalidValue(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'),
        );
      }
      if (list(rule, 'apiGroups').length + list(rule, 'resources').length + list(rule, 'resourceNames').length > 0) {
        errors.push(
          invalidValue(
            `${path}.nonResourceURLs`,
            urls,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        );
      }
      return;
    }
    if (list(rule, 'apiGroups').length === 0)
      errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (list(rule, 'resources').length === 0)
      errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  });
  return [...errors, ...late];
}

function aggregationErrors(value: JsonObject): FieldError[] {
  if (value['aggregationRule'] === undefined) return [];
  const selectors = list(value, 'aggregationRule', 'clusterRoleSelectors');
  const path = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const wrong = labelSelectorErrors(object(selector), `${path}[${index}]`);
    return wrong.length === 0 ? [] : [...wrong, invalidValue(`${path}[${index}]`, null, 'invalid label selector.')];
  });
}

function roleBinding(value: JsonObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const group = text(value, 'roleRef', 'apiGroup');
  if (group !== 'rbac.authorization.k8s.io')
    errors.push(notSupported('roleRef.apiGroup', group, ['rbac.authorization.k8s.io']));
  const kind = text(value, 'roleRef', 'kind');
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  list(value, 'subjects').forEach((subject, index) => {
    const path = `subjects[${index}]`;
    const subjectKind = text(subject, 'kind');
    const subjectGroup = text(subject, 'apiGroup');
    const expected = subjectKind === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io';
    if (!['ServiceAccount', 'User', 'Group'].includes(subjectKind)) {
      errors.push(notSupported(`${path}.kind`, subjectKind, ['ServiceAccount', 'User', 'Group']));
    } else {
      if (subjectGroup !== expected) errors.push(notSupported(`${path}.apiGroup`, subjectGroup, [expected]));
      if (subjectKind === 'ServiceAccount' && !namespaced && text(subject, 'namespace') === '')
        errors.push(required(`${path}.namespace`));
    }
    const subjectName = text(subject, 'name');
    if (subjectName === '') errors.push(required(`${path}.name`));
    else if (subjectKind === 'ServiceAccount')
      errors.push(
        ...subdomain(subjectName, false).map((problem) => invalidValue(`${path}.name`, subjectName, problem)),
      );
  });
  const role = text(value, 'roleRef', 'name');
  if (role === '') errors.push(required('roleRef.name'));
  errors.push(...pathSegment(role, false).map((problem) => invalidValue('roleRef.name', role, problem)));
  return errors;
}

const rules: Readonly<Record<string, Rule>> = {
  pods: podErrors,
  podtemplates: (value) => templateErrors(object(value, 'template'), 'template'),
  'deployments.apps': deploymentErrors,
  'replicasets.apps': replicaSetErrors,
  'statefulsets.apps': statefulSetErrors,
  'daemonsets.apps': daemonSetErrors,
  'controllerrevisions.apps': (value) =>
    value['data'] === undefined || value['data'] === null ? [required('data', 'data is mandatory')] : [],
  'jobs.batch': jobErrors,
  'cronjobs.batch': cronJobErrors,
  services: serviceErrors,
  configmaps: configMapErrors,
  secrets: secretErrors,
  'roles.rbac.authorization.k8s.io': (value) => policyRules(value, true),
  'clusterroles.rbac.authorization.k8s.io': (value) => [...policyRules(value, false), ...aggregationErrors(value)],
  'rolebindings.rbac.authorization.k8s.io': (value) => roleBinding(value, true),
  'clusterrolebindings.rbac.authorization.k8s.io': (value) => roleBinding(value, false),
  persistentvolumeclaims: claimErrors,
  'leases.coordination.k8s.io'(value) {
    const errors: FieldError[] = [];
    const duration = numeric(at(value, 'spec', 'leaseDurationSeconds'));
    if (duration !== undefined && duration <= 0)
      errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    const transitions = numeric(at(value, 'spec', 'leaseTransitions'));
    if (transitions !== undefined && transitions < 0) {
      errors.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
    }
    return errors;
  },
  'ingresses.networking.k8s.io': ingressErrors,
  'networkpolicies.networking.k8s.io': networkPolicyErrors,
  'storageclasses.storage.k8s.io': (value) => (text(value, 'provisioner') === '' ? [required('provisioner')] : []),
  'ingressclasses.networking.k8s.io': (value) =>
    text(value, 'spec', 'controller') === '' ? [required('spec.controller')] : [],
  'runtimeclasses.node.k8s.io': (value) => (text(value, 'handler') === '' ? [required('handler')] : []),
  'horizontalpodautoscalers.autoscaling': autoscalerErrors,
  'poddisruptionbudgets.policy': disruptionBudgetErrors,
  'apiservices.apiregistration.k8s.io'(value) {
    const expected = `${text(value, 'spec', 'version')}.${text(value, 'spec', 'group')}`;
    const name = text(value, 'metadata', 'name');
    return name === expected
      ? []
      : [invalidValue('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
  },
  events: eventErrors,
  endpoints: (value) =>
    list(value, 'subsets').flatMap((subset, index) =>
      list(subset, 'addresses').length + list(subset, 'notReadyAddresses').length === 0
        ? [required(`subsets[${index}]`, 'must specify `addresses` or `notReadyAddresses`')]
        : [],
    ),
  'endpointslices.discovery.k8s.io': (value) => (text(value, 'addressType') === '' ? [required('addressType')] : []),
};

const newRules: Readonly<Record<string, Rule>> = {
  pods: newPodErrors,
  'statefulsets.apps': newStatefulSetErrors,
  'jobs.batch': newJobErrors,
  services: newServiceErrors,
  'ingresses.networking.k8s.io': newIngressErrors,
  'events.events.k8s.io': newEventErrors,
};

const statusRules: Readonly<Record<string, Rule>> = { services: serviceStatusErrors };

const workloadWarnings = (value: JsonObject): string[] =>
  podWarnings(object(value, 'spec', 'template'), 'spec.template');

const claimWarnings = (spec: JsonObject, path: string): string[] => [
  ...fractionWarnings(at(spec, 'resources', 'limits'), `${path}.resources.limits`, ['storage']),
  ...fractionWarnings(at(spec, 'resources', 'requests'), `${path}.resources.requests`, ['storage']),
];

const ownersOfPods = new Set([
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

/** Whose names end up in names of hosts, and of what. */
const namesInHosts: Readonly<Record<string, string>> = {
  pods: "the Pod's hostname",
  'deployments.apps': 'Pod names and hostnames',
  'replicasets.apps': 'Pod names and hostnames',
  'jobs.batch': 'Pod names and hostnames',
  'cronjobs.batch': 'Pod names and hostnames',
};

const warnings: Readonly<Record<string, (value: JsonObject) => string[]>> = {
  pods: (value) => podWarnings(value, ''),
  'deployments.apps': workloadWarnings,
  'replicasets.apps': workloadWarnings,
  'statefulsets.apps'(value) {
    const limit = numeric(at(value, 'spec', 'revisionHistoryLimit'));
    return [
      ...workloadWarnings(value),
      ...list(value, 'spec', 'volumeClaimTemplates').flatMap((claim, index) =>
        claimWarnings(object(claim, 'spec'), `spec.volumeClaimTemplates[${index}]`),
      ),
      ...(limit !== undefined && limit < 0
        ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
        : []),
    ];
  },
  'daemonsets.apps': workloadWarnings,
  'jobs.batch': workloadWarnings,
  'cronjobs.batch': (value) =>
    podWarnings(object(value, 'spec', 'jobTemplate', 'spec', 'template'), 'spec.jobTemplate.spec.template'),
  persistentvolumeclaims: (value) => claimWarnings(object(value, 'spec'), 'spec'),
  services: serviceWarnings,
  secrets: secretWarnings,
};

/** Data that was declared immutable stays as it is. */
function frozenData(value: JsonObject, old: JsonObject): FieldError[] {
  if (old['immutable'] !== true) return [];
  const errors: FieldError[] = [];
  if (value['immutable'] !== true)
    errors.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
  for (const name of ['data', 'binaryData'] as const) {
    if (!equal(value[name] ?? object(undefined), old[name] ?? object(undefined)))
      errors.push(forbiddenField(name, 'field is immutable when `immutable` is set'));
  }
  return errors;
}

function roleRef(value: JsonObject, old: JsonObject): FieldError[] {
  if (equal(value['roleRef'], old['roleRef'])) return [];
  const reference = object(value, 'roleRef');
  // Shown with the names of the type's fields.
  const shown: Json = {
    APIGroup: reference['apiGroup'] ?? '',
    Kind: reference['kind'] ?? '',
    Name: reference['name'] ?? '',
  };
  return [invalidValue('roleRef', shown, 'field is immutable')];
}

const updateRules: Readonly<Record<string, (value: JsonObject, old: JsonObject) => FieldError[]>> = {
  pods: podUpdateErrors,
  'deployments.apps': (value, old) => immutableFields(value, old, 'spec.selector'),
  'replicasets.apps': (value, old) => immutableFields(value, old, 'spec.selector'),
  'daemonsets.apps': (value, old) => immutableFields(value, old, 'spec.selector'),
  'statefulsets.apps': statefulSetUpdateErrors,
  'jobs.batch': jobUpdateErrors,
  persistentvolumeclaims: claimUpdateErrors,
  configmaps: frozenData,
  secrets: (value, old) => [...immutableFields(value, old, 'type'), ...frozenData(value, old)],
  'rolebindings.rbac.authorization.k8s.io': roleRef,
  'clusterrolebindings.rbac.authorization.k8s.io': roleRef,
  'storageclasses.storage.k8s.io': (value, old) =>
    equal(value['parameters'], old['parameters']) && value['provisioner'] === old['provisioner']
      ? []
      : [forbiddenField('parameters', 'updates to parameters are forbidden.')],
  services: serviceUpdateErrors,
  'events.events.k8s.io': eventUpdateErrors,
};
