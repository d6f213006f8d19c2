/**
 * The resources of Kubernetes' own groups with their subresources, as the discovery of Kubernetes 1.37 lists them: group, resource,
 * subresources. `status`, `scale` and `finalizers` go for each resource and are not repeated.
 */
export const builtInResources: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '': {
    bindings: [],
    componentstatuses: [],
    configmaps: [],
    endpoints: [],
    events: [],
    limitranges: [],
    namespaces: ['finalize'],
    nodes: ['proxy'],
    persistentvolumeclaims: [],
    persistentvolumes: [],
    pods: ['attach', 'binding', 'ephemeralcontainers', 'eviction', 'exec', 'log', 'portforward', 'proxy', 'resize'],
    podtemplates: [],
    replicationcontrollers: [],
    resourcequotas: [],
    secrets: [],
    serviceaccounts: ['token'],
    services: ['proxy'],
  },
  'admissionregistration.k8s.io': {
    mutatingadmissionpolicies: [],
    mutatingadmissionpolicybindings: [],
    mutatingwebhookconfigurations: [],
    validatingadmissionpolicies: [],
    validatingadmissionpolicybindings: [],
    validatingwebhookconfigurations: [],
  },
  'apiextensions.k8s.io': {
    customresourcedefinitions: [],
  },
  'apiregistration.k8s.io': {
    apiservices: [],
  },
  apps: {
    controllerrevisions: [],
    daemonsets: [],
    deployments: [],
    replicasets: [],
    statefulsets: [],
  },
  'authentication.k8s.io': {
    selfsubjectreviews: [],
    tokenreviews: [],
  },
  'authorization.k8s.io': {
    localsubjectaccessreviews: [],
    selfsubjectaccessreviews: [],
    selfsubjectrulesreviews: [],
    subjectaccessreviews: [],
  },
  autoscaling: {
    horizontalpodautoscalers: [],
  },
  batch: {
    cronjobs: [],
    jobs: [],
  },
  'certificates.k8s.io': {
    certificatesigningrequests: ['approval'],
    clustertrustbundles: [],
    podcertificaterequests: [],
  },
  'coordination.k8s.io': {
    leases: [],
  },
  'discovery.k8s.io': {
    endpointslices: [],
  },
  'events.k8s.io': {
    events: [],
  },
  'flowcontrol.apiserver.k8s.io': {
    flowschemas: [],
    prioritylevelconfigurations: [],
  },
  'networking.k8s.io': {
    ingressclasses: [],
    ingresses: [],
    ipaddresses: [],
    networkpolicies: [],
    servicecidrs: [],
  },
  'node.k8s.io': {
    runtimeclasses: [],
  },
  policy: {
    poddisruptionbudgets: [],
  },
  'rbac.authorization.k8s.io': {
    clusterrolebindings: [],
    clusterroles: [],
    rolebindings: [],
    roles: [],
  },
  'resource.k8s.io': {
    deviceclasses: [],
    devicetaintrules: [],
    resourceclaims: [],
    resourceclaimtemplates: [],
    resourceslices: [],
  },
  'scheduling.k8s.io': {
    priorityclasses: [],
  },
  'storage.k8s.io': {
    csidrivers: [],
    csinodes: [],
    csistoragecapacities: [],
    storageclasses: [],
    volumeattachments: [],
    volumeattributesclasses: [],
  },
  'storagemigration.k8s.io': {
    storageversionmigrations: [],
  },
};

/**
 * What rules may name beside these though discovery does not list it: what only authorizers ask for (kubelet paths, impersonation,
 * signers, allocation), alpha and beta resources that are off by default, and resources that older servers still have.
 */
export const otherResources: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '': {
    endpoints: ['restricted'],
    groups: [],
    nodes: ['checkpoint', 'configz', 'healthz', 'log', 'metrics', 'pods', 'proxy', 'spec', 'stats'],
    users: [],
  },
  apps: { deployments: ['rollback'] },
  'authentication.k8s.io': { groups: [], nodes: [], serviceaccounts: [], uids: [], userextras: ['*'], users: [] },
  'certificates.k8s.io': { certificatesigningrequests: ['nodeclient', 'selfnodeclient'], signers: [] },
  'coordination.k8s.io': { leasecandidates: [] },
  'discovery.k8s.io': { endpointslices: ['restricted'] },
  'networking.k8s.io': { clustercidrs: [] },
  policy: { podsecuritypolicies: [] },
  'resource.k8s.io': {
    podschedulingcontexts: [],
    resourceclaims: ['binding', 'driver'],
    resourceclaimparameters: [],
    resourceclasses: [],
    resourceclassparameters: [],
    resourcepoolstatusrequests: [],
  },
  'scheduling.k8s.io': { podgroups: [], workloads: [] },
};
