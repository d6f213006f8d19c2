/**
 * The resources of Kubernetes' own groups with their subresources, as the discovery of Kubernetes 1.37 lists them: group, resource,
 * subresources. `finalizers`, which only authorizers ask for, goes for each resource and is not repeated.
 */
export const builtInResources: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '': {
    bindings: [],
    componentstatuses: [],
    configmaps: [],
    endpoints: [],
    events: [],
    limitranges: [],
    namespaces: ['finalize', 'status'],
    nodes: ['proxy', 'status'],
    persistentvolumeclaims: ['status'],
    persistentvolumes: ['status'],
    pods: [
      'attach',
      'binding',
      'ephemeralcontainers',
      'eviction',
      'exec',
      'log',
      'portforward',
      'proxy',
      'resize',
      'status',
    ],
    podtemplates: [],
    replicationcontrollers: ['scale', 'status'],
    resourcequotas: ['status'],
    secrets: [],
    serviceaccounts: ['token'],
    services: ['proxy', 'status'],
  },
  'admissionregistration.k8s.io': {
    mutatingadmissionpolicies: [],
    mutatingadmissionpolicybindings: [],
    mutatingwebhookconfigurations: [],
    validatingadmissionpolicies: ['status'],
    validatingadmissionpolicybindings: [],
    validatingwebhookconfigurations: [],
  },
  'apiextensions.k8s.io': {
    customresourcedefinitions: ['status'],
  },
  'apiregistration.k8s.io': {
    apiservices: ['status'],
  },
  apps: {
    controllerrevisions: [],
    daemonsets: ['status'],
    deployments: ['scale', 'status'],
    replicasets: ['scale', 'status'],
    statefulsets: ['scale', 'status'],
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
    horizontalpodautoscalers: ['status'],
  },
  batch: {
    cronjobs: ['status'],
    jobs: ['status'],
  },
  'certificates.k8s.io': {
    certificatesigningrequests: ['approval', 'status'],
    clustertrustbundles: [],
    podcertificaterequests: ['status'],
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
    flowschemas: ['status'],
    prioritylevelconfigurations: ['status'],
  },
  'networking.k8s.io': {
    ingressclasses: [],
    ingresses: ['status'],
    ipaddresses: [],
    networkpolicies: [],
    servicecidrs: ['status'],
  },
  'node.k8s.io': {
    runtimeclasses: [],
  },
  policy: {
    poddisruptionbudgets: ['status'],
  },
  'rbac.authorization.k8s.io': {
    clusterrolebindings: [],
    clusterroles: [],
    rolebindings: [],
    roles: [],
  },
  'resource.k8s.io': {
    deviceclasses: [],
    devicetaintrules: ['status'],
    resourceclaims: ['status'],
    resourceclaimtemplates: [],
    resourceslices: [],
  },
  'scheduling.k8s.io': {
    priorityclasses: [],
  },
  'storage.k8s.io': {
    csidrivers: [],
    csinodes: ['status'],
    csistoragecapacities: [],
    storageclasses: [],
    volumeattachments: ['status'],
    volumeattributesclasses: [],
  },
  'storagemigration.k8s.io': {
    storageversionmigrations: ['status'],
  },
};

/**
 * What rules may name beside these though discovery does not list it: what only authorizers ask for (kubelet paths, impersonation,
 * signers, allocation), alpha and beta resources that are off by default, and resources that older servers still have. These may have a
 * `status`.
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
