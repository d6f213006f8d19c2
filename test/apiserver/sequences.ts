import { apply, jsonPatch, mergePatch, strategicMergePatch, table, type Sequence, type Step } from './sequence.ts';
import { widgets } from './definitions.ts';

const namespace = (name: string): Step => ({ path: '/api/v1/namespaces', body: { metadata: { name } } });
const core = (name: string, resource: string): string => `/api/v1/namespaces/${name}/${resource}`;
const custom = (name: string, rest = ''): string => `/apis/example.com/v1/namespaces/${name}/widgets${rest}`;

interface Versioned {
  readonly metadata: { readonly resourceVersion: string; readonly uid: string; readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

/** A body made of an earlier answer: its members replaced by others. */
const changed =
  (index: number, change: Record<string, unknown>) =>
  (answers: readonly unknown[]): unknown => ({ ...(answers.at(index) as Versioned), ...change });

const widget = (
  name: string,
  spec: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...more,
});

const pod = { containers: [{ name: 'app', image: 'nginx:1' }] };
const labels = { app: 'web' };

export const sequences: readonly Sequence[] = [
  {
    name: 'unknown paths',
    steps: [
      '/nope',
      '/apis/nope',
      '/apis/nope/v1',
      '/apis/nope/v1/foo',
      '/api/v1/foo',
      '/api/v2',
      '/apis/apps/v2',
      '/apis/apps/v2/deployments',
      '/apis/apps/v1/foo',
      '/api/v1/namespaces/default/configmaps/a/b',
      '/healthz',
      '/livez',
      '/readyz',
      '/readyz/ping',
      '/readyz/nope',
    ].map((path) => ({ path })),
  },
  {
    name: 'methods that are not served',
    steps: [
      { method: 'PUT', path: '/api/v1/namespaces/default/configmaps', body: {} },
      { method: 'POST', path: '/api/v1/namespaces/default/configmaps/x', body: {} },
      { method: 'DELETE', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
      { method: 'GET', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
      { method: 'POST', path: '/api/v1/configmaps', body: {} },
      { method: 'POST', path: '/version', body: {} },
    ],
  },
  {
    name: 'config map life',
    steps: [
      namespace('life'),
      {
        path: core('life', 'configmaps'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } },
      },
      { path: core('life', 'configmaps'), body: { metadata: { name: 'a' } } },
      { path: core('life', 'configmaps/a') },
      { path: core('life', 'configmaps/missing') },
      { method: 'PUT', path: core('life', 'configmaps/a'), make: changed(1, { data: { x: '2' } }) },
      { method: 'PUT', path: core('life', 'configmaps/a'), make: changed(1, { data: { x: '3' } }) },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { metadata: { name: 'a' }, data: { x: '4' } } },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { metadata: { name: 'a' }, data: { x: '4' } } },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { metadata: { name: 'b' } } },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { data: { x: '4' } } },
      { method: 'PUT', path: core('life', 'configmaps/nope'), body: { metadata: { name: 'nope' } } },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { metadata: { name: 'a', namespace: 'default' } } },
      { method: 'PUT', path: core('life', 'configmaps/a'), body: { metadata: { name: 'a', uid: 'other' } } },
      {
        method: 'PUT',
        path: core('life', 'configmaps/a'),
        body: { metadata: { name: 'a', creationTimestamp: '2020-01-01T00:00:00Z' } },
      },
      { method: 'DELETE', path: core('life', 'configmaps/a'), body: { preconditions: { uid: 'other' } } },
      { method: 'DELETE', path: core('life', 'configmaps/a'), body: { preconditions: { resourceVersion: '1' } } },
      { method: 'DELETE', path: core('life', 'configmaps/a'), body: { propagationPolicy: 'Sideways' } },
      { method: 'DELETE', path: core('life', 'configmaps/a?dryRun=All') },
      { method: 'DELETE', path: core('life', 'configmaps/a?dryRun=Some') },
      { method: 'DELETE', path: core('life', 'configmaps/a') },
      { method: 'DELETE', path: core('life', 'configmaps/a') },
    ],
  },
  {
    name: 'names and metadata',
    steps: [
      namespace('names'),
      namespace('Names'),
      namespace('a.b'),
      { path: core('names', 'configmaps'), body: { metadata: { name: 'A' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a'.repeat(254) } } },
      { path: core('names', 'configmaps'), body: { metadata: {} } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', namespace: 'default' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', resourceVersion: '5' } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { 'a b': 'c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { a: 'b c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', labels: { '/a': 'b' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', annotations: { 'a b': 'c' } } } },
      { path: core('names', 'configmaps'), body: { metadata: { name: 'a', finalizers: ['nope'] } } },
      {
        path: core('names', 'configmaps'),
        body: { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] } },
      },
      {
        path: core('names', 'configmaps'),
        body: { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }] } },
      },
      {
        path: core('names', 'configmaps'),
        body: {
          metadata: {
            name: 'a',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'A', name: 'x', uid: 'u', controller: true },
              { apiVersion: 'v1', kind: 'B', name: 'y', uid: 'v', controller: true },
            ],
          },
        },
      },
      { path: core('names', 'configmaps?dryRun=All'), body: { metadata: { name: 'dry' } } },
      { path: core('names', 'configmaps/dry') },
      { path: core('nowhere', 'configmaps'), body: { metadata: { name: 'a' } } },
      { path: core('nowhere', 'configmaps') },
      { path: core('names', 'configmaps?dryRun=x&fieldValidation=y'), body: { metadata: { name: 'a' } } },
      { path: core('names', 'configmaps?fieldManager=' + 'x'.repeat(129)), body: { metadata: { name: 'a' } } },
      { path: '/apis/rbac.authorization.k8s.io/v1/clusterroles', body: { metadata: { name: 'a:b%c' } } },
    ],
  },
  {
    name: 'decoding and field validation',
    steps: [
      namespace('decoding'),
      { path: core('decoding', 'configmaps'), body: 'xx', headers: { 'Content-Type': 'application/json' } },
      {
        method: 'POST',
        path: core('decoding', 'configmaps'),
        body: '',
        headers: { 'Content-Type': 'application/json' },
      },
      { path: core('decoding', 'configmaps'), body: '[]', headers: { 'Content-Type': 'application/json' } },
      {
        path: core('decoding', 'configmaps'),
        body: { metadata: { name: 'a' } },
        headers: { 'Content-Type': 'text/plain' },
      },
      { path: core('decoding', 'configmaps'), body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a' }, data: { a: 1 } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a', labels: [] } } },
      { path: core('decoding', 'configmaps'), body: { metadata: { name: 'a', nope: 1 }, data: { a: 'b' }, nope: 1 } },
      {
        path: core('decoding', 'configmaps?fieldValidation=Strict'),
        body: { metadata: { name: 'b', nope: 1 }, nope: 1 },
      },
      {
        path: core('decoding', 'configmaps?fieldValidation=Ignore'),
        body: { metadata: { name: 'b', nope: 1 }, nope: 1 },
      },
      {
        path: core('decoding', 'configmaps?fieldValidation=Strict'),
        body: '{"metadata":{"name":"c","name":"d"},"data":{"a":"1","a":"2"}}',
      },
      { path: core('decoding', 'configmaps'), body: '{"metadata":{"name":"c","name":"d"},"data":{"a":"1","a":"2"}}' },
      {
        path: core('decoding', 'configmaps'),
        body: 'metadata:\n  name: yaml\ndata:\n  a: "1"\n',
        headers: { 'Content-Type': 'application/yaml' },
      },
      { path: core('decoding', 'secrets'), body: { metadata: { name: 's' }, data: { a: '!!' } } },
      {
        path: core('decoding', 'secrets'),
        body: { metadata: { name: 's' }, stringData: { a: 'x' }, data: { b: 'eA==' } },
      },
      { path: core('decoding', 'secrets'), body: { metadata: { name: 't' }, type: 'kubernetes.io/tls' } },
      { path: core('decoding', 'configmaps/a'), headers: { Accept: 'text/plain' } },
      {
        path: core('decoding', 'configmaps/a'),
        headers: { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      },
      {
        path: core('decoding', 'configmaps?fieldSelector=metadata.name%3Da'),
        headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      },
      {
        path: core('decoding', 'configmaps/a'),
        headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      },
    ],
  },
  {
    name: 'patches',
    steps: [
      namespace('patches'),
      { path: core('patches', 'configmaps'), body: { metadata: { name: 'a' }, data: { x: '1', y: '2' } } },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: { data: { x: null, z: '3' } },
        headers: mergePatch,
      },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: { data: { z: '3' } }, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'add', path: '/data/w', value: '4' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'test', path: '/data/w', value: '5' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'remove', path: '/data/none' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'add', path: '/none/w', value: '4' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
        headers: jsonPatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }],
        headers: jsonPatch,
      },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: { op: 'add' }, headers: jsonPatch },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: '{', headers: mergePatch },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: [], headers: mergePatch },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: { data: { x: 1 } }, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: { metadata: { name: 'b' } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: { metadata: { namespace: 'default' } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: { metadata: { resourceVersion: '1' } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: { metadata: { uid: 'other' } },
        headers: mergePatch,
      },
      { method: 'PATCH', path: core('patches', 'configmaps/none'), body: {}, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a'),
        body: {},
        headers: { 'Content-Type': 'application/json' },
      },
      { method: 'PATCH', path: core('patches', 'configmaps/a?force=true'), body: {}, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a?fieldValidation=Strict'),
        body: { nope: 1 },
        headers: mergePatch,
      },
      { method: 'PATCH', path: core('patches', 'configmaps/a'), body: { nope: 1 }, headers: mergePatch },
      {
        method: 'PATCH',
        path: core('patches', 'configmaps/a?dryRun=All'),
        body: { data: { dry: 'run' } },
        headers: mergePatch,
      },
      { path: core('patches', 'configmaps/a') },
    ],
  },
  {
    name: 'strategic merge patches',
    steps: [
      namespace('strategic'),
      {
        path: '/apis/apps/v1/namespaces/strategic/deployments',
        body: {
          metadata: { name: 'web' },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
        },
      },
      ...[
        { spec: { template: { spec: { containers: [{ name: 'app', image: 'nginx:2' }] } } } },
        { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } },
        {
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'app',
                    env: [
                      { name: 'A', value: '1' },
                      { name: 'B', value: '2' },
                    ],
                  },
                ],
              },
            },
          },
        },
        { spec: { template: { spec: { containers: [{ name: 'app', env: [{ name: 'A', $patch: 'delete' }] }] } } } },
        { spec: { template: { spec: { '$setElementOrder/containers': [{ name: 'side' }, { name: 'app' }] } } } },
        { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } },
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        { spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } } },
        { spec: { template: { spec: { volumes: [{ name: 'w', configMap: { name: 'x' } }] } } } },
        { metadata: { finalizers: ['example.com/a'] } },
        { metadata: { finalizers: ['example.com/b'] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
        { metadata: { labels: { $patch: 'replace', only: 'this' } } },
        { spec: { template: { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } } } },
        { spec: { template: { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } } } },
        { spec: { template: { spec: { containers: [{ image: 'x' }] } } } },
      ].map((body) => ({
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/strategic/deployments/web',
        body,
        headers: strategicMergePatch,
      })),
    ],
  },
  {
    name: 'finalizers and deletion',
    steps: [
      namespace('finalizers'),
      {
        path: custom('finalizers'),
        body: widget('a', { size: 1 }, { metadata: { name: 'a', finalizers: ['example.com/f'] } }),
      },
      { method: 'DELETE', path: custom('finalizers', '/a') },
      { method: 'DELETE', path: custom('finalizers', '/a') },
      { path: custom('finalizers'), body: widget('a', { size: 1 }) },
      {
        method: 'PATCH',
        path: custom('finalizers', '/a'),
        body: { metadata: { finalizers: ['example.com/f', 'example.com/g'] } },
        headers: mergePatch,
      },
      { method: 'PATCH', path: custom('finalizers', '/a'), body: { spec: { size: 2 } }, headers: mergePatch },
      {
        method: 'PATCH',
        path: custom('finalizers', '/a'),
        body: { metadata: { deletionTimestamp: null } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('finalizers', '/a'),
        body: { metadata: { finalizers: null } },
        headers: mergePatch,
      },
      { path: custom('finalizers', '/a') },
      {
        path: custom('finalizers'),
        body: widget('b', { size: 1 }, { metadata: { name: 'b', finalizers: ['nodomain'] } }),
      },
      {
        path: custom('finalizers'),
        body: widget('b', { size: 1 }, { metadata: { name: 'b', finalizers: ['no.path'] } }),
      },
      { path: core('finalizers', 'configmaps'), body: { metadata: { name: 'c' } } },
      {
        method: 'PATCH',
        path: core('finalizers', 'configmaps/c'),
        body: { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } },
        headers: mergePatch,
      },
      { method: 'DELETE', path: core('finalizers', 'configmaps/c?propagationPolicy=Foreground&orphanDependents=true') },
      {
        method: 'DELETE',
        path: core('finalizers', 'configmaps/c'),
        body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 5 },
      },
    ],
  },
  {
    name: 'custom resources',
    steps: [
      namespace('customs'),
      { path: custom('customs'), body: widget('a', { size: 3, nope: true }, { status: { phase: 'Ready' } }) },
      { path: custom('customs', '?fieldValidation=Strict'), body: widget('b', { size: 3, nope: true }) },
      { path: custom('customs'), body: widget('c', {}) },
      { path: custom('customs'), body: widget('c', { size: 'big' }) },
      { path: custom('customs'), body: widget('c', { size: 100, color: 'blue' }) },
      { path: custom('customs'), body: widget('c', { size: 9 }) },
      { path: custom('customs'), body: { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'c' } } },
      {
        path: custom('customs'),
        body: { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'c' }, spec: { size: 1 } },
      },
      { path: custom('customs'), body: { metadata: { name: 'c' }, spec: { size: 1 } } },
      {
        path: custom('customs'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'C' }, spec: { size: 1 } },
      },
      { method: 'PUT', path: custom('customs', '/a'), body: widget('a', { size: 4 }) },
      {
        method: 'PUT',
        path: custom('customs', '/a'),
        make: changed(1, { spec: { size: 4 }, status: { phase: 'Lost' } }),
      },
      {
        method: 'PUT',
        path: custom('customs', '/a/status'),
        make: changed(-1, { spec: { size: 5 }, status: { phase: 'Ready' } }),
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { spec: { size: 5 }, status: { phase: 'X' } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a/status'),
        body: { spec: { size: 6 }, status: { phase: 'Y' }, metadata: { labels: { a: 'b' } } },
        headers: mergePatch,
      },
      { method: 'PATCH', path: custom('customs', '/a'), body: { spec: { size: 6 } }, headers: strategicMergePatch },
      { method: 'PATCH', path: custom('customs', '/a'), body: { spec: { size: 9 } }, headers: mergePatch },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { metadata: { annotations: { a: 'b' } } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('customs', '/a'),
        body: { metadata: { annotations: { a: 'b' } } },
        headers: mergePatch,
      },
      { path: custom('customs', '/a/scale') },
      { method: 'PATCH', path: custom('customs', '/a/scale'), body: { spec: { replicas: 2 } }, headers: mergePatch },
      {
        method: 'PUT',
        path: custom('customs', '/a/scale'),
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 3 } },
      },
      {
        method: 'PUT',
        path: custom('customs', '/a/scale'),
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'a', resourceVersion: '1' },
          spec: { replicas: 3 },
        },
      },
      { method: 'PATCH', path: custom('customs', '/a/scale'), body: { spec: { replicas: -1 } }, headers: mergePatch },
      { path: custom('customs', '/a/nope') },
      { method: 'DELETE', path: custom('customs', '/a/status') },
      { path: custom('customs'), headers: table },
      { path: custom('customs', '/a'), headers: table },
      { path: custom('customs', '?fieldSelector=spec.color%3Dred'), headers: table },
      { path: custom('customs', '?fieldSelector=spec.size%3D3') },
      { path: custom('customs', '?labelSelector=a%20b') },
      { path: custom('customs', '?labelSelector=a%20in%20(b)') },
      { method: 'DELETE', path: custom('customs') },
      { path: custom('customs') },
    ],
  },
  {
    name: 'lists',
    steps: [
      namespace('lists'),
      ...['a', 'b', 'c', 'd'].map((name) => ({
        path: core('lists', 'configmaps'),
        body: { metadata: { name: `list-${name}`, labels: { name } } },
      })),
      { path: core('lists', 'configmaps?labelSelector=name') },
      { path: core('lists', 'configmaps?labelSelector=name&limit=2') },
      {
        path: (answers) =>
          `${core('lists', 'configmaps?labelSelector=name&limit=2')}&continue=${(answers.at(-1) as { metadata: { continue: string } }).metadata.continue}`,
      },
      { path: core('lists', 'configmaps?labelSelector=name!=a,name&limit=500') },
      { path: core('lists', 'configmaps?fieldSelector=metadata.name%3Dlist-b') },
      {
        path: core(
          'lists',
          'configmaps?fieldSelector=metadata.name!=list-b,metadata.namespace%3Dlists&labelSelector=name',
        ),
      },
      { path: core('lists', 'configmaps?fieldSelector=spec.foo%3Dx') },
      { path: core('lists', 'configmaps?fieldSelector=nothing') },
      { path: core('lists', 'configmaps?limit=abc') },
      { path: core('lists', 'configmaps?continue=abc') },
      { path: core('lists', 'configmaps?resourceVersion=abc') },
      { path: core('lists', 'configmaps?resourceVersionMatch=Exact') },
      { path: core('lists', 'configmaps?resourceVersion=0&resourceVersionMatch=Exact') },
      { path: core('lists', 'configmaps?resourceVersion=1&resourceVersionMatch=Wrong') },
      { path: core('lists', 'configmaps?sendInitialEvents=true') },
      { path: core('lists', 'configmaps?watch=true&sendInitialEvents=true') },
      { path: core('lists', 'configmaps?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1') },
      { path: core('lists', 'configmaps?watch=true&resourceVersion=abc') },
      { path: core('lists', 'configmaps?resourceVersion=0&limit=1&labelSelector=name') },
      { path: core('lists', 'configmaps?labelSelector=name'), headers: table },
      { path: core('lists', 'configmaps?labelSelector=name&includeObject=None'), headers: table },
      { path: core('lists', 'configmaps?includeObject=Wrong'), headers: table },
      { method: 'DELETE', path: core('lists', 'configmaps?labelSelector=name%3Da') },
      { path: core('lists', 'configmaps?labelSelector=name'), headers: table },
    ],
  },
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
  {
    name: 'definitions',
    steps: [
      { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: { metadata: { name: 'x' } } },
      { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: widgets },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        body: {
          ...widgets,
          metadata: { name: 'gadgets.example.com' },
          spec: { ...widgets.spec, names: { plural: 'gadgets', kind: 'Gadget' } },
        },
      },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        body: {
          ...widgets,
          metadata: { name: 'gadgets.example.com' },
          spec: { ...widgets.spec, names: { plural: 'gadgets', kind: 'Gadget' }, versions: [] },
        },
      },
      {
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=metadata.name%3Dwidgets.example.com',
        headers: table,
      },
      { path: '/apis/example.com/v1' },
      { path: '/apis/example.com' },
    ],
  },
  {
    name: 'server-side apply',
    steps: [
      namespace('applied'),
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', y: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', y: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2', y: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1', z: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two&force=true'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=one'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=three'),
        body: { data: { w: '3' }, metadata: { labels: { a: 'b' } } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { w: '4' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=three'),
        body: { data: { w: null } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, nope: 1 },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'Secret' },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields: [] } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
        headers: apply,
      },
      {
        method: 'PUT',
        path: core('applied', 'configmaps/a?fieldManager=four'),
        body: { metadata: { name: 'a' }, data: { v: '1' } },
      },
      {
        method: 'PUT',
        path: core('applied', 'configmaps/a?fieldManager=four'),
        body: { metadata: { name: 'a', managedFields: [] }, data: { v: '1' } },
      },
      {
        method: 'PATCH',
        path: core('applied', 'configmaps/a?fieldManager=two'),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { v: '1' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=one',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [
                  {
                    name: 'app',
                    image: 'nginx:1',
                    ports: [{ containerPort: 80 }],
                    env: [
                      { name: 'A', value: '1' },
                      { name: 'B', value: '2' },
                    ],
                  },
                ],
              },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=two',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'app', env: [{ name: 'C', value: '3' }] },
                  { name: 'side', image: 'busybox' },
                ],
              },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web?fieldManager=one',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'app', image: 'nginx:2', env: [{ name: 'B', value: '2' }] }] },
            },
          },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web/scale?fieldManager=scaler',
        body: { spec: { replicas: 5 } },
        headers: mergePatch,
      },
      { path: '/apis/apps/v1/namespaces/applied/deployments/web' },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/applied/deployments/web/status?fieldManager=controller',
        body: { status: { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] } },
        headers: mergePatch,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=one'),
        body: widget('a', { size: 1 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: widget('a', { size: 2 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: widget('a', { color: 'green' }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a/status?fieldManager=one'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, status: { phase: 'Ready' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=one'),
        body: widget('a', { nope: 1 }),
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/a?fieldManager=two'),
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/missing/status?fieldManager=one'),
        body: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'missing' },
          status: { phase: 'Ready' },
        },
        headers: apply,
      },
      {
        method: 'PATCH',
        path: custom('applied', '/b?fieldManager=one&dryRun=All'),
        body: widget('b', { size: 1 }),
        headers: apply,
      },
      { path: custom('applied', '/b') },
    ],
  },
];
