import { dns1123Label, dns1123Subdomain, pathSegment, type NameRule } from '../objects/names.ts';

/**
 * What differs between the built-in resources, as a real 1.37 server behaves. Resources are named `<resource>` in the core group
 * and `<resource>.<group>` elsewhere.
 */

/** Their generation counts changes of what is neither metadata nor status. */
const withGeneration = new Set([
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'cronjobs.batch',
  'jobs.batch',
  'horizontalpodautoscalers.autoscaling',
  'ingresses.networking.k8s.io',
  'ingressclasses.networking.k8s.io',
  'networkpolicies.networking.k8s.io',
  'poddisruptionbudgets.policy',
  'priorityclasses.scheduling.k8s.io',
  'endpointslices.discovery.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'deviceclasses.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
]);

/** An update must name the version that it stands on. */
const conditionalUpdateOnly = new Set([
  'leases.coordination.k8s.io',
  'poddisruptionbudgets.policy',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
  'runtimeclasses.node.k8s.io',
]);

/** PUT makes the object when it is missing. */
const createOnUpdate = new Set([
  'services',
  'endpoints',
  'events',
  'events.events.k8s.io',
  'limitranges',
  'leases.coordination.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
]);

/** DELETE answers with the object. */
const returnsDeletedObject = new Set([
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'deviceclasses.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'resourceslices.resource.k8s.io',
]);

const nameRules: Readonly<Record<string, NameRule>> = {
  namespaces: dns1123Label,
  services: dns1123Label,
  'statefulsets.apps': dns1123Label,
  // Only those of events.k8s.io are held to more, by their own rules.
  events: () => [],
  'poddisruptionbudgets.policy': () => [],
  'clusterroles.rbac.authorization.k8s.io': pathSegment,
  'clusterrolebindings.rbac.authorization.k8s.io': pathSegment,
  'roles.rbac.authorization.k8s.io': pathSegment,
  'rolebindings.rbac.authorization.k8s.io': pathSegment,
  'apiservices.apiregistration.k8s.io': pathSegment,
};

/** Fields by which objects can be selected, beside name and namespace; the alternatives of a field are tried in turn. */
const fields: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  secrets: ['type'],
  services: ['spec.clusterIP', 'spec.type'],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.events.k8s.io': [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
  replicationcontrollers: ['status.replicas'],
  'replicasets.apps': ['status.replicas'],
  'jobs.batch': ['status.successful'],
  'certificatesigningrequests.certificates.k8s.io': ['spec.signerName'],
};

export interface BuiltinRules {
  readonly generation: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly allowCreateOnUpdate: boolean;
  readonly returnsDeletedObject: boolean;
  readonly nameRule: NameRule;
  readonly fields: readonly string[];
}

export function rulesOf(qualifiedResource: string): BuiltinRules {
  return {
    generation: withGeneration.has(qualifiedResource),
    allowUnconditionalUpdate: !conditionalUpdateOnly.has(qualifiedResource),
    allowCreateOnUpdate: createOnUpdate.has(qualifiedResource),
    returnsDeletedObject: returnsDeletedObject.has(qualifiedResource),
    nameRule: nameRules[qualifiedResource] ?? dns1123Subdomain,
    fields: fields[qualifiedResource] ?? [],
  };
}
