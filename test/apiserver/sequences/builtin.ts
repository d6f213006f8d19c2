import { jsonPatch, mergePatch, strategicMergePatch, table, type Sequence, type Step } from '../sequence.ts';
import { widgets } from '../definitions.ts';

const namespace = (name: string): Step => ({ path: '/api/v1/namespaces', body: { metadata: { name } } });
const core = (name: string, resource: string): string => `/api/v1/namespaces/${name}/${resource}`;
const pod = { containers: [{ name: 'app', image: 'nginx:1' }] };
const labels = { app: 'web' };
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const [first] = widgets.spec.versions;

/** A definition with two versions and no conversion between them. */
const gizmos = {
  ...widgets,
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    versions: [
      { ...first, name: 'v1alpha1', storage: false, deprecated: true, selectableFields: undefined },
      { ...first, name: 'v1', selectableFields: undefined, additionalPrinterColumns: undefined },
    ],
  },
};
const gizmo = (version: string, name: string, more: Record<string, unknown> = {}) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Gizmo',
  metadata: { name },
  spec: { size: 1 },
  ...more,
});

interface Definition {
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
  readonly status: Record<string, unknown>;
}

const withSpec =
  (index: number, change: Record<string, unknown>) =>
  (answers: readonly unknown[]): unknown => {
    const found = answers.at(index) as Definition;
    return { ...found, spec: { ...found.spec, ...change } };
  };

/** The real server's controllers write the status of a definition in two steps; its own writes wait for the last one. */
const isEstablished = (answer: unknown): boolean =>
  (
    (answer as Definition).status['conditions'] as readonly { readonly type: string; readonly status: string }[] | null
  )?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;

