/**
 * Where the schema that controller-gen writes for a Go type differs from what the API server's OpenAPI document says of it, beyond
 * what holds for all types (see catalogue.ts). Each difference was seen in controller-gen's output for Kubernetes 1.37.
 */
export interface Difference {
  /** `apis/core/v1 SecretEnvSource`, or one of its members: `apis/core/v1 AzureDiskVolumeSource.kind`. */
  readonly at: string;
  /** Keywords to set; undefined takes one away. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

const embedded = 'Go embeds LocalObjectReference, and the marker of an embedded type reaches the type around it';
const constant = 'the default is written as a reference to a Go constant, which controller-gen does not follow';
const declarative =
  'controller-gen reads +k8s:maxItems, +k8s:required, +k8s:minimum and +k8s:maximum; the document has none';

export const differences: readonly Difference[] = [
  { at: 'apis/core/v1 ConfigMapEnvSource', set: { 'x-kubernetes-map-type': 'atomic' }, reason: embedded },
  { at: 'apis/core/v1 ConfigMapProjection', set: { 'x-kubernetes-map-type': 'atomic' }, reason: embedded },
  { at: 'apis/core/v1 ConfigMapVolumeSource', set: { 'x-kubernetes-map-type': 'atomic' }, reason: embedded },
  { at: 'apis/core/v1 SecretEnvSource', set: { 'x-kubernetes-map-type': 'atomic' }, reason: embedded },
  { at: 'apis/core/v1 SecretProjection', set: { 'x-kubernetes-map-type': 'atomic' }, reason: embedded },
  { at: 'apis/core/v1 AzureDiskVolumeSource.cachingMode', set: { default: undefined }, reason: constant },
  { at: 'apis/core/v1 AzureDiskVolumeSource.kind', set: { default: undefined }, reason: constant },
  { at: 'apis/core/v1 PodSpec.evictionResponders', set: { maxItems: 10 }, reason: declarative },
  { at: 'apis/core/v1 EvictionResponder.name', set: { minLength: 1 }, reason: declarative },
  { at: 'apis/core/v1 EvictionResponder.priority', set: { minimum: 0, maximum: 100_000 }, reason: declarative },
];

/**
 * Types that controller-gen writes in a form of its own, or that no document has.
 */
export const fixedForms: readonly { readonly at: string; readonly schema: object; readonly reason: string }[] = [
  {
    at: 'apis/meta/v1 ObjectMeta',
    schema: { type: 'object' },
    reason:
      'the API server knows the metadata of objects by itself, and controller-gen leaves that of embedded ones open',
  },
  {
    at: 'apis/meta/v1 KubernetesObject',
    schema: { type: 'object' },
    reason: 'an object of which nothing is known but that it is one; EmbeddedResource says the rest',
  },
  {
    at: 'apis/core/v1 Protocol',
    schema: { type: 'string', default: 'TCP' },
    reason: 'controller-gen gives this type a default of its own',
  },
  {
    at: 'apis/meta/v1 Condition',
    schema: {
      type: 'object',
      required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
      properties: {
        lastTransitionTime: { type: 'string', format: 'date-time' },
        message: { type: 'string', maxLength: 32_768 },
        observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
        reason: {
          type: 'string',
          minLength: 1,
          maxLength: 1024,
          pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
        },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
        type: {
          type: 'string',
          maxLength: 316,
          pattern:
            '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
        },
      },
    },
    reason: 'the bounds stand in markers of the Go source only; no document has them',
  },
];

/**
 * Go's named texts, which no document names: the members whose values they list. Their schema is `type: string`, since Go's types
 * list no values; an enum is a matter of the member that uses them.
 */
export const namedTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apis/core/v1': {
    DNSPolicy: 'PodSpec.dnsPolicy',
    IPFamily: 'ServiceSpec.ipFamilies',
    IPFamilyPolicy: 'ServiceSpec.ipFamilyPolicy',
    MountPropagationMode: 'VolumeMount.mountPropagation',
    NodeSelectorOperator: 'NodeSelectorRequirement.operator',
    PersistentVolumeAccessMode: 'PersistentVolumeClaimSpec.accessModes',
    PersistentVolumeMode: 'PersistentVolumeClaimSpec.volumeMode',
    PersistentVolumeReclaimPolicy: 'PersistentVolumeSpec.persistentVolumeReclaimPolicy',
    PodFSGroupChangePolicy: 'PodSecurityContext.fsGroupChangePolicy',
    PodPhase: 'PodStatus.phase',
    Protocol: 'ContainerPort.protocol',
    PullPolicy: 'Container.imagePullPolicy',
    ResourceName: 'ResourceFieldSelector.resource',
    RestartPolicy: 'PodSpec.restartPolicy',
    ServiceAffinity: 'ServiceSpec.sessionAffinity',
    ServiceType: 'ServiceSpec.type',
    TaintEffect: 'Taint.effect',
    TolerationOperator: 'Toleration.operator',
    UnsatisfiableConstraintAction: 'TopologySpreadConstraint.whenUnsatisfiable',
    URIScheme: 'HTTPGetAction.scheme',
  },
};
