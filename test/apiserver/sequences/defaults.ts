import { namespace, core, pod, labels } from './parts.ts';
import { mergePatch, table, type Sequence } from '../sequence.ts';

export const defaultsSequences: readonly Sequence[] = [
  {
    name: 'built-in defaults',
    steps: [
      namespace('defaults'),
      {
        path: '/apis/apps/v1/namespaces/defaults/deployments',
        body: {
          metadata: { name: 'a' },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      {
        path: '/apis/apps/v1/namespaces/defaults/statefulsets',
        body: {
          metadata: { name: 'a' },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      {
        path: '/apis/apps/v1/namespaces/defaults/replicasets',
        body: {
          metadata: { name: 'a' },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      {
        path: '/apis/batch/v1/namespaces/defaults/cronjobs',
        body: {
          metadata: { name: 'a' },
          spec: {
            schedule: '* * * * *',
            jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
          },
        },
      },
      { path: core('defaults', 'secrets'), body: { metadata: { name: 'a' } } },
      {
        path: core('defaults', 'events'),
        body: {
          metadata: { name: 'a', namespace: 'defaults' },
          involvedObject: { kind: 'Pod', namespace: 'defaults', name: 'x' },
          reason: 'R',
          message: 'm',
          type: 'Normal',
        },
      },
      { path: '/apis/events.k8s.io/v1/namespaces/defaults/events/a' },
      {
        path: '/apis/coordination.k8s.io/v1/namespaces/defaults/leases',
        body: {
          metadata: { name: 'a' },
          spec: { leaseDurationSeconds: 15, holderIdentity: 'x', acquireTime: '2026-01-01T00:00:00.123456Z' },
        },
      },
      {
        path: '/apis/coordination.k8s.io/v1/namespaces/defaults/leases',
        body: { metadata: { name: 'b' }, spec: { leaseDurationSeconds: -1 } },
      },
      {
        method: 'PUT',
        path: '/apis/coordination.k8s.io/v1/namespaces/defaults/leases/a',
        body: { metadata: { name: 'a' } },
      },
      {
        method: 'PUT',
        path: '/apis/coordination.k8s.io/v1/namespaces/defaults/leases/c',
        body: { metadata: { name: 'c' } },
      },
      {
        path: '/apis/networking.k8s.io/v1/namespaces/defaults/networkpolicies',
        body: { metadata: { name: 'a' }, spec: { podSelector: {}, egress: [{}] } },
      },
      {
        path: '/apis/policy/v1/namespaces/defaults/poddisruptionbudgets',
        body: { metadata: { name: 'a' }, spec: { minAvailable: 1 } },
      },
      { path: '/apis/rbac.authorization.k8s.io/v1/namespaces/defaults/roles', body: { metadata: { name: 'a' } } },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/defaults/roles',
        body: {
          metadata: { name: 'b' },
          rules: [
            { verbs: [], resources: ['x'] },
            { verbs: ['get'], nonResourceURLs: ['/x'] },
          ],
        },
      },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/defaults/rolebindings',
        body: {
          metadata: { name: 'a' },
          roleRef: { kind: 'Role', name: 'a' },
          subjects: [{ kind: 'User', name: 'x' }],
        },
      },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/defaults/rolebindings',
        body: { metadata: { name: 'b' }, subjects: [{ kind: 'Nobody' }] },
      },
      {
        method: 'PATCH',
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/defaults/rolebindings/a',
        body: { roleRef: { name: 'b' } },
        headers: mergePatch,
      },
      { path: '/apis/apps/v1/namespaces/defaults/deployments', body: { metadata: { name: 'b' } } },
      {
        path: '/apis/apps/v1/namespaces/defaults/deployments',
        body: {
          metadata: { name: 'b' },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{}] } },
          },
        },
      },
      { path: '/apis/apps/v1/namespaces/defaults/deployments/a/scale' },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/defaults/deployments/a/scale',
        body: { spec: { replicas: 2 } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/defaults/deployments/a/status',
        body: { status: { readyReplicas: 1, replicas: 1 } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/defaults/deployments/a',
        body: { spec: { selector: { matchLabels: { app: 'x' } } } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/defaults/deployments/a',
        body: { metadata: { annotations: { a: 'b' } } },
        headers: mergePatch,
      },
      { path: '/apis/apps/v1/namespaces/defaults/deployments', headers: table },
    ],
  },
  {
    name: 'access',
    steps: [
      namespace('access'),
      { path: core('access', 'configmaps'), user: 'bob' },
      { path: core('access', 'configmaps/x'), user: 'bob' },
      { path: '/api/v1/nodes', user: 'bob' },
      { path: core('access', 'pods/x/status'), user: 'bob' },
      { path: '/metrics', user: 'bob' },
      { path: '/version', user: 'bob' },
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'access' } } },
        user: 'bob',
      },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/access/roles',
        body: {
          metadata: { name: 'reader' },
          rules: [
            { apiGroups: [''], resources: ['configmaps'], resourceNames: ['x'], verbs: ['get', 'list', 'watch'] },
            { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['*'] },
          ],
        },
      },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/access/rolebindings',
        body: {
          metadata: { name: 'reader' },
          roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
          subjects: [{ kind: 'User', name: 'bob' }],
        },
      },
      { path: core('access', 'configmaps/x'), user: 'bob' },
      { path: core('access', 'configmaps/y'), user: 'bob' },
      { path: core('access', 'configmaps'), user: 'bob' },
      { path: core('access', 'configmaps?fieldSelector=metadata.name%3Dx'), user: 'bob' },
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { spec: { resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'access', name: 'x' } } },
        user: 'bob',
      },
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          spec: {
            user: 'bob',
            groups: ['devs'],
            resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'access', name: 'x' },
          },
        },
      },
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: { spec: { user: 'bob', nonResourceAttributes: { verb: 'get', path: '/metrics' } } },
      },
      { path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {}, user: 'bob' },
      {
        path: '/apis/rbac.authorization.k8s.io/v1/namespaces/access/roles',
        body: {
          metadata: { name: 'more' },
          rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }],
        },
        user: 'bob',
      },
      { path: core('access', 'configmaps'), headers: { 'Impersonate-User': 'bob' } },
      { path: core('access', 'configmaps'), user: 'bob', headers: { 'Impersonate-User': 'admin' } },
      {
        path: core('access', 'configmaps'),
        user: 'bob',
        headers: { 'Impersonate-User': 'system:serviceaccount:access:default' },
      },
      { path: core('access', 'configmaps'), headers: { Authorization: 'Bearer wrong' } },
      { path: core('access', 'configmaps/x'), method: 'PATCH', body: {}, user: 'bob', headers: mergePatch },
      { path: core('access', 'configmaps'), method: 'DELETE', user: 'bob' },
    ],
  },
];