/** What built-in kinds and definitions do beyond the basics. */
export const builtinSequences: readonly Sequence[] = [
  {
    name: 'workloads',
    steps: [
      namespace('workloads'),
      {
        path: core('workloads', 'pods'),
        body: { metadata: { name: 'p', labels }, spec: { ...pod, serviceAccountName: 'default' } },
      },
      {
        path: core('workloads', 'pods'),
        body: {
          metadata: { name: 'q' },
          spec: {
            containers: [
              { name: 'A', image: '' },
              { name: 'A', image: 'x' },
            ],
          },
        },
      },
      { path: core('workloads', 'pods'), headers: table },
      { path: core('workloads', 'pods?fieldSelector=status.phase%3DPending,spec.restartPolicy%3DAlways') },
      { path: core('workloads', 'pods?fieldSelector=spec.foo%3Dx') },
      {
        method: 'PATCH',
        path: core('workloads', 'pods/p/status'),
        body: { status: { phase: 'Running' } },
        headers: strategicMergePatch,
      },
      {
        method: 'PATCH',
        path: core('workloads', 'pods/p'),
        body: { metadata: { labels: { b: 'c' } } },
        headers: strategicMergePatch,
      },
      { method: 'DELETE', path: core('workloads', 'pods/p') },
      {
        path: '/apis/batch/v1/namespaces/workloads/jobs',
        body: { metadata: { name: 'j' }, spec: { template: { spec: { ...pod, restartPolicy: 'Always' } } } },
      },
      {
        path: '/apis/apps/v1/namespaces/workloads/daemonsets',
        body: {
          metadata: { name: 'd' },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      { path: '/apis/apps/v1/namespaces/workloads/daemonsets', headers: table },
      {
        path: '/apis/apps/v1/namespaces/workloads/statefulsets',
        body: {
          metadata: { name: 's' },
          spec: { serviceName: 's', selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/workloads/statefulsets/s',
        body: { spec: { serviceName: 'other' } },
        headers: mergePatch,
      },
      { path: '/apis/apps/v1/namespaces/workloads/statefulsets', headers: table },
      {
        path: '/apis/apps/v1/namespaces/workloads/replicasets',
        body: {
          metadata: { name: 'r' },
          spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      { path: '/apis/apps/v1/namespaces/workloads/replicasets', headers: table },
      {
        path: '/apis/batch/v1/namespaces/workloads/cronjobs',
        body: {
          metadata: { name: 'c' },
          spec: {
            schedule: '* * * * *',
            jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
          },
        },
      },
      { path: '/apis/batch/v1/namespaces/workloads/cronjobs', headers: table },
      {
        path: '/apis/apps/v1/namespaces/workloads/controllerrevisions',
        body: { metadata: { name: 'v' }, revision: 3, data: { a: 1.5 } },
      },
      { path: '/apis/apps/v1/namespaces/workloads/controllerrevisions', headers: table },
      {
        path: '/apis/autoscaling/v2/namespaces/workloads/horizontalpodautoscalers',
        body: {
          metadata: { name: 'h' },
          spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } },
        },
      },
      { path: '/apis/autoscaling/v1/namespaces/workloads/horizontalpodautoscalers/h' },
      { path: '/apis/autoscaling/v2/namespaces/workloads/horizontalpodautoscalers', headers: table },
      {
        path: '/apis/policy/v1/namespaces/workloads/poddisruptionbudgets',
        body: { metadata: { name: 'b' }, spec: { maxUnavailable: '50%', selector: { matchLabels: labels } } },
      },
      { path: '/apis/policy/v1/namespaces/workloads/poddisruptionbudgets', headers: table },
    ],
  },
  {
    name: 'what is there from the start',
    steps: [
      { path: '/api/v1/namespaces/kube-system' },
      { path: '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical' },
      { path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:aggregate-to-edit' },
      { path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin' },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/extension-apiserver-authentication-reader',
      },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public/rolebindings/system:controller:bootstrap-signer',
      },
    ],
  },
  {
    name: 'services and storage',
    steps: [
      namespace('net'),
      {
        path: core('net', 'services'),
        body: { metadata: { name: 'none' }, spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: labels } },
      },
      {
        path: core('net', 'services'),
        body: { metadata: { name: 'ext' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
      },
      { path: core('net', 'services'), body: { metadata: { name: 'bad' }, spec: { ports: [] } } },
      {
        path: core('net', 'services'),
        body: { metadata: { name: 'bad' }, spec: { ports: [{ port: 0 }, { port: 70000, name: 'b' }] } },
      },
      { path: core('net', 'services'), body: { metadata: { name: '1bad' }, spec: { ports: [{ port: 80 }] } } },
      { path: core('net', 'services'), headers: table },
      {
        path: core('net', 'endpoints'),
        body: { metadata: { name: 'e' }, subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] },
      },
      { path: core('net', 'endpoints'), headers: table },
      {
        path: '/apis/discovery.k8s.io/v1/namespaces/net/endpointslices',
        body: {
          metadata: { name: 'e' },
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.1.1.1'] }],
          ports: [{ port: 80 }],
        },
      },
      {
        path: '/apis/networking.k8s.io/v1/namespaces/net/ingresses',
        body: {
          metadata: { name: 'i' },
          spec: {
            rules: [
              {
                host: 'a.example.com',
                http: {
                  paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'x', port: { number: 80 } } } }],
                },
              },
            ],
          },
        },
      },
      { path: '/apis/networking.k8s.io/v1/namespaces/net/ingresses', headers: table },
      { path: '/apis/networking.k8s.io/v1/namespaces/net/networkpolicies', headers: table },
      { path: core('net', 'persistentvolumeclaims'), body: { metadata: { name: 'c' } } },
      {
        path: '/apis/storage.k8s.io/v1/storageclasses',
        body: { metadata: { name: 'fast' }, provisioner: 'example.com/fast' },
      },
      { path: '/apis/storage.k8s.io/v1/storageclasses/fast', headers: table },
      { method: 'DELETE', path: '/apis/storage.k8s.io/v1/storageclasses/fast' },
      { path: '/apis/scheduling.k8s.io/v1/priorityclasses', headers: table },
      { path: core('net', 'serviceaccounts'), body: { metadata: { name: 'robot' } } },
      { path: core('net', 'serviceaccounts?fieldSelector=metadata.name%3Drobot'), headers: table },
      { method: 'DELETE', path: core('net', 'serviceaccounts/robot') },
    ],
  },
  {
    name: 'data that must not change',
    steps: [
      namespace('frozen'),
      { path: core('frozen', 'configmaps'), body: { metadata: { name: 'a' }, data: { x: '1' }, immutable: true } },
      { method: 'PATCH', path: core('frozen', 'configmaps/a'), body: { data: { x: '2' } }, headers: mergePatch },
      { method: 'PATCH', path: core('frozen', 'configmaps/a'), body: { immutable: false }, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('frozen', 'configmaps/a'),
        body: { metadata: { labels: { a: 'b' } } },
        headers: mergePatch,
      },
      { path: core('frozen', 'configmaps'), body: { metadata: { name: 'b' }, data: { 'a b': '1' } } },
      { path: core('frozen', 'secrets'), body: { metadata: { name: 's' }, type: 'Opaque' } },
      { method: 'PATCH', path: core('frozen', 'secrets/s'), body: { type: 'other' }, headers: mergePatch },
      { path: core('frozen', 'secrets?fieldSelector=type%3DOpaque'), headers: table },
      { path: core('frozen', 'configmaps?fieldSelector=metadata.name%3Da'), headers: table },
    ],
  },
  {
    name: 'reviews',
    steps: [
      { path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: { token: 'wrong' } } },
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
      },
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { spec: { nonResourceAttributes: { verb: 'get', path: '/apis' } } },
        user: 'bob',
      },
      {
        path: '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
        body: {
          metadata: { namespace: 'default' },
          spec: { user: 'bob', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
        },
      },
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        body: { spec: { namespace: 'default' } },
        user: 'bob',
      },
      { path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', body: { spec: { namespace: 'default' } } },
      { path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body: { spec: {} } },
    ],
  },
  {
    name: 'namespaces',
    steps: [
      { path: '/api/v1/namespaces', body: { metadata: { generateName: '' } } },
      namespace('space'),
      namespace('space'),
      { path: '/api/v1/namespaces/space', headers: table },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/space',
        body: { metadata: { labels: { a: 'b' } }, status: { phase: 'Terminating' }, spec: { finalizers: [] } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/space',
        body: { metadata: { labels: { 'kubernetes.io/metadata.name': null } } },
        headers: mergePatch,
      },
      { path: '/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3Dspace', headers: table },
      { method: 'DELETE', path: '/api/v1/namespaces/kube-system' },
      { method: 'DELETE', path: '/api/v1/namespaces' },
      { method: 'DELETE', path: '/api/v1/namespaces/nowhere' },
    ],
  },
  {
    name: 'definitions and their versions',
    steps: [
      { path: definitions, body: gizmos },
      { path: definitions, body: { ...gizmos, spec: { ...gizmos.spec, scope: 'Nowhere' } } },
      { method: 'PUT', path: `${definitions}/gizmos.example.com`, body: gizmos },
      { path: `${definitions}/gizmos.example.com`, until: isEstablished },
      { method: 'PUT', path: `${definitions}/gizmos.example.com`, make: withSpec(3, { scope: 'Namespaced' }) },
      { method: 'PUT', path: `${definitions}/gizmos.example.com`, make: withSpec(3, { group: 'other.example.com' }) },
      {
        method: 'PATCH',
        path: `${definitions}/gizmos.example.com`,
        body: [{ op: 'remove', path: '/spec/versions/1' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: `${definitions}/gizmos.example.com`,
        body: [{ op: 'replace', path: '/spec/versions/0/storage', value: true }],
        headers: jsonPatch,
      },
      { path: '/apis/example.com/v1/gizmos', body: gizmo('v1', 'a') },
      { path: '/apis/example.com/v1alpha1/gizmos/a' },
      { path: '/apis/example.com/v1alpha1/gizmos', body: gizmo('v1', 'b') },
      { path: '/apis/example.com/v1alpha1/gizmos', body: gizmo('v1alpha1', 'b') },
      {
        method: 'PATCH',
        path: '/apis/example.com/v1alpha1/gizmos/a',
        body: { spec: { size: 2 } },
        headers: mergePatch,
      },
      { path: '/apis/example.com/v1/gizmos' },
      { path: '/apis/example.com/v1/gizmos', headers: table },
      { path: '/apis/example.com/v1alpha1/gizmos', headers: table },
      { path: '/apis/example.com/v2/gizmos' },
      { path: '/apis/example.com/v1/namespaces/default/gizmos' },
      { path: '/apis/example.com' },
      { method: 'DELETE', path: '/apis/example.com/v1/gizmos/a' },
      {
        method: 'PATCH',
        path: `${definitions}/gizmos.example.com/status`,
        body: { status: { storedVersions: ['v1', 'v2'] } },
        headers: mergePatch,
      },
      {
        path: definitions,
        body: {
          ...gizmos,
          metadata: { name: 'gizmoz.example.com' },
          spec: { ...gizmos.spec, names: { plural: 'gizmoz', kind: 'Gizmo' } },
        },
      },
      {
        path: `${definitions}?dryRun=All`,
        body: {
          ...gizmos,
          metadata: { name: 'rules.example.com' },
          spec: {
            ...gizmos.spec,
            names: { plural: 'rules', kind: 'Rule' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: {
                        type: 'object',
                        'x-kubernetes-validations': [{ rule: 'self.nope == 1' }],
                        properties: { a: { type: 'string', default: 5 }, b: {} },
                      },
                    },
                  },
                },
              },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'events',
    steps: [
      namespace('events'),
      ...['one', 'two'].map((name) => ({
        path: core('events', 'events'),
        body: {
          metadata: { name },
          involvedObject: { kind: 'Pod', namespace: 'events', name },
          reason: 'Because',
          message: `about ${name}`,
          type: 'Normal',
          count: 2,
          source: { component: 'test' },
        },
      })),
      { path: core('events', 'events?fieldSelector=involvedObject.name%3Dtwo') },
      { path: core('events', 'events?fieldSelector=involvedObject.name%3Dtwo'), headers: table },
      { path: '/apis/events.k8s.io/v1/namespaces/events/events?fieldSelector=regarding.name%3Done' },
      {
        path: core('events', 'events'),
        body: { metadata: { name: 'three' }, involvedObject: { kind: 'Pod', namespace: 'elsewhere', name: 'x' } },
      },
      { method: 'PATCH', path: core('events', 'events/one'), body: { count: 3 }, headers: strategicMergePatch },
      {
        path: '/apis/events.k8s.io/v1/namespaces/events/events',
        body: {
          metadata: { name: 'four' },
          eventTime: '2026-01-01T00:00:00.000000Z',
          reportingController: 'example.com/x',
          reportingInstance: 'x',
          action: 'Do',
          reason: 'R',
          regarding: { kind: 'Pod', namespace: 'events', name: 'x' },
          type: 'Normal',
          note: 'n',
        },
      },
      { path: core('events', 'events/four') },
      { method: 'DELETE', path: core('events', 'events?fieldSelector=reason%3DBecause') },
    ],
  },
];
