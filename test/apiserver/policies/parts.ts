import type { Sequence, Step } from '../sequence.ts';

type Spec = Record<string, unknown>;

export interface Manifest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is set up before all requests, and the requests of one namespace. */
export interface PolicyCase {
  readonly name: string;
  readonly objects: readonly Manifest[];
  readonly steps: readonly Step[];
}

const registration = '/apis/admissionregistration.k8s.io/v1';

/** The rules of the cases: their own namespace only, so that they do not meet. */
function constraints(name: string, rules: readonly Spec[]): Spec {
  return { namespaceSelector: { matchLabels: { case: name } }, resourceRules: rules };
}

export const configMaps: Spec = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};

export function namespaceOf(name: string): Manifest {
  return {
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { case: name, team: 'blue' } } },
  };
}

export function validating(
  name: string,
  spec: Spec,
  binding: Spec = { validationActions: ['Deny'] },
  rules: readonly Spec[] = [configMaps],
): readonly Manifest[] {
  return both('Validating', name, spec, binding, rules);
}

export function mutating(
  name: string,
  spec: Spec,
  binding: Spec = {},
  rules: readonly Spec[] = [{ ...configMaps, operations: ['CREATE', 'UPDATE'] }],
): readonly Manifest[] {
  return both('Mutating', name, { reinvocationPolicy: 'Never', ...spec }, binding, rules);
}

function both(
  kind: 'Validating' | 'Mutating',
  name: string,
  spec: Spec,
  binding: Spec,
  rules: readonly Spec[],
): readonly Manifest[] {
  const plural = `${registration}/${kind.toLowerCase()}admissionpolic`;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    namespaceOf(name),
    {
      path: `${plural}ies`,
      body: {
        apiVersion,
        kind: `${kind}AdmissionPolicy`,
        metadata: { name: `${name}.example.com` },
        spec: { matchConstraints: constraints(name, rules), ...spec },
      },
    },
    {
      path: `${plural}ybindings`,
      body: {
        apiVersion,
        kind: `${kind}AdmissionPolicyBinding`,
        metadata: { name: `${name}-binding` },
        spec: { policyName: `${name}.example.com`, ...binding },
      },
    },
  ];
}

/** Creates a ConfigMap in the namespace of a case. */
export function create(namespace: string, name: string, data: Spec = {}, more: Spec = {}): Step {
  const { metadata, ...rest } = more;
  return {
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ...(metadata as Spec | undefined) },
      data,
      ...rest,
    },
  };
}

export function sequenceOf({ name, steps }: PolicyCase): Sequence {
  return { name, steps };
}
